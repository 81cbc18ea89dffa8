package correct;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/** Tags without repetition. */
public class TagSet implements Iterable<String> {
    private final List<String> tags = new ArrayList<>();

    public boolean add(String tag) {
        Objects.requireNonNull(tag, "tag");
        if (tags.contains(tag)) {
            return false;
        }
        return tags.add(tag);
    }

    public boolean contains(String tag) {
        return tags.contains(tag);
    }

    public int size() {
        return tags.size();
    }

    @Override
    public Iterator<String> iterator() {
        return new ArrayList<>(tags).iterator();
    }
}
