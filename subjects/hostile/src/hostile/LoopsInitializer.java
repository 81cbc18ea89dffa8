package hostile;

/** Its static initializer never ends. */
public class LoopsInitializer {
    private static final int VALUE = compute();

    private static int compute() {
        int value = 1;
        while (value != 0) {
            value |= 1;
        }
        return value;
    }

    public static int value() {
        return VALUE;
    }
}
