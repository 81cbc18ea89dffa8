package untestable;

/** Abstract, and nobody extends it: only what is nested in it can be tested. */
public abstract class Outline {
    public abstract int edges();

    /** One point of an outline. */
    public static class Point {
        public int distance(int other) {
            return other < 0 ? -other : other;
        }
    }
}
