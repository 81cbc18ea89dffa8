//! Source lines: which instruction belongs to which, and where a line begins.

use jurat_classfile::{Code, Label};

/// The line of every instruction.
pub(crate) struct Lines {
    /// Where a line begins, in order of position.
    starts: Vec<(Label, u16)>,
}

impl Lines {
    pub(crate) fn of(code: &Code) -> Self {
        let mut starts: Vec<_> = code.line_numbers().map(|line| (line.start, line.line)).collect();
        // Of several entries for one instruction the last one counts.
        starts.sort_by_key(|start| start.0);
        starts.reverse();
        starts.dedup_by_key(|start| start.0);
        starts.reverse();
        starts.retain(|start| start.0.index() < code.insns.len());
        Self { starts }
    }

    /// The line of an instruction.
    pub(crate) fn at(&self, at: Label) -> Option<u16> {
        let after = self.starts.partition_point(|start| start.0 <= at);
        after.checked_sub(1).map(|index| self.starts[index].1)
    }

    /// Instructions where control may enter a line: its first, and those that something jumps to.
    pub(crate) fn ways_in(&self, code: &Code) -> Vec<Label> {
        let mut ways: Vec<Label> = self.starts.iter().map(|start| start.0).collect();
        ways.extend(jump_targets(code).into_iter().filter(|target| self.at(*target).is_some()));
        ways.sort_unstable();
        ways.dedup();
        ways
    }
}

/// Instructions that jumps, switches and handlers lead to, in order.
pub(crate) fn jump_targets(code: &Code) -> Vec<Label> {
    let mut targets: Vec<Label> = code.handlers.iter().map(|handler| handler.target).collect();
    for insn in &code.insns {
        insn.for_each_target(|target| targets.push(target));
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}
