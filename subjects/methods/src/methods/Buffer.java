package methods;

/** A bounded buffer whose predicate is private, and whose state no public operation reaches in full. */
public final class Buffer {
    public enum Mode {
        FAST, SAFE
    }

    private int[] data = new int[2];
    private int top;
    private Mode mode = Mode.SAFE;

    public void push(int value, Mode how) {
        if (how == null) {
            throw new IllegalArgumentException("how?");
        }
        if (top == data.length) {
            throw new IndexOutOfBoundsException("full");
        }
        mode = how;
        data[top++] = value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Buffer && ((Buffer) other).top == top && top < 2;
    }

    @Override
    public int hashCode() {
        return top;
    }

    @Override
    public String toString() {
        return "Buffer of " + top + ", " + mode;
    }

    private boolean repOk() {
        if (data == null || mode == null || top < 0 || top > data.length) {
            return false;
        }
        for (int index = top; index < data.length; index++) {
            if (data[index] != 0) {
                return false;
            }
        }
        return true;
    }
}
