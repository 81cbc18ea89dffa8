package desk;

public class Customer {
    private final int points;

    public Customer(int points) {
        this.points = points;
    }

    public int points() {
        return points;
    }
}
