package hostile;

/** Kills the process that started this one. */
public class KillsParent {
    public static boolean kill() {
        return ProcessHandle.current().parent().map(ProcessHandle::destroyForcibly).orElse(false);
    }
}
