package hostile;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Writes where it may: to the folder it finds itself in. */
public class WritesFile {
    /** Tells whether the file was not there before. */
    public static boolean create(String name) throws IOException {
        return new File(name).createNewFile();
    }

    /** A folder that even its owner cannot look into. */
    public static boolean lock(String name) throws IOException {
        Path folder = Files.createDirectory(Path.of(name));
        Files.createFile(folder.resolve("inside"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("---------"));
        return true;
    }

    /** Where that folder really is. */
    public static String place() throws IOException {
        return new File(".").getCanonicalPath();
    }
}
