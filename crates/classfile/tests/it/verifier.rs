//! HotSpot's verifier accepts real classes with code in every place there is.

use std::path::Path;

use jurat_classfile::{BranchOp, ClassFile, ConstantPool, Fragment, Insn, Label, Op, Splice, SpliceError};
use jurat_classpath::ClassPath;
use jurat_classpath::jdk::Jdk;
use jurat_testkit::java::{self, Linker};
use jurat_testkit::machine;

use crate::corpus;

/// A fragment that needs a frame, does nothing, and throws if it is misread.
fn detour(pool: &mut ConstantPool) -> Fragment {
    let fragment = Fragment::build(pool, |code| {
        let end = code.label();
        code.push_int(0)?;
        code.branch(BranchOp::Ifeq, end);
        code.push(Op::AconstNull);
        code.push(Op::Athrow);
        code.place(end);
        Ok(())
    });
    fragment.unwrap_or_else(|error| panic!("{error}"))
}

/// Puts code before and after instructions, on jumps, on handlers and around the whole method.
fn everywhere(class: &mut ClassFile, method: usize, every: usize) -> Result<(), SpliceError> {
    let Some(code) = class.methods[method].code() else { return Ok(()) };
    let code = code.clone();
    let fragment = detour(&mut class.pool);
    let mut splice = Splice::default();
    splice.entry(fragment.clone());
    for (index, insn) in code.insns.iter().enumerate().skip(method % every).step_by(every) {
        splice.before(Label::at(index), fragment.clone());
        if !insn.ends_block() {
            splice.after(Label::at(index), fragment.clone());
        }
        insn.for_each_target(|target| splice.on_jump(Label::at(index), target, fragment.clone()));
    }
    for handler in 0..code.handlers.len() {
        splice.on_handler(handler, fragment.clone());
    }
    // Before its superclass is initialized nothing in a constructor can be guarded.
    if class.pool.utf8(class.methods[method].name) != "<init>" {
        splice.guard(Label(0), Label::at(code.insns.len()), None, vec![Insn::Op(Op::Athrow)]);
    }
    class.splice(method, &splice)
}

/// Writes the classes of a path, edited, into `folder`; returns their names and how many methods stayed as they were.
fn edit_all(path: &ClassPath, every: usize, folder: &Path) -> (Vec<String>, usize) {
    let (mut names, mut left) = (Vec::new(), 0);
    for (name, bytes) in corpus::classes(path) {
        // HotSpot knows the constructor of Object by heart, and takes any other for an error of its own.
        if name == "module-info" || name == "java/lang/Object" {
            continue;
        }
        let mut class = ClassFile::read(&bytes).unwrap_or_else(|error| panic!("{error}"));
        for method in 0..class.methods.len() {
            match everywhere(&mut class, method, every) {
                Ok(()) => {}
                Err(SpliceError::TooLong { .. }) => left += 1,
                Err(error) => panic!("{name}, method {method}: {error}"),
            }
        }
        java::save(folder, name, &class.write().unwrap_or_else(|error| panic!("{name}: {error}")));
        names.push(name.replace('/', "."));
    }
    (names, left)
}

fn newest() -> Jdk {
    machine::jdks().pop().expect("there is at least one")
}

#[test]
fn a_jvm_boots_and_links_java_base_with_code_everywhere() {
    for jdk in machine::jdks() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (names, left) = edit_all(&corpus::java_base(&jdk), 5, folder.path());
        assert!(left < 30, "{left} methods were too long");
        assert_eq!(Linker::new(&jdk).link(&names, folder.path(), &[]), Vec::<String>::new());
    }
}

#[test]
fn libraries_link_with_code_in_every_single_place() {
    let (jdk, nothing) = (newest(), tempfile::tempdir().expect("a temporary folder can be made"));
    let linker = Linker::new(&jdk);
    let needed = machine::jar("failureaccess-1.0.3");
    for name in ["commons-collections4-4.4", "commons-lang3-3.12.0", "guava-33.4.8-jre"] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (names, left) = edit_all(&corpus::jar(name), 1, folder.path());
        assert!(left < 3, "{left} methods were too long");
        let before = linker.link(&names, nothing.path(), &[&machine::jar(name), &needed]);
        let after = linker.link(&names, nothing.path(), &[folder.path(), &needed]);
        assert_eq!(after, before, "{name}");
    }
}

#[test]
fn the_verifier_would_notice() {
    let (jdk, nothing) = (newest(), tempfile::tempdir().expect("a temporary folder can be made"));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let bytes = corpus::jar("commons-lang3-3.12.0").read("org/apache/commons/lang3/CharUtils");
    let bytes = bytes.unwrap_or_else(|error| panic!("{error}")).expect("a class of the jar");
    let mut class = ClassFile::read(&bytes).unwrap_or_else(|error| panic!("{error}"));
    let method =
        class.methods.iter().position(|method| method.code().is_some_and(|code| !code.frames().is_empty()));
    let mut splice = Splice::default();
    splice.entry(vec![Insn::Op(Op::Pop)]);
    class.splice(method.expect("one with frames"), &splice).expect("splicing checks no types");
    java::save(folder.path(), &class.name(), &class.write().expect("fits"));
    let names = ["org.apache.commons.lang3.CharUtils".to_owned()];
    let missed = Linker::new(&jdk).link(&names, nothing.path(), &[folder.path()]);
    assert!(missed.len() == 1 && missed[0].contains("java.lang.VerifyError"), "{missed:?}");
}
