package correct;

import java.util.Objects;

/** A seat that can be taken and given back. */
public class Booking {
    private String guest = "";

    public void take(String name) {
        guest = Objects.requireNonNull(name, "name");
    }

    public void cancel() {
        guest = "";
    }

    public boolean isTaken() {
        return !guest.isEmpty();
    }

    public String getGreeting() {
        return "Welcome " + guest.trim();
    }
}
