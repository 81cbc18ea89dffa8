/** In the unnamed package: only classes there can name it. */
public class NoPackage {
    public NoPackage() {}

    public String plain(NoPackage other) {
        return "plain";
    }

    public static class Inside {
        public int depth;
    }
}
