package statements;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A value with structure: cycles, collections, and state that methods do or do not change. */
public class Node {
    private final String name;
    private Node next;
    private final List<Node> children = new ArrayList<>();
    private final Map<Object, Integer> counts = new HashMap<>();

    public Node(String name) {
        this.name = name;
    }

    /** A chain that ends where it begins. */
    public static Node ring(int length) {
        Node first = new Node("n0");
        Node last = first;
        for (int i = 1; i < length; i++) {
            last.next = new Node("n" + i);
            last = last.next;
        }
        last.next = first;
        return first;
    }

    public Node add(Node child) {
        children.add(child);
        return this;
    }

    public Node count(Object key) {
        counts.merge(key, 1, Integer::sum);
        return this;
    }

    /** Looks at everything, changes nothing that counts. */
    public int size() {
        return children.size() + counts.keySet().size() + counts.entrySet().size();
    }

    /** Adds and takes away again. */
    public void flicker() {
        children.add(this);
        children.remove(children.size() - 1);
    }

    @Override
    public boolean equals(Object other) {
        throw new AssertionError("a fingerprint runs no code");
    }

    @Override
    public int hashCode() {
        throw new AssertionError("a fingerprint runs no code");
    }
}
