package coins;

/** Uses a {@link Sorter} while it is made: what reaches all of it in one call, without a test of it. */
public final class Purse {
    final int limit;
    private final String slot;

    private Purse(int cents) {
        limit = 10;
        slot = new Sorter(this).slot(cents);
    }

    public static Purse of(int cents) {
        return new Purse(cents);
    }

    @Override
    public String toString() {
        return slot;
    }
}
