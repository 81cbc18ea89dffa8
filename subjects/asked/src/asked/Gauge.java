package asked;

/** What a heater asks: more than a lambda could answer, and nobody implements it. */
public interface Gauge {
    int temperature();

    int pressure();
}
