//! What instructions take from the operand stack and put onto it.

use crate::code::Handler;
use crate::descriptor;
use crate::insn::{BranchOp, ClassOp, FieldOp, Insn, InvokeOp, LdcForm, LocalOp, Op};
use crate::pool::{ConstantPool, MethodIndex};

/// Values taken and put, as letters: `I` int, `J` long, `F` float, `D` double, `A` reference, `N` null.
/// Instructions whose effect depends on the types they find are left to the caller.
pub(crate) fn of_op(op: Op) -> Option<(&'static str, &'static str)> {
    Some(match op {
        Op::Nop | Op::Return => ("", ""),
        Op::AconstNull => ("", "N"),
        Op::IconstM1 | Op::Iconst0 | Op::Iconst1 | Op::Iconst2 | Op::Iconst3 | Op::Iconst4 | Op::Iconst5 => {
            ("", "I")
        }
        Op::Lconst0 | Op::Lconst1 => ("", "J"),
        Op::Fconst0 | Op::Fconst1 | Op::Fconst2 => ("", "F"),
        Op::Dconst0 | Op::Dconst1 => ("", "D"),
        Op::Iaload | Op::Baload | Op::Caload | Op::Saload => ("AI", "I"),
        Op::Laload => ("AI", "J"),
        Op::Faload => ("AI", "F"),
        Op::Daload => ("AI", "D"),
        Op::Iastore | Op::Bastore | Op::Castore | Op::Sastore => ("AII", ""),
        Op::Lastore => ("AIJ", ""),
        Op::Fastore => ("AIF", ""),
        Op::Dastore => ("AID", ""),
        Op::Aastore => ("AIA", ""),
        Op::Iadd
        | Op::Isub
        | Op::Imul
        | Op::Idiv
        | Op::Irem
        | Op::Ishl
        | Op::Ishr
        | Op::Iushr
        | Op::Iand
        | Op::Ior
        | Op::Ixor => ("II", "I"),
        Op::Ladd | Op::Lsub | Op::Lmul | Op::Ldiv | Op::Lrem | Op::Land | Op::Lor | Op::Lxor => ("JJ", "J"),
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Frem => ("FF", "F"),
        Op::Dadd | Op::Dsub | Op::Dmul | Op::Ddiv | Op::Drem => ("DD", "D"),
        Op::Lshl | Op::Lshr | Op::Lushr => ("JI", "J"),
        Op::Ineg | Op::I2b | Op::I2c | Op::I2s => ("I", "I"),
        Op::Lneg => ("J", "J"),
        Op::Fneg => ("F", "F"),
        Op::Dneg => ("D", "D"),
        Op::I2l => ("I", "J"),
        Op::I2f => ("I", "F"),
        Op::I2d => ("I", "D"),
        Op::L2i => ("J", "I"),
        Op::L2f => ("J", "F"),
        Op::L2d => ("J", "D"),
        Op::F2i => ("F", "I"),
        Op::F2l => ("F", "J"),
        Op::F2d => ("F", "D"),
        Op::D2i => ("D", "I"),
        Op::D2l => ("D", "J"),
        Op::D2f => ("D", "F"),
        Op::Lcmp => ("JJ", "I"),
        Op::Fcmpl | Op::Fcmpg => ("FF", "I"),
        Op::Dcmpl | Op::Dcmpg => ("DD", "I"),
        Op::Ireturn => ("I", ""),
        Op::Lreturn => ("J", ""),
        Op::Freturn => ("F", ""),
        Op::Dreturn => ("D", ""),
        Op::Areturn | Op::Athrow | Op::MonitorEnter | Op::MonitorExit => ("A", ""),
        Op::ArrayLength => ("A", "I"),
        Op::Aaload
        | Op::Pop
        | Op::Pop2
        | Op::Dup
        | Op::DupX1
        | Op::DupX2
        | Op::Dup2
        | Op::Dup2X1
        | Op::Dup2X2
        | Op::Swap => return None,
    })
}

/// How many values a branch takes.
pub(crate) fn of_branch(op: BranchOp) -> u16 {
    match op {
        BranchOp::Goto | BranchOp::Jsr => 0,
        BranchOp::Ifeq
        | BranchOp::Ifne
        | BranchOp::Iflt
        | BranchOp::Ifge
        | BranchOp::Ifgt
        | BranchOp::Ifle
        | BranchOp::Ifnull
        | BranchOp::Ifnonnull => 1,
        _ => 2,
    }
}

/// Words taken and words put; `None` if a descriptor is not well formed.
pub(crate) fn words(insn: &Insn, pool: &ConstantPool) -> Option<(u16, u16)> {
    Some(match insn {
        Insn::Op(op) => op_words(*op),
        Insn::Bipush(_)
        | Insn::Sipush(_)
        | Insn::Branch { op: BranchOp::Jsr, .. }
        | Insn::Class { op: ClassOp::New, .. } => (0, 1),
        Insn::Ldc { form, .. } => (0, if *form == LdcForm::TwoWords { 2 } else { 1 }),
        Insn::Local { op: LocalOp::Ret, .. } | Insn::Iinc { .. } => (0, 0),
        Insn::Local { op, .. } if op.is_load() => (0, op.words()),
        Insn::Local { op, .. } => (op.words(), 0),
        Insn::Branch { op, .. } => (of_branch(*op), 0),
        Insn::TableSwitch(_) | Insn::LookupSwitch(_) => (1, 0),
        Insn::Field { op, field } => {
            let words = descriptor::field_words(&pool.field(*field).descriptor)?;
            match op {
                FieldOp::GetStatic => (0, words),
                FieldOp::PutStatic => (words, 0),
                FieldOp::GetField => (1, words),
                FieldOp::PutField => (words + 1, 0),
            }
        }
        Insn::Invoke { op, method } => call_words(pool, *method, *op != InvokeOp::Static)?,
        Insn::InvokeInterface { method, .. } => call_words(pool, *method, true)?,
        Insn::InvokeDynamic(site) => descriptor::words(&pool.invoke_dynamic(*site).descriptor)?,
        Insn::Class { .. } | Insn::NewArray(_) => (1, 1),
        Insn::MultiNewArray { dimensions, .. } => ((*dimensions).into(), 1),
    })
}

fn call_words(pool: &ConstantPool, method: MethodIndex, receiver: bool) -> Option<(u16, u16)> {
    let (parameters, result) = descriptor::words(&pool.method(method).descriptor)?;
    Some((parameters.checked_add(receiver.into())?, result))
}

fn op_words(op: Op) -> (u16, u16) {
    let count =
        |letters: &str| letters.bytes().map(|letter| if matches!(letter, b'J' | b'D') { 2 } else { 1 }).sum();
    match op {
        Op::Pop => (1, 0),
        Op::Pop2 => (2, 0),
        Op::Dup => (1, 2),
        Op::DupX1 => (2, 3),
        Op::DupX2 => (3, 4),
        Op::Dup2 => (2, 4),
        Op::Dup2X1 => (3, 5),
        Op::Dup2X2 => (4, 6),
        Op::Swap => (2, 2),
        Op::Aaload => (2, 1),
        _ => of_op(op).map_or((0, 0), |(taken, put)| (count(taken), count(put))),
    }
}

/// The most words that `insns`, entered at their first instruction, have on the stack at once, counted from the
/// depth they find; and the most local words they touch. Labels past the end leave the code.
pub(crate) fn peak(insns: &[Insn], handlers: &[Handler], pool: &ConstantPool) -> Option<(u16, u16)> {
    let mut depths: Vec<Option<i32>> = vec![None; insns.len()];
    let mut open = Vec::new();
    let reach = |depths: &mut Vec<Option<i32>>, open: &mut Vec<usize>, at: usize, depth: i32| {
        if let Some(slot @ None) = depths.get_mut(at) {
            *slot = Some(depth);
            open.push(at);
        }
    };
    reach(&mut depths, &mut open, 0, 0);
    for handler in handlers {
        reach(&mut depths, &mut open, handler.target.index(), 1);
    }
    let mut peak = i32::from(!handlers.is_empty());
    while let Some(at) = open.pop() {
        let insn = &insns[at];
        let (taken, put) = words(insn, pool)?;
        let depth = depths[at].unwrap_or(0) - i32::from(taken) + i32::from(put);
        peak = peak.max(depth);
        // A subroutine finds its return address on the stack, and the code after the call does not.
        insn.for_each_target(|target| reach(&mut depths, &mut open, target.index(), depth));
        if !insn.ends_block() {
            let next = depth - i32::from(matches!(insn, Insn::Branch { op: BranchOp::Jsr, .. }));
            reach(&mut depths, &mut open, at + 1, next);
        }
    }
    Some((u16::try_from(peak).ok()?, local_words(insns)?))
}

/// One more than the largest local word that `insns` touch.
fn local_words(insns: &[Insn]) -> Option<u16> {
    insns.iter().try_fold(0_u16, |most, insn| match insn {
        Insn::Local { op, slot, .. } => Some(most.max(slot.checked_add(op.words())?)),
        Insn::Iinc { slot, .. } => Some(most.max(slot.checked_add(1)?)),
        _ => Some(most),
    })
}
