package shapes;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Interfaces with defaults, statics, private methods; functional ones and those that only look so. */
public interface Interfaces<T> {
    T make();

    default List<T> twice() {
        return List.of(help(), help());
    }

    static <U> Interfaces<U> always(U value) {
        return () -> value;
    }

    private T help() {
        return make();
    }

    int LIMIT = 10;

    /** Inherits its only abstract method, with a type argument filled in. */
    interface Strings extends Interfaces<String> {}

    /** Declares methods of Object again, which every implementation has. */
    interface Odd extends Comparator<Integer> {
        @Override
        boolean equals(Object other);

        @Override
        String toString();
    }

    /** Two abstract methods. */
    interface Two {
        void one();

        void two();
    }

    /** Its two are the same method, inherited twice. */
    interface Same extends Left<Integer>, Right {}

    interface Left<T> {
        Object call(T t);
    }

    interface Right {
        String call(Integer t);
    }

    /** One abstract method, but generic: no lambda can be it. */
    interface Generic {
        <A> A pass(A a);
    }

    /** A default takes one of two away. */
    interface Reduced extends Two {
        @Override
        default void two() {}
    }

    /** Narrowed results and thrown types. */
    interface Narrow<T extends Exception> extends Function<String, Integer> {
        @Override
        Integer apply(String text);
    }

    @interface Mark {
        int value() default 3;
    }
}
