/** Loops that never end by themselves. */
public final class Endless {
    private static int count;

    private Endless() {}

    public static void spin() {
        while (true) {
            count++;
        }
    }

    public static void stubborn() {
        while (true) {
            try {
                count++;
            } catch (Throwable ignored) {
                count--;
            }
        }
    }

    public static void veryStubborn() {
        while (true) {
            try {
                while (true) {
                    try {
                        count++;
                        if (count == -1) throw new Error();
                    } catch (Throwable ignored) {
                        count--;
                    } finally {
                        count += 2;
                    }
                }
            } catch (Throwable ignored) {
                count--;
            }
        }
    }

    public static void doubling(int depth) {
        if (depth > 0) {
            doubling(depth - 1);
            doubling(depth - 1);
        }
    }

    public static void forDo() {
        int i = 0;
        do {
            i ^= 1;
        } while (i < 5);
    }

    public static void farCount() {
        for (long i = 0; i < 1L << 62; i++) {
            count++;
        }
    }

    public static void held() {
        synchronized (Endless.class) {
            while (true) {
                count++;
            }
        }
    }

    public static void never(Object lock) {
        for (; ; ) ;
    }
}
