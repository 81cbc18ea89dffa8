package structures;

/** Predicates that do not end well on some structures; those count as invalid. */
public class Unruly {
    private Unruly next;
    private int kind;

    public boolean throwing() {
        if (kind == 1) {
            throw new IllegalStateException("kind 1");
        }
        return next.kind >= 0;
    }

    public boolean looping() {
        int steps = 0;
        for (Unruly at = this; at != null; at = at.next) {
            steps++;
        }
        return steps > 0;
    }

    public boolean exiting() {
        if (kind == 1) {
            System.exit(7);
        }
        return kind != 2;
    }

    public boolean recursing() {
        return next == null || next.recursing();
    }

    public boolean needsHelp(int depth) {
        return depth > 0;
    }

    public int notAPredicate() {
        return kind;
    }
}
