package statements;

import java.util.ArrayList;
import java.util.List;

/** Branches, loops and threads for probes to see. */
public class Paths {
    private static final List<Thread> KEPT = new ArrayList<>();

    public static int sign(int number) {
        if (number > 10) {
            return 1;
        }
        return number == 0 ? 0 : -1;
    }

    public static int loop(int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += i;
        }
        return sum;
    }

    /** Goes on whatever is thrown at it. */
    public static int stubborn(int times) {
        int caught = 0;
        for (int i = 0; i < 3; i++) {
            try {
                loop(times);
            } catch (Throwable t) {
                caught++;
            }
        }
        return caught;
    }

    public static int inThread(int number) throws InterruptedException {
        int[] result = new int[1];
        Thread thread = new Thread(() -> result[0] = sign(number));
        thread.start();
        thread.join();
        return result[0];
    }

    /** A loop in a thread that would never end. */
    public static void loopInThread() throws InterruptedException {
        Thread thread = new Thread(() -> loop(Integer.MAX_VALUE));
        thread.start();
        thread.join();
    }

    /** The loop is the JDK's, and would never end; what it calls back is over at once. */
    public static boolean calledBack() {
        return java.util.stream.IntStream.iterate(0, number -> number ^ 1).allMatch(number -> number >= 0);
    }

    private static int calls;

    /** How often it was called since the class was loaded. */
    public static int count() {
        return ++calls;
    }

    /** Leaves a thread that gets to work when the statement is long over. */
    public static void lateInThread(int number) {
        new Thread(() -> {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            sign(number);
        }).start();
    }
}
