package hostile;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;

/** Replaces what a file holds. */
public class OverwritesFile {
    public static void overwrite(String path) throws IOException {
        try (FileOutputStream out = new FileOutputStream(path)) {
            out.write('!');
        }
    }

    public static void truncate(String path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(0);
        }
    }
}
