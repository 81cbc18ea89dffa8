import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Calls static methods while a mutant is live. Lines in: {@code mutant Class method argument…}; lines out: results. */
public final class Switch {
    private Switch() {}

    public static void main(String[] args) throws Exception {
        Field live = Class.forName("java.lang.JuratProbe").getField("mutant");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Method method = find(Class.forName(words[1]), words[2]);
            Object[] values = new Object[words.length - 3];
            for (int i = 0; i < values.length; i++) {
                values[i] = value(words[i + 3], method.getParameterTypes()[i]);
            }
            live.setInt(null, Integer.parseInt(words[0]));
            System.out.println(call(method, values));
            live.setInt(null, 0);
        }
    }

    private static Method find(Class<?> type, String name) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                method.setAccessible(true);
                return method;
            }
        }
        throw new IllegalArgumentException(type + " has no " + name);
    }

    private static Object value(String word, Class<?> type) {
        if (type == int.class) return Integer.valueOf(word);
        if (type == long.class) return Long.valueOf(word);
        if (type == double.class) return Double.valueOf(word);
        if (type == String.class) return word;
        List<Integer> numbers = new ArrayList<>();
        for (String number : word.split(",")) numbers.add(Integer.valueOf(number));
        return type == List.class ? numbers : numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Object call(Method method, Object[] values) throws Exception {
        try {
            return method.invoke(null, values);
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().getClass().getName();
        }
    }
}
