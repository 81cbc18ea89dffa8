package needles;

/** Conditions inside conditions. */
class NestedNumbers {
    static int find(int x, int y) {
        if (x > 1_000) {
            if (x < 1_100) {
                if (x % 17 == 3) {
                    if (y == x + 29) {
                        return 1;
                    }
                }
            }
        }
        return 0;
    }
}

class NestedKinds {
    static int find(boolean flag, long n, String s) {
        if (flag) {
            if (n > 123_456_789L && n < 123_456_999L) {
                if (s != null && s.length() == 11) {
                    return 1;
                }
            }
        }
        return 0;
    }
}

class Ladder {
    static int find(int a, int b, int c, int d) {
        if (a == 2 * b) {
            if (b == c + 100) {
                if (c == d - 7) {
                    if (d > 300) {
                        return 1;
                    }
                }
            }
        }
        return 0;
    }
}

enum Level {
    LOW, MIDDLE, HIGH, HIGHEST
}

class EnumAndFlag {
    static int find(Level level, boolean armed, int code) {
        if (level == Level.HIGHEST && armed) {
            if (code - 1_000 == 31_337) {
                return 1;
            }
        }
        return 0;
    }
}

class EnumSwitch {
    static int find(Level level, int a, int b) {
        switch (level) {
            case LOW:
                return 2;
            case HIGH:
                return a > 5_000 && a == b * 2 ? 1 : 0;
            default:
                return 0;
        }
    }
}
