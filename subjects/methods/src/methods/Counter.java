package methods;

/** Counts in a box. */
public class Counter {
    private Integer count;

    private Counter(int ignored) {
    }

    public int addAll(int[] numbers) {
        int sum = count;
        for (int number : numbers) {
            sum += number;
        }
        return sum;
    }

    boolean repOK() {
        return count != null;
    }
}
