package needles;

import java.util.ArrayList;
import java.util.List;

/** What only the right calls in the right order reach. */
class Lock {
    private int stage;

    void insert(int key) {
        stage = key == 77_123 ? 1 : 0;
    }

    void turn(int degrees) {
        stage = stage == 1 && degrees == 270 ? 2 : 0;
    }

    boolean open() {
        return stage == 2;
    }
}

class Meter {
    private int value;

    void up() {
        value += 7;
    }

    void down() {
        value -= 4;
    }

    boolean isExact() {
        return value == 13;
    }
}

class Ledger {
    private final List<Integer> entries = new ArrayList<>();

    void add(int amount) {
        if (amount > 0) {
            entries.add(amount);
        }
    }

    boolean isBalanced() {
        int sum = 0;
        for (int entry : entries) {
            sum += entry;
        }
        return entries.size() > 2 && sum == 1_234;
    }
}

class Machine {
    private long top = 1;

    void push(int number) {
        top += number;
    }

    void square() {
        top *= top;
    }

    boolean isGross() {
        return top == 144 * 144 + 1;
    }
}

class Protocol {
    private int state;

    void hello() {
        state = state == 0 ? 1 : 0;
    }

    void login(String user) {
        state = state == 1 && user != null && user.length() > 3 ? 2 : 0;
    }

    void send(int bytes) {
        state = state == 2 && bytes > 512 ? 3 : state;
    }

    boolean bye() {
        return state == 3;
    }
}
