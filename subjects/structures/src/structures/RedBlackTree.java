package structures;

import java.util.HashSet;
import java.util.LinkedList;
import java.util.Set;

/** A red-black tree as maps use it: keys in order, values attached, parents linked. */
public class RedBlackTree {
    private static final int RED = 0;

    private Node root;
    private int size;

    static class Node {
        Node left;
        Node right;
        Node parent;
        int color;
        int key;
        Object value;
    }

    public boolean repOK() {
        if (root == null) {
            return size == 0;
        }
        return root.parent == null && isTreeOfSize() && redHasBlackChildren() && blackHeight(root) >= 0
            && isOrdered(root, -1, Integer.MAX_VALUE);
    }

    private boolean isTreeOfSize() {
        Set<Node> visited = new HashSet<>();
        visited.add(root);
        LinkedList<Node> work = new LinkedList<>();
        work.add(root);
        while (!work.isEmpty()) {
            Node current = work.removeFirst();
            Node left = current.left;
            if (left != null) {
                if (!visited.add(left) || left.parent != current) {
                    return false;
                }
                work.add(left);
            }
            Node right = current.right;
            if (right != null) {
                if (!visited.add(right) || right.parent != current) {
                    return false;
                }
                work.add(right);
            }
        }
        return visited.size() == size;
    }

    private boolean redHasBlackChildren() {
        LinkedList<Node> work = new LinkedList<>();
        work.add(root);
        while (!work.isEmpty()) {
            Node current = work.removeFirst();
            boolean red = current.color == RED;
            Node left = current.left;
            if (left != null) {
                if (red && left.color == RED) {
                    return false;
                }
                work.add(left);
            }
            Node right = current.right;
            if (right != null) {
                if (red && right.color == RED) {
                    return false;
                }
                work.add(right);
            }
        }
        return true;
    }

    /** The number of black nodes on every path down, or -1 if paths differ. */
    private static int blackHeight(Node node) {
        if (node == null) {
            return 0;
        }
        int left = blackHeight(node.left);
        int right = blackHeight(node.right);
        if (left < 0 || left != right) {
            return -1;
        }
        return node.color == RED ? left : left + 1;
    }

    private static boolean isOrdered(Node node, int above, int below) {
        return node == null || node.key > above && node.key < below && isOrdered(node.left, above, node.key)
            && isOrdered(node.right, node.key, below);
    }
}
