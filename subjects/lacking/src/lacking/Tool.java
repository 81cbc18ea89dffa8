package lacking;

/** Needs nothing. */
public class Tool {
    public boolean isLong(int length) {
        return length > 100;
    }
}
