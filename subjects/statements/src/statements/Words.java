package statements;

import java.util.ListResourceBundle;

/** A bundle that is a class. */
public class Words extends ListResourceBundle {
    @Override
    protected Object[][] getContents() {
        return new Object[][] {{"greeting", "hello"}};
    }
}
