package letters;

/** Branches that only letters of a certain kind reach. */
public final class Letters {
    private Letters() {
    }

    /** Whether half of a letter beyond 16 bits is in both. */
    public static boolean shareHalf(String text, char[] wanted) {
        for (int i = 0; i < text.length(); i++) {
            for (int j = 0; j < wanted.length; j++) {
                if (text.charAt(i) == wanted[j]) {
                    if (Character.isHighSurrogate(wanted[j])) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Whether a letter is neither large nor small. */
    public static boolean isTitled(char letter) {
        if (Character.isTitleCase(letter)) {
            return true;
        }
        return false;
    }
}
