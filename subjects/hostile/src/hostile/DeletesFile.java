package hostile;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Removes a file. */
public class DeletesFile {
    public static boolean delete(String path) {
        return new File(path).delete();
    }

    public static void deleteOrThrow(String path) throws IOException {
        Files.delete(Path.of(path));
    }
}
