/** Control flow that a class file of any version can have. */
public final class Plain {
    private Plain() {}

    /** The key of the case, or -1. */
    public static int dense(int key) {
        switch (key) {
            case 1: return 1;
            case 2: return 2;
            case 3: return 3;
            case 6: return 6;
            default: return -1;
        }
    }

    /** The key of the case, or -1. */
    public static int sparse(int key) {
        switch (key) {
            case -1_000_000: return -1_000_000;
            case 0: return 0;
            case 77: return 77;
            case Integer.MAX_VALUE: return Integer.MAX_VALUE;
            default: return -1;
        }
    }

    /** Several cases with one body; one that shares the body of the default. */
    public static int shared(int key) {
        switch (key) {
            case 1:
            case 2: return 1;
            case 3: return 3;
            case 4:
            default: return -1;
        }
    }

    public static int loops(int rows, int columns) {
        int sum = 0;
        for (int row = 0; row < rows; row++) {
            int column = 0;
            while (true) {
                if (column++ == columns) break;
                if ((column & 1) == 0) continue;
                sum += row * column;
            }
        }
        do {
            sum--;
        } while (sum > 100);
        return sum;
    }

    public static String guarded(int step) {
        StringBuilder log = new StringBuilder();
        try {
            log.append('a');
            if (step == 1) throw new IllegalStateException("one");
            try {
                if (step == 2) return log.append("two").toString();
                if (step == 3) throw new Error("three");
            } finally {
                log.append('f');
            }
        } catch (IllegalStateException | NullPointerException caught) {
            log.append('c').append(caught.getMessage());
        } catch (Error caught) {
            log.append('e');
        } finally {
            log.append('z');
        }
        return log.toString();
    }

    public static long numbers(long a, double b, float c) {
        long result = a > 10L ? 1 : 2;
        result = result * 10 + (b >= 0.5 ? 1 : 2);
        result = result * 10 + (c < 0.5f ? 1 : 2);
        return result * 10 + (a == (long) b && b != c || a < c ? 1 : 2);
    }

    public static int recursion(int depth) {
        return depth <= 0 ? 0 : 1 + recursion(depth - 1);
    }
}
