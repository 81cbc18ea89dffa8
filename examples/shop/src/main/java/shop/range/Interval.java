package shop.range;

import java.util.Optional;

/**
 * The whole numbers from {@code start} up to, but not including, {@code end}. Never empty.
 *
 * @param start the first number inside
 * @param end the first number after {@code start} that is outside
 */
public record Interval(int start, int end) implements Comparable<Interval> {

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException if nothing lies between them
     */
    public Interval {
        if (start >= end) {
            throw new IllegalArgumentException("empty interval: " + start + " to " + end);
        }
    }

    /** The interval that holds one number only. */
    public static Interval single(int number) {
        return new Interval(number, Math.addExact(number, 1));
    }

    /** How many numbers are inside; more than an {@code int} can say for the longest. */
    public long length() {
        return (long) end - start;
    }

    /** Whether the number is inside. */
    public boolean contains(int number) {
        return start <= number && number < end;
    }

    /** Whether all of the other interval is inside this one. */
    public boolean contains(Interval other) {
        return start <= other.start && other.end <= end;
    }

    /** Whether some number is in both. */
    public boolean overlaps(Interval other) {
        return start < other.end && other.start < end;
    }

    /** Whether both together are one interval: they overlap, or one starts where the other ends. */
    public boolean touches(Interval other) {
        return start <= other.end && other.start <= end;
    }

    /** What both have in common, if anything. */
    public Optional<Interval> intersection(Interval other) {
        if (!overlaps(other)) {
            return Optional.empty();
        }
        return Optional.of(new Interval(Math.max(start, other.start), Math.min(end, other.end)));
    }

    /** The smallest interval that contains both, and whatever lies between them. */
    public Interval hull(Interval other) {
        return new Interval(Math.min(start, other.start), Math.max(end, other.end));
    }

    /** What lies between two intervals that do not touch. */
    public Optional<Interval> gapTo(Interval other) {
        if (touches(other)) {
            return Optional.empty();
        }
        return Optional.of(new Interval(Math.min(end, other.end), Math.max(start, other.start)));
    }

    /** Orders by start, then by end. */
    @Override
    public int compareTo(Interval other) {
        int byStart = Integer.compare(start, other.start);
        return byStart != 0 ? byStart : Integer.compare(end, other.end);
    }

    /** Written as in mathematics: {@code [1, 5)}. */
    @Override
    public String toString() {
        return "[" + start + ", " + end + ")";
    }
}
