package made.parts;

/** Made by a draft, which only {@link Tickets} gives. */
public final class Ticket {
    private final String name;

    public Ticket(Draft draft) {
        name = draft.name;
    }

    public String name() {
        return name;
    }

    /** A ticket to be. */
    public static final class Draft {
        private String name = "";

        Draft() {
        }

        public Draft name(String given) {
            name = given;
            return this;
        }
    }
}
