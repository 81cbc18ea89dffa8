package methods;

import java.util.HashSet;
import java.util.Set;

/** A set of ints as a search tree. {@code removeMin} loses what stands right of the smallest. */
public class IntSet {
    private static class Node {
        int key;
        Node left;
        Node right;

        Node(int key) {
            this.key = key;
        }
    }

    private Node root;
    private int size;

    public boolean add(int key) {
        if (root == null) {
            root = new Node(key);
            size++;
            return true;
        }
        Node node = root;
        while (key != node.key) {
            Node next = key < node.key ? node.left : node.right;
            if (next == null) {
                if (key < node.key) {
                    node.left = new Node(key);
                } else {
                    node.right = new Node(key);
                }
                size++;
                return true;
            }
            node = next;
        }
        return false;
    }

    public void removeMin() {
        if (root == null) {
            throw new IllegalStateException("empty");
        }
        size--;
        if (root.left == null) {
            root = root.right;
            return;
        }
        Node parent = root;
        while (parent.left.left != null) {
            parent = parent.left;
        }
        parent.left = null;
    }

    /** Forgets to ask whether there is one. */
    public int min() {
        Node node = root;
        while (node.left != null) {
            node = node.left;
        }
        return node.key;
    }

    public int size() {
        return size;
    }

    public boolean repOK() {
        Set<Node> seen = new HashSet<>();
        return isOrdered(root, Integer.MIN_VALUE, Integer.MAX_VALUE, seen) && seen.size() == size;
    }

    private static boolean isOrdered(Node node, int min, int max, Set<Node> seen) {
        if (node == null) {
            return true;
        }
        if (!seen.add(node) || node.key < min || node.key > max) {
            return false;
        }
        return isOrdered(node.left, min, node.key - 1, seen) && isOrdered(node.right, node.key + 1, max, seen);
    }
}
