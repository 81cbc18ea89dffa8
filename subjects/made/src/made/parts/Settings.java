package made.parts;

/** What a {@link Turnstile} starts with. */
public final class Settings {
    private int start;

    public int start() {
        return start;
    }

    public void start(int with) {
        start = with;
    }
}
