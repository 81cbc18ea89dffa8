//! Reads any bytes as a class file. What is read must be written as it was, be editable, and be readable again.
#![no_main]

use jurat_classfile::{BranchOp, ClassFile, Fragment, Insn, Label, Op, Splice};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut class = match ClassFile::read(bytes) {
        Ok(class) => class,
        Err(error) => {
            assert!(error.fault.offset <= bytes.len());
            let _ = error.to_string();
            return;
        }
    };
    assert_eq!(class.write().expect("what was read can be written"), bytes);
    for method in 0..class.methods.len() {
        // What no verifier would pass may be refused.
        let _ = class.splice(method, &everywhere(&class, method));
    }
    let written = class.write().expect("what was spliced can be written");
    let again = ClassFile::read(&written).expect("what was written can be read");
    assert_eq!(again.write().expect("and written again"), written);
});

/// Code before each instruction, on each jump and on each handler.
fn everywhere(class: &ClassFile, method: usize) -> Splice {
    let mut splice = Splice::default();
    let Some(code) = class.methods[method].code() else { return splice };
    let jump = Insn::branch(BranchOp::Ifeq, Label(4));
    let fragment = Fragment::new(vec![Op::Iconst0.into(), jump, Op::AconstNull.into(), Op::Athrow.into()]);
    for (index, insn) in code.insns.iter().enumerate() {
        splice.before(Label::at(index), fragment.clone());
        insn.for_each_target(|target| splice.on_jump(Label::at(index), target, fragment.clone()));
    }
    for handler in 0..code.handlers.len() {
        splice.on_handler(handler, fragment.clone());
    }
    splice.guard(Label(0), Label::at(code.insns.len()), None, vec![Op::Athrow.into()]);
    splice
}
