package methods;

/** Methods that do not end well. */
public class Loops {
    private int level;

    public void forever() {
        while (level > 0) {
            level = Math.max(level, 1);
        }
    }

    public int deep() {
        return level == 0 ? 0 : 1 + deep();
    }

    public void leave() {
        if (level == 1) {
            System.exit(1);
        }
    }

    private void hidden() {
        level = 0;
    }

    public boolean repOK() {
        return level >= 0;
    }
}
