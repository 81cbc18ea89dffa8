package desk;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A collaborator that nobody implements: what it gives depends on what it is a repository of. */
public interface Repository<T> {
    T find(long id);

    List<T> all();

    Optional<T> first();

    Map<String, List<T>> byTown();
}
