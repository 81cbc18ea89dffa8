package hostile;

import java.io.IOException;

/** Starts a program that would leave a trace. */
public class StartsProcess {
    public static long start(String path) throws IOException {
        return new ProcessBuilder("/bin/touch", path).start().pid();
    }

    public static int startAndWait(String path) throws IOException, InterruptedException {
        return Runtime.getRuntime().exec(new String[] {"/bin/touch", path}).waitFor();
    }
}
