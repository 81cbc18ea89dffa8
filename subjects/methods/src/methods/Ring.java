package methods;

/** A stack of anything, as a ring linked both ways. */
public class Ring<T> {
    static class Link<T> {
        T item;
        Link<T> next = this;
        Link<T> previous = this;
    }

    Link<T> top;
    int count;

    public void push(T item) {
        Link<T> link = new Link<>();
        link.item = item;
        if (top != null) {
            link.next = top;
            link.previous = top.previous;
            top.previous.next = link;
            top.previous = link;
        }
        top = link;
        count++;
    }

    public boolean has(Object item) {
        Link<T> link = top;
        for (int index = 0; index < count; index++) {
            if (link.item == item) {
                return true;
            }
            link = link.next;
        }
        return false;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    boolean isValid() {
        if (top == null) {
            return count == 0;
        }
        Link<T> link = top;
        int links = 0;
        do {
            if (link.next == null || link.next.previous != link || ++links > count) {
                return false;
            }
            link = link.next;
        } while (link != top);
        return links == count;
    }
}
