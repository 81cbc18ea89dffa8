//! Nothing vanishes: what a class path holds is in the subject, or left out with a reason.

use std::collections::BTreeSet;

use jurat_classfile::descriptor::{FieldType, MethodType};
use jurat_classfile::{Access, ClassFile};
use jurat_classpath::ClassPath;
use jurat_model::{Reason, Subject};

use crate::corpus;

/// Names of all members of all classes of the path, as the subject and its left-outs name them.
fn check(class_path: &str) {
    let jdk = corpus::jdk();
    let subject = corpus::load(class_path, &jdk, &[]);
    let path = ClassPath::open(class_path, jdk.feature, Some(&jdk)).unwrap_or_else(|error| panic!("{error}"));
    // Bridges differ from what they bridge to in nothing but the result.
    let left_out = subject.left_out().iter().filter(|left_out| left_out.reason != Reason::Bridge);
    let left_out: BTreeSet<&str> = left_out.map(|left_out| &*left_out.what).collect();
    let mut members = 0;
    for name in path.names().filter(|name| path.is_named(name)) {
        let dotted = name.replace('/', ".");
        let known = subject.classes().find(name).filter(|id| subject[*id].under_test);
        let Some(id) = known else {
            let source_name = subject.classes().find(name).map(|id| subject[id].source_name.to_string());
            let named = source_name.is_some_and(|name| left_out.contains(&*name));
            assert!(named || left_out.contains(&*dotted), "{name} vanished");
            continue;
        };
        let bytes = path.read(name).ok().flatten().expect("the class was read before");
        let file = ClassFile::read(&bytes).expect("the class was read before");
        members += check_members(&subject, id, &file, &left_out);
    }
    assert!(members > 1000, "only {members} members");
}

fn check_members(
    subject: &Subject,
    id: jurat_model::ClassId,
    file: &ClassFile,
    left_out: &BTreeSet<&str>,
) -> usize {
    let operations: BTreeSet<(&str, &str)> = subject
        .operations_of(id)
        .iter()
        .map(|id| &subject[*id])
        .map(|operation| (&*operation.name, &*operation.descriptor))
        .collect();
    let source_name = &subject[id].source_name;
    let check = |name: &str, descriptor: &str, label: &str| {
        let is_left_out = left_out.contains(&*format!("{source_name}.{label}"));
        let is_operation = operations.contains(&(name, descriptor));
        assert!(is_operation != is_left_out, "{source_name}.{label}: {is_operation} {is_left_out}");
    };
    for field in &file.fields {
        let name = file.pool.utf8(field.name);
        check(&name, &file.pool.utf8(field.descriptor), &name);
    }
    for method in &file.methods {
        let (name, descriptor) = (file.pool.utf8(method.name), file.pool.utf8(method.descriptor));
        if !method.access.contains(Access::BRIDGE) {
            check(&name, &descriptor, &label(&name, &descriptor));
        }
    }
    file.fields.len() + file.methods.len()
}

fn label(name: &str, descriptor: &str) -> String {
    let erased: MethodType = descriptor.parse().expect("the class was read before");
    let params: Vec<String> = erased.parameters.iter().map(written).collect();
    format!("{name}({})", params.join(", "))
}

fn written(ty: &FieldType) -> String {
    match ty {
        FieldType::Primitive(primitive) => primitive.keyword().to_owned(),
        FieldType::Object(name) => name.replace('/', "."),
        FieldType::Array(component) => format!("{}[]", written(component)),
    }
}

#[test]
fn nothing_of_commons_collections_vanishes() {
    check(&corpus::jars(&["commons-collections4-4.4"]));
}

#[test]
fn nothing_of_guava_vanishes_though_its_dependencies_are_absent() {
    let jar = corpus::jars(&["guava-33.4.8-jre"]);
    check(&jar);
    let subject = corpus::load(&jar, &corpus::jdk(), &[]);
    let absent = "com.google.common.util.concurrent.internal.InternalFutureFailureAccess";
    let left_out = subject.left_out().iter().find(|left_out| left_out.reason.detail() == Some(absent));
    assert!(left_out.is_some_and(|left_out| left_out.reason.key() == "missing-dependency"));
}

#[test]
fn nothing_of_java_base_vanishes() {
    check("jrt:/java.base");
}

#[test]
fn loading_twice_gives_the_same_subject() {
    let (jar, jdk) = (corpus::jars(&["commons-lang3-3.12.0"]), corpus::jdk());
    let names = |subject: &Subject| {
        let classes: Vec<String> = subject.classes().iter().map(|(_, class)| format!("{class:?}")).collect();
        let operations: Vec<String> =
            subject.operations().iter().map(|operation| format!("{operation:?}")).collect();
        (classes, operations)
    };
    let (once, twice) = (corpus::load(&jar, &jdk, &[]), corpus::load(&jar, &jdk, &[]));
    assert!(names(&once) == names(&twice));
}
