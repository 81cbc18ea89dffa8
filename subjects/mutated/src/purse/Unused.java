package purse;

/** Nobody tests this. */
public final class Unused {
    private Unused() {}

    public static int twice(int number) {
        return 2 * number;
    }
}
