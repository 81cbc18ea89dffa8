//! Finds what can be changed in a method.

use jurat_classfile::descriptor::{FieldType, MethodType, Primitive};
use jurat_classfile::{BranchOp, Code, Constant as PoolConstant, ConstantPool, FieldOp, Insn, Label, Op};

use super::change::{self, Change, Constant, Operators, Returned};
use super::generated::{Generated, called, is_static_call};
use super::variants::empty_of;
use crate::line::{Lines, jump_targets};
use crate::map::MethodName;

/// A switch with more cases than this keeps the rest of them.
const MOST_CASES: usize = 128;

/// An instruction and its mutants.
pub(crate) struct Point {
    pub(crate) at: Label,
    pub(crate) line: Option<u16>,
    pub(crate) changes: Vec<Change>,
    /// Whether mutants of the same line that change the same thing are this one.
    pub(crate) copied: bool,
}

/// All instructions of a method that have mutants, in order.
pub(crate) fn find(pool: &ConstantPool, code: &Code, name: &MethodName, operators: Operators) -> Vec<Point> {
    let lines = Lines::of(code);
    let search = Search {
        pool,
        code,
        generated: Generated::find(pool, code, &lines),
        targets: jump_targets(code),
        result: name.descriptor.parse::<MethodType>().ok().and_then(|method| method.result),
        lines,
    };
    let mut points = Vec::new();
    for at in 0..code.insns.len() {
        if search.generated.contains(at) {
            continue;
        }
        let mut changes = Vec::new();
        search.changes(at, &mut changes);
        changes.retain(|change| operators.contains(change.operator()));
        if !changes.is_empty() {
            let line = search.lines.at(Label::at(at));
            let copied = line.is_some_and(|line| search.generated.is_copied(line));
            points.push(Point { at: Label::at(at), line, changes, copied });
        }
    }
    points
}

struct Search<'a> {
    pool: &'a ConstantPool,
    code: &'a Code,
    generated: Generated,
    targets: Vec<Label>,
    lines: Lines,
    /// What the method returns.
    result: Option<FieldType>,
}

impl Search<'_> {
    fn changes(&self, at: usize, into: &mut Vec<Change>) {
        let insn = &self.code.insns[at];
        match insn {
            Insn::Branch { op, .. } => branch(*op, into),
            Insn::Iinc { by, .. } if by.checked_neg().is_some() => into.push(Change::Increment { by: *by }),
            Insn::Op(op) if insn.is_return() => self.returns(at, *op, into),
            Insn::Op(op @ (Op::Ineg | Op::Lneg | Op::Fneg | Op::Dneg)) => into.push(Change::SignKept(*op)),
            Insn::Op(op) if change::replacement(*op).is_some() => {
                into.extend(change::replacement(*op).map(|to| Change::Replaced { from: *op, to }));
            }
            Insn::Op(_) | Insn::Bipush(_) | Insn::Sipush(_) | Insn::Ldc { .. } => self.constant(at, into),
            Insn::Invoke { .. } | Insn::InvokeInterface { .. } => self.call(at, into),
            Insn::TableSwitch(switch) => {
                let keys = (switch.low..).zip(switch.targets.iter().copied());
                self.cases(at, keys, switch.default, into);
            }
            Insn::LookupSwitch(switch) => self.cases(at, switch.pairs.iter().copied(), switch.default, into),
            _ => {}
        }
    }

    /// The instruction that is always run right before this one, if there is one.
    fn before(&self, at: usize) -> Option<&Insn> {
        let jumped_to = self.targets.binary_search(&Label::at(at)).is_ok();
        at.checked_sub(1).filter(|_| !jumped_to).map(|before| &self.code.insns[before])
    }

    fn returns(&self, at: usize, op: Op, into: &mut Vec<Change>) {
        let Some(result) = self.result.as_ref().filter(|_| op != Op::Return) else { return };
        // Also where other ways lead here: of a condition that is returned, the negated one tells as much.
        let before = at.checked_sub(1).map(|before| &self.code.insns[before]);
        let values = stand_ins(result).into_iter().filter(|value| !self.already(before, at, *value));
        into.extend(values.map(Change::Returns));
    }

    /// Whether what is returned is this value already.
    fn already(&self, before: Option<&Insn>, at: usize, value: Returned) -> bool {
        let Some(before) = before else { return false };
        match value {
            Returned::Null => matches!(before, Insn::Op(Op::AconstNull)),
            Returned::True => {
                *before == Insn::Op(Op::Iconst1) || self.boxed(at, Op::Iconst1) || self.reads(before, "TRUE")
            }
            Returned::False => {
                *before == Insn::Op(Op::Iconst0) || self.boxed(at, Op::Iconst0) || self.reads(before, "FALSE")
            }
            Returned::Zero => {
                let zero = matches!(before, Insn::Op(Op::Iconst0 | Op::Lconst0 | Op::Fconst0 | Op::Dconst0));
                zero || self.boxed(at, Op::Iconst0)
            }
            Returned::EmptyString => match before {
                Insn::Ldc { constant, .. } => {
                    self.pool.check(constant.raw()).is_some_and(|text| self.pool.string(text).is_empty())
                }
                _ => false,
            },
            Returned::EmptyOptional => called(self.pool, before).is_some_and(|call| call.name == "empty"),
            Returned::EmptyCollection => {
                called(self.pool, before).is_some_and(|call| call.name.starts_with("empty"))
            }
            Returned::Receiver => false,
        }
    }

    /// Whether what is returned at `at` is this constant in a box.
    fn boxed(&self, at: usize, constant: Op) -> bool {
        at >= 2
            && called(self.pool, &self.code.insns[at - 1]).is_some_and(|call| call.name == "valueOf")
            && self.code.insns[at - 2] == Insn::Op(constant)
    }

    /// Whether an instruction reads this constant of `Boolean`.
    fn reads(&self, insn: &Insn, name: &str) -> bool {
        let Insn::Field { op: FieldOp::GetStatic, field } = insn else { return false };
        let field = self.pool.field(*field);
        field.class == "java/lang/Boolean" && field.name == name
    }

    fn constant(&self, at: usize, into: &mut Vec<Change>) {
        let Some(from) = number(self.pool, &self.code.insns[at]) else { return };
        let next = |ahead: usize| self.code.insns.get(at + ahead);
        // Another value would be returned: that is a mutant of the return.
        let returned = next(1).is_some_and(Insn::is_return);
        let in_array = matches!(self.before(at), Some(Insn::Op(Op::Dup)));
        let makes_array = matches!(
            next(1),
            Some(Insn::NewArray(_) | Insn::Class { op: jurat_classfile::ClassOp::NewArray, .. })
        );
        // The lengths of arrays that are filled at once, and of empty ones for variable arguments, are the compiler's.
        let filled = makes_array && (matches!(next(2), Some(Insn::Op(Op::Dup))) || from == Constant::Int(0));
        if !returned && !in_array && !filled {
            into.push(Change::Constant { from, to: from.other() });
        }
    }

    fn call(&self, at: usize, into: &mut Vec<Change>) {
        let insn = &self.code.insns[at];
        let Some(call) = called(self.pool, insn) else { return };
        if call.name == "<init>" || call.name == "addSuppressed" || is_boxing(&call.class, &call.name) {
            return;
        }
        let Ok(method) = call.descriptor.parse::<MethodType>() else { return };
        let result = method.result.as_ref().map(|result| match result {
            FieldType::Object(class) if *class == call.class && !is_static_call(insn) => Returned::Receiver,
            FieldType::Primitive(Primitive::Boolean) => Returned::False,
            FieldType::Primitive(_) => Returned::Zero,
            _ => Returned::Null,
        });
        let class = call.class.rsplit(['/', '$']).next().unwrap_or_default().to_owned();
        into.push(Change::CallGone { class, name: call.name.into_owned(), result });
    }

    fn cases(
        &self,
        at: usize,
        keys: impl Iterator<Item = (i32, Label)>,
        default: Label,
        into: &mut Vec<Change>,
    ) {
        for (key, target) in keys.filter(|(_, target)| *target != default).take(MOST_CASES) {
            let line = self.lines.at(target);
            let key = self.generated.key(self.pool, self.code, at, key);
            into.push(Change::CaseGone { key, line });
        }
    }
}

/// The keys of a switch whose cases have mutants, in the order of [`Search::cases`].
pub(crate) fn case_keys(insn: &Insn) -> (Vec<i32>, Label) {
    let (keys, default): (Vec<(i32, Label)>, Label) = match insn {
        Insn::TableSwitch(switch) => {
            ((switch.low..).zip(switch.targets.iter().copied()).collect(), switch.default)
        }
        Insn::LookupSwitch(switch) => (switch.pairs.clone(), switch.default),
        _ => (Vec::new(), Label(0)),
    };
    let keys = keys.into_iter().filter(|(_, target)| *target != default).take(MOST_CASES);
    (keys.map(|(key, _)| key).collect(), default)
}

fn branch(op: BranchOp, into: &mut Vec<Change>) {
    if op.is_conditional() {
        into.push(Change::Negated(op));
        into.extend(change::boundary(op).map(|_| Change::Boundary(op)));
    }
}

/// What stands for a result of this type.
fn stand_ins(result: &FieldType) -> Vec<Returned> {
    let class = match result {
        FieldType::Primitive(Primitive::Boolean) => return vec![Returned::True, Returned::False],
        FieldType::Primitive(_) => return vec![Returned::Zero],
        FieldType::Array(_) => return vec![Returned::Null],
        FieldType::Object(class) => class,
    };
    match &**class {
        "java/lang/Boolean" => vec![Returned::True, Returned::False],
        "java/lang/String" | "java/lang/CharSequence" => vec![Returned::EmptyString],
        class => vec![empty_of(class).map_or(Returned::Null, |empty| empty.0)],
    }
}

/// Whether a call only puts a primitive into a box or takes it out.
fn is_boxing(class: &str, name: &str) -> bool {
    let boxes = ["Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"];
    class.strip_prefix("java/lang/").is_some_and(|class| boxes.contains(&class))
        && (name == "valueOf" || name.ends_with("Value") && !name.starts_with("hash"))
}

/// The number that an instruction pushes.
pub(crate) fn number(pool: &ConstantPool, insn: &Insn) -> Option<Constant> {
    let float = |value: f32| Constant::Float(value.to_bits());
    let double = |value: f64| Constant::Double(value.to_bits());
    Some(match insn {
        Insn::Bipush(value) => Constant::Int((*value).into()),
        Insn::Sipush(value) => Constant::Int((*value).into()),
        Insn::Op(op) => match op {
            Op::IconstM1 => Constant::Int(-1),
            Op::Iconst0 => Constant::Int(0),
            Op::Iconst1 => Constant::Int(1),
            Op::Iconst2 => Constant::Int(2),
            Op::Iconst3 => Constant::Int(3),
            Op::Iconst4 => Constant::Int(4),
            Op::Iconst5 => Constant::Int(5),
            Op::Lconst0 => Constant::Long(0),
            Op::Lconst1 => Constant::Long(1),
            Op::Fconst0 => float(0.0),
            Op::Fconst1 => float(1.0),
            Op::Fconst2 => float(2.0),
            Op::Dconst0 => double(0.0),
            Op::Dconst1 => double(1.0),
            _ => return None,
        },
        Insn::Ldc { constant, .. } => match pool.get(constant.raw())? {
            PoolConstant::Integer(value) => Constant::Int(value),
            PoolConstant::Long(value) => Constant::Long(value),
            PoolConstant::Float(bits) => Constant::Float(bits),
            PoolConstant::Double(bits) => Constant::Double(bits),
            _ => return None,
        },
        _ => return None,
    })
}

impl Constant {
    /// The number that stands in: one more, but zero for one, so that what is true becomes false.
    fn other(self) -> Self {
        match self {
            Self::Int(1) => Self::Int(0),
            Self::Int(value) => Self::Int(value.wrapping_add(1)),
            Self::Long(1) => Self::Long(0),
            Self::Long(value) => Self::Long(value.wrapping_add(1)),
            // Adding one to a large number, or to NaN, gives the same again.
            Self::Float(bits) => {
                let more = (f32::from_bits(bits) + 1.0).to_bits();
                Self::Float(if more == bits { 0 } else { more })
            }
            Self::Double(bits) => {
                let more = (f64::from_bits(bits) + 1.0).to_bits();
                Self::Double(if more == bits { 0 } else { more })
            }
        }
    }
}
