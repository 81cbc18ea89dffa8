package structures;

import java.util.IdentityHashMap;
import java.util.Map;

/** Arithmetic as a tree of three kinds of nodes below one abstract class. */
public class Expression {
    enum Operator { PLUS, MINUS, TIMES }

    abstract static class Term {
        abstract boolean isTree(Map<Term, Boolean> seen);
    }

    static class Literal extends Term {
        int value;

        @Override
        boolean isTree(Map<Term, Boolean> seen) {
            return seen.put(this, true) == null;
        }
    }

    static class Negation extends Term {
        Term operand;

        @Override
        boolean isTree(Map<Term, Boolean> seen) {
            return seen.put(this, true) == null && operand != null && operand.isTree(seen);
        }
    }

    static class Binary extends Term {
        Operator operator;
        Term left;
        Term right;

        @Override
        boolean isTree(Map<Term, Boolean> seen) {
            return seen.put(this, true) == null && operator != null && left != null && left.isTree(seen)
                && right != null && right.isTree(seen);
        }
    }

    private Term term;

    public boolean repOK() {
        return term != null && term.isTree(new IdentityHashMap<>());
    }
}
