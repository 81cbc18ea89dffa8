package correct;

/** A label with a colour; only labels of the same class are equal. */
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
        return super.equals(other) && color == ((ColoredLabel) other).color;
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
