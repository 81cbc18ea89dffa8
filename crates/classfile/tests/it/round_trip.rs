//! Every class of `java.base` and of well-known jars, read and written again, gives the same bytes.
#![expect(clippy::print_stderr, reason = "the figures are what the test is run for")]

use jurat_classfile::ClassFile;
use jurat_classpath::ClassPath;

use crate::corpus;

fn check(what: &str, path: &ClassPath, at_least: usize) {
    let (mut classes, mut total, mut opaque) = (0, 0, 0);
    for (name, bytes) in corpus::classes(path) {
        let class = ClassFile::read(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        let header = ClassFile::read_header(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(header.interfaces == class.interfaces && header.super_class == class.super_class);
        let written = class.write().unwrap_or_else(|error| panic!("{what}: {name}: {error}"));
        assert!(bytes == written, "{what}: {name} is written differently");
        classes += 1;
        total += bytes.len();
        opaque += class.opaque_bytes();
    }
    eprintln!("{what}: {classes} classes, {total} bytes, all equal, {opaque} bytes opaque");
    assert!(classes >= at_least, "{what}: only {classes} classes");
    assert_eq!(opaque, 0, "{what}: every attribute here is a known one");
}

#[test]
fn java_base_of_every_jdk_is_written_as_it_was_read() {
    for jdk in jurat_testkit::machine::jdks() {
        check(&format!("java.base of JDK {}", jdk.feature), &corpus::java_base(&jdk), 6000);
    }
}

#[test]
fn commons_collections_is_written_as_it_was_read() {
    check("commons-collections4", &corpus::jar("commons-collections4-4.4"), 500);
}

#[test]
fn commons_lang_is_written_as_it_was_read() {
    check("commons-lang3", &corpus::jar("commons-lang3-3.12.0"), 300);
}

#[test]
fn guava_is_written_as_it_was_read() {
    check("guava", &corpus::jar("guava-33.4.8-jre"), 1900);
}

/// Before version 45.3 the sizes in front of the code took half the bytes.
#[test]
fn code_of_the_first_java_is_written_as_it_was_read() {
    let mut class = ClassFile::new("A", "B").expect("room");
    (class.major, class.minor) = (45, 3);
    let body = |code: &mut jurat_classfile::CodeBuilder<'_>| {
        code.push(jurat_classfile::Op::Return);
        Ok(())
    };
    class.add_method(jurat_classfile::Access::STATIC, "f", "(J)V", body).expect("fits");
    let newer = class.write().expect("fits");
    class.minor = 2;
    let older = class.write().expect("fits");
    assert_eq!(older.len(), newer.len() - 4);
    let read = ClassFile::read(&older).expect("an old class");
    assert_eq!(read.methods, class.methods);
    assert_eq!(read.write().expect("fits"), older);
}
