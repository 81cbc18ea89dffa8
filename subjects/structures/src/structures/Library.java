package structures;

import java.util.HashSet;
import java.util.Set;

/** Readers and the books they have on loan: three classes that must agree with one another. */
public class Library {
    private Reader firstReader;
    private Book firstBook;

    static class Reader {
        Reader next;
        Book onLoan;
    }

    static class Book {
        Book next;
        Reader reader;
        boolean reserved;
    }

    public boolean repOK() {
        Set<Reader> readers = new HashSet<>();
        for (Reader reader = firstReader; reader != null; reader = reader.next) {
            if (!readers.add(reader)) {
                return false;
            }
        }
        Set<Book> books = new HashSet<>();
        for (Book book = firstBook; book != null; book = book.next) {
            if (!books.add(book) || book.reader != null && (!readers.contains(book.reader) || book.reader.onLoan != book)) {
                return false;
            }
        }
        for (Reader reader : readers) {
            if (reader.onLoan != null && (!books.contains(reader.onLoan) || reader.onLoan.reader != reader)) {
                return false;
            }
        }
        return true;
    }
}
