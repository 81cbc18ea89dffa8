package remembered;

/** Whoever looks at the house first sees a style that all others see after that, however it is painted. */
public final class House {
    private static String style = "plain";

    private House() {
    }

    public static void paint(String with) {
        if (with.isEmpty()) {
            throw new IllegalArgumentException("no style");
        }
        style = with;
    }

    public static String style() {
        return Look.STYLE;
    }

    public static boolean isPlain() {
        return Look.STYLE.equals("plain");
    }

    public static boolean is(String wanted) {
        return Look.STYLE.equals(wanted);
    }

    public static char at(int index) {
        return index < 0 ? ' ' : Look.STYLE.charAt(index);
    }

    public static int compare(String other) {
        int order = Look.STYLE.compareTo(other);
        if (order < 0) {
            return -1;
        }
        return order > 0 ? 1 : 0;
    }

    public static int letters(boolean twice) {
        return twice ? 2 * Look.STYLE.length() : Look.STYLE.length();
    }

    public static String room(int number) {
        switch (number) {
            case 1:
                return Look.STYLE + " hall";
            case 2:
                return Look.STYLE + " kitchen";
            case 3:
                return Look.STYLE + " bath";
            case 4:
                return Look.STYLE + " attic";
            case 5:
                return Look.STYLE + " cellar";
            case 6:
                return Look.STYLE + " pantry";
            case 7:
                return Look.STYLE + " study";
            case 8:
                return Look.STYLE + " nursery";
            case 9:
                return Look.STYLE + " parlour";
            case 10:
                return Look.STYLE + " stairs";
            case 11:
                return Look.STYLE + " porch";
            case 12:
                return Look.STYLE + " garage";
            case 13:
                return Look.STYLE + " laundry";
            case 14:
                return Look.STYLE + " library";
            case 15:
                return Look.STYLE + " gallery";
            case 16:
                return Look.STYLE + " chapel";
            case 17:
                return Look.STYLE + " stable";
            case 18:
                return Look.STYLE + " forge";
            case 19:
                return Look.STYLE + " dairy";
            case 20:
                return Look.STYLE + " bakery";
            case 21:
                return Look.STYLE + " brewery";
            case 22:
                return Look.STYLE + " smithy";
            case 23:
                return Look.STYLE + " loft";
            case 24:
                return Look.STYLE + " balcony";
            case 25:
                return Look.STYLE + " terrace";
            case 26:
                return Look.STYLE + " court";
            case 27:
                return Look.STYLE + " garden";
            case 28:
                return Look.STYLE + " gate";
            case 29:
                return Look.STYLE + " tower";
            case 30:
                return Look.STYLE + " dungeon";
            case 31:
                return Look.STYLE + " vault";
            case 32:
                return Look.STYLE + " armoury";
            case 33:
                return Look.STYLE + " mews";
            case 34:
                return Look.STYLE + " lodge";
            case 35:
                return Look.STYLE + " annex";
            case 36:
                return Look.STYLE + " shed";
            default:
                return Look.STYLE + " room";
        }
    }

    private static final class Look {
        static final String STYLE = style;
    }
}
