package coins;

/** Needs a {@link Purse}, which needs it. */
final class Sorter {
    private final int limit;

    Sorter(Purse purse) {
        limit = purse.limit;
    }

    String slot(int cents) {
        return cents < limit ? "small" : "large";
    }
}
