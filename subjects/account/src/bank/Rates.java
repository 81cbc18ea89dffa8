package bank;

/** What currencies are worth today; a service that is not on the class path. */
public interface Rates {
    boolean isOpen();

    int rate(String currency);
}
