package untestable;

/** Has nothing that could be called. */
public final class Hollow {
    private Hollow() {}
}
