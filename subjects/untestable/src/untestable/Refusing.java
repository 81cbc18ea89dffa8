package untestable;

/** Every constructor throws. */
public class Refusing {
    private final int size;

    public Refusing(int size) {
        this.size = size;
        throw new UnsupportedOperationException("not yet");
    }

    public Refusing() {
        this(1);
    }

    public int size() {
        return size > 3 ? size : 3;
    }
}
