package hostile;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/** Closes what every process is given. */
public class ClosesStreams {
    public static int close() throws IOException {
        System.in.close();
        System.out.close();
        System.err.close();
        return 3;
    }

    /** The descriptors themselves, behind the back of `System`. */
    public static int closeDescriptors() throws IOException {
        new FileInputStream(FileDescriptor.in).close();
        new FileOutputStream(FileDescriptor.out).close();
        new FileOutputStream(FileDescriptor.err).close();
        return 3;
    }

    public static int readInput() throws IOException {
        return System.in.read();
    }
}
