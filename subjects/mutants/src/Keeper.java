/** Static state that one call leaves behind and another one sees. */
public final class Keeper {
    static int kept = start();

    private Keeper() {}

    static int start() {
        return 3;
    }

    static int keep(int value) {
        if (value > 9) {
            kept = value;
        }
        return 1;
    }

    static int read() {
        return kept;
    }

    static int spin(int n) {
        int i = 0;
        while (i < n) {
            i = i + 1;
        }
        return i;
    }

    static int deep(int n) {
        if (n == 0) {
            return 0;
        }
        return deep(n - 1) + 1;
    }
}
