package shop.text;

/** What sort of thing a {@link Token} is. */
public enum TokenKind {
    /** A word such as {@code total} or {@code customer_age}. */
    NAME,
    /** Digits, perhaps with decimals. */
    NUMBER,
    /** Text in single quotes. */
    STRING,
    /** An operator such as {@code <=} or {@code +}. */
    OPERATOR,
    /** An opening parenthesis. */
    OPEN,
    /** A closing parenthesis. */
    CLOSE,
    /** The end of the text; comes exactly once. */
    END;

    /** Whether a token of this kind is a value by itself. */
    public boolean isOperand() {
        return this == NAME || this == NUMBER || this == STRING;
    }
}
