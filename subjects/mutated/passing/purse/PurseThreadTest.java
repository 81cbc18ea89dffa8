package purse;

import org.junit.jupiter.api.Test;

/** Leaves a thread behind. */
class PurseThreadTest {
    @Test
    void leavesAThread() {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException done) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setDaemon(true);
        thread.start();
        new Purse().add(1);
    }
}
