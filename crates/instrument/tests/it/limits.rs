//! Where there is no room for probes, a method is left alone and the reason told.

use jurat_classfile::{
    Access, BranchOp, ClassFile, Content, Frame, FrameKind, Insn, LocalOp, Op, VerificationType,
};
use jurat_instrument::{Branches, ProbeId, ProbeKind, ProbePlan, count, instrument};
use jurat_testkit::machine;

use crate::java::{self, Linker};

fn plan() -> ProbePlan {
    ProbePlan { entries: true, lines: true, branches: Branches::Edges, fuel: true, ..ProbePlan::default() }
}

/// `static int NAME(int)`, which adds to its argument or jumps over the addition, `times` times over, and then perhaps
/// jumps back to its start as long as it is negative.
fn add_method(class: &mut ClassFile, name: &str, times: usize, back: bool) {
    let body = class.add_method(Access::PUBLIC | Access::STATIC, name, "(I)I", |code| {
        let start = code.here();
        for _ in 0..times {
            let over = code.label();
            code.local(LocalOp::Iload, 0);
            code.branch(BranchOp::Ifeq, over);
            code.push(Insn::iinc(0, 1));
            code.place(over);
        }
        if back {
            code.local(LocalOp::Iload, 0);
            code.branch(BranchOp::Iflt, start);
        }
        code.local(LocalOp::Iload, 0);
        code.push(Op::Ireturn);
        Ok(())
    });
    body.expect("the method is smaller than 64 KiB");
}

#[test]
fn a_method_near_64_kib_is_left_alone_and_its_neighbors_are_not() {
    let mut class = ClassFile::new("Huge", "java/lang/Object").expect("an empty class");
    add_method(&mut class, "small", 3, true);
    add_method(&mut class, "huge", 9000, false);
    add_method(&mut class, "large", 4000, true);
    let done = instrument(&class, &plan(), ProbeId(7));
    let skipped: Vec<String> = done.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert!(skipped[0].starts_with("huge(I)I: ") && skipped[0].contains("65535"), "{skipped:?}");
    let methods: Vec<&str> = done.map.methods.iter().map(|method| method.name.as_str()).collect();
    assert_eq!(methods, ["small", "large"]);
    assert_eq!(done.map.count(), 2 + 2 * 4 + 2 * 4001);
    assert_eq!(done.class.method("huge", "(I)I"), class.method("huge", "(I)I"));
    // The jump back to the start of `large` no longer reaches it in two bytes.
    for jdk in machine::jdks() {
        let (patch, folder) = (java::scratch(), java::scratch());
        java::save_runtime(patch.path());
        java::save(folder.path(), "Huge", &done.class.write().expect("it fits"));
        let missed = Linker::new(&jdk).link(&["Huge".to_owned()], patch.path(), &[folder.path()]);
        assert_eq!(missed, [""; 0]);
    }
}

#[test]
fn a_full_constant_pool_leaves_methods_alone() {
    let mut class = ClassFile::new("Full", "java/lang/Object").expect("an empty class");
    for value in 0..64_000 {
        class.pool.add_integer(value).expect("there is room");
    }
    for name in ["a", "b", "c"] {
        add_method(&mut class, name, 200, false);
    }
    let count_from = |first| {
        let done = instrument(&class, &plan(), ProbeId(first));
        done.class.write().expect("it can be written");
        (done.map.count(), done.skipped)
    };
    let (few, skipped) = count_from(0);
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert!(skipped[0].reason.contains("constant"), "{skipped:?}");
    assert_eq!(count_from(1_000_000), (few, skipped), "what fits must not depend on the ids");
}

#[test]
fn ids_are_the_same_wherever_they_are_given_out() {
    let jdk = &machine::jdks()[0];
    let jar = machine::jar("commons-lang3-3.12.0").display().to_string();
    for (name, class) in java::classes(&java::class_path(&jar, jdk)) {
        let (low, high) =
            (instrument(&class, &plan(), ProbeId(0)).map, instrument(&class, &plan(), ProbeId(90_000)).map);
        assert_eq!(low.probes, high.probes, "{name}");
        assert_eq!(count(&class, &plan()), high.count(), "{name}");
        for id in low.ids() {
            let branch = low.branch(id);
            let is_edge = low.probe(id).is_some_and(|probe| matches!(probe.kind, ProbeKind::Edge { .. }));
            assert_eq!(branch.is_some(), is_edge);
            assert!(
                branch.is_none_or(|branch| branch.contains(&id.0) && branch.len() >= 2 || branch.len() == 1)
            );
        }
    }
}

#[test]
fn the_verifier_finds_a_broken_class_among_those_of_java_base_and_others() {
    for jdk in machine::jdks() {
        let base = java::class_path("jrt:/java.base", &jdk);
        let bytes = base.read("java/util/BitSet").expect("readable").expect("every JDK has it");
        let class = ClassFile::read(&bytes).expect("a class");
        let mut done = instrument(&class, &plan(), ProbeId(0));
        break_a_frame(&mut done.class);
        let (patch, names) = (
            java::scratch(),
            ["java.util.BitSet".to_owned(), "java.util.BitSet$1BitSetSpliterator".to_owned()],
        );
        java::save_runtime(patch.path());
        java::save(patch.path(), "java/util/BitSet", &done.class.write().expect("it can be written"));
        let missed = Linker::new(&jdk).link(&names, patch.path(), &[]);
        assert_eq!(missed.len(), 1, "{missed:?}");
        assert!(missed[0].starts_with("java.util.BitSet\tjava.lang.VerifyError\t"), "{missed:?}");
    }
}

/// Claims a value on the stack where there is none.
fn break_a_frame(class: &mut ClassFile) {
    let codes = class.methods.iter_mut().filter_map(|method| method.code_mut());
    let frames =
        codes.flat_map(|code| &mut code.attributes).filter_map(|attribute| match &mut attribute.content {
            Content::StackMapTable(frames) => Some(frames),
            _ => None,
        });
    let is_plain = |frame: &&mut Frame| matches!(frame.kind, FrameKind::Same { .. });
    let frame = frames.flatten().find(is_plain).expect("some frame has an empty stack");
    frame.kind = FrameKind::OneStack { stack: VerificationType::Float, extended: false };
}
