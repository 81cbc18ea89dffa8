package untestable;

/** Abstract, and nothing implements it. */
public abstract class Shape {
    private final int id;

    protected Shape(Sealed permission) {
        this.id = permission.number();
    }

    public abstract double area();

    public int id() {
        return id;
    }

    /** Nobody can make one. */
    public static final class Sealed {
        private Sealed() {}

        int number() {
            return 1;
        }
    }
}
