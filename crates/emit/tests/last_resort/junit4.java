package bank;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.AssumptionViolatedException;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TestRule;
import org.junit.runners.model.Statement;
import org.mockito.invocation.InvocationOnMock;

public class AccountJuratTest {

    @Test
    public void fee_returns5() throws Throwable {
        Account account = create(constructor(Account.class, int.class), 10);
        Rates rates = mock(Rates.class, this::unplanned);
        doReturn(2).doReturn(3).when(rates).rate(any());
        doReturn(true).when(rates).isOpen();
        Method fee = method(Account.class, "fee", int.class, Rates.class);
        int result = (int) call(fee, account, 100, rates);
        assumePlanned();

        assertEquals(5, result);
    }

    @Test
    public void fee_withNullRates_throwsRefused() {
        Account account = Account.open();
        Method fee = method(Account.class, "fee", int.class, Rates.class);
        assertThrows(Refused.class, () -> call(fee, account, 1, null));
    }

    @Test
    public void convert_with1_throwsThrowable() {
        Account account = Account.open();
        Rates rates = mock(Rates.class, this::unplanned);
        doReturn(2).doReturn(3).when(rates).rate(any());
        doReturn(true).when(rates).isOpen();
        Throwable thrown = thrownBy(() -> account.convert(1, rates));
        assumePlanned();

        assertNotNull(thrown);
    }

    /** A private method; the test is skipped if it is gone. */
    private static Method method(Class<?> owner, String name, Class<?>... types) {
        try {
            Method method = owner.getDeclaredMethod(name, types);
            method.setAccessible(true);
            return method;
        } catch (NoSuchMethodException gone) {
            throw new AssumptionViolatedException(gone.toString());
        }
    }

    /** Calls a method, and throws what it throws. */
    private static Object call(Method method, Object receiver, Object... arguments) throws Throwable {
        try {
            return method.invoke(receiver, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** A private constructor; the test is skipped if it is gone. */
    private static <T> Constructor<T> constructor(Class<T> owner, Class<?>... types) {
        try {
            Constructor<T> constructor = owner.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException gone) {
            throw new AssumptionViolatedException(gone.toString());
        }
    }

    /** Calls a constructor, and throws what it throws. */
    private static <T> T create(Constructor<T> constructor, Object... arguments) throws Throwable {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private AssumptionViolatedException unplanned;

    /** The answer of mocks to what a test did not plan: the test is skipped. */
    private Object unplanned(InvocationOnMock asked) {
        Method method = asked.getMethod();
        if (method.getName().equals("toString") && method.getParameterCount() == 0) {
            return "a mock";
        }
        if (method.getReturnType() != void.class) {
            unplanned = new AssumptionViolatedException("not planned: " + method);
            throw unplanned;
        }
        return null;
    }

    /** Skips the test if a mock was asked what it did not plan, also if nobody noticed. */
    private void assumePlanned() {
        AssumptionViolatedException found = unplanned;
        unplanned = null;
        if (found != null) {
            throw found;
        }
    }

    /** Skips the test as well if it fails because of that. */
    @Rule
    public final TestRule skipUnplanned = (test, description) -> new Statement() {
        @Override
        public void evaluate() throws Throwable {
            try {
                test.evaluate();
            } finally {
                assumePlanned();
            }
        }
    };

    /** What an action throws; null if it throws nothing. */
    private static Throwable thrownBy(ThrowingRunnable action) {
        try {
            action.run();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }
}
