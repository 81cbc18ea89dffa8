package untestable;

/** An interface can be tested by lambdas. */
public interface Scale {
    int apply(int value);

    default int twice(int value) {
        return value > 100 ? apply(100) : apply(apply(value));
    }
}
