package statements;

import java.util.Comparator;
import java.util.ResourceBundle;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What mocks and lambdas stand in for, and code that asks them. */
abstract class Shape {
    private final String name;

    Shape(String name) {
        this.name = name;
        throw new IllegalStateException("a mock runs no constructor");
    }

    abstract double area(int precision);

    abstract String describe(Object to, long times);

    String name() {
        return name;
    }

    final boolean isKnown() {
        return name != null;
    }

    /** Package-private, with a default method. */
    interface Visitor {
        int visit(Shape shape);

        default int twice(Shape shape) {
            return visit(shape) + visit(shape);
        }
    }

    /** Made public, so that anybody can have a copy. */
    interface Copied {
        Object clone();
    }

    static class Sheep implements Cloneable {
        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    /** A method for every sort of result. */
    interface Sorts {
        boolean isYes();

        byte tiny();

        char letter();

        short brief();

        int whole();

        long large();

        float rough();

        double exact();

        String text();

        void nothing();
    }

    static final class Asker {
        private static Sorts kept;

        /** Asks whoever came first, then who comes now. */
        static String askFirst(Sorts sorts) {
            kept = kept == null ? sorts : kept;
            kept.nothing();
            return kept.isYes() + " " + kept.tiny() + " " + (int) kept.letter() + " " + kept.brief() + " "
                    + kept.whole() + " " + kept.large() + " " + kept.rough() + " " + kept.exact() + " "
                    + kept.text() + " " + sorts.whole();
        }

        static String copies(Copied copied, Sheep sheep) throws CloneNotSupportedException {
            return copied.clone() + " " + sheep.clone();
        }

        static String askOften(Sorts sorts, int times) {
            int sum = 0;
            for (int i = 0; i < times; i++) {
                sum += sorts.whole();
            }
            return sum + " " + sorts.text();
        }

        static String ask(Shape shape) {
            return shape.name() + " " + shape.describe("x", 3) + " " + shape.area(2) + " " + shape.area(1) + " "
                    + shape.isKnown();
        }

        static int visit(Visitor visitor) {
            return visitor.twice(null);
        }

        static <T> T apply(Function<T, T> function, T value) {
            return function.apply(value);
        }

        static int compare(Comparator<String> comparator) {
            return comparator.reversed().compare("a", "b");
        }

        static int combine(BiFunction<Integer, Integer, Integer> function) {
            return function.apply(3, 4);
        }

        static String same(Shape left, Shape right) {
            return left.equals(left) + " " + left.equals(right) + " " + left;
        }
    }

    /** Its bundle lies beside it, and only a caller from the same loader finds it. */
    static String bundled() {
        return ResourceBundle.getBundle("statements.Words").getString("greeting");
    }
}
