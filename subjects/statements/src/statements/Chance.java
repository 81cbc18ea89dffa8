package statements;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Everything that differs from run to run where nobody pins it. */
public class Chance {
    private static int uses;
    private static final ThreadLocal<Integer> LOCAL = ThreadLocal.withInitial(() -> 0);

    public static String random() {
        return Math.random() + " " + new Random().nextInt() + " " + ThreadLocalRandom.current().nextInt() + " "
                + new SplittableRandom().nextInt() + " " + UUID.randomUUID() + " " + new SecureRandom().nextInt();
    }

    public static String time() {
        return System.currentTimeMillis() + " " + System.nanoTime() + " " + new Date() + " "
                + java.time.Instant.now() + " " + TimeZone.getDefault().getID() + " " + Locale.getDefault();
    }

    public static String order() {
        return Set.of("a", "b", "c", "d", "e", "f", "g") + " "
                + Map.of("a", 1, "b", 2, "c", 3, "d", 4) + " " + new Object().hashCode();
    }

    public static String threads() throws InterruptedException {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> seen.add(Thread.currentThread().getName() + Thread.currentThread().getId()));
            thread.start();
            thread.join();
        }
        return seen + " " + Thread.currentThread().getName() + Thread.currentThread().getId();
    }

    /** Waits that end by the clock, and loops until a time. */
    public static long waits() throws InterruptedException {
        long start = System.nanoTime();
        Thread.sleep(20);
        synchronized (Chance.class) {
            Chance.class.wait(20);
        }
        new ArrayBlockingQueue<String>(1).poll(20, TimeUnit.MILLISECONDS);
        LockSupport.parkUntil(System.currentTimeMillis() + 20);
        long end = System.currentTimeMillis() + 5;
        while (System.currentTimeMillis() < end) {
            Thread.onSpinWait();
        }
        return (System.nanoTime() - start) / 10_000_000;
    }

    /** Leaves traces everywhere. */
    public static String meddle() {
        System.setProperty("meddled", "yes");
        Locale.setDefault(Locale.GERMANY);
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        System.out.close();
        Thread.currentThread().interrupt();
        Thread.currentThread().setName("meddled");
        LOCAL.set(LOCAL.get() + 1);
        uses++;
        return traces();
    }

    public static String traces() {
        return System.getProperty("meddled") + " " + Locale.getDefault() + " " + TimeZone.getDefault().getID() + " "
                + broken(System.out) + " " + Thread.currentThread().isInterrupted() + " "
                + Thread.currentThread().getName() + " " + LOCAL.get() + " " + uses;
    }

    private static boolean broken(java.io.PrintStream stream) {
        stream.print(' ');
        return stream.checkError();
    }

    public static String exit(int status) {
        try {
            System.exit(status);
        } catch (Throwable refused) {
            return "went on";
        }
        return "returned";
    }
}
