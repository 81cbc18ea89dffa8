//! Odd shapes of declarations, from `subjects/shapes`: what the subject says about each.

use std::sync::OnceLock;

use jurat_model::{
    Class, ClassId, ClassKind, Constant, Detail, JavaString, Nesting, Operation, OperationKind, Subject,
    Visibility,
};
use jurat_testkit::machine;
use tempfile::TempDir;

use crate::corpus;

/// The shapes, compiled by the oldest JDK; the folder must outlive what is done with its path.
pub(crate) fn compiled() -> TempDir {
    machine::compile(&corpus::jdk(), &machine::repository("subjects/shapes/src"), &["--release", "17"])
}

/// Compiled and loaded once for all tests.
fn subject() -> &'static Subject {
    static SHAPES: OnceLock<Subject> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let classes = compiled();
        corpus::load(&classes.path().display().to_string(), &corpus::jdk(), &[])
    })
}

fn id(subject: &Subject, name: &str) -> ClassId {
    let found = subject.classes().iter().find(|(_, class)| *class.source_name == *name);
    found.unwrap_or_else(|| panic!("no {name}")).0
}

fn class<'a>(subject: &'a Subject, name: &str) -> &'a Class {
    &subject[id(subject, name)]
}

/// The first operation of that name.
fn operation<'a>(subject: &'a Subject, class: &str, name: &str) -> &'a Operation {
    let operations = subject.operations_of(id(subject, class)).iter().map(|id| &subject[*id]);
    operations
        .into_iter()
        .find(|operation| *operation.name == *name)
        .unwrap_or_else(|| panic!("no {class}.{name}"))
}

/// Receiver, parameters and result in one line.
fn signature(subject: &Subject, operation: &Operation) -> String {
    let show = |ty| subject.classes().show(ty);
    let params: Vec<String> = operation.params.iter().map(show).collect();
    let receiver = operation.receiver.as_ref().map(|ty| format!("{}.", show(ty))).unwrap_or_default();
    let text = format!("{receiver}({}) -> {}", params.join(", "), show(&operation.result));
    text.replace("java.lang.", "").replace("java.util.", "").replace("shapes.", "")
}

fn check_signature(subject: &Subject, class: &str, name: &str, expected: &str) {
    assert_eq!(signature(subject, operation(subject, class, name)), expected);
}

fn left_out<'a>(subject: &'a Subject, what: &str) -> Vec<&'a str> {
    let found = subject.left_out().iter().filter(|left_out| &*left_out.what == what);
    found.map(|left_out| left_out.reason.key()).collect()
}

#[test]
fn records_have_components_and_accessors() {
    let subject = subject();
    let pair = class(subject, "shapes.Records.Pair");
    assert_eq!((pair.kind, pair.is_final, pair.nesting), (ClassKind::Record, true, Nesting::Static));
    let components: Vec<&str> = pair.record_components.iter().map(|component| &*component.name).collect();
    assert_eq!(components, ["first", "second"]);
    for component in &pair.record_components {
        let accessor = &subject[component.accessor.expect("records have accessors")];
        assert_eq!((accessor.kind, &accessor.name), (OperationKind::RecordAccessor, &component.name));
    }
    check_signature(subject, "shapes.Records.Pair", "<init>", "(A, B) -> Records.Pair<A, B>");
    check_signature(
        subject,
        "shapes.Records.Pair",
        "withFirst",
        "Records.Pair<A, B>.(C) -> Records.Pair<C, B>",
    );
    assert_eq!(operation(subject, "shapes.Records.Pair", "<init>").param_names.len(), 2);
}

#[test]
fn sealed_types_name_their_leaves_which_implement_them() {
    let subject = subject();
    let names =
        |ids: &[ClassId]| ids.iter().map(|id| subject[*id].simple_name.to_string()).collect::<Vec<_>>();
    let sealed = class(subject, "shapes.Sealed");
    assert!(sealed.is_sealed && sealed.functional.is_none());
    assert_eq!(names(&sealed.permitted), ["Leaf", "Node", "Open"]);
    assert_eq!(names(&sealed.implementations), ["Open", "Leaf", "Node"]);
    assert!(
        subject
            .classes()
            .function_type(&subject.classes().wildcard_type(id(subject, "shapes.Sealed")))
            .is_none()
    );
}

#[test]
fn inner_classes_carry_their_outers_arguments() {
    let subject = subject();
    let nesting = |name: &str| class(subject, name).nesting;
    assert_eq!(nesting("shapes.Nested.Inner"), Nesting::Inner);
    assert_eq!(nesting("shapes.Nested.Free"), Nesting::Static);
    assert_eq!(nesting("shapes.Nested"), Nesting::TopLevel);
    check_signature(subject, "shapes.Nested.Inner", "<init>", "Nested<T>.(T, U) -> Nested<T>.Inner<U>");
    check_signature(
        subject,
        "shapes.Nested.Inner.Core",
        "<init>",
        "Nested<T>.Inner<U>.(T, U, V) -> Nested<T>.Inner<U>.Core<V>",
    );
    check_signature(subject, "shapes.Nested.Plain", "first", "Nested<T>.Plain.() -> T");
    check_signature(subject, "shapes.Nested", "deep", "Nested<T>.(Nested<List<T>>) -> Nested<List<T>>.Plain");
    assert_eq!(class(subject, "shapes.Nested.Secret").visibility, Visibility::Private);
    assert_eq!(class(subject, "shapes.Nested.Free.Deeper").visibility, Visibility::Package);
}

#[test]
fn classes_without_a_name_are_left_out_with_the_reason() {
    let subject = subject();
    assert_eq!(left_out(subject, "shapes.Nested$1"), ["anonymous"]);
    assert_eq!(left_out(subject, "shapes.Nested$1Local"), ["local"]);
    assert_eq!(left_out(subject, "shapes.Enums$1"), ["anonymous"]);
}

#[test]
fn enums_have_constants_and_their_constructor_is_nobodys() {
    let subject = subject();
    let constants =
        |name: &str| class(subject, name).enum_constants.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(constants("shapes.Enums"), ["PLUS", "TIMES"]);
    assert!(constants("shapes.Enums.Empty").is_empty());
    assert_eq!(operation(subject, "shapes.Enums", "PLUS").kind, OperationKind::EnumConstant);
    check_signature(subject, "shapes.Enums", "<init>", "(String) -> Enums");
    let constructor = operation(subject, "shapes.Enums", "<init>").id;
    assert!(subject.check_operation(constructor, "shapes").is_err());
    assert_eq!(left_out(subject, "shapes.Enums.$VALUES"), ["synthetic"]);
}

#[test]
fn functional_interfaces_are_those_with_one_abstract_method() {
    let subject = subject();
    let method = |name: &str| {
        let functional = class(subject, name).functional.as_ref()?;
        let params: Vec<String> = functional.params.iter().map(|ty| subject.classes().show(ty)).collect();
        let result = subject.classes().show(&functional.result);
        Some(format!("{result} {}({})", functional.name, params.join(", ")).replace("java.lang.", ""))
    };
    let check = |name: &str, expected: Option<&str>| assert_eq!(method(name).as_deref(), expected, "{name}");
    check("shapes.Interfaces", Some("T make()"));
    check("shapes.Interfaces.Strings", Some("String make()"));
    check("shapes.Interfaces.Odd", Some("int compare(Integer, Integer)"));
    check("shapes.Interfaces.Two", None);
    check("shapes.Interfaces.Same", Some("String call(Integer)"));
    check("shapes.Interfaces.Generic", Some("A pass(A)"));
    check("shapes.Interfaces.Reduced", Some("void one()"));
    check("shapes.Interfaces.Narrow", Some("Integer apply(String)"));
    check("shapes.Interfaces.Mark", None);
    let generic = subject.classes().this_type(id(subject, "shapes.Interfaces.Generic"));
    assert!(subject.classes().function_type(&generic).is_none(), "no lambda is generic");
}

#[test]
fn every_visibility_is_an_operation() {
    let subject = subject();
    let visibility = |name: &str| operation(subject, "shapes.Calls", name).visibility;
    assert_eq!(visibility("take"), Visibility::Public);
    assert_eq!(visibility("below"), Visibility::Protected);
    assert_eq!(visibility("packaged"), Visibility::Package);
    assert_eq!(visibility("hidden"), Visibility::Private);
    assert_eq!(operation(subject, "shapes.Interfaces", "help").visibility, Visibility::Private);
}

#[test]
fn flags_names_and_exceptions_are_kept() {
    let subject = subject();
    let native = operation(subject, "shapes.Calls", "nativeAndDeprecated");
    assert!(native.is_native && native.is_deprecated && native.is_for_removal && !native.is_abstract);
    assert!(operation(subject, "shapes.Calls", "abstractly").is_abstract);
    let list_of = operation(subject, "shapes.Calls", "listOf");
    assert!(list_of.is_varargs);
    assert_eq!(list_of.param_names, ["items".into()]);
    let fails = operation(subject, "shapes.Calls", "fails");
    let thrown: Vec<String> = fails.throws.iter().map(|ty| subject.classes().show(ty)).collect();
    assert_eq!(thrown, ["java.io.IOException", "java.lang.InterruptedException"]);
    check_signature(subject, "shapes.Calls", "lists", "Calls<T>.(Map<String, int[]>[][]) -> List<String>[]");
    let raise = operation(subject, "shapes.Bounds", "raise");
    assert_eq!(raise.throws, raise.params, "a type variable is thrown");
}

#[test]
fn final_fields_are_read_only() {
    let subject = subject();
    let kinds = |name: &str| {
        let operations = subject.operations_of(id(subject, "shapes.Calls")).iter().map(|id| &subject[*id]);
        operations
            .filter(|operation| *operation.name == *name)
            .map(|operation| operation.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds("counter"), [OperationKind::StaticGet, OperationKind::StaticSet]);
    assert_eq!(kinds("fixed"), [OperationKind::InstanceGet]);
    assert_eq!(kinds("guarded"), [OperationKind::InstanceGet, OperationKind::InstanceSet]);
}

#[test]
fn fields_are_known_by_name_but_not_what_the_jdk_hides() {
    let subject = subject();
    let fields = |name: &str| {
        let fields = &subject[id(subject, name)].fields;
        fields.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(fields("java.util.AbstractList"), ["modCount"], "it is protected");
    assert_eq!(
        fields("java.lang.String"),
        ["CASE_INSENSITIVE_ORDER"],
        "what holds its letters is nobody's business"
    );
    assert!(fields("shapes.Calls").iter().any(|name| name == "fixed"));
}

#[test]
fn constants_are_mined_where_they_stand() {
    let subject = subject();
    let by_symbol = operation(subject, "shapes.Enums", "bySymbol");
    for text in ["+", "*", "unknown ", "!"] {
        let wanted = Constant::String(JavaString::from(text));
        assert!(by_symbol.constants.contains(&wanted), "{text:?} in {:?}", by_symbol.constants);
    }
    assert!(class(subject, "shapes.Calls").constants.contains(&Constant::Long(42)));
    // How a record's methods are made is no business of its constants.
    assert!(operation(subject, "shapes.Records.Point", "toString").constants.is_empty());
    assert!(
        class(subject, "shapes.Calls").constants.contains(&Constant::String(JavaString::from("packaged")))
    );
    let odd = &class(subject, "shapes.Größe").constants;
    let units: Vec<u16> = "naïve \0 ".encode_utf16().chain([0xD800]).chain(" end".encode_utf16()).collect();
    assert!(odd.contains(&Constant::String(JavaString::from_units(units))), "{odd:?}");
}

#[test]
fn predicates_have_the_name_and_no_parameters() {
    let subject = subject();
    let tree = class(subject, "shapes.Tree");
    let predicates: Vec<&str> = tree.predicates.iter().map(|predicate| &*subject[*predicate].name).collect();
    assert_eq!(predicates, ["repOK", "checkRep", "invariant"]);
}

#[test]
fn names_are_what_the_class_file_says_not_what_dollars_suggest() {
    let subject = subject();
    let dollar = class(subject, "shapes.$");
    assert_eq!((&*dollar.simple_name, dollar.nesting), ("$", Nesting::TopLevel));
    assert_eq!(class(subject, "shapes.$.$$").nesting, Nesting::Static);
    assert_eq!(&*class(subject, "NoPackage.Inside").package, "");
    assert_eq!(&*class(subject, "shapes.Größe").internal_name, "shapes/Größe");
}

#[test]
fn a_class_in_a_file_named_after_another_is_auxiliary() {
    let subject = subject();
    let auxiliary = ["Tree", "Leaf", "Tree.Node", "Leaf.Vein", "Größe", "$"]
        .map(|name| class(subject, &format!("shapes.{name}")).is_auxiliary);
    assert_eq!(auxiliary, [false, true, false, false, false, false]);
}

#[test]
fn hidden_classes_hand_down_what_is_public() {
    let subject = subject();
    let through = |name: &str, package: &str| {
        let id = operation(subject, "shapes.Base", name).id;
        subject
            .through(id, package)
            .map(|class| subject[class].simple_name.to_string())
            .map_err(|why| why.to_string())
    };
    assert_eq!(through("handedDown", "shapes").as_deref(), Ok("Base"));
    assert_eq!(through("handedDown", "far").as_deref(), Ok("Heir"));
    assert_eq!(through("helper", "far").as_deref(), Ok("Heir"));
    assert!(through("near", "far").is_err());
}

#[test]
fn helpers_are_read_as_far_as_they_matter() {
    let subject = subject();
    let list = class(subject, "java.util.List");
    assert!(!list.under_test && list.distance == 1 && list.detail == Detail::Operations);
    assert!(list.module.as_deref() == Some("java.base") && list.exported);
    let implementations: Vec<&str> =
        list.implementations.iter().map(|id| &*subject[*id].source_name).collect();
    assert!(implementations.contains(&"java.util.ArrayList"), "{implementations:?}");
    assert!(subject.operations_of(id(subject, "java.util.ArrayList")).len() > 20);
    let date = class(subject, "java.sql.Date");
    assert_eq!(date.module.as_deref(), Some("java.sql"), "found in another module");
}

#[test]
fn producers_are_found_by_type() {
    let subject = subject();
    let wanted = subject.classes().wildcard_type(id(subject, "shapes.Sealed"));
    let names: Vec<String> = subject
        .producers(&wanted)
        .into_iter()
        .map(|id| &subject[id])
        .filter(|operation| subject[operation.owner].under_test && operation.is_constructor())
        .map(|operation| subject[operation.owner].simple_name.to_string())
        .collect();
    assert_eq!(names, ["Leaf", "Node", "Open"]);
}
