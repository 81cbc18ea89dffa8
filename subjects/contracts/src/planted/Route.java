package planted;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The stops of a journey; a route without any cannot be printed. */
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
        StringBuilder text = new StringBuilder(stops.get(0));
        for (String stop : stops.subList(1, stops.size())) {
            text.append(" - ").append(stop);
        }
        return text.toString();
    }
}
