package needles;

import java.util.Arrays;

/** Small ranges of floating-point numbers, and arrays. */
class NarrowRange {
    static boolean find(double x) {
        return x > 0.123_4 && x < 0.123_5;
    }
}

class NegativeRoot {
    static boolean find(double x) {
        return x < 0 && Math.abs(x * x - 2) < 1e-6;
    }
}

class FloatSum {
    static boolean find(float a, float b) {
        float sum = a + b;
        return b > 10 && a > 2 * b && sum > 1_000.5f && sum < 1_000.6f;
    }
}

class EqualArrays {
    static boolean find(int[] numbers) {
        return numbers != null && Arrays.equals(numbers, new int[] {31 * 31, 17 * 23, 0});
    }
}
