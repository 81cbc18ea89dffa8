package correct;

/** Money that may be spent but not overdrawn. */
public class Account {
    private static final int FEE = 2;
    private int balance;

    public void deposit(int amount) {
        if (amount < 0 || amount > 1_000_000) {
            throw new IllegalArgumentException("amount " + amount);
        }
        balance = Math.min(balance + amount, 1_000_000);
    }

    public void withdraw(int amount) {
        if (amount < 0 || amount > balance - FEE) {
            throw new IllegalArgumentException("amount " + amount);
        }
        balance -= amount + FEE;
        assert balance >= 0 : "overdrawn by " + -balance;
    }

    public int balance() {
        return balance;
    }
}
