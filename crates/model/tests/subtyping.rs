//! Which types may stand in for which.

use jurat_model::{ClassType, Conversion, JavaType, TypeArg};
use jurat_testkit::{operation, subject, ty};

const CLASSES: &str = "
class Sorted<T extends Comparable<? super T>> implements Iterable<T> { }
class Names extends ArrayList<String> { }
class Nested<T> implements Comparable<List<T>> { }
class Outer<T> { class Inner<U> implements Map<T, U> { } class Plain implements Collection<T> { } }
class Old extends ArrayList { }
abstract class Shape<S extends Shape<S>> { }
class Circle extends Shape<Circle> { }
";

fn check(expected: bool, from: &str, to: &str, conversion: Conversion) {
    let subject = subject(CLASSES);
    let answer = subject.classes().converts(&ty(&subject, from), &ty(&subject, to), conversion);
    assert_eq!(answer, expected, "{from} to {to}");
}

fn assignable(from: &str, to: &str) {
    check(true, from, to, Conversion::STRICT);
}

fn not_assignable(from: &str, to: &str) {
    check(false, from, to, Conversion::STRICT);
}

#[test]
fn a_class_is_its_supertypes_with_arguments_substituted() {
    assignable("ArrayList<String>", "List<String>");
    assignable("ArrayList<String>", "Iterable<String>");
    assignable("Names", "Collection<String>");
    assignable("Integer", "Comparable<Integer>");
    not_assignable("ArrayList<String>", "List<Object>");
    not_assignable("List<String>", "ArrayList<String>");
    not_assignable("Names", "List<Integer>");
}

#[test]
fn wildcards_contain_what_lies_within_their_bound() {
    assignable("List<Integer>", "List<? extends Number>");
    assignable("List<Number>", "List<? super Integer>");
    assignable("List<? extends Integer>", "Collection<? extends Number>");
    assignable("List<? super Number>", "List<? super Integer>");
    assignable("List<?>", "List<? extends Object>");
    assignable("List<List<String>>", "List<? extends Collection<? extends CharSequence>>");
    not_assignable("List<? extends Number>", "List<Number>");
    not_assignable("List<? super Integer>", "List<? extends Number>");
    not_assignable("List<List<String>>", "List<List<? extends CharSequence>>");
}

#[test]
fn a_wildcard_is_at_least_as_narrow_as_the_declared_bound() {
    assignable("Shape<?>", "Shape<? extends Shape<?>>");
    assignable("Circle", "Shape<? extends Shape<?>>");
    assignable("Sorted<?>", "Iterable<?>");
    not_assignable("Sorted<?>", "Iterable<? extends Number>");
}

#[test]
fn a_wildcard_deeper_down_becomes_a_bound_not_an_argument() {
    // A Nested<capture of ?> is a Comparable<List<capture>>, which is no Comparable<List<?>>.
    not_assignable("Nested<? extends Number>", "Comparable<List<? extends Number>>");
    assignable("Nested<? extends Number>", "Comparable<? extends List<? extends Number>>");
    assignable("Nested<Integer>", "Comparable<List<Integer>>");
}

#[test]
fn inner_classes_see_the_arguments_of_their_outer_type() {
    assignable("Outer<String>.Inner<Integer>", "Map<String, Integer>");
    assignable("Outer<String>.Plain", "Collection<String>");
    not_assignable("Outer<String>.Inner<Integer>", "Map<Integer, Integer>");
    not_assignable("Outer<String>.Plain", "Collection<Integer>");
}

#[test]
fn raw_types_convert_to_wildcards_silently_and_to_arguments_only_unchecked() {
    assignable("List", "List<?>");
    assignable("List", "Collection");
    assignable("Old", "Collection<?>");
    assignable("List<String>", "List");
    not_assignable("List", "List<String>");
    not_assignable("List<List>", "List<? extends List<?>>");
    check(true, "List", "Collection<String>", Conversion::LOOSE);
    check(true, "Old", "List<String>", Conversion::LOOSE);
    check(false, "List", "Map<String, String>", Conversion::LOOSE);
}

#[test]
fn arrays_are_covariant_for_references_and_objects() {
    assignable("Integer[]", "Number[]");
    assignable("int[]", "Object");
    assignable("int[][]", "Object[]");
    assignable("String[]", "Cloneable");
    assignable("List<String>[]", "Collection<? extends CharSequence>[]");
    not_assignable("int[]", "long[]");
    not_assignable("int[]", "Object[]");
    not_assignable("Object[]", "String[]");
}

#[test]
fn primitives_widen_and_box_only_where_asked() {
    assignable("int", "long");
    assignable("char", "int");
    assignable("long", "float");
    not_assignable("int", "char");
    not_assignable("byte", "char");
    not_assignable("boolean", "int");
    not_assignable("int", "Integer");
    check(true, "int", "Integer", Conversion::BOXING);
    check(true, "int", "Comparable<Integer>", Conversion::BOXING);
    check(true, "Integer", "long", Conversion::BOXING);
    check(false, "int", "Long", Conversion::BOXING);
}

#[test]
fn a_cyclic_search_ends() {
    let subject =
        subject("interface Node<N> { } class Loop<T> implements Node<Node<? super Loop<Loop<T>>>> { }");
    let from = ty(&subject, "Loop<String>");
    let to = ty(&subject, "Node<? super Loop<String>>");
    assert!(!subject.classes().is_assignable(&from, &to));
}

#[test]
fn well_formed_types_respect_bounds() {
    let subject = subject(CLASSES);
    let check = |text: &str| subject.classes().is_well_formed(&ty(&subject, text));
    assert!(check("Sorted<Integer>"));
    assert!(check("Shape<Circle>"));
    assert!(check("List<Sorted<? extends Number>>"));
    assert!(!check("Sorted<Object>"));
    assert!(!check("List<Shape<String>>"));
}

#[test]
fn the_compiler_warns_of_raw_types_except_for_a_plain_wildcard() {
    let subject = subject(CLASSES);
    let sort = ty(&subject, "Sorted<String>");
    let param = subject[sort.class_id().expect("a class")].type_params[0];
    let declared = |class: &str, arg: TypeArg| {
        let class = ty(&subject, class).class_id().expect("a class");
        JavaType::Class(ClassType::nested(None, class, [arg]))
    };
    let below = declared("Collection", TypeArg::Extends(JavaType::Variable(param)));
    let any = declared("Collection", TypeArg::Any);
    let warns = |from: &str, to: &JavaType| subject.classes().warns_of_raw(&ty(&subject, from), to);
    assert!(warns("Old", &below));
    assert!(warns("Old[]", &JavaType::array_of(below.clone())));
    assert!(!warns("Old", &any));
    assert!(!warns("Names", &below));
}

#[test]
fn a_method_may_be_covered_by_an_override_that_the_caller_cannot_mean() {
    let subject = subject(
        "package a; interface Walker<V> { void set(V value); }
         class Base<V> { protected V inner(); V open(); }
         class Tree<V> { class Values { Values(); } class Keys { Keys(); } }
         class Bush<V> extends Tree<V> { class Values { Values(); } }
         class Sorter<V extends Comparable<V>> extends Base<V> implements Walker<V> { void set(V value); protected V inner(); V open(); }",
    );
    let covered = |class: &str, member: &str, receiver: &str, package: &str| {
        subject.is_covered(operation(&subject, class, member), &ty(&subject, receiver), package)
    };
    assert!(covered("Walker", "set", "Sorter", "a"), "raw, it takes a Comparable");
    assert!(!covered("Walker", "set", "Sorter<String>", "a"));
    assert!(!covered("Walker", "set", "Walker", "a"));
    assert!(covered("Base", "inner", "Sorter<String>", "b"));
    assert!(!covered("Base", "inner", "Sorter<String>", "a"));
    assert!(!covered("Base", "open", "Sorter<String>", "b"));
    assert!(covered("Values", "new", "Bush<String>", "a"), "Bush has Values of its own");
    assert!(!covered("Values", "new", "Tree<String>", "a"));
    assert!(!covered("Keys", "new", "Bush<String>", "a"));
}
