package figure;

/** Decides by what a gauge says; asks it twice in an order that does not matter. */
public class Thermostat {
    private int wanted = 20;
    private int corrections;

    public int correction(Gauge gauge) {
        gauge.reset();
        int temperature = gauge.temperature();
        boolean broken = gauge.isBroken();
        if (broken) {
            throw new IllegalStateException("the gauge is broken");
        }
        corrections++;
        if (temperature > wanted + 30) {
            return -1;
        }
        return temperature < wanted ? 1 : 0;
    }

    public int corrections() {
        return corrections;
    }

    public boolean isWorn() {
        return corrections > 1000000;
    }
}
