// tidy: long because the JDK runs it from its source, which has to be one file
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles and runs emitted tests. Started in source mode with a plan; writes one line per event.
 *
 * <p>The tests are plain: a class with a no-argument constructor and no-argument methods that carry JUnit's
 * {@code @Test}, or parameterized ones that get their rows from a method. Running them needs no runner, so only JUnit's
 * own classes must be on the class path.
 */
public final class JuratValidate {
    private final List<Path> classPath = new ArrayList<>();
    private final List<Path> shared = new ArrayList<>();
    private final List<Path> program = new ArrayList<>();
    private final List<Path> sources = new ArrayList<>();
    private final Map<String, List<String>> tests = new LinkedHashMap<>();
    private final List<Group> groups = new ArrayList<>();
    private final List<String[]> victims = new ArrayList<>();
    private final Set<String> culprits = new HashSet<>();
    private final Map<String, Integer> strikes = new HashMap<>();
    private Path out;
    private String mode;
    private long seed;
    private boolean reversed;
    private long testMillis;
    private long end = Long.MAX_VALUE;
    private boolean isWhole;
    /** Since when somebody is in a hurry, or null. */
    private volatile Long hurried;
    private long told = System.nanoTime();
    private Store store;
    private ClassLoader parent;
    private final PrintWriter report;

    private JuratValidate(PrintWriter report) {
        this.report = report;
    }

    public static void main(String[] args) {
        // Tests may put another in its place.
        PrintStream err = System.err;
        int code = 1;
        try (PrintWriter report = new PrintWriter(Files.newBufferedWriter(Path.of(args[1]), StandardCharsets.UTF_8))) {
            JuratValidate validate = new JuratValidate(report);
            validate.listen(System.in);
            // Tests find nothing to read there, as in workers, rather than wait for what nobody writes.
            System.setIn(InputStream.nullInputStream());
            for (String line : Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8)) {
                validate.read(line);
            }
            validate.run();
            report.println("done");
            code = 0;
        } catch (Throwable failure) {
            failure.printStackTrace(err);
        } finally {
            // Threads that tests left behind must not keep the process alive.
            Runtime.getRuntime().halt(code);
        }
    }

    /** The parent holds the other end of standard input: when it goes, so do we; when it writes, somebody is in a hurry. */
    private void listen(InputStream parent) {
        Thread thread = new Thread(() -> {
            try {
                while (parent.read() >= 0) {
                    hurried = System.nanoTime();
                }
            } catch (IOException gone) {
                // As good as its end.
            }
            Runtime.getRuntime().halt(1);
        }, "parent");
        thread.setDaemon(true);
        thread.start();
    }

    private void read(String line) {
        int space = line.indexOf(' ');
        String value = line.substring(space + 1);
        switch (line.substring(0, space)) {
            case "mode" -> mode = value;
            case "cp" -> classPath.add(Path.of(value));
            case "shared" -> shared.add(Path.of(value));
            case "program" -> program.add(Path.of(value));
            case "source" -> sources.add(Path.of(value));
            case "out" -> out = Path.of(value);
            case "seed" -> seed = Long.parseLong(value);
            case "reversed" -> reversed = Boolean.parseBoolean(value);
            case "victim" -> victims.add(value.split(" "));
            case "millis" -> testMillis = Long.parseLong(value);
            case "within" -> end = System.nanoTime() + Long.parseLong(value) * 1_000_000;
            case "whole" -> isWhole = Boolean.parseBoolean(value);
            case "test" -> {
                String[] parts = value.split(" ");
                tests.computeIfAbsent(parts[0], key -> new ArrayList<>()).add(parts[1]);
            }
            case "group" -> groups.add(new Group());
            case "member" -> groups.get(groups.size() - 1).members.add(value.split(" "));
            case "leader" -> groups.get(groups.size() - 1).leaders.add(value.split(" "));
            default -> throw new IllegalArgumentException(line);
        }
    }

    private void run() throws Exception {
        switch (mode) {
            case "compile" -> compile();
            case "alone" -> runAlone();
            case "apart" -> runApart();
            case "shuffled" -> runShuffled();
            case "sorted" -> runSorted();
            case "led" -> runLed();
            case "hunt" -> hunt();
            default -> throw new IllegalArgumentException(mode);
        }
    }

    private void compile() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (program.size() == 2) {
            compileProgram(compiler, program.get(0), program.get(1));
        }
        // What ends the JVM from here on has to do with the sources.
        tell("compiles");
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        boolean isDone;
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, Locale.ROOT, StandardCharsets.UTF_8)) {
            StringBuilder path = new StringBuilder();
            List<Path> entries = new ArrayList<>(classPath);
            entries.addAll(shared);
            for (Path entry : entries) {
                path.append(path.length() == 0 ? "" : File.pathSeparator).append(entry);
            }
            List<String> options = List.of("-d", out.toString(), "-cp", path.toString(), "-proc:none", "-Xlint:all",
                    "-Xmaxerrs", "100000", "-Xmaxwarns", "100000", "-g");
            isDone = compiler.getTask(null, files, found, options, null, files.getJavaFileObjectsFromPaths(sources)).call();
        }
        boolean isRefused = false;
        for (Diagnostic<? extends JavaFileObject> diagnostic : found.getDiagnostics()) {
            isRefused |= diagnostic.getKind() == Diagnostic.Kind.ERROR;
            tellRemark(diagnostic);
        }
        if (!isDone && !isRefused) {
            throw new IllegalStateException("the compiler gave up without a word about the sources");
        }
    }

    /** The JVMs that run the tests start faster from class files than from this source. */
    private static void compileProgram(JavaCompiler compiler, Path source, Path classes) throws IOException {
        Path fresh = Files.createTempDirectory(classes.getParent(), "classes");
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> options = List.of("-d", fresh.toString(), "-proc:none");
            if (!compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(source)).call()) {
                throw new IllegalStateException("the compiler refuses " + source);
            }
        }
        pack(fresh, classes.resolveSibling("program.jar"));
        try {
            // Whoever finds the folder finds all of it.
            Files.move(fresh, classes);
        } catch (FileAlreadyExistsException another) {
            // Somebody else was faster.
        }
    }

    private void tellRemark(Diagnostic<? extends JavaFileObject> diagnostic) {
        boolean isError = diagnostic.getKind() == Diagnostic.Kind.ERROR;
        JavaFileObject source = diagnostic.getSource();
        // Remarks about the class path itself, or a class file there, say nothing about the tests.
        boolean isOurs = source != null && source.getKind() == JavaFileObject.Kind.SOURCE
                && "file".equals(source.toUri().getScheme());
        if (isError || isOurs) {
            String file = isOurs ? Path.of(source.toUri()).toString() : "-";
            tell((isError ? "error\t" : "warning\t") + file + "\t" + diagnostic.getLineNumber() + "\t"
                    + oneLine(diagnostic.getMessage(Locale.ROOT)));
        }
    }

    private void tell(String line) {
        report.println(line);
        report.flush();
        told = System.nanoTime();
    }

    /** A JVM that says nothing for long is taken for one that hangs. */
    private void tellAlive() {
        if (System.nanoTime() - told > ALIVE) {
            tell("alive");
        }
    }

    private static final long ALIVE = TimeUnit.SECONDS.toNanos(5);

    /** Some JVMs are started from a jar, others from a folder: tests must not care. */
    private static void pack(Path classes, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> files = Files.list(classes)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                out.putNextEntry(new ZipEntry(file.getFileName().toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
    }

    /** Every test in a class loader and a thread of its own. */
    private void runAlone() throws Exception {
        prepare();
        runEach();
    }

    /** The same, where tests that run together begin. */
    private void runApart() throws Exception {
        prepare();
        Surroundings.disguise();
        runEach();
    }

    private void runEach() throws Exception {
        for (Map.Entry<String, List<String>> entry : tests.entrySet()) {
            for (String method : entry.getValue()) {
                if (isLate()) {
                    return;
                }
                try (Stage stage = stage()) {
                    runTest(stage, new String[] {entry.getKey(), method});
                }
            }
        }
    }

    /** All tests in one class loader and one thread, as JUnit runs them; several times, each in another order and place. */
    private void runShuffled() throws Exception {
        prepare();
        Surroundings.disguise();
        Set<String> slow = new HashSet<>();
        Set<String> failed = new HashSet<>();
        int rounds = rounds();
        // Where so many fail that some tests must disturb the others, more rounds would tell nothing new.
        int most = Math.max(MANY, count() / 4);
        for (int round = 0; round < rounds && failed.size() <= most; round++) {
            if (round > 0) {
                Surroundings.AWAY[2 * (round - 1) + (reversed ? 1 : 0)].enter();
            }
            try (Stage stage = stage()) {
                for (String[] test : order(seed + round)) {
                    if (isOver(round)) {
                        return;
                    }
                    String name = String.join(".", test);
                    Throwable failure = slow.contains(name) ? null : runTest(stage, test);
                    if (failure != null) {
                        failed.add(name);
                    }
                    if (failure == SLOW) {
                        slow.add(name);
                    }
                }
            }
        }
    }

    /** All tests once, where the identity hash codes of classes rise with their names, or fall: sets have either order. */
    private void runSorted() throws Exception {
        // What starts the tests asks some classes for theirs.
        HashCodes.deal(namedClasses(), reversed);
        prepare();
        try (Stage stage = stage()) {
            for (String[] test : order(seed)) {
                if (isLate()) {
                    return;
                }
                runTest(stage, test);
            }
        }
    }

    /** The JDK's classes that tests name, and those of primitives; others are loaded with the tests. */
    private List<Class<?>> namedClasses() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String test : tests.keySet()) {
            HashCodes.addNamed(classPath.get(0).resolve(test.replace('.', '/') + ".class"), names);
        }
        List<Class<?>> found = new ArrayList<>(List.of(boolean.class, byte.class, char.class, double.class, float.class,
                int.class, long.class, short.class, void.class));
        for (String name : names) {
            try {
                found.add(Class.forName(name.replace('/', '.'), false, ClassLoader.getPlatformClassLoader()));
            } catch (ClassNotFoundException | LinkageError notOfTheJdk) {
                // Its hash code is drawn anew for each start.
            }
        }
        return found;
    }

    /**
     * Each leader of a group first, from a fresh start, then the others: what a class is first used for it may remember
     * for good, and in most orders somebody else comes first.
     */
    private void runLed() throws Exception {
        prepare();
        Surroundings.disguise();
        long round = seed;
        for (Group group : groups) {
            for (String[] leader : group.leaders) {
                int failed = 0;
                List<String[]> order = new ArrayList<>(group.members);
                order.removeIf(member -> Arrays.equals(member, leader));
                Collections.shuffle(order, new Random(round++));
                order.add(0, leader);
                tell("lead\t" + leader[0] + "\t" + leader[1]);
                try (Stage stage = stage()) {
                    for (String[] test : order) {
                        if (isLate()) {
                            return;
                        }
                        if (failed > MANY) {
                            break;
                        }
                        Throwable failure = runTest(stage, test);
                        if (failure == SLOW) {
                            return;
                        }
                        failed += failure == null ? 0 : 1;
                    }
                }
            }
        }
    }

    /** Tests that may find what others of them leave behind. */
    private static final class Group {
        final List<String[]> members = new ArrayList<>();
        /** Those that are run first, each once. */
        final List<String[]> leaders = new ArrayList<>();
    }

    private boolean isLate() {
        return hurried != null || System.nanoTime() - end > 0;
    }

    /**
     * Whether a round ends here. Without the first one nothing is known of the tests: who is in a hurry waits for it a
     * little, and if all tests are to be run it takes as long as it takes.
     */
    private boolean isOver(int round) {
        if (round > 0) {
            return isLate();
        }
        long now = System.nanoTime();
        Long since = hurried;
        return !isWhole && (now - end > 0 || since != null && now - since > GRACE);
    }

    private static final long GRACE = TimeUnit.SECONDS.toNanos(10);

    private List<String[]> order(long seed) {
        List<String[]> order = new ArrayList<>();
        tests.forEach((name, methods) -> methods.forEach(method -> order.add(new String[] {name, method})));
        Collections.shuffle(order, new Random(seed));
        if (reversed) {
            Collections.reverse(order);
        }
        return order;
    }

    /**
     * Finds the tests that make victims fail: each test is run in turn, and the victims after it. A test is told of if it
     * does so from a fresh start as well; if it does not, the one before it is that it needs. Where what outlives class
     * loaders and threads has changed, nothing more can be learned in this JVM. At the end come those that spoil others
     * only where no victim runs in between, and those that do so only if nobody came before them.
     */
    private void hunt() throws Exception {
        prepare();
        Surroundings.disguise();
        List<String[]> watched = agreeable();
        if (ask(watched)) {
            trace(watched);
            letLead(watched);
        }
    }

    /** Runs the victims after each test; false if the hunt has to end there. */
    private boolean ask(List<String[]> watched) throws Exception {
        List<String[]> before = new ArrayList<>();
        Stage stage = stage();
        for (String[] suspect : order(seed)) {
            if (watched.isEmpty() || isLate()) {
                return false;
            }
            tell("suspect\t" + suspect[0] + "\t" + suspect[1]);
            List<String[]> struck = stage.struckBy(suspect, watched);
            if (struck.isEmpty()) {
                before.add(suspect);
                continue;
            }
            stage.close();
            stage = stage();
            boolean outlives = !stage.failing(watched).isEmpty();
            if (outlives) {
                strike(suspect, struck);
                return false;
            }
            List<String[]> again = stage.struckBy(suspect, struck);
            if (again.isEmpty()) {
                strikeNeeded(before, suspect, struck);
            } else {
                strike(suspect, again);
            }
            before.clear();
            stage.close();
            stage = stage();
        }
        return true;
    }

    private void strike(String[] culprit, List<String[]> struck) {
        for (String[] victim : struck) {
            if (!Arrays.equals(victim, culprit)) {
                culprits.add(String.join(".", culprit));
                strikes.merge(String.join(".", victim), 1, Integer::sum);
                tell("strikes\t" + String.join("\t", culprit) + "\t" + String.join("\t", victim));
            }
        }
    }

    /** Of the tests before a suspect, tells of the last that has to run for the suspect to make victims fail. */
    private void strikeNeeded(List<String[]> before, String[] suspect, List<String[]> victims) throws InterruptedException {
        List<String[]> tests = new ArrayList<>(before);
        tests.add(suspect);
        if (!before.isEmpty() && !failingAfter(tests, victims).isEmpty()) {
            int needed = needed(tests, victims);
            strike(tests.get(needed), failingAfter(tests.subList(needed, tests.size()), victims));
        }
    }

    /** The last of some tests, after all of which victims fail, that has to run for them to do so. */
    private int needed(List<String[]> tests, List<String[]> victims) throws InterruptedException {
        int needed = 0;
        for (int spare = tests.size(); spare - needed > 1;) {
            int middle = (needed + spare) / 2;
            if (failingAfter(tests.subList(middle, tests.size()), victims).isEmpty()) {
                spare = middle;
            } else {
                needed = middle;
            }
        }
        return needed;
    }

    /** The victims that fail after some tests, from a fresh start. */
    private List<String[]> failingAfter(List<String[]> tests, List<String[]> victims) throws InterruptedException {
        try (Stage stage = stage()) {
            stage.failing(tests);
            return stage.failing(victims);
        }
    }

    /** Takes culprits out of some orders, one by one, until all tests pass in these. */
    private void trace(List<String[]> watched) throws InterruptedException {
        for (int round = 0; round < TRACED; round++) {
            List<String[]> order = order(seed + round);
            order.removeIf(test -> culprits.contains(String.join(".", test)) || isBrittle(test));
            while (!isLate()) {
                int at = firstFailing(order);
                if (at < 0) {
                    break;
                }
                order.remove(traced(order.subList(0, at), order.get(at), watched));
            }
        }
    }

    /** Tells of the test that makes a victim fail; gives the position of what has to go for the next one to show. */
    private int traced(List<String[]> before, String[] victim, List<String[]> watched) throws InterruptedException {
        List<String[]> alone = List.<String[]>of(victim);
        if (!failingAfter(List.of(), alone).isEmpty() || failingAfter(before, alone).isEmpty()) {
            return before.size();
        }
        int culprit = needed(before, alone);
        List<String[]> victims = new ArrayList<>(alone);
        watched.stream().filter(test -> !Arrays.equals(test, victim)).forEach(victims::add);
        strike(before.get(culprit), failingAfter(before.subList(culprit, before.size()), victims));
        return isBrittle(victim) ? before.size() : culprit;
    }

    /** Runs suspects from a fresh start, each before victims that nothing explains so far. */
    private void letLead(List<String[]> watched) throws InterruptedException {
        List<String[]> unexplained = new ArrayList<>(watched);
        unexplained.removeIf(victim -> strikes.containsKey(String.join(".", victim)));
        for (String[] suspect : order(seed)) {
            if (unexplained.isEmpty() || isLate()) {
                return;
            }
            List<String[]> struck = failingAfter(List.<String[]>of(suspect), unexplained);
            strike(suspect, struck);
            if (!struck.isEmpty() && !failingAfter(List.of(), struck).isEmpty()) {
                // It outlives class loaders.
                return;
            }
        }
    }

    /** Whether a test is disturbed by so many that it will have to go. */
    private boolean isBrittle(String[] victim) {
        return strikes.getOrDefault(String.join(".", victim), 0) >= BRITTLE;
    }

    private static final int BRITTLE = 6;

    /** How many orders are traced. */
    private static final int TRACED = 2;

    private int firstFailing(List<String[]> tests) throws InterruptedException {
        try (Stage stage = stage()) {
            for (int at = 0; at < tests.size(); at++) {
                if (stage.call(tests.get(at)) != null) {
                    return at;
                }
            }
        }
        return -1;
    }

    /** Victims that pass one after the other, twice; those that fail from a fresh start are told of. */
    private List<String[]> agreeable() throws InterruptedException {
        List<String[]> agreeable = new ArrayList<>(victims);
        if (!agree(agreeable)) {
            agreeable = undoomed();
            if (!agree(agreeable)) {
                agreeable = agreeing(agreeable);
            }
        }
        agreeable.forEach(victim -> tell("watched\t" + victim[0] + "\t" + victim[1]));
        return agreeable;
    }

    private List<String[]> undoomed() throws InterruptedException {
        List<String[]> undoomed = new ArrayList<>();
        for (String[] victim : victims) {
            if (isLate()) {
                break;
            }
            if (failingAfter(List.of(), List.<String[]>of(victim)).isEmpty()) {
                undoomed.add(victim);
            } else {
                tell("doomed\t" + victim[0] + "\t" + victim[1]);
            }
        }
        return undoomed;
    }

    private List<String[]> agreeing(List<String[]> all) throws InterruptedException {
        List<String[]> agreeing = new ArrayList<>();
        for (String[] victim : all) {
            if (isLate()) {
                break;
            }
            agreeing.add(victim);
            if (!agree(agreeing)) {
                agreeing.remove(victim);
            }
        }
        return agreeing;
    }

    private boolean agree(List<String[]> some) throws InterruptedException {
        try (Stage stage = stage()) {
            return stage.failing(some).isEmpty() && stage.failing(some).isEmpty();
        }
    }

    /**
     * The stack of a thread that runs tests: half of what JUnit's have on Linux x86-64, for a test that just fits when
     * some of its methods are compiled may not fit when others are.
     */
    private static final long STACK = 512 << 10;

    /** Where tests run: classes that nothing has used yet, and a thread. */
    private final class Stage implements AutoCloseable {
        private ClassLoader loader;
        private ExecutorService thread;

        Stage() {
            begin();
        }

        private void begin() {
            ClassLoader fresh = new Loader(store, parent);
            loader = fresh;
            thread = Executors.newSingleThreadExecutor(work -> {
                // As JUnit's own it keeps a JVM alive: tests may ask.
                Thread thread = new Thread(null, work, "test", STACK);
                thread.setDaemon(false);
                thread.setContextClassLoader(fresh);
                return thread;
            });
        }

        /** Calls a test; gives why it failed, or null. */
        Throwable call(String[] test) throws InterruptedException {
            tellAlive();
            ClassLoader loader = this.loader;
            Future<Throwable> result = thread.submit(() -> {
                Throwable failure = JuratValidate.call(loader, test[0], test[1]);
                // Here the next test would not see it, with JUnit it does.
                boolean isInterrupted = Thread.interrupted();
                return failure == null && isInterrupted ? new InterruptedException("it leaves its thread interrupted") : failure;
            });
            try {
                return result.get(testMillis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException stuck) {
                // Whoever comes next needs another thread, and classes whose locks nobody holds.
                thread.shutdownNow();
                begin();
                return SLOW;
            } catch (ExecutionException failed) {
                return failed.getCause();
            }
        }

        List<String[]> struckBy(String[] suspect, List<String[]> watched) throws InterruptedException {
            call(suspect);
            List<String[]> struck = failing(watched);
            struck.removeIf(victim -> Arrays.equals(victim, suspect));
            return struck;
        }

        List<String[]> failing(List<String[]> some) throws InterruptedException {
            List<String[]> failing = new ArrayList<>();
            for (String[] test : some) {
                if (call(test) != null) {
                    failing.add(test);
                }
            }
            return failing;
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    /** What all stages share; comes before any disguise, for Mockito looks at the machine when it starts. */
    private void prepare() throws IOException {
        store = new Store(classPath);
        parent = sharedLoader();
        startMockito(store, parent);
    }

    private Stage stage() {
        return new Stage();
    }

    /** Makes a mock if tests will: the first one takes seconds, for which no test should have to answer. */
    private void startMockito(Store store, ClassLoader parent) {
        for (String name : tests.keySet()) {
            ClassBytes found = store.find(name);
            if (found != null && new String(found.bytes, StandardCharsets.ISO_8859_1).contains("org/mockito/Mockito")) {
                try {
                    Class<?> mockito = Class.forName("org.mockito.Mockito", true, parent);
                    mockito.getMethod("mock", Class.class).invoke(null, Runnable.class);
                } catch (ReflectiveOperationException | LinkageError absent) {
                    // Then it is the tests' own, or they say what is wrong.
                }
                return;
            }
        }
    }

    /** JUnit is loaded once: it keeps no state that tests could leave behind. */
    private ClassLoader sharedLoader() throws IOException {
        return new URLClassLoader(urls(shared), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] urls(List<Path> entries) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path entry : entries) {
            urls.add(entry.toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    /** The class files of a class path, each read once for all loaders. */
    private static final class Store {
        private final Map<Path, JarFile> jars = new LinkedHashMap<>();
        private final Map<String, ClassBytes> known = new HashMap<>();
        private final Set<String> ofJdk = new HashSet<>();
        private final List<Path> entries;
        private final URLClassLoader resources;

        Store(List<Path> entries) throws IOException {
            this.entries = entries;
            this.resources = new URLClassLoader(urls(entries), null);
            for (Path entry : entries) {
                if (Files.isRegularFile(entry)) {
                    jars.put(entry, new JarFile(entry.toFile(), false, ZipFile.OPEN_READ, Runtime.version()));
                }
            }
            ModuleLayer.boot().modules().forEach(module -> ofJdk.addAll(module.getPackages()));
        }

        /** The bytes of a class, or null if it is the JDK's or nowhere. */
        synchronized ClassBytes find(String name) {
            int dot = name.lastIndexOf('.');
            if (dot >= 0 && ofJdk.contains(name.substring(0, dot))) {
                return null;
            }
            return known.computeIfAbsent(name, this::read).bytes == null ? null : known.get(name);
        }

        private ClassBytes read(String name) {
            String file = name.replace('.', '/') + ".class";
            try {
                for (Path entry : entries) {
                    JarFile jar = jars.get(entry);
                    Path path = entry.resolve(file);
                    ZipEntry found = jar == null ? null : jar.getEntry(file);
                    if (found != null) {
                        try (InputStream in = jar.getInputStream(found)) {
                            return new ClassBytes(in.readAllBytes(), entry);
                        }
                    } else if (jar == null && Files.isRegularFile(path)) {
                        return new ClassBytes(Files.readAllBytes(path), entry);
                    }
                }
            } catch (IOException unreadable) {
                // As good as not there: whoever needs it says so.
            }
            return new ClassBytes(null, null);
        }
    }

    /** A class file and where it was found. */
    private static final class ClassBytes {
        final byte[] bytes;
        final Path entry;

        ClassBytes(byte[] bytes, Path entry) {
            this.bytes = bytes;
            this.entry = entry;
        }
    }

    /** Defines the classes of a store anew. */
    private static final class Loader extends ClassLoader {
        private final Store store;
        private final Map<Path, ProtectionDomain> domains = new HashMap<>();

        Loader(Store store, ClassLoader parent) {
            super(parent);
            this.store = store;
            setDefaultAssertionStatus(true);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                ClassBytes found = store.find(name);
                if (found == null) {
                    return super.loadClass(name, resolve);
                }
                return defineClass(name, found.bytes, 0, found.bytes.length, domain(found.entry));
            }
        }

        private synchronized ProtectionDomain domain(Path entry) {
            return domains.computeIfAbsent(entry, path -> {
                try {
                    CodeSource source = new CodeSource(path.toUri().toURL(), (Certificate[]) null);
                    return new ProtectionDomain(source, null, this, null);
                } catch (IOException noUrl) {
                    return null;
                }
            });
        }

        @Override
        protected URL findResource(String name) {
            return store.resources.findResource(name);
        }

        @Override
        protected Enumeration<URL> findResources(String name) throws IOException {
            return store.resources.findResources(name);
        }
    }

    private Throwable runTest(Stage stage, String[] test) throws InterruptedException {
        tell("run\t" + test[0] + "\t" + test[1]);
        Throwable failure = stage.call(test);
        if (failure == SLOW) {
            tell("slow\t" + test[0] + "\t" + test[1]);
        } else if (failure == null) {
            tell("pass\t" + test[0] + "\t" + test[1]);
        } else {
            reportFailure(test[0], test[1], failure);
        }
        return failure;
    }

    /** Stands for the failure of a test that did not end. */
    private static final Throwable SLOW = new Throwable("slow");

    /**
     * How often all tests are run together: at home, then in every second of the places. Few tests see many of them: that
     * takes little time, and must not depend on how long it takes.
     */
    private int rounds() {
        return count() <= 250 ? 1 + Surroundings.AWAY.length / 2 : count() <= 1000 ? 5 : 3;
    }

    /** This many tests do not fail each for a reason of its own. */
    private static final int MANY = 16;

    private int count() {
        return tests.values().stream().mapToInt(List::size).sum();
    }

    private static Throwable call(ClassLoader loader, String name, String method) {
        try {
            Class<?> type = Class.forName(name, true, loader);
            Method test = find(type, method);
            var constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            test.setAccessible(true);
            Iterable<Object[]> rows = rows(type, test);
            if (rows != null) {
                return callRows(constructor, test, rows);
            }
            invoke(constructor.newInstance(), test);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (Throwable e) {
            return e;
        }
    }

    /** Runs a test and, whatever comes of it, what its class has follow each test: it puts back what was lent. */
    private static void invoke(Object instance, Method test, Object... arguments) throws ReflectiveOperationException {
        try {
            test.invoke(instance, arguments);
        } finally {
            Class<?> type = instance.getClass();
            for (String name : FOLLOWING.computeIfAbsent(type.getName(), unknown -> following(type))) {
                Method method = type.getDeclaredMethod(name);
                method.setAccessible(true);
                method.invoke(instance);
            }
        }
    }

    /** The names of the methods that follow each test, by class: every loader has the same classes. */
    private static final Map<String, List<String>> FOLLOWING = new ConcurrentHashMap<>();

    private static List<String> following(Class<?> type) {
        List<String> following = new ArrayList<>();
        for (Method method : type.getDeclaredMethods()) {
            if (annotation(method, "AfterEach") != null || annotation(method, "After") != null) {
                following.add(method.getName());
            }
        }
        return following;
    }

    /** Runs a parameterized test on all its rows; what it throws first says which rows failed. */
    private static Throwable callRows(Constructor<?> constructor, Method test, Iterable<Object[]> rows)
            throws ReflectiveOperationException {
        StringBuilder failed = new StringBuilder();
        Throwable first = null;
        int number = 0;
        for (Object[] row : rows) {
            number++;
            Object instance = constructor.newInstance();
            try {
                if (test.getParameterCount() > 0) {
                    invoke(instance, test, row);
                } else {
                    setParameters(instance, row);
                    invoke(instance, test);
                }
            } catch (InvocationTargetException e) {
                failed.append(' ').append(number);
                first = first == null ? e.getCause() : first;
            }
        }
        return first == null ? null : new AssertionError("rows" + failed + ": " + message(first), first);
    }

    /** The rows of a parameterized test of JUnit 5 ({@code MethodSource}) or 4 ({@code Parameters}); else null. */
    private static Iterable<Object[]> rows(Class<?> type, Method test) throws ReflectiveOperationException {
        Annotation source = annotation(test, "MethodSource");
        if (source != null) {
            String[] names = (String[]) source.annotationType().getMethod("value").invoke(source);
            Method method = type.getDeclaredMethod(names[0]);
            method.setAccessible(true);
            List<Object[]> rows = new ArrayList<>();
            for (Object row : ((Stream<?>) method.invoke(null)).toArray()) {
                if (row instanceof Object[]) {
                    rows.add((Object[]) row);
                } else {
                    // JUnit's Arguments, which may be a lambda: its class is nobody's, its method is public.
                    Method get = row.getClass().getMethod("get");
                    get.setAccessible(true);
                    rows.add((Object[]) get.invoke(row));
                }
            }
            return rows;
        }
        for (Method method : type.getDeclaredMethods()) {
            if (annotation(method, "Parameters") != null) {
                method.setAccessible(true);
                List<Object[]> rows = new ArrayList<>();
                for (Object row : (Iterable<?>) method.invoke(null)) {
                    rows.add((Object[]) row);
                }
                return rows;
            }
        }
        return null;
    }

    private static void setParameters(Object instance, Object[] row) throws ReflectiveOperationException {
        for (Field field : instance.getClass().getDeclaredFields()) {
            Annotation parameter = annotation(field, "Parameter");
            if (parameter != null) {
                field.set(instance, row[(int) parameter.annotationType().getMethod("value").invoke(parameter)]);
            }
        }
    }

    private static Annotation annotation(AnnotatedElement element, String name) {
        for (Annotation annotation : element.getAnnotations()) {
            if (annotation.annotationType().getSimpleName().equals(name)) {
                return annotation;
            }
        }
        return null;
    }

    private static Method find(Class<?> type, String name) throws NoSuchMethodException {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name)
                    && (annotation(method, "Test") != null || annotation(method, "ParameterizedTest") != null)) {
                return method;
            }
        }
        throw new NoSuchMethodException(name + " carries no @Test");
    }

    private void reportFailure(String name, String method, Throwable failure) {
        int line = 0;
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (frame.getClassName().equals(name)) {
                line = frame.getLineNumber();
                if (frame.getMethodName().equals(method)) {
                    break;
                }
            }
        }
        tell("fail\t" + name + "\t" + method + "\t" + line + "\t" + failure.getClass().getName() + "\t"
                + oneLine(message(failure)));
    }

    private static String message(Throwable failure) {
        try {
            return String.valueOf(failure.getMessage());
        } catch (Throwable broken) {
            return "(its message cannot be had)";
        }
    }

    private static String oneLine(String text) {
        StringWriter line = new StringWriter();
        text.chars().limit(400).forEach(c -> line.append(c < ' ' ? ' ' : (char) c));
        return line.toString();
    }

    /** Identity hash codes of classes that live as long as the JVM. */
    private static final class HashCodes {
        /** More classes than a test puts into a set. */
        static final int MANY = 1024;

        /**
         * Lets the JVM, which counts them, give the classes theirs: those that fall are as far below a multiple of a power
         * of two as those that rise are above it, so that tables of any size have the classes in opposite orders.
         */
        static void deal(List<Class<?>> classes, boolean falling) {
            for (int turn = 0; turn < classes.size(); turn++) {
                int index = falling ? classes.size() - 1 - turn : turn;
                int place = index % MANY;
                countTo(falling ? MANY - 1 - place : place);
                System.identityHashCode(classes.get(index));
            }
        }

        /** Goes on until the next one comes at a place. */
        private static void countTo(int place) {
            for (int tries = 0; tries < 2 * MANY && (draw() + 1) % MANY != place; tries++) {
                // Not there yet.
            }
        }

        private static int draw() {
            return System.identityHashCode(new Object());
        }

        /** Adds what a class file names as classes. */
        static void addNamed(Path file, Set<String> names) throws IOException {
            Map<Integer, String> texts = new HashMap<>();
            List<Integer> classes = new ArrayList<>();
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
                // The magic number and the version.
                in.readLong();
                int count = in.readUnsignedShort();
                for (int index = 1; index < count; index++) {
                    int tag = in.readUnsignedByte();
                    switch (tag) {
                        case 1 -> texts.put(index, in.readUTF());
                        case 7 -> classes.add(in.readUnsignedShort());
                        case 8, 16, 19, 20 -> in.readUnsignedShort();
                        case 15 -> in.skipNBytes(3);
                        case 5, 6 -> {
                            in.readLong();
                            index++;
                        }
                        default -> in.readInt();
                    }
                }
            }
            classes.forEach(index -> names.add(texts.get(index)));
        }
    }

    /** What differs from one machine to the next and can be changed while a JVM runs. */
    private static final class Surroundings {
        /** Places far from each other, whose clocks were changed at odd times and by odd amounts. */
        static final Surroundings[] AWAY = {
            new Surroundings("Europe/Dublin", "ar-EG"), new Surroundings("Pacific/Apia", "pt-PT"),
            new Surroundings("Africa/Monrovia", "th-TH"), new Surroundings("Pacific/Chatham", "en-US"),
            new Surroundings("Asia/Seoul", "ko-KR"), new Surroundings("Europe/Helsinki", "fi-FI"),
            new Surroundings("America/Caracas", "es-VE"), new Surroundings("Europe/Sofia", "bg-BG"),
            new Surroundings("Asia/Tehran", "fa-IR"), new Surroundings("America/Havana", "fr-CA"),
            new Surroundings("Asia/Kolkata", "hi-IN"), new Surroundings("Pacific/Kiritimati", "en-GB"),
            new Surroundings("Europe/Prague", "cs-CZ"), new Surroundings("Australia/Eucla", "da-DK"),
            new Surroundings("Asia/Ho_Chi_Minh", "vi-VN"), new Surroundings("America/Nuuk", "nl-NL"),
            new Surroundings("Asia/Taipei", "zh-TW"), new Surroundings("Asia/Jerusalem", "he-IL"),
            new Surroundings("Africa/Juba", "pl-PL"), new Surroundings("Atlantic/Reykjavik", "is-IS"),
        };

        final TimeZone zone;
        final Locale locale;

        Surroundings(String zone, String locale) {
            this.zone = TimeZone.getTimeZone(zone);
            this.locale = Locale.forLanguageTag(locale);
        }

        void enter() {
            TimeZone.setDefault(zone);
            Locale.setDefault(locale);
        }

        /** Makes the properties that describe machine and JVM say something else. */
        static void disguise() {
            for (String name : List.of("java.vm.info", "java.vm.name", "java.vm.vendor", "java.vm.version", "java.vendor",
                    "java.vendor.url", "java.vendor.version", "java.runtime.name", "java.runtime.version", "os.name",
                    "os.version", "user.name", "java.class.path", "java.library.path")) {
                System.setProperty(name, "another");
            }
            String next = String.valueOf(Runtime.version().feature() + 1);
            for (String name : List.of("java.version", "java.specification.version", "java.vm.specification.version")) {
                System.setProperty(name, next);
            }
        }
    }
}
