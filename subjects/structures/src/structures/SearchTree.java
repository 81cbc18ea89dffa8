package structures;

import java.util.HashSet;
import java.util.LinkedList;
import java.util.Set;

/** A binary search tree of distinct ints. */
public class SearchTree {
    private Node root;
    private int size;

    static class Node {
        Node left;
        Node right;
        int info;
    }

    public boolean repOK() {
        if (root == null) {
            return size == 0;
        }
        return isAcyclic() && count(root) == size && isOrdered(root, null, null);
    }

    private boolean isAcyclic() {
        Set<Node> visited = new HashSet<>();
        visited.add(root);
        LinkedList<Node> work = new LinkedList<>();
        work.add(root);
        while (!work.isEmpty()) {
            Node current = work.removeFirst();
            if (current.left != null) {
                if (!visited.add(current.left)) {
                    return false;
                }
                work.add(current.left);
            }
            if (current.right != null) {
                if (!visited.add(current.right)) {
                    return false;
                }
                work.add(current.right);
            }
        }
        return true;
    }

    private static int count(Node node) {
        return node == null ? 0 : 1 + count(node.left) + count(node.right);
    }

    private static boolean isOrdered(Node node, Integer min, Integer max) {
        if (min != null && node.info <= min || max != null && node.info >= max) {
            return false;
        }
        if (node.left != null && !isOrdered(node.left, min, node.info)) {
            return false;
        }
        return node.right == null || isOrdered(node.right, node.info, max);
    }
}
