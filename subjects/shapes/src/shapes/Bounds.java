package shapes;

import java.io.Serializable;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Type parameters bounded by themselves, by each other, by several types, by wildcards. */
public class Bounds<K extends Comparable<? super K>, V extends Collection<? extends K>> {
    public K key;
    public V values;

    public <E extends Enum<E>> EnumMap<E, K> byEnum(Class<E> type) {
        return new EnumMap<>(type);
    }

    public static <T extends Object & Comparable<? super T>> T largest(Collection<? extends T> all) {
        return all.iterator().next();
    }

    public static <T extends Number & Comparable<T> & Serializable> int compare(T left, T right) {
        return left.compareTo(right);
    }

    public static <A, B extends A, C extends List<? super B>> C collect(B item, C into) {
        into.add(item);
        return into;
    }

    public static <S extends Builder<S>> S build(S builder) {
        return builder.self();
    }

    public <R extends K> R narrow(Function<? super K, ? extends R> how) {
        return how.apply(key);
    }

    public static <X extends Exception> void raise(X problem) throws X {
        throw problem;
    }

    public static <T> void swap(List<T> list, int i, int j) {}

    public static long count(List<?> any, Map<?, ? extends List<? super Integer>> map) {
        return any.size() + map.size();
    }

    /** Returns itself, as builders do. */
    public abstract static class Builder<S extends Builder<S>> {
        public abstract S self();

        public S with(int value) {
            return self();
        }
    }

    /** The only builder there is. */
    public static class Concrete extends Builder<Concrete> {
        @Override
        public Concrete self() {
            return this;
        }
    }

    /** A graph whose nodes know their edges' type and the other way round. */
    public interface Graph<N extends Graph.Node<N, E>, E extends Graph.Edge<N, E>> {
        N start();

        E edge(N from, N to);

        interface Node<N extends Node<N, E>, E extends Edge<N, E>> {
            Collection<E> edges();
        }

        interface Edge<N extends Node<N, E>, E extends Edge<N, E>> {
            N target();
        }
    }

    /** Makes the graph's bounds satisfiable. */
    public static final class City implements Graph.Node<City, Road> {
        @Override
        public Collection<Road> edges() {
            return List.of();
        }
    }

    /** The other half. */
    public record Road(City target) implements Graph.Edge<City, Road> {}
}
