package correct;

/** How urgent something is; compared without overflow. */
public final class Priority implements Comparable<Priority> {
    private final int level;

    public Priority(int level) {
        this.level = level;
    }

    public int level() {
        return level;
    }

    @Override
    public int compareTo(Priority other) {
        return Integer.compare(level, other.level);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Priority && level == ((Priority) other).level;
    }

    @Override
    public int hashCode() {
        return level;
    }
}
