package correct;

/** Looking up a zone may give null, which keeps no promises; and only raw types can pass a class that is no enum. */
public final class Zone {
    private final String name;

    private Zone(String name) {
        this.name = name;
    }

    public static Zone of(String name) {
        return name.isEmpty() || name.charAt(0) != 'a' ? null : new Zone(name);
    }

    public static <E extends Enum<E>> int count(Class<E> type) {
        return type.getEnumConstants().length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Zone && ((Zone) other).name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
