package shop.text;

/** A discount rule that cannot be read. */
public final class SyntaxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int position;

    /** A problem at the given position of the rule. */
    public SyntaxException(String problem, int position) {
        super(problem + " at position " + position);
        this.position = position;
    }

    /** Where the problem is, counted from 0. */
    public int position() {
        return position;
    }
}
