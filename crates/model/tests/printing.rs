//! Types, calls and what stands in their way, as Java source from a given package.

use jurat_model::{Call, CallStyle, Demand, NameScope, Subject};
use jurat_testkit::{operation, subject, ty};

const CLASSES: &str = "
package shop;
class Cart<T> { Cart(); Cart(T first); void add(T item); void add(int count); T item; static Cart<String> EMPTY;
  private void secret(); hidden void near(); protected void below();
  static <U> Cart<U> of(U first);
  void put(Comparable<T> o); void put(String o);
  class Slot<S> { Slot(S s); } static class Key { Key(); } private static class Hidden { Hidden(); } }
class List { List(); }
class Integer { Integer(); }
hidden class Base { void inherited(); static void helper(); Base(); }
class Heir extends Base { Heir(); }
interface Face { }
hidden class Ghost extends Heir implements Face { Ghost(); }
abstract class Idea { Idea(); }
enum Size { SMALL, LARGE }
package other;
class Cart { Cart(); }
deprecated class Old { Old(); static class Part { } }

";

fn classes() -> Subject {
    subject(CLASSES)
}

fn check_type(package: &str, types: &[&str], expected: &[&str], imports: &[&str]) {
    let subject = classes();
    let mut scope = NameScope::new(&subject, package);
    scope.reserve("CartTest");
    let texts: Vec<String> = types
        .iter()
        .map(|text| scope.type_text(&ty(&subject, text)).unwrap_or_else(|why| why.to_string()))
        .collect();
    assert_eq!(texts, expected);
    assert_eq!(scope.imports(), imports);
}

fn check_call(package: &str, class: &str, member: &str, receiver: &str, style: CallStyle, expected: &str) {
    let subject = classes();
    let id = operation(&subject, class, member);
    let text = match subject.instantiate(id, &Demand { package: Some(package), ..Demand::default() }) {
        None => format!("none: {:?}", subject.check_operation(id, package).map_err(|why| why.to_string())),
        Some(instance) => {
            let args: Vec<&str> = instance.params.iter().map(|_| "x").collect();
            let receiver = (!receiver.is_empty()).then_some(receiver);
            let call = Call { instance: &instance, receiver, args: &args, style };
            subject
                .call_text(&mut NameScope::new(&subject, package), &call)
                .unwrap_or_else(|why| why.to_string())
        }
    };
    assert_eq!(text, expected);
}

#[test]
fn simple_names_are_imported_once_and_clashes_are_qualified() {
    check_type(
        "app",
        &["shop.Cart<String>", "other.Cart", "Map.Entry<String, int[]>", "java.util.List<shop.List>"],
        &["Cart<String>", "other.Cart", "Map.Entry<String, int[]>", "List<shop.List>"],
        &["java.util.List", "java.util.Map", "shop.Cart"],
    );
}

#[test]
fn deprecated_classes_are_named_in_full_where_their_import_would_be_warned_of() {
    let subject = classes();
    let texts = |package: &str| {
        let mut scope = NameScope::new(&subject, package).without_deprecated_imports();
        let texts = ["other.Old", "other.Old.Part", "other.Cart"]
            .map(|text| scope.type_text(&ty(&subject, text)).expect("public classes"));
        (texts.join(" "), scope.imports().join(" "))
    };
    assert_eq!(texts("app"), ("other.Old other.Old.Part Cart".to_owned(), "other.Cart".to_owned()));
    assert_eq!(texts("other").0, "Old Old.Part Cart");
}

#[test]
fn names_of_the_own_package_win() {
    check_type(
        "shop",
        &["java.util.List<java.lang.Integer>", "shop.Integer", "shop.Cart<?>", "other.Cart"],
        &["java.util.List<java.lang.Integer>", "Integer", "Cart<?>", "other.Cart"],
        &[],
    );
}

#[test]
fn java_lang_names_are_never_imported_over() {
    check_type("app", &["shop.Integer", "java.lang.Integer"], &["shop.Integer", "Integer"], &[]);
}

#[test]
fn inner_types_of_parameterized_types_are_written_in_full() {
    check_type(
        "shop",
        &["shop.Cart<String>.Slot<Size>[]", "shop.Cart.Key", "shop.Cart.Hidden"],
        &["Cart<String>.Slot<Size>[]", "Cart.Key", "shop.Cart.Hidden is private"],
        &[],
    );
}

#[test]
fn calls_read_as_people_write_them() {
    let inferred = CallStyle::Inferred;
    check_call("shop", "Cart", "new", "", inferred, "new Cart<>()");
    check_call("shop", "Cart", "new", "", CallStyle::Explicit, "new Cart<Object>()");
    check_call("app", "Cart", "of", "", inferred, "Cart.of(x)");
    check_call("app", "Cart", "of", "", CallStyle::Explicit, "Cart.<Object>of(x)");
    check_call("app", "Cart", "add", "cart", inferred, "cart.add(x)");
    check_call("app", "Cart", "item", "cart", inferred, "cart.item");
    check_call("app", "Cart", "EMPTY", "", inferred, "Cart.EMPTY");
    check_call("app", "Size", "LARGE", "", inferred, "Size.LARGE");
    check_call("app", "Slot", "new", "cart", inferred, "cart.new Slot<>(x)");
    check_call("app", "Key", "new", "", inferred, "new Cart.Key()");
}

#[test]
fn what_cannot_be_called_says_why() {
    let style = CallStyle::Inferred;
    check_call("shop", "Cart", "secret", "c", style, "shop.Cart.secret is private");
    check_call(
        "app",
        "Cart",
        "near",
        "c",
        style,
        "none: Err(\"shop.Cart.near is not public, and in another package\")",
    );
    check_call(
        "app",
        "Cart",
        "below",
        "c",
        style,
        "none: Err(\"shop.Cart.below is not public, and in another package\")",
    );
    check_call("shop", "Cart", "near", "c", style, "c.near()");
    check_call("shop", "Cart", "below", "c", style, "c.below()");
    check_call("shop", "Idea", "new", "", style, "none: Err(\"shop.Idea is abstract\")");
    check_call(
        "app",
        "Base",
        "new",
        "",
        style,
        "none: Err(\"its class cannot be used: shop.Base is not public, and in another package\")",
    );
}

#[test]
fn members_of_hidden_classes_are_reached_through_heirs() {
    check_call("app", "Base", "helper", "", CallStyle::Inferred, "Heir.helper()");
    let subject = classes();
    let demand = Demand { package: Some("app"), ..Demand::default() };
    let instance =
        subject.instantiate(operation(&subject, "Base", "inherited"), &demand).expect("it is inherited");
    assert_eq!(instance.receiver, Some(ty(&subject, "shop.Heir")));
}

#[test]
fn types_that_cannot_be_named_are_widened() {
    let subject = classes();
    let widened =
        |text: &str| subject.classes().show(&subject.classes().denotable(&ty(&subject, text), "app"));
    assert_eq!(widened("shop.Ghost"), "shop.Heir");
    assert_eq!(widened("shop.Base"), "java.lang.Object");
    assert_eq!(widened("java.util.List<shop.Ghost[]>"), "java.util.List<? extends shop.Heir[]>");
    assert_eq!(widened("java.util.List<? super shop.Ghost>"), "java.util.List<?>");
    assert_eq!(widened("shop.Cart<String>"), "shop.Cart<java.lang.String>");
}

#[test]
fn a_hidden_class_that_names_itself_is_widened_once() {
    let subject = subject(
        "package shop; hidden class Node implements Comparable<Node> { Node(); int compareTo(Node other); }",
    );
    let node = subject.classes().denotable(&ty(&subject, "shop.Node"), "app");
    assert_eq!(subject.classes().show(&node), "java.lang.Comparable<?>");
}

#[test]
fn arguments_are_cast_only_where_an_overload_would_take_them() {
    let subject = classes();
    let receiver = ty(&subject, "shop.Cart<java.lang.String>");
    let demand = Demand { receiver: Some(&receiver), package: Some("app"), ..Demand::default() };
    let put = subject.instantiate(operation(&subject, "Cart", "put"), &demand).expect("it has no bounds");
    assert_eq!(subject.casts_needed(&put, &[ty(&subject, "String")]), [true]);
    assert_eq!(subject.casts_needed(&put, &[ty(&subject, "Comparable<String>")]), [false]);
    assert_eq!(subject.casts_needed(&put, &[ty(&subject, "Number")]), [false]);
}

#[test]
fn descriptors_and_types_are_two_spellings_of_one_thing() {
    let subject = classes();
    for text in ["int", "long[][]", "String", "Cart[]", "Cart.Key"] {
        let erased = subject.classes().erasure(&ty(&subject, text));
        let descriptor = subject.classes().descriptor(&erased);
        assert_eq!(subject.classes().type_with_descriptor(&descriptor), Some(erased), "{descriptor}");
    }
    for wrong in ["", "X", "Lno/Such;", "Ljava/lang/String", "["] {
        assert_eq!(subject.classes().type_with_descriptor(wrong), None, "{wrong}");
    }
}

#[test]
fn classes_outside_the_subject_are_named_under_the_same_rules() {
    let subject = classes();
    let mut scope = NameScope::new(&subject, "shop");
    assert_eq!(scope.named("org.junit.jupiter.api.Test"), "Test");
    assert_eq!(scope.named("java.lang.Integer"), "java.lang.Integer");
    assert_eq!(scope.named("java.lang.Long"), "Long");
    assert_eq!(scope.imports(), ["org.junit.jupiter.api.Test"]);
}

#[test]
fn what_is_private_is_reached_by_reflection_from_its_own_package_only() {
    let subject = classes();
    let check = |class: &str, member: &str, package: &str| {
        let id = operation(&subject, class, member);
        subject.check_private(id, package).map_err(|why| why.to_string())
    };
    assert_eq!(check("Cart", "secret", "shop"), Ok(()));
    assert!(check("Cart", "near", "shop").is_err(), "no reflection where a call will do");
    assert!(check("Hidden", "new", "shop").is_err(), "the class has no name there");
}

#[test]
fn a_mock_answers_for_what_an_interface_declares_and_inherits_but_not_for_identity() {
    let subject = jurat_testkit::subject(
        "interface Named { String name(); String toString(); }
         interface Clock extends Named { long now(); void reset(); boolean equals(Object other); }
         class Real { Real(); long now(); Object clone(); }
         final class Last { Last(); long now(); }
         abstract class Half { abstract int half(); final int whole(); }
         abstract class Alike { abstract int half(); final boolean equals(Object other); }
         abstract class Told { abstract int half(); final String toString(); }
         abstract class Untold extends Told { }",
    );
    let asked = |class: &str| -> Option<Vec<String>> {
        let class = ty(&subject, class).class_id().expect("a class");
        let methods = subject.mocked_methods(class)?;
        Some(methods.into_iter().map(|op| subject[op].name.to_string()).collect())
    };
    assert_eq!(asked("Clock"), Some(["now", "reset", "name"].map(str::to_owned).to_vec()));
    assert_eq!(asked("Real"), Some(["now", "clone"].map(str::to_owned).to_vec()));
    assert_eq!(asked("Last"), None, "nobody may extend it");
    assert_eq!(asked("Half"), None, "its final method would run or not, as Mockito pleases");
    for class in ["Alike", "Told", "Untold"] {
        assert_eq!(asked(class), None, "{class}: no mock could override what it is told apart by");
    }
}

#[test]
fn type_arguments_are_written_where_the_compiler_would_take_another_constructor() {
    let subject =
        subject("class Fallback<V> { Fallback(V value); Fallback(Comparable<? extends V> value); }");
    let text = |given: &str| {
        let inputs = [Some(ty(&subject, given))];
        let demand = Demand { inputs: &inputs, package: Some(""), ..Demand::default() };
        let id = operation(&subject, "Fallback", "new");
        let instance = subject.instantiate(id, &demand).expect("it fits");
        let call = Call { instance: &instance, receiver: None, args: &["x"], style: CallStyle::Inferred };
        subject.call_text(&mut NameScope::new(&subject, ""), &call).expect("it can be written")
    };
    assert_eq!(text("String"), "new Fallback<String>(x)");
    assert_eq!(text("Object"), "new Fallback<>(x)");
}
