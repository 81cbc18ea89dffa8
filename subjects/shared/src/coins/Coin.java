package coins;

/** A value with a constant that all tests have in common, and a text that is made when it is first asked for. */
public final class Coin {
    public static final Coin ONE = new Coin(1);

    private final int cents;
    private String text;

    private Coin(int cents) {
        this.cents = cents;
    }

    public static Coin of(int cents) {
        return new Coin(cents);
    }

    /** Two ways: made now, or known. */
    public String text() {
        if (text == null) {
            text = cents + " ct";
        }
        return text;
    }
}
