package hostile;

/** Never returns. */
public class LoopsForever {
    private static volatile boolean done;

    public static void loop() {
        while (!done) {
            // Nothing to wait for.
        }
    }

    public static void sleep() throws InterruptedException {
        while (!done) {
            Thread.sleep(1_000_000);
        }
    }

    public static void block() throws InterruptedException {
        Object never = new Object();
        synchronized (never) {
            never.wait();
        }
    }
}
