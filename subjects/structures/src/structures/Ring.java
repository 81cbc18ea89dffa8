package structures;

/** Nodes in a circle; the predicate stands on one of them. */
public class Ring {
    private Ring next;
    private boolean marked;

    public boolean repOK() {
        Ring slow = this;
        Ring fast = this;
        do {
            if (fast.next == null || fast.next.next == null) {
                return false;
            }
            slow = slow.next;
            fast = fast.next.next;
        } while (slow != fast);
        return slow == this || reaches();
    }

    /** Whether walking on comes back here, rather than circling somewhere else. */
    private boolean reaches() {
        java.util.Set<Ring> visited = new java.util.HashSet<>();
        Ring at = this;
        while (visited.add(at)) {
            at = at.next;
        }
        return at == this;
    }
}
