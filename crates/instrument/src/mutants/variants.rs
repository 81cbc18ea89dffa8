//! Writes the changed instructions behind the switch.

use std::collections::BTreeMap;

use jurat_classfile::descriptor::{FieldType, MethodType, Primitive};
use jurat_classfile::{BranchOp, ClassOp, FieldOp, Insn, InvokeOp, Label, LdcForm, Op};

use super::change::{self, Change, Constant, Returned};
use super::generated::{called, is_static_call};
use super::points::{Point, case_keys};
use super::{Collected, Mutant};
use crate::method::{Draft, Unfit, op};
use crate::runtime::{self, fields};

/// From how many mutants of one instruction on their range is asked for first.
const MANY: usize = 3;

impl Draft<'_> {
    /// Puts the mutants of a method behind the switch, and adds them to those of the class.
    pub(crate) fn mutants(&mut self, points: Vec<Point>, into: &mut Collected) -> Result<(), Unfit> {
        let mut copies: BTreeMap<(Option<u16>, String), u32> = BTreeMap::new();
        for Point { at, line, changes, copied } in points {
            let insn = &self.code.insns[at.index()];
            let mut variants = Vec::new();
            for (number, change) in changes.into_iter().enumerate() {
                let code = self.variant(insn, at, &change, number)?;
                let sentence = format!("{change:?}");
                let known = copies.get(&(line, sentence.clone())).copied().filter(|_| copied);
                let id = known.unwrap_or_else(|| {
                    let id = into.next();
                    let method = self.name.clone();
                    into.mutants.push(Mutant { method, line, insn: at.0, change });
                    copies.insert((line, sentence), id);
                    id
                });
                variants.push((i32::try_from(id).expect("fewer than 2^31 mutants"), code));
            }
            let fragment = self.switched(insn, variants)?;
            self.splice.replace(at, fragment);
        }
        Ok(())
    }

    /// The original instruction, or one of the variants if it is live.
    fn switched(&mut self, insn: &Insn, variants: Vec<(i32, Vec<Insn>)>) -> Result<Vec<Insn>, Unfit> {
        let active = self.pool.add_field(runtime::CLASS, fields::MUTANT.0, fields::MUTANT.1)?;
        let active = Insn::Field { op: FieldOp::GetStatic, field: active };
        let mut out: Vec<Insn> = Vec::new();
        // Jumps to the original and to the end are patched when it is known where those are.
        let (mut to_original, mut to_end) = (Vec::new(), Vec::new());
        if let ([(first, _), .., (last, _)], true) = (&*variants, variants.len() >= MANY) {
            let (least, most) = (*first.min(last), *first.max(last));
            for (bound, outside) in [(least, BranchOp::IfIcmplt), (most, BranchOp::IfIcmpgt)] {
                out.extend([active.clone(), self.push(bound)?]);
                to_original.push(out.len());
                out.push(Insn::branch(outside, Label(0)));
            }
        }
        for (id, code) in variants {
            out.extend([active.clone(), self.push(id)?]);
            let skip = out.len();
            out.push(Insn::branch(BranchOp::IfIcmpne, Label(0)));
            let start = out.len();
            let closed = code.last().is_some_and(Insn::ends_block);
            // Labels of a variant count its own instructions; one past its end is the original instruction.
            let length = Label::at(code.len());
            let mut past_end = Vec::new();
            for (position, mut insn) in code.into_iter().enumerate() {
                insn.map_targets(|target| match target {
                    target if target == length => {
                        past_end.push(start + position);
                        Label(0)
                    }
                    outside => outside,
                });
                out.push(insn);
            }
            to_original.extend(past_end);
            if !closed {
                to_end.push(out.len());
                out.push(Insn::goto(Label(0)));
            }
            let next = Label::at(out.len());
            out[skip].map_targets(|_| next);
        }
        let original = Label::at(out.len());
        let mut insn = insn.clone();
        insn.map_targets(Label::outside);
        out.push(insn);
        let end = Label::at(out.len());
        for (jumps, target) in [(to_original, original), (to_end, end)] {
            for at in jumps {
                out[at].map_targets(|_| target);
            }
        }
        Ok(out)
    }

    /// What runs instead of `insn` while the mutant is live. Its way out is its end; a jump to [`Label::at`] its
    /// length leads to the original instruction.
    fn variant(
        &mut self,
        insn: &Insn,
        at: Label,
        change: &Change,
        number: usize,
    ) -> Result<Vec<Insn>, Unfit> {
        Ok(match (change, insn) {
            (Change::Negated(branch), Insn::Branch { target, .. }) => {
                let inverse = branch.inverse().unwrap_or(*branch);
                vec![Insn::branch(inverse, target.outside())]
            }
            (Change::Boundary(branch), Insn::Branch { target, .. }) => {
                let shifted = change::boundary(*branch).unwrap_or(*branch);
                vec![Insn::branch(shifted, target.outside())]
            }
            (Change::Replaced { to, .. }, _) => vec![op(*to)],
            (Change::SignKept(_), _) => vec![op(Op::Nop)],
            (Change::Increment { by }, Insn::Iinc { slot, .. }) => vec![Insn::iinc(*slot, -*by)],
            (Change::Returns(value), Insn::Op(returns)) => self.returning(*value, *returns)?,
            (Change::Constant { to, .. }, _) => vec![self.constant(*to)?],
            (Change::CallGone { result, .. }, _) => self.without_call(insn, *result)?,
            (Change::CaseGone { .. }, _) => self.without_case(insn, number)?,
            _ => return Err(Unfit(format!("no variant of instruction {} for {change:?}", at.0))),
        })
    }

    fn returning(&mut self, value: Returned, returns: Op) -> Result<Vec<Insn>, Unfit> {
        let pop = if matches!(returns, Op::Lreturn | Op::Dreturn) { Op::Pop2 } else { Op::Pop };
        let mut code = vec![op(pop)];
        let result = self.name.descriptor.rsplit(')').next().unwrap_or_default().to_owned();
        let class = result.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        match (returns, class) {
            (Op::Areturn, Some(class)) => code.extend(self.object(value, class)?),
            (Op::Areturn, None) => code.push(op(Op::AconstNull)),
            (Op::Lreturn, _) => code.push(op(Op::Lconst0)),
            (Op::Freturn, _) => code.push(op(Op::Fconst0)),
            (Op::Dreturn, _) => code.push(op(Op::Dconst0)),
            _ if value == Returned::True => code.push(op(Op::Iconst1)),
            _ => code.push(op(Op::Iconst0)),
        }
        code.push(op(returns));
        Ok(code)
    }

    /// Pushes what stands for an object of a class.
    fn object(&mut self, value: Returned, class: &str) -> Result<Vec<Insn>, Unfit> {
        let boolean = |name: &str, this: &mut Self| -> Result<Vec<Insn>, Unfit> {
            let field = this.pool.add_field("java/lang/Boolean", name, "Ljava/lang/Boolean;")?;
            Ok(vec![Insn::Field { op: FieldOp::GetStatic, field }])
        };
        match value {
            Returned::True => boolean("TRUE", self),
            Returned::False => boolean("FALSE", self),
            Returned::EmptyString => Ok(vec![Insn::ldc(self.pool.add_string("")?)]),
            _ => match empty_of(class) {
                Some((of, owner, name, descriptor)) if of == value => {
                    let zero = match descriptor.as_bytes().get(1) {
                        Some(b')') => None,
                        Some(b'J') => Some(Op::Lconst0),
                        Some(b'F') => Some(Op::Fconst0),
                        Some(b'D') => Some(Op::Dconst0),
                        _ => Some(Op::Iconst0),
                    };
                    let method = self.pool.add_method(owner, name, descriptor)?;
                    let call = Insn::Invoke { op: InvokeOp::Static, method };
                    Ok(zero.map(op).into_iter().chain([call]).collect())
                }
                _ => Ok(vec![op(Op::AconstNull)]),
            },
        }
    }

    fn constant(&mut self, value: Constant) -> Result<Insn, Unfit> {
        Ok(match value {
            Constant::Int(value) => self.push(value)?,
            Constant::Long(value) => Insn::ldc2(self.pool.add_long(value)?),
            Constant::Float(bits) => {
                let constant = self.pool.add_float(f32::from_bits(bits))?;
                Insn::Ldc { constant, form: LdcForm::Wide }
            }
            Constant::Double(bits) => Insn::ldc2(self.pool.add_double(f64::from_bits(bits))?),
        })
    }

    /// Takes the arguments away and leaves what stands for the result.
    fn without_call(&mut self, insn: &Insn, result: Option<Returned>) -> Result<Vec<Insn>, Unfit> {
        let broken = || Unfit("a call names no method".to_owned());
        let call = called(self.pool, insn).ok_or_else(broken)?;
        let method: MethodType = call.descriptor.parse().map_err(|_| broken())?;
        let owner = call.class.into_owned();
        let pop = |kind: &FieldType| op(if kind.words() == 2 { Op::Pop2 } else { Op::Pop });
        let mut code: Vec<Insn> = method.parameters.iter().rev().map(pop).collect();
        if result != Some(Returned::Receiver) && !is_static_call(insn) {
            code.push(op(Op::Pop));
        }
        let Some(result_type) = method.result.filter(|_| result.is_some()) else {
            if code.is_empty() {
                code.push(op(Op::Nop));
            }
            return Ok(code);
        };
        match result_type {
            FieldType::Primitive(Primitive::Long) => code.push(op(Op::Lconst0)),
            FieldType::Primitive(Primitive::Float) => code.push(op(Op::Fconst0)),
            FieldType::Primitive(Primitive::Double) => code.push(op(Op::Dconst0)),
            FieldType::Primitive(_) => code.push(op(Op::Iconst0)),
            FieldType::Object(_) | FieldType::Array(_) => {
                if result != Some(Returned::Receiver) {
                    code.push(op(Op::AconstNull));
                }
                // So that the verifier sees the same type on both ways.
                let class =
                    if result == Some(Returned::Receiver) { Some(owner) } else { result_type.class_name() };
                let class = self.pool.add_class(&class.ok_or_else(broken)?)?;
                code.push(Insn::Class { op: ClassOp::CheckCast, class });
            }
        }
        Ok(code)
    }

    /// If the key is that of the case, goes to the default; else to the original switch.
    fn without_case(&mut self, insn: &Insn, number: usize) -> Result<Vec<Insn>, Unfit> {
        let (keys, default) = case_keys(insn);
        let key = keys.get(number).ok_or_else(|| Unfit("a switch without this case".to_owned()))?;
        let code = vec![
            op(Op::Dup),
            self.push(*key)?,
            Insn::branch(BranchOp::IfIcmpne, Label(5)),
            op(Op::Pop),
            Insn::goto(default.outside()),
        ];
        Ok(code)
    }
}

/// What makes an empty value of a class: what it is, and the static method to call with zeros.
pub(crate) fn empty_of(class: &str) -> Option<(Returned, &'static str, &'static str, &'static str)> {
    let collection =
        |name, descriptor| (Returned::EmptyCollection, "java/util/Collections", name, descriptor);
    Some(match class {
        "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => {
            collection("emptyList", "()Ljava/util/List;")
        }
        "java/util/Set" => collection("emptySet", "()Ljava/util/Set;"),
        "java/util/Map" => collection("emptyMap", "()Ljava/util/Map;"),
        "java/util/Optional" => {
            (Returned::EmptyOptional, "java/util/Optional", "empty", "()Ljava/util/Optional;")
        }
        "java/lang/Integer" => (Returned::Zero, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;"),
        "java/lang/Long" => (Returned::Zero, "java/lang/Long", "valueOf", "(J)Ljava/lang/Long;"),
        "java/lang/Short" => (Returned::Zero, "java/lang/Short", "valueOf", "(S)Ljava/lang/Short;"),
        "java/lang/Byte" => (Returned::Zero, "java/lang/Byte", "valueOf", "(B)Ljava/lang/Byte;"),
        "java/lang/Character" => {
            (Returned::Zero, "java/lang/Character", "valueOf", "(C)Ljava/lang/Character;")
        }
        "java/lang/Float" => (Returned::Zero, "java/lang/Float", "valueOf", "(F)Ljava/lang/Float;"),
        "java/lang/Double" => (Returned::Zero, "java/lang/Double", "valueOf", "(D)Ljava/lang/Double;"),
        _ => return None,
    })
}
