import java.util.ArrayList;
import java.util.List;

/** Control flow of every shape that javac makes. Results depend on every path, so a wrong rewrite shows. */
public final class Shapes {
    private int state;

    /** A branch before the superclass constructor is called. */
    public Shapes(Object seed) {
        this(seed == null ? 7 : seed.hashCode() & 0xff, true);
    }

    private Shapes(int state, boolean ignored) {
        this.state = state;
    }

    public static int words(String word) {
        switch (word) { // JaCoCo leaves out what the compiler adds here
            case "one": return 1;
            case "two": return 2;
            case "Aa":
            case "BB": return 3;
            default: return 0;
        }
    }

    public static int days(Thread.State state) {
        return switch (state) {
            case NEW -> 1;
            case RUNNABLE, BLOCKED -> 2;
            default -> 3;
        };
    }

    /** A switch below which the stack is not empty. */
    public static String nested(int key) {
        return "<" + switch (key) {
            case 1 -> "one";
            case 2 -> key > 5 ? "?" : "two";
            default -> throw new IllegalArgumentException("no " + key);
        } + ">";
    }

    public static int locked(Object seed, int times) {
        return new Shapes(seed).lockedFor(times);
    }

    private int lockedFor(int times) {
        synchronized (this) {
            for (int i = 0; i < times; i++) {
                if (i == 5) throw new IllegalStateException("five");
                state += i;
            }
        }
        return state;
    }

    public static int resources(boolean fail) throws Exception {
        int[] closed = new int[1];
        try (AutoCloseable one = () -> closed[0]++; AutoCloseable two = () -> closed[0] += 10) { // JaCoCo leaves out what the compiler adds here
            if (fail) throw new Exception("fail");
            return closed[0];
        } catch (Exception caught) { // JaCoCo leaves out what the compiler adds here
            return 100 + closed[0];
        }
    }

    public static List<Integer> lambdas(int limit) {
        List<Integer> found = new ArrayList<>();
        new ArrayList<>(List.of(3, 1, 2)).forEach(value -> {
            if (value < limit) found.add(value);
        });
        return found;
    }

    /** What another thread does is not what this one does. */
    public static int threads(int count) throws InterruptedException {
        int[] sum = new int[1];
        Thread thread = new Thread(() -> {
            for (int i = 0; i < count; i++) sum[0] += i;
        });
        thread.start();
        thread.join();
        return sum[0];
    }
}
