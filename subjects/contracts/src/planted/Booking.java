package planted;

import java.util.Objects;

/** A seat that can be taken and given back; nobody can be greeted once it was given back. */
public class Booking {
    private String guest = "";

    public void take(String name) {
        guest = Objects.requireNonNull(name, "name");
    }

    public void cancel() {
        guest = null;
    }

    public boolean isTaken() {
        return guest != null && !guest.isEmpty();
    }

    public String getGreeting() {
        return "Welcome " + guest.trim();
    }
}
