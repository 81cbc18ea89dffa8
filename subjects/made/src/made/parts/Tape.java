package made.parts;

import java.io.IOException;
import java.io.InputStream;

/** Needs a stream to be made. */
public final class Tape {
    private final InputStream stream;

    public Tape(InputStream stream) {
        this.stream = stream;
    }

    public int first() {
        try {
            return stream.read();
        } catch (IOException failed) {
            return -1;
        }
    }
}
