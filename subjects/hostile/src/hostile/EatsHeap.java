package hostile;

import java.util.ArrayList;
import java.util.List;

/** Fills the heap. */
public class EatsHeap {
    private static final List<byte[]> KEPT = new ArrayList<>();

    public static int eat() {
        List<byte[]> eaten = new ArrayList<>();
        while (true) {
            eaten.add(new byte[1 << 20]);
        }
    }

    /** What it ate stays reachable. */
    public static int eatAndKeep() {
        while (true) {
            KEPT.add(new byte[1 << 20]);
        }
    }

    /** Goes on when there is no more. */
    public static int eatCatching() {
        List<Object> eaten = new ArrayList<>();
        while (true) {
            try {
                eaten.add(new Object[1000]);
            } catch (OutOfMemoryError e) {
                Thread.onSpinWait();
            }
        }
    }
}
