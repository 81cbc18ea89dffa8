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
}
