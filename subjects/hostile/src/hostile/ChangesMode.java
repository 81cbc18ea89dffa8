package hostile;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Changes who may use a file. */
public class ChangesMode {
    public static boolean open(String path) {
        return new File(path).setWritable(true, false);
    }

    public static void close(String path) throws IOException {
        Files.setPosixFilePermissions(Path.of(path), PosixFilePermissions.fromString("---------"));
    }
}
