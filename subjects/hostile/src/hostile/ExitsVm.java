package hostile;

/** Asks the JVM to exit. */
public class ExitsVm {
    public static int exit() {
        System.exit(3);
        return 1;
    }

    /** Carries on, whatever exiting did. */
    public static int exitAndCatch() {
        try {
            System.exit(3);
        } catch (Throwable t) {
            return 2;
        }
        return 1;
    }

    public static void exitFromThread() throws InterruptedException {
        Thread thread = new Thread(() -> System.exit(3));
        thread.start();
        thread.join();
    }
}
