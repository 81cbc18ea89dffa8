package shop.text;

import java.util.Objects;

/**
 * One piece of a discount rule.
 *
 * @param kind what it is
 * @param text what it says; for a string what is between the quotes, for the end nothing
 * @param position where it starts in the rule, counted from 0
 */
public record Token(TokenKind kind, String text, int position) {

    /** Checks that nothing is missing. */
    public Token {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(text, "text");
    }

    /** Whether this is the given operator. */
    public boolean isOperator(String operator) {
        return kind == TokenKind.OPERATOR && text.equals(operator);
    }
}
