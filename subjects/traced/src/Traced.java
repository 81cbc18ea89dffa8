import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/** Calls of every kind. Each method named in the test is run by itself. */
public final class Traced {
    private Traced() {}

    /** An object with a superclass. */
    static class Counter extends Base {
        private long count;

        Counter(int start, String name) {
            super(name == null ? "none" : name);
            count = start;
        }

        long add(long amount, boolean twice) {
            count += twice ? amount + amount : amount;
            return count;
        }

        private static double half(double value) {
            return value / 2;
        }
    }

    static class Base implements Comparable<Base> {
        final String name;

        Base(String name) {
            this.name = name;
        }

        @Override
        public int compareTo(Base other) {
            return name.charAt(0) - other.name.charAt(0);
        }
    }

    static long objects() {
        Counter counter = new Counter(5, "c");
        counter.add(7, false);
        return counter.add(1, true) + (long) Counter.half(3);
    }

    static String caught() {
        try {
            return fails(2);
        } catch (IllegalStateException expected) {
            return expected.getMessage();
        }
    }

    private static String fails(int depth) {
        if (depth == 1) throw new IllegalStateException("deep");
        return fails(depth - 1) + depth;
    }

    /** The JDK calls back. */
    static String callbacks() {
        List<Base> list = new ArrayList<>();
        list.add(new Base("b"));
        list.add(new Base("a"));
        list.sort(null);
        return list.get(0).name;
    }

    /** Calls inside the arguments of constructors, with jumps around them. */
    static long nested() {
        boolean odd = System.getProperty("file.separator").length() > 0;
        return new Counter(odd ? new Counter(1, null).name.length() : 2, "n").add(odd ? 10L : 20L, !odd);
    }

    static long clocks() {
        LongSupplier reference = System::currentTimeMillis;
        ToIntFunction<String> length = String::length;
        return System.currentTimeMillis() + 100 * reference.getAsLong() + "text".length() + length.applyAsInt("t");
    }
}
