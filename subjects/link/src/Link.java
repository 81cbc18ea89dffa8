import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Links every class named in a file, without initializing any, and prints those that do not link.
 *
 * <p>Arguments: the file with one binary name in a line; then the class path to load from, in parts, or nothing for
 * the classes of the JDK. Each failure is a line {@code class<TAB>error<TAB>message}; the last line says how many
 * classes were linked.
 */
public final class Link {
    private Link() {}

    public static void main(String[] args) throws Exception {
        List<String> names = Files.readAllLines(Path.of(args[0]));
        URL[] path = new URL[args.length - 1];
        for (int i = 1; i < args.length; i++) {
            path[i - 1] = Path.of(args[i]).toUri().toURL();
        }
        ClassLoader loader = path.length == 0 ? null : new URLClassLoader(path, null);
        PrintStream out = System.out;
        int linked = 0;
        for (String name : names) {
            try {
                // Constructors cannot be listed before the class is linked, and its initializer does not run for it.
                Class.forName(name, false, loader).getDeclaredConstructors();
                linked++;
            } catch (Throwable error) {
                String message = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
                out.println(name + "\t" + error.getClass().getName() + "\t" + message);
            }
        }
        out.println("linked " + linked + " of " + names.size());
    }
}
