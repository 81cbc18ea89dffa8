package shapes;

/** A sealed hierarchy with final, non-sealed and record leaves. */
public sealed interface Sealed<T> permits Sealed.Leaf, Sealed.Node, Sealed.Open {
    T value();

    record Leaf<T>(T value) implements Sealed<T> {}

    final class Node<T> implements Sealed<T> {
        private final Sealed<T> left;
        private final Sealed<? extends T> right;

        public Node(Sealed<T> left, Sealed<? extends T> right) {
            this.left = left;
            this.right = right;
        }

        @Override
        public T value() {
            return left.value();
        }

        public Sealed<? extends T> right() {
            return right;
        }
    }

    non-sealed class Open implements Sealed<String> {
        @Override
        public String value() {
            return "open";
        }
    }
}
