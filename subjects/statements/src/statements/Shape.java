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

    static final class Asker {
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
