package shop.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Splits a discount rule such as {@code total >= 100 && country = 'AT'} into tokens, one at a time.
 *
 * <p>Names start with a letter or an underscore. A quote inside a string is written twice. Blanks separate
 * tokens and mean nothing else.
 */
public final class Tokenizer {

    /** Those of two characters first, so that the longer one wins. */
    private static final String[] OPERATORS = {
        "<=", ">=", "!=", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "/", ","
    };

    private final String text;
    private int position;
    private Token peeked;

    /** A tokenizer at the start of the text. */
    public Tokenizer(String text) {
        this.text = Objects.requireNonNull(text, "text");
    }

    /**
     * All tokens of the text, the last one an {@link TokenKind#END}.
     *
     * @throws SyntaxException if some of it is not a token
     */
    public static List<Token> tokenize(String text) {
        Tokenizer tokenizer = new Tokenizer(text);
        List<Token> tokens = new ArrayList<>();
        Token token;
        do {
            token = tokenizer.next();
            tokens.add(token);
        } while (token.kind() != TokenKind.END);
        return tokens;
    }

    /** The next token, without moving past it. */
    public Token peek() {
        if (peeked == null) {
            peeked = read();
        }
        return peeked;
    }

    /** The next token; at the end of the text, again and again its end. */
    public Token next() {
        Token token = peek();
        peeked = null;
        return token;
    }

    /** Moves past the next token if it is the given operator; tells whether it was. */
    public boolean skip(String operator) {
        if (!peek().isOperator(operator)) {
            return false;
        }
        next();
        return true;
    }

    /**
     * The next token, which must be of the given kind.
     *
     * @throws SyntaxException if it is not
     */
    public Token expect(TokenKind kind) {
        Token token = peek();
        if (token.kind() != kind) {
            throw new SyntaxException("expected " + kind + " but found " + token.kind(), token.position());
        }
        return next();
    }

    private Token read() {
        while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
            position++;
        }
        if (position == text.length()) {
            return new Token(TokenKind.END, "", position);
        }
        char first = text.charAt(position);
        if (first == '_' || Character.isLetter(first)) {
            return name();
        }
        if (isDigit(first)) {
            return number();
        }
        return switch (first) {
            case '\'' -> string();
            case '(' -> take(TokenKind.OPEN, position + 1);
            case ')' -> take(TokenKind.CLOSE, position + 1);
            default -> operator();
        };
    }

    private Token name() {
        int end = position + 1;
        while (end < text.length() && (text.charAt(end) == '_' || Character.isLetterOrDigit(text.charAt(end)))) {
            end++;
        }
        return take(TokenKind.NAME, end);
    }

    private Token number() {
        int end = endOfDigits(position);
        if (end + 1 < text.length() && text.charAt(end) == '.' && isDigit(text.charAt(end + 1))) {
            end = endOfDigits(end + 1);
        }
        return take(TokenKind.NUMBER, end);
    }

    private int endOfDigits(int from) {
        int end = from;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private Token string() {
        int start = position;
        StringBuilder content = new StringBuilder();
        int at = start + 1;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '\'') {
                content.append(c);
                at++;
            } else if (text.startsWith("''", at)) {
                content.append(c);
                at += 2;
            } else {
                position = at + 1;
                return new Token(TokenKind.STRING, content.toString(), start);
            }
        }
        throw new SyntaxException("string without end", start);
    }

    private Token operator() {
        for (String operator : OPERATORS) {
            if (text.startsWith(operator, position)) {
                return take(TokenKind.OPERATOR, position + operator.length());
            }
        }
        throw new SyntaxException("unexpected '" + text.charAt(position) + "'", position);
    }

    private Token take(TokenKind kind, int end) {
        Token token = new Token(kind, text.substring(position, end), position);
        position = end;
        return token;
    }

    private static boolean isDigit(char c) {
        return '0' <= c && c <= '9';
    }
}
