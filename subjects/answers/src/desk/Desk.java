package desk;

import java.util.List;
import java.util.Optional;

/** Branches behind what a collaborator answers, which only objects of the right class pass. */
public class Desk {
    private final Customers customers;

    public Desk(Customers customers) {
        if (customers.limit() > 10) {
            throw new IllegalArgumentException("too many");
        }
        this.customers = customers;
    }

    /** Gives away its collaborator: no test should call upon that. */
    public Customers customers() {
        return customers;
    }

    public String greet(long id) {
        Customer customer = customers.find(id);
        if (customer.points() > 100) {
            return "welcome back";
        }
        return "hello";
    }

    public int total() {
        int sum = 0;
        for (Customer customer : customers.all()) {
            sum += customer.points();
        }
        return sum;
    }

    public int best() {
        Optional<Customer> first = customers.first();
        if (first.isPresent() && first.get().points() > 5) {
            return first.get().points();
        }
        return 0;
    }

    /** A list within a map. */
    public int sizeOf(String town) {
        List<Customer> found = customers.byTown().get(town);
        if (found != null && found.get(0).points() > 5) {
            return found.size();
        }
        return 0;
    }

    public static boolean isRich(Repository<Customer> repository) {
        return repository.find(1).points() > 1000;
    }

    public static int count(Repository<String> names) {
        int count = 0;
        for (String name : names.all()) {
            count += name.length();
        }
        return count;
    }
}
