package untestable;

/** An enum can be tested like any class. */
public enum Light {
    RED, GREEN;

    public Light next() {
        return this == RED ? GREEN : RED;
    }
}
