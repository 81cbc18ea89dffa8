package shop.range;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * A set of whole numbers, kept as the fewest intervals that hold them. Good for sets with long runs: booked
 * days, order numbers already sent.
 */
public final class IntervalSet implements Iterable<Interval> {

    /** Sorted; no two of them touch. */
    private final List<Interval> intervals = new ArrayList<>();

    /** The set without any number. */
    public IntervalSet() {
    }

    /** The set of all numbers in the given intervals, which may overlap. */
    public static IntervalSet of(Interval... intervals) {
        IntervalSet set = new IntervalSet();
        for (Interval interval : intervals) {
            set.add(interval);
        }
        return set;
    }

    /** Adds every number of the interval; tells whether the set grew. */
    public boolean add(Interval added) {
        int from = firstEndingAtOrAfter(added.start());
        if (from < intervals.size() && intervals.get(from).contains(added)) {
            return false;
        }
        Interval merged = added;
        int to = from;
        while (to < intervals.size() && intervals.get(to).touches(added)) {
            merged = merged.hull(intervals.get(to));
            to++;
        }
        replace(from, to, List.of(merged));
        return true;
    }

    /** Removes every number of the interval; tells whether the set shrank. */
    public boolean remove(Interval removed) {
        int from = firstEndingAtOrAfter(removed.start());
        if (from < intervals.size() && intervals.get(from).end() == removed.start()) {
            from++;
        }
        List<Interval> rest = new ArrayList<>();
        int to = from;
        while (to < intervals.size() && intervals.get(to).overlaps(removed)) {
            Interval cut = intervals.get(to);
            if (cut.start() < removed.start()) {
                rest.add(new Interval(cut.start(), removed.start()));
            }
            if (removed.end() < cut.end()) {
                rest.add(new Interval(removed.end(), cut.end()));
            }
            to++;
        }
        replace(from, to, rest);
        return to > from;
    }

    /** Whether the number is in the set. */
    public boolean contains(int number) {
        int low = 0;
        int high = intervals.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Interval interval = intervals.get(middle);
            if (interval.contains(number)) {
                return true;
            }
            if (number < interval.start()) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        return false;
    }

    /** The numbers of {@code within} that this set lacks. */
    public IntervalSet complement(Interval within) {
        IntervalSet result = of(within);
        for (Interval interval : intervals) {
            result.remove(interval);
        }
        return result;
    }

    /** The numbers that are in both sets. */
    public IntervalSet intersection(IntervalSet other) {
        IntervalSet result = new IntervalSet();
        int mine = 0;
        int theirs = 0;
        while (mine < intervals.size() && theirs < other.intervals.size()) {
            Interval a = intervals.get(mine);
            Interval b = other.intervals.get(theirs);
            a.intersection(b).ifPresent(result::add);
            if (a.end() < b.end()) {
                mine++;
            } else {
                theirs++;
            }
        }
        return result;
    }

    /**
     * The shortest interval that holds the whole set.
     *
     * @throws NoSuchElementException if the set is empty
     */
    public Interval span() {
        if (isEmpty()) {
            throw new NoSuchElementException("an empty set has no span");
        }
        return intervals.get(0).hull(intervals.get(intervals.size() - 1));
    }

    /** How many numbers are in the set. */
    public long size() {
        long size = 0;
        for (Interval interval : intervals) {
            size += interval.length();
        }
        return size;
    }

    /** Whether there is no number in the set. */
    public boolean isEmpty() {
        return intervals.isEmpty();
    }

    /** The intervals in ascending order. */
    @Override
    public Iterator<Interval> iterator() {
        return Collections.unmodifiableList(intervals).iterator();
    }

    /** The position of the first interval that ends at or after the number, by binary search. */
    private int firstEndingAtOrAfter(int number) {
        int low = 0;
        int high = intervals.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (intervals.get(middle).end() < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void replace(int from, int to, List<Interval> replacement) {
        List<Interval> range = intervals.subList(from, to);
        range.clear();
        range.addAll(replacement);
        assert repOK();
    }

    /** What must always hold: sorted, and with a gap between any two neighbours. */
    private boolean repOK() {
        for (int i = 1; i < intervals.size(); i++) {
            if (intervals.get(i - 1).end() >= intervals.get(i).start()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IntervalSet set && intervals.equals(set.intervals);
    }

    @Override
    public int hashCode() {
        return intervals.hashCode();
    }

    @Override
    public String toString() {
        return intervals.toString();
    }
}
