package purse;

/** No test. */
final class Nothing {
    private Nothing() {}
}
