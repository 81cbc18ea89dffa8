package purse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that only JUnit itself can run. */
class PurseParameterTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 5})
    void anyNumberIsKept(int coins) {
        Purse purse = new Purse();
        purse.add(coins);
        assertEquals(coins, purse.coins());
    }

    @Nested
    class WhenNew {
        @Test
        void itIsEmpty() {
            assertEquals(true, new Purse().isEmpty());
        }
    }

    @Test
    void doesNotApply() {
        assumeTrue(new Purse().coins() > 0);
    }
}
