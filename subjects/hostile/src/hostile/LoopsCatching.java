package hostile;

/** Never returns, and swallows whatever is thrown at it. */
public class LoopsCatching {
    private static volatile boolean done;
    private static int caught;

    public static int loop() {
        while (!done) {
            try {
                while (!done) {
                    // Nothing to wait for.
                }
            } catch (Throwable t) {
                caught++;
            }
        }
        return caught;
    }

    public static int sleep() {
        while (!done) {
            try {
                Thread.sleep(1_000_000);
            } catch (Throwable t) {
                caught++;
            }
        }
        return caught;
    }
}
