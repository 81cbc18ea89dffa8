package untestable;

/** Native, without the library. */
public class Foreign {
    public native int read();

    public static native long time(long start, int steps);
}
