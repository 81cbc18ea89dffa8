package hostile;

/** Starts ten thousand threads that wait. */
public class StartsThreads {
    private static final Object NEVER = new Object();

    public static int start() {
        for (int i = 0; i < 10_000; i++) {
            Thread thread = new Thread(StartsThreads::waitForever);
            thread.setDaemon(true);
            thread.start();
        }
        return 10_000;
    }

    private static void waitForever() {
        synchronized (NEVER) {
            while (true) {
                try {
                    NEVER.wait();
                } catch (InterruptedException e) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
