package shapes;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Overloads, varargs, arrays of generics, primitives of every kind, checked exceptions, raw types. */
public abstract class Calls<T> {
    protected Calls() {}

    public void take(T item) {}

    public void take(int count) {}

    public void take(Collection<? extends T> items) {}

    public static String pick(Object value) {
        return "object";
    }

    public static String pick(String value) {
        return "string";
    }

    public static String pick(int value) {
        return "int";
    }

    public static String pick(Integer value) {
        return "Integer";
    }

    public static String pick(Object... values) {
        return "many";
    }

    public static <E> String pick(List<E> values) {
        return "list";
    }

    @SafeVarargs
    public static <E> List<E> listOf(E... items) {
        return null;
    }

    public static int sum(int first, int... rest) {
        return first;
    }

    public List<String>[] lists(Map<String, int[]>[][] maps) {
        return null;
    }

    public T[] array(T[] items) {
        return items;
    }

    public static double mix(boolean a, byte b, short c, char d, int e, long f, float g, double h) {
        return b;
    }

    public void fails() throws IOException, InterruptedException {}

    @SuppressWarnings("rawtypes")
    public List rawList(Map raw) {
        return null;
    }

    @Deprecated(forRemoval = true)
    public native int nativeAndDeprecated();

    public abstract void abstractly(T item);

    protected void below() {}

    void packaged(T item) {}

    private void hidden() {}

    public static int counter;
    public final int fixed = 7;
    protected T guarded;
    static final String PACKAGED = "packaged";
    private static long secret = 42L;

    static long secret() {
        return secret;
    }
}
