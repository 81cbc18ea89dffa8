package statements;

/** One member for each way a statement can use one. */
public class Members {
    public static int made;
    public static final Object SHARED = new Object();
    private static String secret = "static secret";

    public int number;
    private String word;

    public enum Size { SMALL, LARGE }

    public Members(int number, String word) {
        this.number = number;
        this.word = word;
        made++;
    }

    public static long add(byte a, short b, char c, int d, long e) {
        return a + b + c + d + e;
    }

    public static double mix(float a, double b, boolean negate) {
        return negate ? -(a + b) : a + b;
    }

    public String word() {
        return word;
    }

    private String whisper(String to) {
        return word + " to " + to;
    }

    public Size size() {
        return number > 9 ? Size.LARGE : Size.SMALL;
    }

    public Integer boxed() {
        return number;
    }

    public Members self() {
        return this;
    }

    public int[][] grid(int... row) {
        return new int[][] {row, {number}};
    }

    public void fail(String message) {
        throw new IllegalStateException(message);
    }

    public Class<?> type() {
        return getClass();
    }

    @Override
    public String toString() {
        return "overridden " + word;
    }
}
