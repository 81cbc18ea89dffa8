package hostile;

/** Ends the JVM without its shutdown. */
public class HaltsVm {
    public static int halt() {
        Runtime.getRuntime().halt(4);
        return 1;
    }
}
