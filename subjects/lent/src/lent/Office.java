package lent;

/** Can be planned only before it opens, and whoever asks for it opens it for all. */
public final class Office {
    private static boolean isOpen;
    private static int desks = -1;

    private Office() {
    }

    /** Opens the office for good. */
    public static synchronized Office get() {
        isOpen = true;
        return new Office();
    }

    /** How many desks there will be. */
    public static synchronized int plan(int people) {
        if (isOpen) {
            throw new IllegalStateException("open already");
        }
        if (people < 0) {
            throw new IllegalArgumentException("people");
        }
        desks = people > 10 ? 10 : people;
        return desks;
    }

    public boolean isPlanned() {
        return desks >= 0;
    }
}
