package correct;

/** Five counters; a clone has its own. */
public class Scores implements Cloneable {
    private int[] points = new int[5];

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
            Scores copy = (Scores) super.clone();
            copy.points = points.clone();
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
