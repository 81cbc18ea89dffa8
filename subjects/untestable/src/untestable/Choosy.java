package untestable;

/** Its constructor throws, but not always; what it keeps is of a class that nobody else can name. */
public class Choosy {
    private final Slot slot;

    public Choosy(int size) {
        if (size < 0) {
            throw new IllegalArgumentException("too small");
        }
        slot = new Slot(size);
    }

    public int size() {
        return slot.size > 3 ? slot.size : 3;
    }

    /** Known to nobody else. */
    private static final class Slot {
        private final int size;

        private Slot(int size) {
            this.size = size;
        }
    }
}
