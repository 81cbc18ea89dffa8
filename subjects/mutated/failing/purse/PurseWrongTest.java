package purse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PurseWrongTest {
    @Test
    void holds() {
        assertEquals(0, new Purse().coins());
    }

    @Test
    void isWrong() {
        assertEquals(1, new Purse().coins());
    }

    static class Others {
        @ParameterizedTest
        @ValueSource(ints = {0, 7})
        void isWrongForSeven(int coins) {
            assertEquals(coins, new Purse().coins());
        }
    }
}
