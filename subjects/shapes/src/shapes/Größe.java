package shapes;

/** Names outside ASCII. */
public class Größe<Länge extends Comparable<Länge>> {
    public Länge länge;

    public static Größe<Integer> größer(int überall) {
        return new Größe<>();
    }

    public static final String 名前 = "naïve \u0000 \uD800 end";
}
