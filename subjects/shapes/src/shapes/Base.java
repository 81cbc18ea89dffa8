package shapes;

/** Hands public members down to a public class, though nobody else can name it. */
abstract class Base<T> {
    public static int made;

    public T handedDown(T item) {
        return item;
    }

    public static <U> U helper(U item) {
        return item;
    }

    protected void near() {}

    public abstract String describe();
}
