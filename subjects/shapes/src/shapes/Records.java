package shapes;

import java.util.List;
import java.util.Objects;

/** Records: plain, generic, compact, nested, with accessors overridden and members of their own. */
public final class Records {
    private Records() {}

    public record Point(int x, int y) implements Comparable<Point> {
        public static final Point ORIGIN = new Point(0, 0);

        public Point {
            if (x == Integer.MIN_VALUE) {
                throw new IllegalArgumentException("too far left");
            }
        }

        public static Point of(int both) {
            return new Point(both, both);
        }

        public Point plus(Point other) {
            return new Point(x + other.x, y + other.y);
        }

        @Override
        public int compareTo(Point other) {
            return Integer.compare(x, other.x);
        }
    }

    public record Pair<A, B extends Comparable<? super B>>(A first, B second) {
        @Override
        public A first() {
            return Objects.requireNonNull(first);
        }

        public <C> Pair<C, B> withFirst(C other) {
            return new Pair<>(other, second);
        }
    }

    public record Lists<T>(List<? extends T> items, T[][] rest) {}

    record Hidden(long value) {}
}
