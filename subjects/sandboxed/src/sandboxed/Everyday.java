package sandboxed;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** What ordinary code does, and what a sandbox must not get in the way of. */
public class Everyday {
    public static String compute(String ignored) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        Future<Long> sum = threads.submit(() -> IntStream.range(0, 100_000).mapToLong(i -> i * 31L % 17).sum());
        byte[][] garbage = new byte[64][];
        for (int i = 0; i < 10_000; i++) {
            garbage[i % garbage.length] = new byte[4096];
        }
        System.gc();
        String text = String.format("%d %s %b", sum.get(), "a-b-c".split("-").length, "aab".matches("a+b"));
        threads.shutdown();
        SecureRandom random = new SecureRandom();
        random.setSeed(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        random.nextInt();
        return text;
    }

    public static String read(String outside) throws Exception {
        Path path = Path.of(outside);
        String text = Files.readString(path);
        try (FileChannel channel = FileChannel.open(path); Selector selector = Selector.open()) {
            ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            return text + " " + mapped.remaining() + " " + selector.isOpen();
        }
    }

    public static String write(String scratch) throws Exception {
        Path folder = Files.createTempDirectory(Path.of(scratch), "made");
        Path file = folder.resolve("file");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            channel.truncate(2);
        }
        Files.setLastModifiedTime(file, FileTime.fromMillis(1000));
        boolean readOnly = file.toFile().setReadOnly();
        long size = Files.size(Files.copy(file, folder.resolve("copy")));
        long time = Files.getLastModifiedTime(file).toMillis();
        Files.delete(file);
        return size + " " + time + " " + readOnly;
    }
}
