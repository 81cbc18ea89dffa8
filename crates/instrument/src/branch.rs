//! Branch probes: one id for each way a conditional jump or switch can go.
//!
//! A probe duplicates the operands and hands them to the runtime before the jump, which works out the way the jump
//! will go. Only where that is not possible the probe stands on the way itself: on the jumps of a switch, and
//! where an operand may be an object whose constructor has not run, which may be compared but not passed on.

use jurat_classfile::{BranchOp, Insn, Label, LocalOp, Op};

use crate::map::{Edge, ProbeKind};
use crate::method::{Draft, Unfit, op};
use crate::plan::Branches;

/// Switches with more ranges of keys than this report no distances.
const MOST_RANGES: usize = 128;

/// What a branch compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// One `int` with zero.
    Int,
    Ints,
    /// One reference with null.
    Reference,
    References,
}

impl Operands {
    fn of(op: BranchOp) -> Option<Self> {
        Some(match op {
            BranchOp::Ifeq
            | BranchOp::Ifne
            | BranchOp::Iflt
            | BranchOp::Ifge
            | BranchOp::Ifgt
            | BranchOp::Ifle => Self::Int,
            BranchOp::IfIcmpeq
            | BranchOp::IfIcmpne
            | BranchOp::IfIcmplt
            | BranchOp::IfIcmpge
            | BranchOp::IfIcmpgt
            | BranchOp::IfIcmple => Self::Ints,
            BranchOp::Ifnull | BranchOp::Ifnonnull => Self::Reference,
            BranchOp::IfAcmpeq | BranchOp::IfAcmpne => Self::References,
            BranchOp::Goto | BranchOp::Jsr => return None,
        })
    }

    fn duplicated(self) -> Insn {
        match self {
            Self::Int | Self::Reference => op(Op::Dup),
            Self::Ints | Self::References => op(Op::Dup2),
        }
    }

    /// The descriptor of the probe method that takes these operands and an id.
    fn descriptor(self) -> &'static str {
        match self {
            Self::Int => "(II)V",
            Self::Ints => "(III)V",
            Self::Reference => "(Ljava/lang/Object;I)V",
            Self::References => "(Ljava/lang/Object;Ljava/lang/Object;I)V",
        }
    }

    fn are_references(self) -> bool {
        matches!(self, Self::Reference | Self::References)
    }
}

/// The condition of a branch as a number that the runtime knows, see [`crate::runtime`].
fn condition(op: BranchOp) -> i32 {
    match op {
        BranchOp::Ifne | BranchOp::IfIcmpne => 1,
        BranchOp::Iflt | BranchOp::IfIcmplt => 2,
        BranchOp::Ifge | BranchOp::IfIcmpge => 3,
        BranchOp::Ifgt | BranchOp::IfIcmpgt => 4,
        BranchOp::Ifle | BranchOp::IfIcmple => 5,
        _ => 0,
    }
}

impl Draft<'_> {
    /// Adds the probes of the instruction at `at`, if it is a branch.
    pub(crate) fn branch(&mut self, at: Label, insn: &Insn, branches: Branches) -> Result<(), Unfit> {
        let far = branches == Branches::Distances;
        match insn {
            Insn::Branch { op, target, .. } => match Operands::of(*op) {
                Some(operands) => self.conditional(at, *op, *target, operands, far),
                None => Ok(()),
            },
            Insn::TableSwitch(switch) => {
                let keys = (switch.low..).zip(switch.targets.iter().copied());
                let keys: Vec<_> = keys.filter(|(_, target)| *target != switch.default).collect();
                self.switch(at, &keys, switch.default, far)
            }
            Insn::LookupSwitch(switch) => self.switch(at, &switch.pairs, switch.default, far),
            _ => Ok(()),
        }
    }

    fn conditional(
        &mut self,
        at: Label,
        op: BranchOp,
        target: Label,
        operands: Operands,
        far: bool,
    ) -> Result<(), Unfit> {
        let edge = |ordinal, edge| ProbeKind::Edge { insn: at.0, ordinal, of: 2, edge };
        let taken = self.probe(at, edge(0, Edge::Taken(op)));
        let not_taken = self.probe(at, edge(1, Edge::NotTaken(op)));
        if operands.are_references() && (far || self.raw_objects) {
            let jumped = self.edge(taken, far.then_some(not_taken))?;
            self.splice.on_jump(at, target, jumped);
            let fallen = self.edge(not_taken, far.then_some(taken))?;
            self.splice.after(at, fallen);
            return Ok(());
        }
        if far && self.answered(at, op, taken)? {
            return Ok(());
        }
        if far && !self.compared(at, op, taken)? {
            return self.measured(at, op, operands, taken);
        }
        let mut probe = vec![operands.duplicated()];
        probe.extend(self.report_id(taken, op.mnemonic(), operands.descriptor())?);
        self.splice.before(at, probe);
        Ok(())
    }

    /// Reports an edge, and that another one was missed by the smallest distance there is.
    fn edge(&mut self, id: i32, missed: Option<i32>) -> Result<Vec<Insn>, Unfit> {
        match missed {
            None => self.hit(id),
            Some(missed) => Ok(vec![self.push(id)?, self.push(missed)?, self.report("edge", "(II)V")?]),
        }
    }

    /// Reports the way that a comparison of `int`s goes, and the distance from the other way.
    fn measured(&mut self, at: Label, branch: BranchOp, operands: Operands, id: i32) -> Result<(), Unfit> {
        let mut probe = vec![operands.duplicated()];
        if operands == Operands::Int {
            probe.push(op(Op::Iconst0));
        }
        probe.extend([self.push(condition(branch))?, self.push(id)?, self.report("branch", "(IIII)V")?]);
        self.splice.before(at, probe);
        Ok(())
    }

    /// If the branch at `at` looks at the result of a comparison of longs, floats or doubles right before it,
    /// reports the distance of those; false if there is no such comparison.
    fn compared(&mut self, at: Label, branch: BranchOp, id: i32) -> Result<bool, Unfit> {
        let before = at.0.checked_sub(1).map(Label).filter(|_| self.targets.binary_search(&at).is_err());
        let Some(before) = before else { return Ok(false) };
        let Insn::Op(comparison) = self.code.insns[before.index()] else { return Ok(false) };
        let Some(compare) = Compare::of(comparison) else { return Ok(false) };
        if Operands::of(branch) != Some(Operands::Int) {
            return Ok(false);
        }
        let probe = self.comparison(compare, condition(branch), id)?;
        self.splice.before(before, probe);
        Ok(true)
    }

    /// The call whose answer, yes or no, the branch at `at` looks at.
    fn answer(&self, at: Label, branch: BranchOp) -> Option<Label> {
        let before = at.0.checked_sub(1).map(Label).filter(|_| self.targets.binary_search(&at).is_err())?;
        let method = match &self.code.insns[before.index()] {
            Insn::Invoke { method, .. } | Insn::InvokeInterface { method, .. } => *method,
            _ => return None,
        };
        let is_answer = self.pool.method(method).descriptor.ends_with(")Z");
        (is_answer && Operands::of(branch) == Some(Operands::Int)).then_some(before)
    }

    /// If the branch at `at` looks at an answer, reports how near the other answer was; false if it does not.
    fn answered(&mut self, at: Label, branch: BranchOp, id: i32) -> Result<bool, Unfit> {
        let Some(call) = self.answer(at, branch) else { return Ok(false) };
        let forget = self.report("forget", "()V")?;
        self.splice.before(call, vec![forget]);
        let probe = vec![
            op(Op::Dup),
            self.push(condition(branch))?,
            self.push(id)?,
            self.report("answered", "(III)V")?,
        ];
        self.splice.before(at, probe);
        Ok(true)
    }

    /// Copies the operands of a comparison, one of which must wait in a local variable meanwhile.
    fn comparison(&mut self, compare: Compare, condition: i32, id: i32) -> Result<Vec<Insn>, Unfit> {
        let local = self.code.max_locals;
        let mut probe = vec![Insn::local(compare.store, local), op(compare.duplicate)];
        probe.extend(compare.widen.map(op));
        probe.push(Insn::local(compare.load, local));
        probe.extend(compare.widen.map(op));
        probe.extend([
            self.push(condition | compare.flags)?,
            self.push(id)?,
            self.report("compare", compare.descriptor)?,
            Insn::local(compare.load, local),
        ]);
        Ok(probe)
    }

    fn switch(&mut self, at: Label, keys: &[(i32, Label)], default: Label, far: bool) -> Result<(), Unfit> {
        let targets = switch_targets(keys, default);
        let of = u32::try_from(targets.len()).expect("code has at most 65535 bytes");
        let mut ids = Vec::with_capacity(targets.len());
        for (ordinal, target) in (0..).zip(&targets) {
            let own = keys.iter().filter(|(_, leads_to)| leads_to == target).map(|(key, _)| *key);
            let edge = Edge::Switch { keys: own.collect(), default: *target == default };
            ids.push(self.probe(at, ProbeKind::Edge { insn: at.0, ordinal, of, edge }));
        }
        let default_id = ids[targets.len() - 1];
        for (target, id) in targets.iter().zip(&ids) {
            let probe = self.edge(*id, (far && *target != default).then_some(default_id))?;
            self.splice.on_jump(at, *target, probe);
        }
        if far {
            let id_of = |target: &Label| ids[targets.iter().position(|t| t == target).unwrap_or_default()];
            let ranges = ranges(keys.iter().filter(|(_, target)| *target != default), id_of);
            self.key_distances(at, &ranges)?;
        }
        Ok(())
    }

    fn key_distances(&mut self, at: Label, ranges: &[(i32, i32, i32)]) -> Result<(), Unfit> {
        if ranges.len() > MOST_RANGES {
            return Ok(());
        }
        let mut probe = Vec::with_capacity(5 * ranges.len());
        for (low, high, id) in ranges {
            probe.extend([
                op(Op::Dup),
                self.push(*low)?,
                self.push(*high)?,
                self.push(*id)?,
                self.report("range", "(IIII)V")?,
            ]);
        }
        if !probe.is_empty() {
            self.splice.before(at, probe);
        }
        Ok(())
    }
}

/// The different targets of a switch: those of its keys in order, the default last.
fn switch_targets(keys: &[(i32, Label)], default: Label) -> Vec<Label> {
    let mut targets = Vec::new();
    let mut seen = jurat_base::FxHashSet::default();
    seen.insert(default);
    targets.extend(keys.iter().map(|(_, target)| *target).filter(|target| seen.insert(*target)));
    targets.push(default);
    targets
}

/// Neighboring keys with the same target, as (lowest, highest, id of the edge).
fn ranges<'k>(
    keys: impl Iterator<Item = &'k (i32, Label)>,
    id_of: impl Fn(&Label) -> i32,
) -> Vec<(i32, i32, i32)> {
    let mut ranges: Vec<(i32, i32, i32)> = Vec::new();
    for (key, target) in keys {
        let id = id_of(target);
        match ranges.last_mut() {
            Some((_, high, last)) if *last == id && high.checked_add(1) == Some(*key) => *high = *key,
            _ => ranges.push((*key, *key, id)),
        }
    }
    ranges
}

/// How to copy the operands of a comparison.
#[derive(Clone, Copy)]
struct Compare {
    store: LocalOp,
    load: LocalOp,
    duplicate: Op,
    widen: Option<Op>,
    descriptor: &'static str,
    /// Added to the condition: what the comparison gives for NaN.
    flags: i32,
}

/// Set if a comparison with NaN gives 1, not -1.
const NAN_IS_GREATER: i32 = 8;

impl Compare {
    fn of(comparison: Op) -> Option<Self> {
        let flags = if matches!(comparison, Op::Fcmpg | Op::Dcmpg) { NAN_IS_GREATER } else { 0 };
        Some(match comparison {
            Op::Lcmp => Self {
                store: LocalOp::Lstore,
                load: LocalOp::Lload,
                duplicate: Op::Dup2,
                widen: None,
                descriptor: "(JJII)V",
                flags,
            },
            Op::Fcmpl | Op::Fcmpg => Self {
                store: LocalOp::Fstore,
                load: LocalOp::Fload,
                duplicate: Op::Dup,
                widen: Some(Op::F2d),
                descriptor: "(DDII)V",
                flags,
            },
            Op::Dcmpl | Op::Dcmpg => Self {
                store: LocalOp::Dstore,
                load: LocalOp::Dload,
                duplicate: Op::Dup2,
                widen: None,
                descriptor: "(DDII)V",
                flags,
            },
            _ => return None,
        })
    }
}
