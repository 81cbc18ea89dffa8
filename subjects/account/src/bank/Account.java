package bank;

/** Money with a limit, a lock that only time and mistakes set, and a collaborator that nobody implements. */
public class Account {
    private static final int MOST_MISTAKES = 100_000;

    private int balance;
    private int mistakes;
    private boolean locked;
    private String owner = "nobody";

    public int balance() {
        return balance;
    }

    public boolean isLocked() {
        return locked;
    }

    public void deposit(int amount) {
        if (amount <= 0) {
            throw new IllegalArgumentException("nothing to deposit");
        }
        if (locked) {
            throw new IllegalStateException("locked");
        }
        balance = Math.addExact(balance, amount);
    }

    public boolean withdraw(int amount) {
        if (locked) {
            return false;
        }
        if (amount > balance) {
            mistakes++;
            if (mistakes > MOST_MISTAKES) {
                lock("too many mistakes");
            }
            return false;
        }
        balance -= amount;
        return true;
    }

    public int worth(String currency, Rates rates) {
        if (!rates.isOpen()) {
            return -1;
        }
        int first = rates.rate(currency);
        if (first <= 0) {
            throw new IllegalArgumentException(currency);
        }
        int second = rates.rate("CHF");
        if (second > 10 * first) {
            return 0;
        }
        return balance / first + second;
    }

    public String describe() {
        if (locked && owner.startsWith("locked: ")) {
            return owner.substring("locked: ".length());
        }
        return owner + " has " + balance;
    }

    private void lock(String reason) {
        locked = true;
        if (reason.isEmpty()) {
            owner = "locked: no reason";
        } else {
            owner = "locked: " + reason;
        }
    }

    private int fee(int amount, Rates rates) {
        if (amount > 1000 && rates.isOpen()) {
            return amount / 100;
        }
        return amount > 100 ? 1 : 0;
    }

    /** What closing costs; a bank's own program asks it, by means that no test has. */
    public int closing(Rates rates) {
        if (System.getProperty("bank.account", "").equals("open for closing")) {
            return fee(balance, rates);
        }
        return 0;
    }
}
