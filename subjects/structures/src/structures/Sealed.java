package structures;

import java.util.ArrayList;
import java.util.List;

/** A class whose predicate depends on fields that are never enumerated, and on one that is. */
public class Sealed {
    private static int made;

    private final int limit = 2;
    private final List<String> names = new ArrayList<>();
    private List<String> more = new ArrayList<>();
    private int used;

    public boolean repOK() {
        return names.isEmpty() && more.isEmpty() && used <= limit && made >= 0;
    }
}
