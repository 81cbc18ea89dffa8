package shop.stock;

import java.util.Currency;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import shop.money.Money;

/**
 * Counts the pieces of each article on the shelves, and how many of them are reserved for a customer.
 * Reserved pieces are on the shelf but no longer available.
 */
public final class Inventory {

    /** How many pieces of one article there are; zero or more, and never fewer than are reserved. */
    private record Shelf(int pieces, int reserved) {
        static final Shelf EMPTY = new Shelf(0, 0);

        int available() {
            return pieces - reserved;
        }
    }

    private final Map<String, Shelf> shelves = new TreeMap<>();

    /** Nothing on any shelf. */
    public Inventory() {
    }

    /** Puts so many pieces on the shelf. */
    public void receive(String article, int pieces) {
        requirePositive(pieces);
        Shelf shelf = shelf(article);
        shelves.put(article, new Shelf(Math.addExact(shelf.pieces, pieces), shelf.reserved));
    }

    /**
     * Sets pieces aside for a customer.
     *
     * @throws OutOfStockException if fewer are available; nothing is reserved then
     */
    public void reserve(String article, int pieces) throws OutOfStockException {
        requirePositive(pieces);
        Shelf shelf = shelf(article);
        if (shelf.available() < pieces) {
            throw new OutOfStockException(article, pieces - shelf.available());
        }
        shelves.put(article, new Shelf(shelf.pieces, shelf.reserved + pieces));
    }

    /** Makes reserved pieces available again. */
    public void release(String article, int pieces) {
        Shelf shelf = requireReserved(article, pieces);
        shelves.put(article, new Shelf(shelf.pieces, shelf.reserved - pieces));
    }

    /** Sends reserved pieces to the customer. */
    public void ship(String article, int pieces) {
        Shelf shelf = requireReserved(article, pieces);
        Shelf rest = new Shelf(shelf.pieces - pieces, shelf.reserved - pieces);
        if (rest.pieces == 0) {
            shelves.remove(article);
        } else {
            shelves.put(article, rest);
        }
    }

    /** How many pieces a customer could reserve now. */
    public int available(String article) {
        return shelf(article).available();
    }

    /** The articles of which fewer than {@code threshold} pieces are available, in order of name. */
    public List<String> runningLow(int threshold) {
        return shelves.entrySet().stream()
                .filter(entry -> entry.getValue().available() < threshold)
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * What all pieces on the shelves would sell for.
     *
     * @throws IllegalStateException if an article on a shelf has no price
     */
    public Money value(PriceList prices, Currency currency) {
        Money sum = Money.zero(currency);
        for (Map.Entry<String, Shelf> entry : shelves.entrySet()) {
            Money price = prices.priceOf(entry.getKey())
                    .orElseThrow(() -> new IllegalStateException("no price for " + entry.getKey()));
            sum = sum.plus(price.times(entry.getValue().pieces()));
        }
        return sum;
    }

    private Shelf shelf(String article) {
        return shelves.getOrDefault(article, Shelf.EMPTY);
    }

    private Shelf requireReserved(String article, int pieces) {
        requirePositive(pieces);
        Shelf shelf = shelf(article);
        if (shelf.reserved < pieces) {
            throw new IllegalStateException(article + ": only " + shelf.reserved + " reserved, not " + pieces);
        }
        return shelf;
    }

    private static void requirePositive(int pieces) {
        if (pieces < 1) {
            throw new IllegalArgumentException("pieces must be at least 1, not " + pieces);
        }
    }
}
