package planted;

/** A label with a colour. A plain label equals it, but it equals no plain label. */
public class ColoredLabel extends Label {
    private final int color;

    public ColoredLabel(String text, int color) {
        super(text);
        this.color = color;
    }

    public int color() {
        return color;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColoredLabel && super.equals(other) && color == ((ColoredLabel) other).color;
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
