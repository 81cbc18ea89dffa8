package hostile;

import java.util.Arrays;

/** Makes a string of a gigabyte, or tries to. */
public class MakesHugeString {
    public static String repeat() {
        return "x".repeat(1 << 30);
    }

    public static String build() {
        StringBuilder builder = new StringBuilder("jurat");
        while (builder.length() < 1 << 30) {
            builder.append(builder);
        }
        return builder.toString();
    }

    /** One that fits, but is far too long to be a literal. */
    public static String large() {
        char[] letters = new char[1 << 20];
        Arrays.fill(letters, 'y');
        return new String(letters);
    }
}
