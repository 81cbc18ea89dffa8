//! Encodes the `Code` attribute and its tables.

use super::{CharacterRange, Code, Frame, FrameKind, Handler, LineNumber, LocalVariable, VerificationType};
use crate::attribute::Encoder;
use crate::fault::WriteError;
use crate::insn::{BranchOp, Insn, Label, LdcForm, LocalForm, LocalOp, LookupSwitch, TableSwitch};
use crate::output::{Output, Written, too_many};

/// Where the instructions of the code being written are. Reused from method to method.
#[derive(Default)]
pub(crate) struct CodeWriter {
    /// The byte offset of each instruction, and of the end.
    offsets: Vec<u32>,
    /// Jumps to be filled in when all offsets are known.
    jumps: Vec<Jump>,
}

/// A distance still to be written.
struct Jump {
    /// Where in the output.
    position: usize,
    /// The instruction that jumps, which distances are counted from.
    insn: usize,
    target: Label,
    wide: bool,
}

impl CodeWriter {
    pub(crate) fn clear(&mut self) {
        self.offsets.clear();
        self.jumps.clear();
    }

    #[inline]
    pub(crate) fn offset(&self, label: Label) -> Result<u32, WriteError> {
        match self.offsets.get(label.index()) {
            Some(offset) => Ok(*offset),
            None => Err(WriteError::Label { method: String::new(), label: label.0 }),
        }
    }

    /// A label as a `u2` byte offset.
    #[inline]
    pub(crate) fn label(&self, output: &mut Output, label: Label) -> Written {
        let offset = self.offset(label)?;
        output.u2(small(offset)?);
        Ok(())
    }

    /// A range as start and length.
    pub(crate) fn range(&self, output: &mut Output, start: Label, end: Label) -> Written {
        let (from, to) = (self.offset(start)?, self.offset(end)?);
        let length = to.checked_sub(from).ok_or_else(|| disorder("ranges"))?;
        output.u2(small(from)?);
        output.u2(small(length)?);
        Ok(())
    }

    /// Writes the instructions and returns how many bytes they take.
    fn instructions(&mut self, output: &mut Output, insns: &[Insn]) -> Result<u32, WriteError> {
        let start = output.position();
        self.clear();
        self.offsets.reserve(insns.len() + 1);
        for (index, insn) in insns.iter().enumerate() {
            let offset = output.position() - start;
            self.offsets.push(short_length(offset)?);
            self.instruction(output, insn, index, offset)?;
        }
        let length = short_length(output.position() - start)?;
        if length > 0xFFFF {
            return Err(too_long(length));
        }
        self.offsets.push(length);
        self.fill_jumps(output, insns.len())?;
        Ok(length)
    }

    fn fill_jumps(&self, output: &mut Output, count: usize) -> Written {
        for jump in &self.jumps {
            if jump.target.index() >= count {
                return Err(WriteError::Label { method: String::new(), label: jump.target.0 });
            }
            let distance = i64::from(self.offset(jump.target)?) - i64::from(self.offsets[jump.insn]);
            let fits = if jump.wide {
                i32::try_from(distance).map(|far| output.patch(jump.position, &far.to_be_bytes()))
            } else {
                i16::try_from(distance).map(|near| output.patch(jump.position, &near.to_be_bytes()))
            };
            fits.map_err(|_| WriteError::Branch { method: String::new(), insn: jump.insn })?;
        }
        Ok(())
    }

    #[inline]
    fn instruction(&mut self, output: &mut Output, insn: &Insn, index: usize, offset: usize) -> Written {
        match insn {
            Insn::Op(op) => output.u1(*op as u8),
            Insn::Bipush(value) => output.raw(&[16, value.cast_unsigned()]),
            Insn::Sipush(value) => with_operand(output, 17, value.cast_unsigned()),
            Insn::Ldc { constant, form } => return load_constant(output, constant.raw(), *form, index),
            Insn::Local { op, slot, form } => return local(output, *op, *slot, *form, index),
            Insn::Iinc { slot, by, wide } => return increment(output, *slot, *by, *wide, index),
            Insn::Branch { op, target, wide } => return self.branch(output, *op, *target, *wide, index),
            Insn::TableSwitch(switch) => return self.table_switch(output, switch, index, offset),
            Insn::LookupSwitch(switch) => return self.lookup_switch(output, switch, index, offset),
            Insn::Field { op, field } => with_operand(output, *op as u8, field.raw()),
            Insn::Invoke { op, method } => with_operand(output, *op as u8, method.raw()),
            Insn::InvokeInterface { method, count } => {
                with_operand(output, 185, method.raw());
                output.raw(&[*count, 0]);
            }
            Insn::InvokeDynamic(site) => {
                with_operand(output, 186, site.raw());
                output.u2(0);
            }
            Insn::Class { op, class } => with_operand(output, *op as u8, class.raw()),
            Insn::NewArray(kind) => output.raw(&[188, *kind as u8]),
            Insn::MultiNewArray { class, dimensions } => {
                with_operand(output, 197, class.raw());
                output.u1(*dimensions);
            }
        }
        Ok(())
    }

    fn branch(
        &mut self,
        output: &mut Output,
        op: BranchOp,
        target: Label,
        wide: bool,
        insn: usize,
    ) -> Written {
        let opcode = match (op, wide) {
            (BranchOp::Goto, true) => 200,
            (BranchOp::Jsr, true) => 201,
            (_, true) => return Err(misfit(insn)),
            (op, false) => op as u8,
        };
        output.u1(opcode);
        self.jump(output, insn, target, wide);
        Ok(())
    }

    #[inline]
    fn jump(&mut self, output: &mut Output, insn: usize, target: Label, wide: bool) {
        self.jumps.push(Jump { position: output.position(), insn, target, wide });
        if wide {
            output.u4(0);
        } else {
            output.u2(0);
        }
    }

    fn table_switch(
        &mut self,
        output: &mut Output,
        switch: &TableSwitch,
        insn: usize,
        offset: usize,
    ) -> Written {
        let last = i64::try_from(switch.targets.len()).map_err(|_| misfit(insn))? - 1;
        let high = i32::try_from(i64::from(switch.low) + last).map_err(|_| misfit(insn))?;
        if last < 0 {
            return Err(misfit(insn));
        }
        output.u1(170);
        output.raw(&switch.padding[..3 - offset % 4]);
        self.jump(output, insn, switch.default, true);
        output.u4(switch.low.cast_unsigned());
        output.u4(high.cast_unsigned());
        for target in &switch.targets {
            self.jump(output, insn, *target, true);
        }
        Ok(())
    }

    fn lookup_switch(
        &mut self,
        output: &mut Output,
        switch: &LookupSwitch,
        insn: usize,
        offset: usize,
    ) -> Written {
        output.u1(171);
        output.raw(&switch.padding[..3 - offset % 4]);
        self.jump(output, insn, switch.default, true);
        output.u4(u32::try_from(switch.pairs.len()).map_err(|_| misfit(insn))?);
        for (key, target) in &switch.pairs {
            output.u4(key.cast_unsigned());
            self.jump(output, insn, *target, true);
        }
        Ok(())
    }

    pub(crate) fn frames(&self, output: &mut Output, frames: &[Frame]) -> Written {
        let mut previous = -1;
        output.list(frames, "frames", |output, frame| {
            let offset = i64::from(self.offset(frame.at)?);
            let delta = u16::try_from(offset - previous - 1).map_err(|_| disorder("frames"))?;
            previous = offset;
            self.frame(output, &frame.kind, delta)
        })
    }

    fn frame(&self, output: &mut Output, kind: &FrameKind, delta: u16) -> Written {
        let short = u8::try_from(delta).ok().filter(|delta| *delta < 64);
        match (kind, short) {
            (FrameKind::Same { extended: false }, Some(delta)) => output.u1(delta),
            (FrameKind::Same { .. }, _) => with_operand(output, 251, delta),
            (FrameKind::OneStack { stack, extended: false }, Some(delta)) => {
                output.u1(64 + delta);
                return self.verification_type(output, *stack);
            }
            (FrameKind::OneStack { stack, .. }, _) => {
                with_operand(output, 247, delta);
                return self.verification_type(output, *stack);
            }
            (FrameKind::Chop(count), _) => {
                if !(1..=3).contains(count) {
                    return Err(too_many("locals taken away by one frame", (*count).into(), 3));
                }
                with_operand(output, 251 - count, delta);
            }
            (FrameKind::Append(locals), _) => {
                let count = u8::try_from(locals.len()).ok().filter(|count| (1..=3).contains(count));
                let count = count.ok_or_else(|| too_many("locals added by one frame", locals.len(), 3))?;
                with_operand(output, 251 + count, delta);
                return locals.iter().try_for_each(|local| self.verification_type(output, *local));
            }
            (FrameKind::Full(full), _) => {
                with_operand(output, 255, delta);
                output.list(&full.locals, "locals of a frame", |output, local| {
                    self.verification_type(output, *local)
                })?;
                return output.list(&full.stack, "stack entries of a frame", |output, entry| {
                    self.verification_type(output, *entry)
                });
            }
        }
        Ok(())
    }

    fn verification_type(&self, output: &mut Output, kind: VerificationType) -> Written {
        match kind {
            VerificationType::Top => output.u1(0),
            VerificationType::Integer => output.u1(1),
            VerificationType::Float => output.u1(2),
            VerificationType::Double => output.u1(3),
            VerificationType::Long => output.u1(4),
            VerificationType::Null => output.u1(5),
            VerificationType::UninitializedThis => output.u1(6),
            VerificationType::Object(class) => with_operand(output, 7, class.raw()),
            VerificationType::Uninitialized(label) => {
                output.u1(8);
                return self.label(output, label);
            }
        }
        Ok(())
    }

    pub(crate) fn line_numbers(&self, output: &mut Output, lines: &[LineNumber]) -> Written {
        output.list(lines, "line numbers", |output, line| {
            self.label(output, line.start)?;
            output.u2(line.line);
            Ok(())
        })
    }

    pub(crate) fn local_variables(&self, output: &mut Output, variables: &[LocalVariable]) -> Written {
        output.list(variables, "local variables", |output, variable| {
            self.range(output, variable.start, variable.end)?;
            output.index(variable.name);
            output.index(variable.descriptor);
            output.u2(variable.slot);
            Ok(())
        })
    }

    pub(crate) fn character_ranges(&self, output: &mut Output, ranges: &[CharacterRange]) -> Written {
        output.list(ranges, "character ranges", |output, range| {
            self.label(output, range.start)?;
            let last = self.offset(range.end)?.checked_sub(1).ok_or_else(|| disorder("character ranges"))?;
            output.u2(small(last)?);
            output.u4(range.from);
            output.u4(range.to);
            output.u2(range.flags);
            Ok(())
        })
    }

    fn handler(&self, output: &mut Output, handler: &Handler) -> Written {
        self.label(output, handler.start)?;
        self.label(output, handler.end)?;
        self.label(output, handler.target)?;
        output.optional_index(handler.catch);
        Ok(())
    }
}

impl Encoder {
    pub(crate) fn code(&mut self, output: &mut Output, code: &Code) -> Written {
        if self.old_code {
            output.u1(u8::try_from(code.max_stack).map_err(|_| old_limit("stack words", code.max_stack))?);
            output.u1(u8::try_from(code.max_locals).map_err(|_| old_limit("local words", code.max_locals))?);
        } else {
            output.u2(code.max_stack);
            output.u2(code.max_locals);
        }
        let position = output.position();
        output.raw(if self.old_code { &[0; 2] } else { &[0; 4] });
        let length = self.code.instructions(output, &code.insns)?;
        if self.old_code {
            output.patch(position, &small(length)?.to_be_bytes());
        } else {
            output.patch(position, &length.to_be_bytes());
        }
        output.list(&code.handlers, "exception handlers", |output, handler| {
            self.code.handler(output, handler)
        })?;
        self.attributes(output, &code.attributes)
    }
}

#[inline]
fn with_operand(output: &mut Output, opcode: u8, operand: u16) {
    let [high, low] = operand.to_be_bytes();
    output.raw(&[opcode, high, low]);
}

#[inline]
fn load_constant(output: &mut Output, index: u16, form: LdcForm, insn: usize) -> Written {
    match form {
        LdcForm::Short => output.raw(&[18, u8::try_from(index).map_err(|_| misfit(insn))?]),
        LdcForm::Wide => with_operand(output, 19, index),
        LdcForm::TwoWords => with_operand(output, 20, index),
    }
    Ok(())
}

#[inline]
fn local(output: &mut Output, op: LocalOp, slot: u16, form: LocalForm, insn: usize) -> Written {
    match form {
        LocalForm::InOpcode => {
            let slot = u8::try_from(slot).ok().filter(|slot| *slot < 4 && op != LocalOp::Ret);
            let slot = slot.ok_or_else(|| misfit(insn))?;
            let (base, first) = if op.is_load() { (26, 21) } else { (59, 54) };
            output.u1(base + (op as u8 - first) * 4 + slot);
        }
        LocalForm::Byte => output.raw(&[op as u8, u8::try_from(slot).map_err(|_| misfit(insn))?]),
        LocalForm::Wide => {
            output.u1(196);
            with_operand(output, op as u8, slot);
        }
    }
    Ok(())
}

fn increment(output: &mut Output, slot: u16, by: i16, wide: bool, insn: usize) -> Written {
    if wide {
        output.u1(196);
        with_operand(output, 132, slot);
        output.u2(by.cast_unsigned());
        return Ok(());
    }
    let slot = u8::try_from(slot).map_err(|_| misfit(insn))?;
    let by = i8::try_from(by).map_err(|_| misfit(insn))?;
    output.raw(&[132, slot, by.cast_unsigned()]);
    Ok(())
}

fn small(offset: u32) -> Result<u16, WriteError> {
    u16::try_from(offset).map_err(|_| too_long(offset))
}

/// A code offset, with a stop long before memory runs out.
#[inline]
fn short_length(length: usize) -> Result<u32, WriteError> {
    u32::try_from(length).map_err(|_| too_long(u32::MAX))
}

#[cold]
fn too_long(size: u32) -> WriteError {
    WriteError::CodeTooLong { method: String::new(), size: size as usize }
}

#[cold]
fn misfit(insn: usize) -> WriteError {
    WriteError::Operand { method: String::new(), insn }
}

#[cold]
fn disorder(what: &'static str) -> WriteError {
    WriteError::Order { method: String::new(), what }
}

#[cold]
fn old_limit(what: &'static str, count: u16) -> WriteError {
    too_many(what, count.into(), 0xFF)
}
