package sandboxed;

import java.io.File;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;

/** What no code may do behind a sandbox; each method says how it went. */
public class Forbidden {
    interface Deed {
        Object run() throws Exception;
    }

    private static String outcome(Deed deed) {
        try {
            return String.valueOf(deed.run());
        } catch (Exception e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    public static String delete(String outside) {
        return outcome(() -> new File(outside).delete());
    }

    public static String overwrite(String outside) {
        return outcome(() -> Files.writeString(Path.of(outside), "mine"));
    }

    public static String rename(String outside) {
        return outcome(() -> Files.move(Path.of(outside), Path.of(outside + "2"), StandardCopyOption.REPLACE_EXISTING));
    }

    public static String chmod(String outside) {
        return outcome(() -> Files.setPosixFilePermissions(Path.of(outside), PosixFilePermissions.fromString("rwxrwxrwx")));
    }

    public static String touch(String outside) {
        return outcome(() -> Files.setLastModifiedTime(Path.of(outside), FileTime.fromMillis(0)));
    }

    public static String attribute(String outside) {
        return outcome(() -> Files.setAttribute(Path.of(outside), "user:jurat", new byte[] {1}));
    }

    public static String tcp(String ignored) {
        return outcome(() -> new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 9));
    }

    public static String udp(String ignored) {
        return outcome(() -> {
            InetAddress here = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            new DatagramSocket().send(new DatagramPacket(new byte[1], 1, here, 9));
            return "sent";
        });
    }

    public static String resolve(String ignored) {
        return outcome(() -> InetAddress.getByName("example.invalid"));
    }

    public static String start(String ignored) {
        return outcome(() -> new ProcessBuilder("true").start());
    }

    public static String kill(String ignored) {
        return outcome(() -> ProcessHandle.current().parent().orElseThrow().destroyForcibly());
    }

    public static String threads(String ignored) {
        int started = 0;
        Object lock = new Object();
        try {
            for (; started < 10_000; started++) {
                Thread thread = new Thread(() -> {
                    synchronized (lock) {
                        try {
                            lock.wait();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
            return "started " + started;
        } catch (OutOfMemoryError e) {
            return "stopped";
        } finally {
            synchronized (lock) {
                lock.notifyAll();
            }
        }
    }
}
