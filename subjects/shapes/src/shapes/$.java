package shapes;

/** A name that is a dollar sign, with a nested one. */
public class $ {
    public int $1;

    public $ $($ other) {
        return other;
    }

    public static class $$ {
        public $$() {}
    }
}
