package structures;

import java.util.HashSet;
import java.util.LinkedList;
import java.util.Set;

/** A binary tree that knows how many nodes it has. */
public class BinaryTree {
    private Node root;
    private int size;

    static class Node {
        Node left;
        Node right;
    }

    public boolean repOK() {
        if (root == null) {
            return size == 0;
        }
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
        return visited.size() == size;
    }
}
