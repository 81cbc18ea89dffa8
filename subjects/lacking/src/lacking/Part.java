package lacking;

/** Stands for a class of a jar that is not there: to be deleted once all is compiled. */
public class Part {
    public static int weight() {
        return 3;
    }
}
