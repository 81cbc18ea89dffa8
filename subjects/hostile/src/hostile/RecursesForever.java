package hostile;

/** Calls itself without end. */
public class RecursesForever {
    public static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    /** Each level of the stack that unwinds is built up again. */
    public static int recurseCatching(int depth) {
        try {
            return recurseCatching(depth + 1) + 1;
        } catch (StackOverflowError e) {
            return recurseCatching(depth + 1) + 1;
        }
    }
}
