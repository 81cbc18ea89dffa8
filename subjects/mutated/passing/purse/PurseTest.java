package purse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Plain tests, called without JUnit. */
class PurseTest {
    private Purse purse;

    @BeforeEach
    void fill() {
        purse = new Purse();
        purse.add(6);
    }

    @AfterEach
    void drop() {
        purse = null;
    }

    @Test
    void halfOfSixIsThree() {
        assertEquals(3, purse.half());
    }

    @Test
    void tooManyCoinsAreRefused() {
        assertThrows(IllegalStateException.class, () -> purse.add(Purse.LIMIT));
        assertEquals(6, purse.coins());
    }

    @Test
    void coinsAddUp() {
        purse.add(4);
        assertEquals(10, purse.coins());
    }

    @Test
    @Disabled("not yet")
    void isNotRun() {
        throw new AssertionError();
    }
}
