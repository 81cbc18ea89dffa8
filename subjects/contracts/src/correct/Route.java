package correct;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The stops of a journey, perhaps none. */
public class Route {
    private final List<String> stops = new ArrayList<>();

    public Route then(String stop) {
        stops.add(Objects.requireNonNull(stop, "stop"));
        return this;
    }

    public int length() {
        return stops.size();
    }

    @Override
    public String toString() {
        return String.join(" - ", stops);
    }
}
