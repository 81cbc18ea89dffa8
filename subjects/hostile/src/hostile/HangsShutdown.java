package hostile;

/** Makes the JVM's shutdown last for ever. */
public class HangsShutdown {
    private static volatile boolean done;

    public static void register() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            while (!done) {
                Thread.onSpinWait();
            }
        }));
    }

    public static void registerAndExit() {
        register();
        System.exit(0);
    }
}
