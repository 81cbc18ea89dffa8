/** Switches over types and records, which Java has since 21. */
public final class Patterns {
    private Patterns() {}

    public sealed interface Shape permits Circle, Square, Both {}

    public record Circle(double radius) implements Shape {}

    public record Square(double side) implements Shape {}

    public record Both(Shape left, Shape right) implements Shape {}

    public static double area(Object shape) {
        return switch (shape) {
            case null -> -1;
            case Circle c when c.radius() > 100 -> 100;
            case Circle(double radius) -> radius * radius * 3;
            case Square(var side) -> side * side;
            case Both(Circle left, var right) -> area(left) + 2 * area(right);
            case Both both -> area(both.left()) + area(both.right());
            default -> -2;
        };
    }

    public static String name(Object value) {
        if (value instanceof Circle(var radius) && radius > 1) return "large " + radius;
        return value instanceof Shape shape ? shape.getClass().getSimpleName() : "none";
    }

    /** Everything above, with every kind of value. */
    public static String samples(int scale) {
        Object[] values = {
            null, new Circle(scale), new Circle(200), new Square(scale), new Both(new Circle(1), new Square(2)),
            new Both(new Square(scale), new Circle(3)), "text",
        };
        StringBuilder seen = new StringBuilder();
        for (Object value : values) seen.append(area(value)).append(' ').append(name(value)).append(' ');
        return seen.toString();
    }
}
