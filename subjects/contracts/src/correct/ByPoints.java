package correct;

import java.util.Comparator;

/** Compares without subtraction. */
public class ByPoints implements Comparator<Integer> {
    @Override
    public int compare(Integer left, Integer right) {
        return Integer.compare(left, right);
    }
}
