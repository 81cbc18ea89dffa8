import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.StringJoiner;
import jdk.internal.misc.Unsafe;

/**
 * Calls static methods and tells what the probes saw, as a worker would.
 *
 * <p>Each line of the standard input is {@code fuel Class method argument…}; without fuel the probes are off. For each,
 * a line is printed with fields separated by tabs: what the method returned or threw, the ids that its thread hit,
 * those that threads it started hit, distances as {@code id=distance}, the fuel used, and whether it was spent.
 * Without probes in this JVM the first field is all there is to see.
 */
public final class Drive {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final int CAPACITY = 1 << 18;
    private static Class<?> probe;
    private static long header;
    private static long list;
    private static long fuel;
    private static long distances;
    private static long distanceList;
    private static int[] others = {};
    private static int epoch;

    private Drive() {}

    public static void main(String[] args) throws Exception {
        boolean probes = args.length > 0 && args[0].equals("probes");
        if (probes) configure();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Method method = find(Class.forName(words[1]), words[2]);
            Object[] values = new Object[words.length - 3];
            for (int i = 0; i < values.length; i++) {
                values[i] = value(words[i + 3], method.getParameterTypes()[i]);
            }
            long amount = Long.parseLong(words[0]);
            if (probes) begin(amount);
            // Without fuel, the probes are off.
            if (probes && amount == 0) set("subject", null);
            String result = call(method, values);
            if (probes) set("subject", Thread.currentThread());
            System.out.println(probes ? result + seen(amount) : result);
        }
        System.exit(0);
    }

    private static Method find(Class<?> type, String name) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name)) return method;
        }
        throw new IllegalArgumentException(type + " has no " + name);
    }

    private static Object value(String word, Class<?> type) {
        if (word.equals("null")) return null;
        if (type == int.class) return Integer.decode(word);
        if (type == long.class) return Long.decode(word);
        if (type == float.class) return Float.valueOf(word);
        if (type == double.class) return Double.valueOf(word);
        if (type == boolean.class) return Boolean.valueOf(word);
        if (type == Thread.State.class) return Thread.State.valueOf(word);
        return word.intern();
    }

    private static String call(Method method, Object[] values) {
        try {
            return String.valueOf(method.invoke(null, values));
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().toString();
        } catch (IllegalAccessException error) {
            throw new AssertionError(error);
        }
    }

    private static void configure() throws Exception {
        probe = Class.forName("java.lang.JuratProbe");
        Method open = probe.getDeclaredMethod("open");
        open.invoke(null);
        header = memory(64);
        list = memory(4L * CAPACITY);
        fuel = memory(8);
        distances = memory(16L * CAPACITY);
        distanceList = memory(4L * CAPACITY);
        others = new int[CAPACITY];
        set("header", header);
        set("list", list);
        set("fuel", fuel);
        set("distances", distances);
        set("distanceList", distanceList);
        set("cells", new int[CAPACITY]);
        set("others", others);
        // Everything that runs now belongs to the system; threads made later are the subject's.
        Thread last = new Thread(() -> {});
        set("systemTid", last.getId());
        set("subject", Thread.currentThread());
    }

    private static long memory(long size) {
        long address = UNSAFE.allocateMemory(size);
        UNSAFE.setMemory(address, size, (byte) 0);
        return address;
    }

    private static void set(String name, Object value) throws Exception {
        Field field = probe.getDeclaredField(name);
        field.setAccessible(true);
        field.set(null, value);
    }

    private static void begin(long amount) throws Exception {
        UNSAFE.putInt(header, 0);
        UNSAFE.putInt(header + 8, 0);
        UNSAFE.putInt(header + 12, 0);
        UNSAFE.putLong(header + 16, amount);
        UNSAFE.putLong(fuel, amount);
        set("epoch", ++epoch);
    }

    private static String seen(long amount) {
        long left = UNSAFE.getLong(fuel);
        StringJoiner result = new StringJoiner("\t", "\t", "");
        result.add(ids(list, UNSAFE.getInt(header)));
        StringJoiner other = new StringJoiner(" ");
        if (UNSAFE.getInt(header + 4) == epoch) {
            for (int id = 0; id < others.length; id++) {
                if (others[id] == epoch) other.add(Integer.toString(id));
            }
        }
        result.add(other.toString());
        StringJoiner far = new StringJoiner(" ");
        for (int i = 0; i < UNSAFE.getInt(header + 8); i++) {
            int id = UNSAFE.getInt(distanceList + 4L * i);
            far.add(id + "=" + UNSAFE.getDouble(distances + 16L * id));
        }
        result.add(far.toString());
        result.add(Long.toString(amount - left));
        result.add(Integer.toString(UNSAFE.getInt(header + 12)));
        return result.toString();
    }

    private static String ids(long at, int count) {
        StringJoiner ids = new StringJoiner(" ");
        for (int i = 0; i < count; i++) ids.add(Integer.toString(UNSAFE.getInt(at + 4L * i)));
        return ids.toString();
    }
}
