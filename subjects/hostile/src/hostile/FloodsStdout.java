package hostile;

/** Prints ten gigabytes. */
public class FloodsStdout {
    public static long flood() {
        byte[] chunk = new byte[1 << 20];
        for (int i = 0; i < 10 << 10; i++) {
            System.out.write(chunk, 0, chunk.length);
        }
        System.out.flush();
        return 10L << 30;
    }

    public static int floodErrors() {
        String line = "x".repeat(1000);
        for (int i = 0; i < 10_000; i++) {
            System.err.println(line);
        }
        return 10_000;
    }
}
