/** Prints what trace probes report, and stands in for methods whose calls go elsewhere. */
public final class Sink {
    private Sink() {}

    /** Runs one method of the traced class. */
    public static void main(String[] args) throws Exception {
        System.out.println("result " + Traced.class.getDeclaredMethod(args[0]).invoke(null));
    }

    public static void before(int id, Object receiver, Object[] arguments) {
        print("before", id, receiver, arguments);
    }

    public static void after(Object result, int id) {
        print("after", id, result);
    }

    public static void threw(Throwable exception, int id) {
        print("threw", id, exception);
    }

    public static void entered(int id, Object receiver, Object[] arguments) {
        print("entered", id, receiver, arguments);
    }

    public static void left(Object result, int id) {
        print("left", id, result);
    }

    public static void failed(Throwable exception, int id) {
        print("failed", id, exception);
    }

    /** Instead of the clock. */
    public static long clock() {
        return 42;
    }

    /** Instead of a string's own length. */
    public static int length(String text) {
        return -1;
    }

    private static void print(String event, int id, Object... values) {
        StringBuilder line = new StringBuilder(event).append(' ').append(id);
        for (Object value : values) line.append(' ').append(show(value));
        System.out.println(line);
    }

    private static String show(Object value) {
        if (value == null) return "null";
        if (value instanceof Object[]) {
            StringBuilder parts = new StringBuilder("[");
            for (Object part : (Object[]) value) parts.append(parts.length() > 1 ? "," : "").append(show(part));
            return parts.append(']').toString();
        }
        String kind = value.getClass().getSimpleName();
        boolean plain = value instanceof Number || value instanceof String || value instanceof Boolean;
        return plain || value instanceof Character ? kind + ":" + value : kind;
    }
}
