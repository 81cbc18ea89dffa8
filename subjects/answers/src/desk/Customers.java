package desk;

/** What it gives is said by what it extends. */
public interface Customers extends Repository<Customer> {
    int limit();
}
