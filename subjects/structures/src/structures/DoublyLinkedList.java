package structures;

/** A list linked both ways, with its first and last nodes at hand. */
public class DoublyLinkedList {
    private Node first;
    private Node last;
    private int size;

    private static final class Node {
        private Node next;
        private Node prev;
        private String value;
    }

    public boolean repOK() {
        int count = 0;
        Node before = null;
        for (Node at = first; at != null; at = at.next) {
            if (at.prev != before || at.value == null || ++count > size) {
                return false;
            }
            before = at;
        }
        return last == before && count == size;
    }
}
