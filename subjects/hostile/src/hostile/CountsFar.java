package hostile;

/** A counted loop that would end in some decades. */
public class CountsFar {
    public static long count() {
        long sum = 0;
        for (long i = 0; i < 1L << 62; i++) {
            sum += i ^ (sum >>> 3);
        }
        return sum;
    }

    /** An `int` counter, which a JIT compiler likes to run without stopping. */
    public static int nested() {
        int sum = 0;
        for (int i = 0; i < Integer.MAX_VALUE; i++) {
            for (int j = 0; j < Integer.MAX_VALUE; j++) {
                sum += i * j;
            }
        }
        return sum;
    }
}
