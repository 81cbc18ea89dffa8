package held;

import java.util.List;
import java.util.Map;

/** Branches behind what a list and a map hold. */
public final class Basket {
    private Basket() {}

    /** Something to buy. */
    public static final class Item {
        private final int weight;

        public Item(int weight) {
            this.weight = weight;
        }
    }

    /** What some items cost. */
    public static final class Rate {
        private final boolean isFree;

        public Rate(boolean isFree) {
            this.isFree = isFree;
        }
    }

    public static int heavy(List<Item> items) {
        int heavy = 0;
        for (Item item : items) {
            if (item.weight > 50) {
                heavy++;
            }
        }
        return heavy;
    }

    public static boolean isFree(Map<String, Rate> rates) {
        Rate rate = rates.get("gift");
        return rate != null && rate.isFree;
    }
}
