package correct;

import java.util.Objects;

/** What is written on a shelf. */
public class Label {
    private final String text;

    public Label(String text) {
        this.text = Objects.requireNonNull(text, "text");
    }

    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other != null && other.getClass() == getClass() && text.equals(((Label) other).text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
