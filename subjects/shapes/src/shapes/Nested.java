package shapes;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Nested and inner classes, of generic and plain outers, at every visibility. */
public class Nested<T> implements Iterable<T> {
    private final List<T> items = new ArrayList<>();
    protected Inner<Integer> kept;

    public Inner<String> named(T item) {
        return new Inner<>(item, "name");
    }

    public <U> Nested<T>.Inner<U> pair(T item, U other) {
        return new Inner<>(item, other);
    }

    public Nested<List<T>>.Plain deep(Nested<List<T>> other) {
        return other.new Plain();
    }

    @Override
    public Iterator<T> iterator() {
        return items.iterator();
    }

    /** An inner class of a generic class, with a parameter of its own. */
    public class Inner<U> implements Map.Entry<T, U> {
        private final T key;
        private U value;

        public Inner(T key, U value) {
            this.key = key;
            this.value = value;
        }

        @Override
        public T getKey() {
            return key;
        }

        @Override
        public U getValue() {
            return value;
        }

        @Override
        public U setValue(U next) {
            U before = value;
            value = next;
            return before;
        }

        /** Three levels deep. */
        public class Core<V> {
            public final V core;

            public Core(T t, U u, V v) {
                core = v;
            }

            public Nested<T>.Inner<V> outwards() {
                return new Inner<>(key, core);
            }
        }
    }

    /** An inner class without parameters of its own. */
    public class Plain {
        public T first() {
            return items.get(0);
        }
    }

    /** Not bound to an instance. */
    public static class Free<T extends Number> {
        public T number;

        protected Free(T number) {
            this.number = number;
        }

        static class Deeper {
            int depth = 3;

            Deeper() {}
        }
    }

    private class Secret {
        void whisper() {}
    }

    public Runnable local() {
        class Local implements Runnable {
            @Override
            public void run() {
                new Secret().whisper();
            }
        }
        return new Local();
    }

    public Comparable<T> anonymous() {
        return new Comparable<T>() {
            @Override
            public int compareTo(T other) {
                return 0;
            }
        };
    }
}
