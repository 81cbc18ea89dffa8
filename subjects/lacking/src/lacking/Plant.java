package lacking;

/** Needs a part before anything can be done with it. */
public class Plant {
    private static final int WEIGHT = Part.weight();

    public static boolean isHeavy(int load) {
        return load + WEIGHT > 100;
    }
}
