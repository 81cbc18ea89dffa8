package shop.stock;

import java.util.Optional;
import shop.money.Money;

/** Knows what things cost. */
@FunctionalInterface
public interface PriceList {

    /** The price of one piece of the article, if it is for sale. */
    Optional<Money> priceOf(String article);
}
