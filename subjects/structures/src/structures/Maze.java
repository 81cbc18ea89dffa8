package structures;

/** Rooms joined by doors, none reached twice; the predicate marks rooms while it walks, and unmarks them after. */
public class Maze {
    private Room start;
    private Boolean open;

    static class Room {
        Room north;
        Room east;
        boolean marked;
        short number;
    }

    Boolean repOK() {
        boolean isTree = mark(start);
        unmark(start);
        return isTree && (open == null) == (start == null);
    }

    private boolean mark(Room room) {
        if (room == null) {
            return true;
        }
        if (room.marked) {
            return false;
        }
        room.marked = true;
        return mark(room.north) && mark(room.east);
    }

    private void unmark(Room room) {
        if (room != null && room.marked) {
            room.marked = false;
            unmark(room.north);
            unmark(room.east);
        }
    }
}
