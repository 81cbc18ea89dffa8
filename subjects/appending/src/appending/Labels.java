package appending;

/** What its methods do shows in the buffer they are given, and in nothing else. */
public final class Labels {
    public String prefix() {
        return "#";
    }

    public void append(StringBuffer buffer, int number) {
        buffer.append(prefix()).append(number);
    }
}
