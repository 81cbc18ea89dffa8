package hostile;

/** Throws something that cannot be asked what it is. */
public class ThrowsTrouble {
    public static class Trouble extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("do not ask");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("do not ask");
        }
    }

    public static class EndlessTrouble extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            while (true) {
                Thread.onSpinWait();
            }
        }

        @Override
        public synchronized Throwable getCause() {
            return this;
        }
    }

    public static int trouble() {
        throw new Trouble();
    }

    public static int endlessTrouble() {
        throw new EndlessTrouble();
    }
}
