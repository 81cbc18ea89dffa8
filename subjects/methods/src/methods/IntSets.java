package methods;

/** What others do with sets. */
public class IntSets {
    public static int scaledSize(IntSet set, int factor) {
        return set.size() * factor;
    }

    int notStatic(IntSet set) {
        return set.size();
    }
}
