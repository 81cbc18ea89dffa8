//! Every descriptor and signature of real classes parses, and prints as it was.

use jurat_classfile::descriptor::{FieldType, MethodType};
use jurat_classfile::signature::{ClassSignature, JavaType, MethodSignature};
use jurat_classfile::{Attribute, ClassFile, Content};

use crate::corpus;

#[test]
fn all_of_java_base_parses_and_prints_as_it_was() {
    for jdk in jurat_testkit::machine::jdks() {
        let base = corpus::java_base(&jdk);
        let mut signatures = 0;
        for (_, bytes) in corpus::classes(&base) {
            let class = ClassFile::read(&bytes).unwrap_or_else(|error| panic!("{error}"));
            signatures += check(&class);
        }
        assert!(signatures > 5000, "only {signatures} signatures");
    }
}

fn check(class: &ClassFile) -> usize {
    let pool = &class.pool;
    let mut signatures = 0;
    let mut signature = |attributes: &[Attribute], print: &dyn Fn(&str) -> String| {
        for attribute in attributes {
            if let Content::Signature(text) = attribute.content {
                let text = pool.utf8(text);
                assert_eq!(print(&text), text, "{}", class.name());
                signatures += 1;
            }
        }
    };
    for field in &class.fields {
        let text = pool.utf8(field.descriptor);
        assert_eq!(text.parse::<FieldType>().map(|kind| kind.to_string()).as_deref(), Ok(&*text));
        signature(&field.attributes, &|text| text.parse::<JavaType>().expect("a signature").to_string());
    }
    for method in &class.methods {
        let text = pool.utf8(method.descriptor);
        assert_eq!(text.parse::<MethodType>().map(|kind| kind.to_string()).as_deref(), Ok(&*text));
        signature(&method.attributes, &|text| {
            text.parse::<MethodSignature>().expect("a signature").to_string()
        });
    }
    signature(&class.attributes, &|text| text.parse::<ClassSignature>().expect("a signature").to_string());
    signatures
}
