package purse;

/** Holds coins, up to a limit. */
public final class Purse {
    static final int LIMIT = limit();
    private int coins;

    private static int limit() {
        return Integer.parseInt("100");
    }

    public int coins() {
        return coins;
    }

    public void add(int more) {
        if (more < 0) {
            throw new IllegalArgumentException("negative");
        }
        if (coins + more > LIMIT) {
            throw new IllegalStateException("full");
        }
        coins = coins + more;
    }

    public int half() {
        int half = 0;
        while (half * 2 < coins) {
            half = half + 1;
        }
        return half;
    }

    public boolean isEmpty() {
        return coins == 0;
    }
}
