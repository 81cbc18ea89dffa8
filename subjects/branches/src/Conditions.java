/**
 * One branch in each method, and the result says which way it went: javac jumps to the end when the condition of a
 * {@code return} does not hold, so true means that the jump was not taken.
 */
public final class Conditions {
    private Conditions() {}

    public static boolean isZero(int a) {
        return a == 0;
    }

    public static boolean isNotZero(int a) {
        return a != 0;
    }

    public static boolean isNegative(int a) {
        return a < 0;
    }

    public static boolean isNotNegative(int a) {
        return a >= 0;
    }

    public static boolean isPositive(int a) {
        return a > 0;
    }

    public static boolean isNotPositive(int a) {
        return a <= 0;
    }

    public static boolean equal(int a, int b) {
        return a == b;
    }

    public static boolean different(int a, int b) {
        return a != b;
    }

    public static boolean less(int a, int b) {
        return a < b;
    }

    public static boolean notLess(int a, int b) {
        return a >= b;
    }

    public static boolean greater(int a, int b) {
        return a > b;
    }

    public static boolean notGreater(int a, int b) {
        return a <= b;
    }

    public static boolean same(Object a, Object b) {
        return a == b;
    }

    public static boolean notSame(Object a, Object b) {
        return a != b;
    }

    public static boolean isNull(Object a) {
        return a == null;
    }

    public static boolean isNotNull(Object a) {
        return a != null;
    }

    /** The operand waits below an object that has no constructor behind it yet. */
    public static boolean isNullInsideNew(Object a) {
        return new StringBuilder(a == null ? 1 : 2).capacity() == 1;
    }

    public static boolean isNoString(Object a) {
        return !(a instanceof String);
    }

    public static boolean longLess(long a, long b) {
        return a < b;
    }

    public static boolean longEqual(long a, long b) {
        return a == b;
    }

    public static boolean floatLess(float a, float b) {
        return a < b;
    }

    public static boolean floatGreater(float a, float b) {
        return a > b;
    }

    public static boolean doubleLess(double a, double b) {
        return a < b;
    }

    public static boolean doubleNotLess(double a, double b) {
        return a >= b;
    }

    public static boolean doubleEqual(double a, double b) {
        return a == b;
    }
}
