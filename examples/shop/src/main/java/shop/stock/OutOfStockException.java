package shop.stock;

/** More was asked for than there is. */
public final class OutOfStockException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int missing;

    /** So many pieces of the article are missing. */
    public OutOfStockException(String article, int missing) {
        super(article + ": " + missing + " missing");
        this.missing = missing;
    }

    /** How many pieces were missing. */
    public int missing() {
        return missing;
    }
}
