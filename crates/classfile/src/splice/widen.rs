//! Finds jumps that have become too long for their form.

use super::{Fragment, Splice, SpliceError};
use crate::code::Code;
use crate::insn::{Insn, Label};

/// Turns `goto` and `jsr` that reach too far into their wide forms, and returns what has to be spliced in so that
/// conditional branches reach: each is turned around to skip a `goto_w`.
pub(super) fn widen(code: &mut Code) -> Result<Splice, SpliceError> {
    let mut splice = Splice::default();
    loop {
        let (offsets, size) = offsets(&code.insns);
        if size > 0xFFFF {
            return Err(SpliceError::TooLong { size });
        }
        // No jump in code this short is too long.
        if size <= 0x7FFF {
            return Ok(splice);
        }
        if !widen_unconditional(&mut code.insns, &offsets) {
            for (index, insn) in code.insns.iter().enumerate() {
                if let Some(fragment) = long_form(insn, index, &offsets) {
                    splice.replace(Label::at(index), fragment);
                }
            }
            return Ok(splice);
        }
    }
}

fn offsets(insns: &[Insn]) -> (Vec<usize>, usize) {
    let mut size = 0;
    let offsets = insns
        .iter()
        .map(|insn| {
            let offset = size;
            size += insn.size(offset);
            offset
        })
        .collect();
    (offsets, size)
}

fn is_far(index: usize, target: Label, offsets: &[usize]) -> bool {
    let to = offsets.get(target.index()).copied().unwrap_or(0);
    let from = offsets[index];
    if to >= from { to - from > 0x7FFF } else { from - to > 0x8000 }
}

/// True if something changed, and with it perhaps what is too far.
fn widen_unconditional(insns: &mut [Insn], offsets: &[usize]) -> bool {
    let mut changed = false;
    for (index, insn) in insns.iter_mut().enumerate() {
        if let Insn::Branch { op, target, wide: wide @ false } = insn
            && !op.is_conditional()
            && is_far(index, *target, offsets)
        {
            *wide = true;
            changed = true;
        }
    }
    changed
}

/// What a conditional branch that is too short has to become.
fn long_form(insn: &Insn, index: usize, offsets: &[usize]) -> Option<Fragment> {
    let Insn::Branch { op, target, .. } = insn else { return None };
    let inverse = op.inverse().filter(|_| is_far(index, *target, offsets))?;
    let mut jump = Insn::goto(target.outside());
    if let Insn::Branch { wide, .. } = &mut jump {
        *wide = true;
    }
    Some(Fragment::new(vec![Insn::branch(inverse, Label(2)), jump]))
}
