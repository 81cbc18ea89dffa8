package shop.money;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Objects;

/**
 * An amount of money in one currency, exact to the currency's smallest unit.
 *
 * <p>Amounts of different currencies never mix: adding or comparing them is an error. So is a result that
 * does not fit into a {@code long} of smallest units.
 */
public final class Money implements Comparable<Money> {

    private final long minor;
    private final Currency currency;

    private Money(long minor, Currency currency) {
        this.minor = minor;
        this.currency = currency;
    }

    /**
     * An amount in smallest units: cents for the euro, whole yen for the yen.
     *
     * @throws IllegalArgumentException if the currency has no smallest unit, as gold and test currencies do not
     */
    public static Money ofMinor(long minor, Currency currency) {
        if (currency.getDefaultFractionDigits() < 0) {
            throw new IllegalArgumentException(currency + " has no smallest unit");
        }
        return new Money(minor, currency);
    }

    /**
     * An amount in whole units: {@code of(3, "EUR")} is three euros.
     *
     * @throws IllegalArgumentException if there is no such currency
     * @throws ArithmeticException if the amount is too large
     */
    public static Money of(long major, String currencyCode) {
        Currency currency = Currency.getInstance(currencyCode);
        Money one = ofMinor(1, currency);
        return one.times(Math.multiplyExact(major, one.unitsPerMajor()));
    }

    /** Nothing, in the given currency. */
    public static Money zero(Currency currency) {
        return ofMinor(0, currency);
    }

    /**
     * Reads what {@link #toString} writes: a decimal number, blanks, and a currency code.
     *
     * @throws IllegalArgumentException if the text is anything else, or has more decimals than the currency
     */
    public static Money parse(String text) {
        String[] parts = text.trim().split("\\s+");
        if (parts.length != 2) {
            throw new IllegalArgumentException("not an amount and a currency: \"" + text + "\"");
        }
        Money unit = ofMinor(1, Currency.getInstance(parts[1]));
        try {
            BigDecimal amount = new BigDecimal(parts[0]);
            long minor = amount.movePointRight(unit.currency.getDefaultFractionDigits()).longValueExact();
            return new Money(minor, unit.currency);
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("not an amount in " + parts[1] + ": \"" + parts[0] + "\"", e);
        }
    }

    /** The amount in smallest units. */
    public long minorUnits() {
        return minor;
    }

    /** The currency of this amount. */
    public Currency currency() {
        return currency;
    }

    /** The sum of both amounts. */
    public Money plus(Money other) {
        requireSameCurrency(other);
        return new Money(Math.addExact(minor, other.minor), currency);
    }

    /** This amount less the other; negative if the other is larger. */
    public Money minus(Money other) {
        requireSameCurrency(other);
        return new Money(Math.subtractExact(minor, other.minor), currency);
    }

    /** This amount, {@code factor} times. */
    public Money times(long factor) {
        return new Money(Math.multiplyExact(minor, factor), currency);
    }

    /** The given share of this amount in percent, rounded half to even: 19 % of 0.50 EUR is 0.10 EUR. */
    public Money percent(int rate) {
        BigDecimal exact = BigDecimal.valueOf(minor).multiply(BigDecimal.valueOf(rate)).movePointLeft(2);
        return new Money(exact.setScale(0, RoundingMode.HALF_EVEN).longValueExact(), currency);
    }

    /** The same amount with its sign reversed. */
    public Money negated() {
        return new Money(Math.negateExact(minor), currency);
    }

    /** Whether this is less than nothing. */
    public boolean isNegative() {
        return minor < 0;
    }

    /** Whether this is exactly nothing. */
    public boolean isZero() {
        return minor == 0;
    }

    /**
     * Splits this amount by weight so that no smallest unit is lost: what does not divide evenly goes, one
     * unit each, to the first shares whose weight is not zero.
     *
     * @throws IllegalArgumentException if a weight is negative, or all are zero
     */
    public List<Money> split(int... weights) {
        long total = 0;
        for (int weight : weights) {
            if (weight < 0) {
                throw new IllegalArgumentException("negative weight: " + weight);
            }
            total += weight;
        }
        if (total == 0) {
            throw new IllegalArgumentException("no weight to split by");
        }
        long[] shares = new long[weights.length];
        long left = minor;
        for (int i = 0; i < weights.length; i++) {
            shares[i] = share(weights[i], total);
            left -= shares[i];
        }
        for (int i = 0; left != 0; i++) {
            if (weights[i] > 0) {
                shares[i] += Long.signum(left);
                left -= Long.signum(left);
            }
        }
        List<Money> result = new ArrayList<>(shares.length);
        for (long share : shares) {
            result.add(new Money(share, currency));
        }
        return result;
    }

    /** The part of the units that falls to one weight, rounded towards zero. */
    private long share(int weight, long total) {
        return BigInteger.valueOf(minor)
                .multiply(BigInteger.valueOf(weight))
                .divide(BigInteger.valueOf(total))
                .longValueExact();
    }

    private long unitsPerMajor() {
        long units = 1;
        for (int i = 0; i < currency.getDefaultFractionDigits(); i++) {
            units *= 10;
        }
        return units;
    }

    private void requireSameCurrency(Money other) {
        if (!currency.equals(other.currency)) {
            throw new IllegalArgumentException("cannot mix " + currency + " and " + other.currency);
        }
    }

    /**
     * Compares amounts of the same currency.
     *
     * @throws IllegalArgumentException if the currencies differ
     */
    @Override
    public int compareTo(Money other) {
        requireSameCurrency(other);
        return Long.compare(minor, other.minor);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Money money && minor == money.minor && currency.equals(money.currency);
    }

    @Override
    public int hashCode() {
        return Objects.hash(minor, currency.getCurrencyCode());
    }

    /** The amount with all its decimals, and the currency code: {@code 12.50 EUR}. */
    @Override
    public String toString() {
        int digits = currency.getDefaultFractionDigits();
        return BigDecimal.valueOf(minor, digits).toPlainString() + " " + currency.getCurrencyCode();
    }
}
