package needles;

/** Numbers that are in no class file. */
class ComputedConstant {
    private static final int SECRET = ("needle".hashCode() & 0xfffffff) | 1;

    static boolean find(int x) {
        return x == SECRET;
    }
}

class ScaledConstant {
    static boolean find(int x) {
        return x * 3 - 7 == 924_110;
    }
}

class LongConstant {
    private static long secret() {
        long secret = 1;
        for (int i = 0; i < 40; i++) {
            secret = secret * 2 + i % 3;
        }
        return secret;
    }

    static boolean find(long x) {
        return x == secret();
    }
}

class Square {
    static boolean find(int x) {
        return x > 0 && x < 40_000 && x * x == 1_522_756;
    }
}

class BoxedConstant {
    static boolean find(Integer x) {
        Integer secret = "boxed".hashCode() % 100_003;
        return x != null && x.equals(secret);
    }
}

class Difference {
    static boolean find(int a, int b) {
        return a - b == 43_210;
    }
}

class Sum {
    static boolean find(int a, int b) {
        return a > 1_000 && b > 1_000 && a + b == 77_777;
    }
}

class Product {
    static boolean find(int a, int b) {
        return a > 1 && b > a && b < 1_000 && a * b == 9_797;
    }
}

class Quotient {
    static boolean find(int a, int b) {
        return b > 10 && a / b == 137 && a % b == 9;
    }
}

class Triangle {
    static boolean find(int a, int b, int c) {
        return a > 50 && b > a && c > b && c < 1_000 && a * a + b * b == c * c;
    }
}

class Neighbours {
    static boolean find(int a, int b, int c) {
        return a > 500 && b == a + 1 && c == b + 1;
    }
}

class LongRelation {
    static boolean find(long a, long b) {
        return b > 99_999L && a == b * 1_000L + 7L;
    }
}

class Letters {
    static boolean find(char c, char d) {
        return d > 'p' && d < 'u' && c == d + 5;
    }
}
