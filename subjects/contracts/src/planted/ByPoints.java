package planted;

import java.util.Comparator;

/** Compares by overflowing subtraction. */
public class ByPoints implements Comparator<Integer> {
    @Override
    public int compare(Integer left, Integer right) {
        return left - right;
    }
}
