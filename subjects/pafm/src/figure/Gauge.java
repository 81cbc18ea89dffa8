package figure;

/** What a thermostat asks: more than a lambda could answer, and nobody implements it. */
public interface Gauge {
    int temperature();

    boolean isBroken();

    void reset();

    default boolean isFreezing() {
        return temperature() < 0;
    }
}
