package lacking;

/** Cannot even be loaded without a part. */
public class Spare extends Part {
    public boolean isSmall(int size) {
        return size < 10;
    }
}
