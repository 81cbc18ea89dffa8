package hostile;

/** Its `equals` and `hashCode` never end, and neither does its `toString`. */
public class ComparesForever {
    private static volatile boolean done;

    @Override
    public boolean equals(Object other) {
        return spin() == 0;
    }

    @Override
    public int hashCode() {
        return spin();
    }

    @Override
    public String toString() {
        return "spun " + spin();
    }

    public int fine() {
        return 9;
    }

    private static int spin() {
        int turns = 0;
        while (!done) {
            turns++;
        }
        return turns;
    }
}
