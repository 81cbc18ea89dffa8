package shapes.shadow;

/** Shadows a name that every source file imports. */
public class Object {
    public java.lang.Object real(String text, Object mine) {
        return text;
    }

    public java.util.List<java.lang.Object> mixed(java.util.Map<Object, java.lang.Object> map) {
        return null;
    }
}
