package made.parts;

import java.io.InputStream;

/** More streams than are kept of a class path. */
public final class Streams {
    private Streams() {
    }

    abstract static class Silent extends InputStream {
        @Override
        public int read() {
            return -1;
        }
    }

    public static class One extends Silent {
    }

    public static class Two extends Silent {
    }

    public static class Three extends Silent {
    }

    public static class Four extends Silent {
    }

    public static class Five extends Silent {
    }

    public static class Six extends Silent {
    }

    public static class Seven extends Silent {
    }

    public static class Eight extends Silent {
    }

    public static class Nine extends Silent {
    }

    public static class Ten extends Silent {
    }
}
