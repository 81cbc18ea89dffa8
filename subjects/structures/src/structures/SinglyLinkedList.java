package structures;

import java.util.HashSet;
import java.util.Set;

/** A list of objects behind a sentinel entry without an element. */
public class SinglyLinkedList {
    private Entry header;
    private int size;

    static class Entry {
        Object element;
        Entry next;
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
            if (next == null) {
                break;
            }
            if (next.element == null) {
                return false;
            }
            if (!visited.add(next)) {
                return false;
            }
            current = next;
        }
        return visited.size() - 1 == size;
    }
}
