package made.user;

/** Abstract, and whoever extends it asks for something that it mentions nowhere. */
public abstract class Counter {
    protected int start;

    public int twice(int count) {
        return count > 5 ? 2 * count + start : start;
    }
}
