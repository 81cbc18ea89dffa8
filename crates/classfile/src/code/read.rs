//! Decodes the `Code` attribute and its tables.

use super::{
    CharacterRange, Code, Frame, FrameKind, FullFrame, Handler, LineNumber, LocalVariable, VerificationType,
};
use crate::attribute::{Decoder, Location};
use crate::fault::{Fault, Problem};
use crate::input::{Input, Read};
use crate::insn::{
    ArrayKind, BranchOp, ClassOp, FieldOp, Insn, InvokeOp, Label, LdcForm, LocalForm, LocalOp, LookupSwitch,
    Op, TableSwitch,
};
use crate::pool::{ConstantPool, LoadableIndex, PoolIndex};

/// From byte offsets of the code being decoded to instructions. Reused from method to method.
#[derive(Default)]
pub(crate) struct Positions {
    /// For each offset the instruction that starts there, or `INSIDE`.
    labels: Vec<u32>,
    /// Instructions whose targets are still byte offsets.
    jumps: Vec<usize>,
}

const INSIDE: u32 = u32::MAX;

impl Positions {
    fn clear(&mut self, length: usize) {
        self.labels.clear();
        self.labels.resize(length + 1, INSIDE);
        self.jumps.clear();
    }

    #[inline]
    pub(crate) fn label(&self, offset: i64) -> Option<Label> {
        let label = *self.labels.get(usize::try_from(offset).ok()?)?;
        (label != INSIDE).then_some(Label(label))
    }

    /// A `u2` that is the byte offset of an instruction, or of the end of the code.
    #[inline]
    pub(crate) fn read(&self, input: &mut Input<'_>) -> Read<Label> {
        let at = input.position();
        let offset = i64::from(input.u2()?);
        self.label(offset).ok_or(Fault { offset: at, problem: Problem::Boundary(offset) })
    }

    /// A start and a length in bytes.
    pub(crate) fn read_range(&self, input: &mut Input<'_>) -> Read<(Label, Label)> {
        let at = input.position();
        let (start, length) = (i64::from(input.u2()?), i64::from(input.u2()?));
        let bad = |offset| Fault { offset: at, problem: Problem::Boundary(offset) };
        let first = self.label(start).ok_or(bad(start))?;
        let end = self.label(start + length).ok_or(bad(start + length))?;
        Ok((first, end))
    }
}

impl Decoder<'_> {
    pub(crate) fn code(&mut self, input: &mut Input<'_>) -> Read<Code> {
        let old = self.has_old_code();
        let max_stack = if old { input.u1()?.into() } else { input.u2()? };
        let max_locals = if old { input.u1()?.into() } else { input.u2()? };
        let at = input.position();
        let length = if old { input.u2()?.into() } else { input.u4()? };
        if length == 0 || length > 0xFFFF {
            return Err(Fault {
                offset: at,
                problem: Problem::Value { what: "the length of code", value: length },
            });
        }
        let insns = self.instructions(input.part(length as usize)?, length as usize)?;
        let handlers = input.list(8, |input| self.handler(input))?;
        let attributes = self.attributes(input, Location::Code)?;
        Ok(Code { max_stack, max_locals, insns, handlers, attributes })
    }

    fn handler(&self, input: &mut Input<'_>) -> Read<Handler> {
        Ok(Handler {
            start: self.positions.read(input)?,
            end: self.positions.read(input)?,
            target: self.positions.read(input)?,
            catch: input.optional_index(self.pool)?,
        })
    }

    fn instructions(&mut self, mut input: Input<'_>, length: usize) -> Read<Vec<Insn>> {
        let start = input.position();
        self.positions.clear(length);
        let mut insns = Vec::with_capacity(length / 2 + 1);
        while input.remaining() > 0 {
            let offset = input.position() - start;
            self.positions.labels[offset] = Label::at(insns.len()).0;
            let insn = instruction(&mut input, self.pool, offset)?;
            if matches!(insn, Insn::Branch { .. } | Insn::TableSwitch(_) | Insn::LookupSwitch(_)) {
                self.positions.jumps.push(insns.len());
            }
            insns.push(insn);
        }
        self.positions.labels[length] = Label::at(insns.len()).0;
        self.resolve_jumps(&mut insns, start)?;
        Ok(insns)
    }

    /// Turns the byte offsets that `instruction` left in the labels into instruction positions.
    fn resolve_jumps(&self, insns: &mut [Insn], start: usize) -> Read<()> {
        let end = Label::at(insns.len());
        for jump in &self.positions.jumps {
            let mut bad = None;
            insns[*jump].map_targets(|target| {
                let offset = i64::from(target.0.cast_signed());
                let label = self.positions.label(offset).filter(|label| *label != end);
                label.unwrap_or_else(|| {
                    bad.get_or_insert(offset);
                    target
                })
            });
            if let Some(target) = bad {
                let own = self.positions.labels.iter().position(|label| *label == Label::at(*jump).0);
                return Err(Fault { offset: start + own.unwrap_or(0), problem: Problem::Boundary(target) });
            }
        }
        Ok(())
    }

    pub(crate) fn frames(&self, input: &mut Input<'_>) -> Read<Vec<Frame>> {
        let mut previous = -1;
        input.list(1, |input| {
            let at = input.position();
            let (delta, kind) = self.frame(input)?;
            previous += i64::from(delta) + 1;
            match self.positions.label(previous) {
                Some(at) => Ok(Frame { at, kind }),
                None => Err(Fault { offset: at, problem: Problem::Boundary(previous) }),
            }
        })
    }

    fn frame(&self, input: &mut Input<'_>) -> Read<(u16, FrameKind)> {
        let at = input.position();
        let tag = input.u1()?;
        Ok(match tag {
            0..=63 => (tag.into(), FrameKind::Same { extended: false }),
            64..=127 => {
                let stack = self.verification_type(input)?;
                ((tag - 64).into(), FrameKind::OneStack { stack, extended: false })
            }
            247 => {
                let delta = input.u2()?;
                (delta, FrameKind::OneStack { stack: self.verification_type(input)?, extended: true })
            }
            248..=250 => (input.u2()?, FrameKind::Chop(251 - tag)),
            251 => (input.u2()?, FrameKind::Same { extended: true }),
            252..=254 => {
                let delta = input.u2()?;
                let locals = input.items(usize::from(tag - 251), 1, |input| self.verification_type(input))?;
                (delta, FrameKind::Append(locals))
            }
            255 => {
                let delta = input.u2()?;
                let locals = input.list(1, |input| self.verification_type(input))?;
                let stack = input.list(1, |input| self.verification_type(input))?;
                (delta, FrameKind::Full(Box::new(FullFrame { locals, stack })))
            }
            128..=246 => {
                let problem = Problem::Value { what: "a frame's type", value: tag.into() };
                return Err(Fault { offset: at, problem });
            }
        })
    }

    fn verification_type(&self, input: &mut Input<'_>) -> Read<VerificationType> {
        let at = input.position();
        Ok(match input.u1()? {
            0 => VerificationType::Top,
            1 => VerificationType::Integer,
            2 => VerificationType::Float,
            3 => VerificationType::Double,
            4 => VerificationType::Long,
            5 => VerificationType::Null,
            6 => VerificationType::UninitializedThis,
            7 => VerificationType::Object(input.index(self.pool)?),
            8 => VerificationType::Uninitialized(self.positions.read(input)?),
            tag => {
                let problem = Problem::Value { what: "a verification type's tag", value: tag.into() };
                return Err(Fault { offset: at, problem });
            }
        })
    }

    pub(crate) fn line_numbers(&self, input: &mut Input<'_>) -> Read<Vec<LineNumber>> {
        input.list(4, |input| Ok(LineNumber { start: self.positions.read(input)?, line: input.u2()? }))
    }

    pub(crate) fn local_variables(&self, input: &mut Input<'_>) -> Read<Vec<LocalVariable>> {
        input.list(10, |input| {
            let (start, end) = self.positions.read_range(input)?;
            let (name, descriptor) = (input.index(self.pool)?, input.index(self.pool)?);
            Ok(LocalVariable { start, end, name, descriptor, slot: input.u2()? })
        })
    }

    pub(crate) fn character_ranges(&self, input: &mut Input<'_>) -> Read<Vec<CharacterRange>> {
        input.list(14, |input| {
            let start = self.positions.read(input)?;
            let at = input.position();
            // The end is given as the last byte inside the range.
            let last = i64::from(input.u2()?);
            let end = self.positions.label(last + 1);
            let end = end.ok_or(Fault { offset: at, problem: Problem::Boundary(last + 1) })?;
            Ok(CharacterRange { start, end, from: input.u4()?, to: input.u4()?, flags: input.u2()? })
        })
    }
}

/// Decodes one instruction; targets of jumps are left as byte offsets.
#[inline]
fn instruction(input: &mut Input<'_>, pool: &ConstantPool, offset: usize) -> Read<Insn> {
    let at = input.position();
    let byte = input.u1()?;
    Ok(match byte {
        16 => Insn::Bipush(input.u1()?.cast_signed()),
        17 => Insn::Sipush(input.u2()?.cast_signed()),
        18 => Insn::Ldc { constant: short_constant(input, pool)?, form: LdcForm::Short },
        19 => Insn::Ldc { constant: input.index(pool)?, form: LdcForm::Wide },
        20 => Insn::Ldc { constant: input.index(pool)?, form: LdcForm::TwoWords },
        26..=45 => local_in_opcode(byte - 26, 21),
        59..=78 => local_in_opcode(byte - 59, 54),
        132 => Insn::Iinc { slot: input.u1()?.into(), by: input.u1()?.cast_signed().into(), wide: false },
        170 => Insn::TableSwitch(Box::new(table_switch(input, offset)?)),
        171 => Insn::LookupSwitch(Box::new(lookup_switch(input, offset)?)),
        185 => {
            let (method, count) = (input.index(pool)?, input.u1()?);
            zero(input.u1()?.into(), "the last byte of invokeinterface", at)?;
            Insn::InvokeInterface { method, count }
        }
        186 => {
            let site = input.index(pool)?;
            zero(input.u2()?.into(), "the last two bytes of invokedynamic", at)?;
            Insn::InvokeDynamic(site)
        }
        188 => Insn::NewArray(array_kind(input)?),
        196 => wide(input)?,
        197 => Insn::MultiNewArray { class: input.index(pool)?, dimensions: input.u1()? },
        200 => Insn::Branch { op: BranchOp::Goto, target: far_target(input, offset)?, wide: true },
        201 => Insn::Branch { op: BranchOp::Jsr, target: far_target(input, offset)?, wide: true },
        _ => return regular(byte, input, pool, offset),
    })
}

/// Decodes instructions that come in families of the same layout.
#[inline]
fn regular(byte: u8, input: &mut Input<'_>, pool: &ConstantPool, offset: usize) -> Read<Insn> {
    if let Some(op) = Op::from_byte(byte) {
        return Ok(Insn::Op(op));
    }
    if let Some(op) = BranchOp::from_byte(byte) {
        let distance = i64::from(input.u2()?.cast_signed());
        return Ok(Insn::Branch { op, target: raw_target(offset, distance), wide: false });
    }
    if let Some(op) = InvokeOp::from_byte(byte) {
        return Ok(Insn::Invoke { op, method: input.index(pool)? });
    }
    if let Some(op) = FieldOp::from_byte(byte) {
        return Ok(Insn::Field { op, field: input.index(pool)? });
    }
    if let Some(op) = LocalOp::from_byte(byte) {
        return Ok(Insn::Local { op, slot: input.u1()?.into(), form: LocalForm::Byte });
    }
    if let Some(op) = ClassOp::from_byte(byte) {
        return Ok(Insn::Class { op, class: input.index(pool)? });
    }
    Err(Fault { offset: input.position() - 1, problem: Problem::Opcode(byte) })
}

/// `iload_0` and its like: four slots for each of five types.
#[inline]
fn local_in_opcode(distance: u8, first: u8) -> Insn {
    let op =
        LocalOp::from_byte(first + distance / 4).expect("five types of local variables follow each other");
    Insn::Local { op, slot: (distance % 4).into(), form: LocalForm::InOpcode }
}

fn short_constant(input: &mut Input<'_>, pool: &ConstantPool) -> Read<LoadableIndex> {
    let at = input.position();
    let index = u16::from(input.u1()?);
    let problem = Problem::ConstantIndex { index, wanted: LoadableIndex::WANTED };
    pool.check(index).ok_or(Fault { offset: at, problem })
}

fn wide(input: &mut Input<'_>) -> Read<Insn> {
    let at = input.position();
    let byte = input.u1()?;
    if byte == 132 {
        return Ok(Insn::Iinc { slot: input.u2()?, by: input.u2()?.cast_signed(), wide: true });
    }
    match LocalOp::from_byte(byte) {
        Some(op) => Ok(Insn::Local { op, slot: input.u2()?, form: LocalForm::Wide }),
        None => Err(Fault { offset: at, problem: Problem::Opcode(byte) }),
    }
}

fn array_kind(input: &mut Input<'_>) -> Read<ArrayKind> {
    let at = input.position();
    let byte = input.u1()?;
    let problem = Problem::Value { what: "the type of newarray", value: byte.into() };
    ArrayKind::from_byte(byte).ok_or(Fault { offset: at, problem })
}

fn zero(value: u32, what: &'static str, offset: usize) -> Read<()> {
    if value == 0 { Ok(()) } else { Err(Fault { offset, problem: Problem::Value { what, value } }) }
}

/// A byte offset stored in a label until `resolve_jumps`. Out-of-range offsets stay out of range.
#[inline]
fn raw_target(offset: usize, distance: i64) -> Label {
    let target = i64::try_from(offset).unwrap_or(i64::MAX / 2) + distance;
    Label(i32::try_from(target).unwrap_or(-1).cast_unsigned())
}

fn far_target(input: &mut Input<'_>, offset: usize) -> Read<Label> {
    Ok(raw_target(offset, input.u4()?.cast_signed().into()))
}

fn padding(input: &mut Input<'_>, offset: usize) -> Read<[u8; 3]> {
    let mut padding = [0; 3];
    let length = 3 - offset % 4;
    padding[..length].copy_from_slice(input.take(length)?);
    Ok(padding)
}

fn table_switch(input: &mut Input<'_>, offset: usize) -> Read<TableSwitch> {
    let padding = padding(input, offset)?;
    let default = far_target(input, offset)?;
    let at = input.position();
    let (low, high) = (input.u4()?.cast_signed(), input.u4()?.cast_signed());
    let count = i64::from(high) - i64::from(low) + 1;
    let problem = Problem::Value { what: "the upper bound of tableswitch", value: high.cast_unsigned() };
    let count = usize::try_from(count).ok().filter(|count| *count > 0);
    let count = count.ok_or(Fault { offset: at, problem })?;
    let targets = input.items(count, 4, |input| far_target(input, offset))?;
    Ok(TableSwitch { default, low, targets, padding })
}

fn lookup_switch(input: &mut Input<'_>, offset: usize) -> Read<LookupSwitch> {
    let padding = padding(input, offset)?;
    let default = far_target(input, offset)?;
    let count = input.u4()? as usize;
    let pairs = input.items(count, 8, |input| Ok((input.u4()?.cast_signed(), far_target(input, offset)?)))?;
    Ok(LookupSwitch { default, pairs, padding })
}
