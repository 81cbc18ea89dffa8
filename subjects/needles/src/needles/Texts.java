package needles;

import java.util.regex.Pattern;

/** Strings that are in no class file. */
final class Secrets {
    private Secrets() {
    }

    static String reversed(String text) {
        return new StringBuilder(text).reverse().toString();
    }
}

class EqualText {
    static boolean find(String s) {
        return s != null && s.equals(Secrets.reversed("kcatsyah"));
    }
}

class EqualIgnoringCase {
    static boolean find(String s) {
        if (Secrets.reversed("enirgerep").equalsIgnoreCase(s)) {
            return true;
        }
        return false;
    }
}

class Prefix {
    static boolean find(String s) {
        return s != null && s.startsWith(Secrets.reversed("//:sptth")) && s.length() > 12;
    }
}

class Suffix {
    static boolean find(String s) {
        return s != null && s.length() > 6 && s.endsWith(Secrets.reversed("fdp."));
    }
}

class Inside {
    static boolean find(String s) {
        return s != null && s.contains(Secrets.reversed("xyzzy")) && !s.startsWith("y");
    }
}

class ExactLength {
    static boolean find(String s) {
        return s != null && s.length() == 37;
    }
}

class CharsAt {
    static boolean find(String s) {
        return s != null && s.length() > 4 && s.charAt(0) == 'z' && s.charAt(2) == 'Q' && s.charAt(4) == '~';
    }
}

class Plate {
    static boolean find(String s) {
        return s != null && s.matches("[A-Z]{2}-\\d{4}");
    }
}

class IsoDate {
    private static final Pattern DATE = Pattern.compile("(19|20)\\d\\d-(0[1-9]|1[0-2])-[0-3]\\d");

    static boolean find(String s) {
        return s != null && DATE.matcher(s).matches();
    }
}

class Parsed {
    static boolean find(String s) {
        try {
            return Integer.parseInt(s) - 50 == 4_711;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}

class SwitchOnText {
    static int find(String s, int n) {
        switch (s) {
            case "north":
                return 2;
            case "south":
                return 3;
            case "zenith":
                return n - 12 == 9_000 ? 1 : 0;
            default:
                return 0;
        }
    }
}

class Palindrome {
    static boolean find(String s) {
        return s != null && s.length() == 6 && s.charAt(0) == 'k' && s.equals(Secrets.reversed(s));
    }
}

class TwoTexts {
    static boolean find(String a, String b) {
        return a != null && b != null && a.length() > 2 && (a + "-" + b).equals(Secrets.reversed("enin-net"));
    }
}
