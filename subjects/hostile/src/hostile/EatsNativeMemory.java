package hostile;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Takes memory that no setting of the JVM limits. */
public class EatsNativeMemory {
    public static long eat() throws ReflectiveOperationException {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        long eaten = 0;
        while (true) {
            long address = unsafe.allocateMemory(64 << 20);
            // Some of it is touched; to touch all would be a test of how fast the kernel hands out pages.
            unsafe.setMemory(address, 1 << 20, (byte) 1);
            eaten += 64 << 20;
            if (eaten < 0) {
                return eaten;
            }
        }
    }
}
