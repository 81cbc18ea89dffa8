package made.user;

import made.parts.Tape;
import made.parts.Ticket;

/** Asks for what is made in several steps, none of which it mentions. */
public final class Desk {
    /** Whether there is a ticket with a name, and something on the tape. */
    public boolean accepts(Ticket ticket, Tape tape) {
        if (ticket.name().isEmpty()) {
            return false;
        }
        return tape.first() >= 0;
    }
}
