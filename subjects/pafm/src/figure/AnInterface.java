package figure;

/** Something that nobody implements. */
public interface AnInterface {
    boolean isOk();
}
