package structures;

/** The hold of a ship: an interface that an enum with bodies and a class of the same hierarchy implement. */
public class Hold {
    private Load load;
    private char deck;

    interface Load {
        int weight(int depth);
    }

    enum Bulk implements Load {
        SAND {
            @Override
            public int weight(int depth) {
                return 2;
            }
        },
        IRON {
            @Override
            public int weight(int depth) {
                return 3;
            }
        }
    }

    static class Crate implements Load {
        Load inside;

        @Override
        public int weight(int depth) {
            if (depth > 3) {
                return 100;
            }
            return 1 + (inside == null ? 0 : inside.weight(depth + 1));
        }
    }

    public boolean repOK() {
        return Character.isLetter(deck) && (load == null || load.weight(0) <= 3);
    }
}
