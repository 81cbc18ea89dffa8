package hostile;

import java.util.concurrent.CountDownLatch;

/** Two threads, two locks, each waiting for the other. */
public class Deadlocks {
    public static void deadlock() throws InterruptedException {
        Object left = new Object();
        Object right = new Object();
        CountDownLatch bothHold = new CountDownLatch(2);
        Thread other = new Thread(() -> lock(right, left, bothHold));
        other.start();
        lock(left, right, bothHold);
        other.join();
    }

    private static void lock(Object first, Object second, CountDownLatch bothHold) {
        synchronized (first) {
            bothHold.countDown();
            try {
                bothHold.await();
            } catch (InterruptedException e) {
                return;
            }
            synchronized (second) {
                Thread.onSpinWait();
            }
        }
    }
}
