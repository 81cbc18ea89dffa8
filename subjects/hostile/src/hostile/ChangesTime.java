package hostile;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** Changes when a file was last changed. */
public class ChangesTime {
    public static boolean touch(String path) {
        return new File(path).setLastModified(1_000_000);
    }

    public static void touchOrThrow(String path) throws IOException {
        Files.setLastModifiedTime(Path.of(path), FileTime.fromMillis(1_000_000));
    }
}
