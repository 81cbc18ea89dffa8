package hostile;

/** Its static initializer throws. */
public class FailsInitializer {
    private static final int VALUE = Integer.parseInt("not a number");

    public static int value() {
        return VALUE;
    }
}
