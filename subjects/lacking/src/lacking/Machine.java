package lacking;

/** Needs a part as soon as one is made. */
public class Machine {
    private final int weight;

    public Machine(int load) {
        weight = load + Part.weight();
    }

    public boolean isHeavy() {
        return weight > 100;
    }
}
