package hostile;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Moves a file. */
public class RenamesFile {
    public static boolean rename(String path) {
        return new File(path).renameTo(new File(path + ".moved"));
    }

    public static void moveHere(String path) throws IOException {
        Files.move(Path.of(path), Path.of("stolen"));
    }
}
