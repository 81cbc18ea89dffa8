package hostile;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Takes memory outside the heap. */
public class EatsDirectMemory {
    public static int eat() {
        List<ByteBuffer> eaten = new ArrayList<>();
        while (true) {
            eaten.add(ByteBuffer.allocateDirect(16 << 20));
        }
    }
}
