package hostile;

/** Returns at once and leaves a thread behind that is no daemon and never ends. */
public class LeavesThread {
    private static volatile boolean done;

    public static int leave() {
        Thread thread = new Thread(() -> {
            while (!done) {
                Thread.onSpinWait();
            }
        });
        thread.setDaemon(false);
        thread.start();
        return 5;
    }

    public static int leaveSleeping() {
        Thread thread = new Thread(() -> {
            while (!done) {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                    Thread.onSpinWait();
                }
            }
        });
        thread.start();
        return 6;
    }
}
