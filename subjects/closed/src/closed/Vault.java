package closed;

/** To be put into a jar that seals its package: nobody else may add a class to it. */
public class Vault {
    private int content;

    public int put(int amount) {
        if (amount < 0) {
            throw new IllegalArgumentException("nothing is taken out");
        }
        content += amount;
        return content;
    }

    /** Known to its package only. */
    int content() {
        return content > 100 ? 100 : content;
    }
}
