package purse;

import org.junit.Test;

/** Tests for JUnit 4, one of which expects an exception. */
public class PurseFourTest {
    @Test(expected = IllegalArgumentException.class)
    public void negativeIsRefused() {
        new Purse().add(-1);
    }

    @Test
    public void zeroIsFine() {
        new Purse().add(0);
    }
}
