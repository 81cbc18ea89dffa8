package structures;

import java.util.HashSet;
import java.util.Set;

/** A circular doubly linked list of elements in ascending order behind a sentinel entry. */
public class SortedList {
    private Entry header;
    private int size;

    static class Entry {
        Comparable<Object> element;
        Entry next;
        Entry previous;
    }

    public boolean repOK() {
        if (header == null || header.element != null) {
            return false;
        }
        Set<Entry> visited = new HashSet<>();
        visited.add(header);
        Entry current = header;
        while (true) {
            Entry next = current.next;
            if (next == null || next.previous != current) {
                return false;
            }
            current = next;
            if (!visited.add(next)) {
                break;
            }
        }
        return current == header && visited.size() - 1 == size && isSorted();
    }

    private boolean isSorted() {
        Comparable<Object> last = null;
        for (Entry entry = header.next; entry != header; entry = entry.next) {
            if (entry.element == null || last != null && last.compareTo(entry.element) > 0) {
                return false;
            }
            last = entry.element;
        }
        return true;
    }
}
