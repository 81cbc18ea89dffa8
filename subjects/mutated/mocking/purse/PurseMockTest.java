package purse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.Test;

/** Mocks a final class, which Mockito can only do by changing it while it is loaded. */
class PurseMockTest {
    @Test
    void aMockSaysWhatItIsTold() {
        Purse mocked = mock(Purse.class);
        doReturn(7).when(mocked).coins();
        assertEquals(7, mocked.coins());
    }

    @Test
    void theRealOneStillCounts() {
        Purse purse = new Purse();
        purse.add(6);
        assertEquals(6, purse.coins());
    }
}
