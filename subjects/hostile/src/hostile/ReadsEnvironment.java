package hostile;

import java.util.Map;
import java.util.TreeMap;

/** Tells who runs it, and where. */
public class ReadsEnvironment {
    public static String variable(String name) {
        return System.getenv(name);
    }

    public static String variables() {
        return new TreeMap<>(System.getenv()).toString();
    }

    public static Map<String, String> variableMap() {
        return System.getenv();
    }

    public static String property(String name) {
        return System.getProperty(name);
    }

    public static String user() {
        return System.getProperty("user.name") + " in " + System.getProperty("user.home");
    }

    /** Knows where the user is at home since it was loaded. */
    static class Home {
        static final String FOLDER = System.getProperty("user.home");
    }

    public static int lengthOfHome() {
        return Math.min(Home.FOLDER.length(), 1);
    }

    public static String firstLine(String path) throws java.io.IOException {
        try (java.io.BufferedReader reader = java.nio.file.Files.newBufferedReader(java.nio.file.Path.of(path))) {
            return reader.readLine();
        }
    }
}
