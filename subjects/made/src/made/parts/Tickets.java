package made.parts;

/** Where drafts come from. */
public final class Tickets {
    private Tickets() {
    }

    public static Ticket.Draft draft() {
        return new Ticket.Draft();
    }
}
