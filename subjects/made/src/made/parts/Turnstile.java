package made.parts;

import made.user.Counter;

/** The only counter. */
public final class Turnstile extends Counter {
    public Turnstile(Settings settings) {
        start = settings.start();
    }
}
