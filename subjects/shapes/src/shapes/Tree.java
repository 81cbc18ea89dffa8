package shapes;

/** A structure that can say whether it is in a legal state. */
public class Tree {
    Node root;
    int size;

    static class Node {
        Node left;
        Node right;
        int value;
    }

    public boolean repOK() {
        return size >= 0 && (root != null || size == 0);
    }

    protected void checkRep() {
        assert repOK();
    }

    boolean invariant() {
        return repOK();
    }

    public boolean repOK(int depth) {
        return depth > 0;
    }

    public static boolean invariant(Tree tree) {
        return tree.repOK();
    }
}

/** A class whose file is named after another. */
class Leaf {
    static class Vein {}
}
