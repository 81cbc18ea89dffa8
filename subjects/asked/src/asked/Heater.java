package asked;

/** Some of its state is its own, some of it only the gauge knows. */
public class Heater {
    private final Gauge gauge;
    private boolean on;

    public Heater(Gauge gauge) {
        this.gauge = gauge;
    }

    public void regulate() {
        on = gauge.temperature() < 20;
    }

    public Gauge gauge() {
        return gauge;
    }

    public Gauge gaugeBelow(int temperature) {
        return gauge.temperature() < temperature ? gauge : null;
    }

    public static boolean isNear(Gauge gauge, int temperature) {
        return Math.abs(gauge.temperature() - temperature) < 3;
    }

    public boolean isDense() {
        return gauge.pressure() > 30;
    }

    public boolean isOn() {
        return on;
    }
}
