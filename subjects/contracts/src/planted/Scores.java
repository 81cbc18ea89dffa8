package planted;

/** Five counters; a clone shares them with the original. */
public class Scores implements Cloneable {
    private final int[] points = new int[5];

    public void award(int player, int amount) {
        points[player] += amount;
    }

    public int total() {
        int sum = 0;
        for (int point : points) {
            sum += point;
        }
        return sum;
    }

    @Override
    public Scores clone() {
        try {
            return (Scores) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
