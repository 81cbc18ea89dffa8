package cheap;

/** Calls that cost next to nothing: what a worker adds to each is what shows. */
public class Counter {
    private int count;

    public Counter(int count) {
        this.count = count;
    }

    public void add(int amount) {
        if (amount > 0) {
            count += amount;
        }
    }

    public int get() {
        return count;
    }

    public boolean isEven() {
        return (count & 1) == 0;
    }

    public Counter twice() {
        count *= 2;
        return this;
    }

    public long square() {
        return (long) count * count;
    }

    public static int larger(int left, int right) {
        return left > right ? left : right;
    }
}
