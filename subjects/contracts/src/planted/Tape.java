package planted;

import java.util.Iterator;

/** Cannot be used as its constructor leaves it. */
public class Tape {
    private Iterator<String> source;

    public void load(Iterator<String> source) {
        this.source = source;
    }

    public boolean hasMore() {
        return source.hasNext();
    }
}
