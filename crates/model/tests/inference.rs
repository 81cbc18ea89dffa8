//! Choosing types for type parameters.

use jurat_model::{Demand, JavaType};
use jurat_testkit::{operation, show, subject, ty};

const CLASSES: &str = "
class Box<T> { Box(T value); T get(); void set(T value); <R> Box<R> map(java.util.function.Function<? super T, ? extends R> f);
  static <U> Box<U> of(U value); }
class Sorted<T extends Comparable<? super T>> { Sorted(T first); T min(); }
enum Color { RED, GREEN }
class Flags { static <E extends Enum<E>> Set<E> of(E first, E... rest); static <E extends Enum<E>> Set<E> none(Class<E> type); }
class Util {
  static <T, C extends Collection<T>> T first(C all);
  static <K, V> V lookup(Map<K, V> map, K key);
  static <T extends Number & Comparable<T>> T largest(List<T> all);
  static <T> T[] array(T... all);
  static int count(List<?> all);
  static <A, B extends A> void pair(A above, B below);
}
abstract class Order<T> { <E extends T> List<E> least(Iterable<E> all); }
class Outer<T> { Outer(); class Inner<U> { Inner(T t, U u); T left(); } }
abstract class Node<N extends Node<N, E>, E extends Edge<N, E>> { }
abstract class Edge<N extends Node<N, E>, E extends Edge<N, E>> { }
class City extends Node<City, Road> { }
class Road extends Edge<City, Road> { }
class Graph<N extends Node<N, E>, E extends Edge<N, E>> { Graph(); N start(); }
class Pin<T extends List<? extends T>> { Pin(); T pinned(); void pin(T t); }
abstract class Self<S extends Self<S>> { S self(); }
class Me extends Self<Me> { }
interface Split<T, C, S extends Split<T, C, S>> { S split(); }
interface SplitInt extends Split<Integer, Runnable, SplitInt> { }
";

struct Ask<'a> {
    receiver: &'a str,
    inputs: &'a [&'a str],
    result: &'a str,
    prefer: &'a [&'a str],
}

const NOTHING: Ask<'_> = Ask { receiver: "", inputs: &[], result: "", prefer: &[] };

/// Instantiates `class.member` for what is asked; empty texts and `_` ask for nothing.
fn check(class: &str, member: &str, ask: &Ask<'_>, expected: &str) {
    let subject = subject(CLASSES);
    let parse = |text: &str| (!text.is_empty() && text != "_").then(|| ty(&subject, text));
    let receiver = parse(ask.receiver);
    let result = parse(ask.result);
    let inputs: Vec<Option<JavaType>> = ask.inputs.iter().map(|text| parse(text)).collect();
    let prefer: Vec<JavaType> = ask.prefer.iter().map(|text| ty(&subject, text)).collect();
    let demand = Demand {
        receiver: receiver.as_ref(),
        inputs: &inputs,
        result: result.as_ref(),
        prefer: &prefer,
        package: Some(""),
    };
    let answer = subject.instantiate(operation(&subject, class, member), &demand);
    let shown = answer.map_or_else(|| "none".to_owned(), |instance| show(&subject, &instance));
    assert_eq!(shown, expected, "{class}.{member}");
}

#[test]
fn nothing_asked_gives_the_bounds() {
    check("Box", "new", &NOTHING, "(Object) -> Box<Object>");
    check("Collections", "emptyList", &NOTHING, "() -> List<Object>");
}

#[test]
fn preferred_types_decide_what_nothing_else_does() {
    check("Box", "new", &Ask { prefer: &["Integer"], ..NOTHING }, "(Integer) -> Box<Integer>");
    check("Sorted", "new", &Ask { prefer: &["Object", "String"], ..NOTHING }, "(String) -> Sorted<String>");
}

#[test]
fn inputs_decide_and_primitives_are_boxed() {
    check("Box", "of", &Ask { inputs: &["String"], ..NOTHING }, "(String) -> Box<String>");
    check("Box", "of", &Ask { inputs: &["int"], ..NOTHING }, "(Integer) -> Box<Integer>");
    check(
        "Util",
        "lookup",
        &Ask { inputs: &["HashMap<String, Integer>"], ..NOTHING },
        "(Map<String, Integer>, String) -> Integer",
    );
    check("Util", "lookup", &Ask { inputs: &["HashMap<String, Integer>", "Integer"], ..NOTHING }, "none");
}

#[test]
fn wanted_results_decide() {
    check("Box", "of", &Ask { result: "Box<Number>", ..NOTHING }, "(Number) -> Box<Number>");
    check("Box", "of", &Ask { result: "Box<? extends Number>", ..NOTHING }, "(Number) -> Box<Number>");
    check(
        "Box",
        "of",
        &Ask { result: "Box<? super Integer>", inputs: &["String"], ..NOTHING },
        "(Object) -> Box<Object>",
    );
    check("Box", "of", &Ask { result: "List<String>", ..NOTHING }, "none");
    check("ArrayList", "new", &Ask { result: "Iterable<String>", ..NOTHING }, "() -> ArrayList<String>");
    check("Util", "lookup", &Ask { result: "int", ..NOTHING }, "(Map<Object, Integer>, Object) -> Integer");
}

#[test]
fn several_inputs_share_a_supertype() {
    check("Util", "array", &Ask { inputs: &["Integer[]"], ..NOTHING }, "(Integer[]) -> Integer[]");
    check("Util", "pair", &Ask { inputs: &["Number", "Integer"], ..NOTHING }, "(Number, Integer) -> void");
    check("Util", "pair", &Ask { inputs: &["Integer", "Long"], ..NOTHING }, "(Number, Long) -> void");
}

#[test]
fn bounds_on_the_variable_itself_hold() {
    check("Sorted", "new", &NOTHING, "(Integer) -> Sorted<Integer>");
    check("Sorted", "new", &Ask { inputs: &["Object"], ..NOTHING }, "none");
    check("Flags", "of", &NOTHING, "(Color, Color[]) -> Set<Color>");
    check("Flags", "none", &Ask { inputs: &["Class<Color>"], ..NOTHING }, "(Class<Color>) -> Set<Color>");
    check("Flags", "none", &Ask { inputs: &["Class<String>"], ..NOTHING }, "none");
    check(
        "Collections",
        "max",
        &Ask { inputs: &["List<Color>"], ..NOTHING },
        "(Collection<? extends Color>) -> Color",
    );
    check(
        "Collections",
        "max",
        &Ask { result: "String", ..NOTHING },
        "(Collection<? extends String>) -> String",
    );
    check("Util", "largest", &NOTHING, "(List<Integer>) -> Integer");
}

#[test]
fn bounds_that_mention_each_other_hold() {
    check("Graph", "new", &NOTHING, "() -> Graph<City, Road>");
    check(
        "Graph",
        "start",
        &Ask { receiver: "Graph<City, Road>", ..NOTHING },
        "Graph<City, Road>.() -> City",
    );
    check("Self", "self", &NOTHING, "Self<Me>.() -> Me");
    check("Split", "split", &NOTHING, "Split<Integer, Runnable, SplitInt>.() -> SplitInt");
    check("Pin", "new", &NOTHING, "none");
    check("Pin", "pinned", &NOTHING, "Pin<?>.() -> List<?>");
    check("Pin", "pin", &NOTHING, "none");
}

#[test]
fn a_bound_passes_on_what_its_variable_was_given() {
    check(
        "Util",
        "first",
        &Ask { inputs: &["ArrayList<String>"], ..NOTHING },
        "(ArrayList<String>) -> String",
    );
    check("Util", "first", &Ask { result: "String", ..NOTHING }, "(Collection<String>) -> String");
}

#[test]
fn receivers_fix_the_types_of_their_members() {
    check("Box", "get", &Ask { receiver: "Box<String>", ..NOTHING }, "Box<String>.() -> String");
    check(
        "List",
        "get",
        &Ask { receiver: "ArrayList<String>", ..NOTHING },
        "ArrayList<String>.(int) -> String",
    );
    check("List", "get", &Ask { receiver: "Box<String>", ..NOTHING }, "none");
    check(
        "Box",
        "map",
        &Ask { receiver: "Box<String>", result: "Box<Integer>", ..NOTHING },
        "Box<String>.(function.Function<? super String, ? extends Integer>) -> Box<Integer>",
    );
}

#[test]
fn wildcard_receivers_give_their_bound_and_take_nothing() {
    check(
        "Box",
        "get",
        &Ask { receiver: "Box<? extends Number>", ..NOTHING },
        "Box<? extends Number>.() -> Number",
    );
    check("Box", "set", &Ask { receiver: "Box<? extends Number>", ..NOTHING }, "none");
    check(
        "Box",
        "set",
        &Ask { receiver: "Box<? super Integer>", ..NOTHING },
        "Box<? super Integer>.(Integer) -> void",
    );
    check(
        "Collection",
        "addAll",
        &Ask { receiver: "List<? super Integer>", ..NOTHING },
        "List<? super Integer>.(Collection<? extends Integer>) -> boolean",
    );
    check("Sorted", "min", &Ask { receiver: "Sorted<?>", ..NOTHING }, "Sorted<?>.() -> Comparable<?>");
}

#[test]
fn raw_receivers_erase_their_members() {
    check("Box", "set", &Ask { receiver: "Box", ..NOTHING }, "Box.(Object) -> void");
    check("Sorted", "min", &Ask { receiver: "Sorted", ..NOTHING }, "Sorted.() -> Comparable");
}

#[test]
fn a_generic_method_is_not_called_with_raw_types_where_an_overload_takes_them_too() {
    let subject = subject(
        "class Lazy { static <K, V> V first(Map<K, V> map, Runnable factory); static <K, V> V first(Map<K, V> map, V value);
           static <K, V> V clear(Map<K, V> map, V value); static <K, V> V clear(Map<K, V> map, Runnable factory);
           static int plain(List<String> all, Object value); static int plain(List<String> all, Runnable value); }",
    );
    let is_clear = |member: &str| subject.erased(operation(&subject, "Lazy", member), None).is_some();
    assert!(!is_clear("first"), "a Runnable may be meant as V");
    assert!(is_clear("clear"), "an Object is no Runnable");
    assert!(is_clear("plain"), "without type parameters the more specific one is taken");
}

#[test]
fn inner_classes_take_their_outer_types_arguments() {
    check(
        "Inner",
        "new",
        &Ask { receiver: "Outer<String>", inputs: &["_", "Integer"], ..NOTHING },
        "Outer<String>.(String, Integer) -> Outer<String>.Inner<Integer>",
    );
    check(
        "Inner",
        "left",
        &Ask { receiver: "Outer<String>.Inner<Integer>", ..NOTHING },
        "Outer<String>.Inner<Integer>.() -> String",
    );
}

#[test]
fn nothing_is_known_to_lie_within_a_bound_that_a_wildcard_stands_for() {
    let inputs = &["List<String>"];
    let exact = Ask { receiver: "Order<Object>", inputs, ..NOTHING };
    check("Order", "least", &exact, "Order<Object>.(Iterable<String>) -> List<String>");
    check("Order", "least", &Ask { receiver: "Order<?>", ..exact }, "none");
}
