import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** One method for each kind of change that a mutant can make. */
public final class Change {
    static final int LIMIT = limit();
    private int state;

    private static int limit() {
        return Integer.parseInt("7");
    }

    static boolean less(int a, int b) {
        return a < b;
    }

    static int sum(int a, int b) {
        return a + b;
    }

    static long shifted(long a) {
        return a << 1;
    }

    static double negative(double a) {
        return -a;
    }

    static int counted(int n) {
        int count = 5;
        for (int i = 0; i < n; i++) {
            count++;
        }
        return count;
    }

    static int total(List<Integer> numbers) {
        int total = 0;
        for (int number : numbers) {
            total += number;
        }
        return total;
    }

    static int arrayTotal(int[] numbers) {
        int total = 0;
        for (int number : numbers) {
            total ^= number;
        }
        return total;
    }

    static String named(String text) {
        switch (text) {
            case "one":
                return "1";
            case "two":
                return "2";
            default:
                return "many";
        }
    }

    static int keyed(int key) {
        switch (key) {
            case 3:
                return 30;
            case 'A':
                return 65;
            default:
                return -1;
        }
    }

    static String joined(String text) {
        return new StringBuilder("<").append(text).append('>').toString();
    }

    static List<String> listed(String text) {
        List<String> list = new ArrayList<>();
        list.add(text);
        return list;
    }

    static Optional<String> found(String text) {
        return Optional.of(text);
    }

    static Boolean boxed(int n) {
        return n > 1;
    }

    static Integer boxedNumber(int n) {
        return n;
    }

    static Object nothing() {
        return null;
    }

    static int state(int by) {
        Change change = new Change();
        change.add(by);
        return change.state;
    }

    private void add(int by) {
        state += by;
    }

    static int kept(int by) {
        Change change = new Change();
        try {
            change.add(by / (by - 1));
        } finally {
            change.add(1);
        }
        return change.state;
    }

    static int checked(int n) {
        assert n > 0 : "positive";
        return n;
    }

    static List<String> none() {
        return Collections.emptyList();
    }
}
