package structures;

import java.util.HashSet;
import java.util.Set;

/** A binary tree whose predicate visits its nodes depth first, left before right. */
public class LectureTree {
    private Node root;

    static class Node {
        Node left;
        Node right;
    }

    public boolean repOK() {
        if (root == null) {
            return true;
        }
        Set<Node> visited = new HashSet<>();
        visited.add(root);
        return isTree(root, visited);
    }

    private static boolean isTree(Node node, Set<Node> visited) {
        Node left = node.left;
        if (left != null && !(visited.add(left) && isTree(left, visited))) {
            return false;
        }
        Node right = node.right;
        return right == null || visited.add(right) && isTree(right, visited);
    }
}
