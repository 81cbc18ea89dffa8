package untestable;

/** Cannot be initialized. */
public final class Broken {
    private static final int SIZE = Integer.parseInt("not a number");

    public Broken() {}

    public int size() {
        return SIZE;
    }
}
