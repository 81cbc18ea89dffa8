package structures;

import java.util.HashSet;
import java.util.Set;

/** A directed graph without loops or double edges; every node has its own array of successors. */
public class Graph {
    private Node[] nodes;

    static class Node {
        Node[] successors;
    }

    public boolean repOK() {
        if (nodes == null) {
            return false;
        }
        Set<Node> all = new HashSet<>();
        Set<Object> owned = new HashSet<>();
        owned.add(nodes);
        for (Node node : nodes) {
            if (node == null || !all.add(node)) {
                return false;
            }
        }
        for (Node node : nodes) {
            if (node.successors == null || !owned.add(node.successors)) {
                return false;
            }
            Set<Node> targets = new HashSet<>();
            for (Node target : node.successors) {
                if (target == node || !all.contains(target) || !targets.add(target)) {
                    return false;
                }
            }
        }
        return true;
    }
}
