package shapes.far;

import java.util.Date;
import java.util.List;

/** Mentions classes of equal simple names. */
public class Clash {
    public java.sql.Date sql(Date util, java.sql.Date other) {
        return other;
    }

    public List<?> lists(java.awt.List awt, List<String> util) {
        return util;
    }

    public static class List2 {
        public List2(Clash clash) {}
    }
}
