package given;

import javax.sql.DataSource;

/** Gives back what it was given, of a kind of which the JDK has no other. */
public class Archive {
    private DataSource source;

    public DataSource getSource() {
        return source;
    }

    public void setSource(DataSource given) {
        source = given;
    }

    public boolean isPatient() throws java.sql.SQLException {
        if (source.getLoginTimeout() > 20) {
            return true;
        }
        return false;
    }
}
