package shapes;

/** The way to what its superclass declares. */
public class Heir extends Base<String> {
    @Override
    public String describe() {
        return "heir";
    }

    public Base<String> asBase() {
        return this;
    }

    public void takesBase(Base<?> base) {}
}
