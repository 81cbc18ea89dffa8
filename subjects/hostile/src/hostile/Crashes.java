package hostile;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Writes where there is no memory. */
public class Crashes {
    public static int segfault() throws ReflectiveOperationException {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        unsafe.putAddress(8, 1);
        return 1;
    }
}
