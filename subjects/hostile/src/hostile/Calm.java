package hostile;

/** A harmless neighbour: its calls must come out the same whatever runs beside them. */
public class Calm {
    private int count;

    public Calm(int count) {
        this.count = count;
    }

    public int add(int amount) {
        count += amount;
        return count;
    }

    public static String greet(String name) {
        return "hello " + name;
    }
}
