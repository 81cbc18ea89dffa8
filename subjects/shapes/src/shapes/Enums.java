package shapes;

import java.util.function.IntBinaryOperator;

/** An enum with a body for each constant, fields, an interface and a nested enum. */
public enum Enums implements IntBinaryOperator {
    PLUS("+") {
        @Override
        public int applyAsInt(int left, int right) {
            return left + right;
        }
    },
    TIMES("*") {
        @Override
        public int applyAsInt(int left, int right) {
            return left * right;
        }
    };

    public final String symbol;

    Enums(String symbol) {
        this.symbol = symbol;
    }

    public static Enums bySymbol(String symbol) {
        switch (symbol) {
            case "+":
                return PLUS;
            case "*":
                return TIMES;
            default:
                throw new IllegalArgumentException("unknown " + symbol + "!");
        }
    }

    public enum Empty {}

    enum Inside {
        ONE,
        TWO
    }
}
