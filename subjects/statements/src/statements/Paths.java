package statements;

import java.util.*;

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

    public static int inList(int number) {
        return new ArrayList<>(Arrays.asList(10, 40)).contains(number) ? 1 : 0;
    }

    public static int inView(int number) {
        return Collections.unmodifiableSet(new HashSet<>(Arrays.asList(10, 40))).contains(number) ? 1 : 0;
    }

    public static int isKey(int number) {
        return new HashMap<>(Collections.singletonMap(10, "ten")).containsKey(number) ? 1 : 0;
    }

    public static int inArrays(int number) {
        return Arrays.equals(new Object[] {5, number}, new Object[] {5, 10}) ? 1 : 0;
    }

    /** Must not be asked by anybody but the code under test, through no view. */
    public static int inOwn(int number) {
        List<Integer> own = new AbstractList<Integer>() {
            @Override
            public Integer get(int index) {
                throw new IllegalStateException();
            }

            @Override
            public int size() {
                return 0;
            }

            @Override
            public Object[] toArray() {
                calls += 100;
                return super.toArray();
            }
        };
        int before = calls;
        int found = Collections.unmodifiableList(own).contains(number) ? 1 : 0;
        return found + calls - before;
    }
}
