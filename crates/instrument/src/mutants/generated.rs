//! What the compiler wrote: instructions that no line of the source stands for, and copies of those that one does.

use jurat_classfile::{
    Access, BranchOp, ClassFile, ClassOp, Code, ConstantPool, FieldOp, Insn, InvokeOp, Label, LocalOp,
    Member, Op,
};

use super::change::Key;
use crate::line::Lines;
use crate::map::MethodName;

/// Whether all of a method is the compiler's: bridges, accessors, what every enum has.
pub(crate) fn whole_method(class: &ClassFile, access: Access, name: &MethodName) -> bool {
    let synthetic = access.contains(Access::SYNTHETIC) && !name.name.starts_with("lambda$");
    let of_enum = class.access.contains(Access::ENUM)
        && match &*name.name {
            "values" => name.descriptor == format!("()[L{};", class.name()),
            "valueOf" => name.descriptor == format!("(Ljava/lang/String;)L{};", class.name()),
            _ => false,
        };
    synthetic || access.contains(Access::BRIDGE) || of_enum
}

/// The parts of one method that the compiler wrote.
pub(crate) struct Generated {
    marked: Vec<bool>,
    /// Strings that a switch over strings turned into numbers, by the position of the second switch.
    texts: Vec<(usize, Vec<(i32, String)>)>,
    /// Lines that a handler for everything holds a copy of.
    copied_lines: Vec<u16>,
}

impl Generated {
    pub(crate) fn find(pool: &ConstantPool, code: &Code, lines: &Lines) -> Self {
        let mut found =
            Self { marked: vec![false; code.insns.len()], texts: Vec::new(), copied_lines: Vec::new() };
        for at in 0..code.insns.len() {
            found.assertions(pool, code, at);
            found.string_switch(pool, code, at);
            found.null_check(pool, code, at);
            found.for_each(pool, code, at);
            found.enum_constant(code, at);
            found.truth(code, at);
        }
        found.copied_lines = copied_lines(code, lines);
        found
    }

    pub(crate) fn contains(&self, at: usize) -> bool {
        self.marked[at]
    }

    /// Whether mutants of this line that change the same thing are one.
    pub(crate) fn is_copied(&self, line: u16) -> bool {
        self.copied_lines.contains(&line)
    }

    /// What a key of the switch at this position stands for in the source.
    pub(crate) fn key(&self, pool: &ConstantPool, code: &Code, at: usize, key: i32) -> Key {
        if let Some((_, texts)) = self.texts.iter().find(|(switch, _)| *switch == at) {
            let text = texts.iter().find(|(number, _)| *number == key);
            return text.map_or(Key::Constant, |(_, text)| Key::Text(text.clone()));
        }
        let before = |back: usize| at.checked_sub(back).map(|at| &code.insns[at]);
        let of_enum = matches!(before(1), Some(Insn::Op(Op::Iaload)))
            || before(1).and_then(|insn| called(pool, insn)).is_some_and(|call| call.name == "ordinal");
        if of_enum { Key::Constant } else { Key::Number(key) }
    }

    fn mark(&mut self, from: usize, to: usize) {
        let end = to.min(self.marked.len());
        if let Some(range) = self.marked.get_mut(from..end) {
            range.fill(true);
        }
    }

    /// `assert`, from the question whether assertions are on to what follows it.
    fn assertions(&mut self, pool: &ConstantPool, code: &Code, at: usize) {
        let Insn::Field { op, field } = &code.insns[at] else { return };
        if pool.field(*field).name != "$assertionsDisabled" {
            return;
        }
        match (op, code.insns.get(at + 1)) {
            (FieldOp::GetStatic, Some(Insn::Branch { op: BranchOp::Ifne, target, .. })) => {
                self.mark(at, target.index());
            }
            // The class, the question, a jump, one or zero, and the field.
            (FieldOp::PutStatic, _) => self.mark(at.saturating_sub(6), at + 1),
            _ => {}
        }
    }

    /// A switch over strings: one over hash codes, comparisons that find a number, and one over the numbers.
    fn string_switch(&mut self, pool: &ConstantPool, code: &Code, at: usize) {
        let is_switch = |insn: &Insn| matches!(insn, Insn::TableSwitch(_) | Insn::LookupSwitch(_));
        let hashes = at > 0
            && is_switch(&code.insns[at])
            && called(pool, &code.insns[at - 1])
                .is_some_and(|call| call.name == "hashCode" && call.class == "java/lang/String");
        if !hashes {
            return;
        }
        let Some(next) = code.insns[at + 1..].iter().position(is_switch) else { return };
        let second = at + 1 + next;
        // The number begins as -1: `-1; store; load; hashCode`.
        let start = at.saturating_sub(4);
        self.mark(if code.insns[start] == Insn::Op(Op::IconstM1) { start } else { at - 1 }, second);
        let mut texts = Vec::new();
        for window in code.insns[at + 1..second].windows(4) {
            let [Insn::Ldc { constant, .. }, call, Insn::Branch { .. }, number] = window else { continue };
            let is_equals = called(pool, call).is_some_and(|call| call.name == "equals");
            if let (true, Some(text), Some(number)) = (is_equals, text(pool, constant.raw()), small(number)) {
                texts.push((number, text));
            }
        }
        self.texts.push((second, texts));
    }

    /// `dup; requireNonNull; pop`, which stands before method references and inner classes.
    fn null_check(&mut self, pool: &ConstantPool, code: &Code, at: usize) {
        let around = (at.checked_sub(1).map(|before| &code.insns[before]), code.insns.get(at + 1));
        let (Some(Insn::Op(Op::Dup)), Some(Insn::Op(Op::Pop))) = around else { return };
        let checks = called(pool, &code.insns[at])
            .is_some_and(|call| call.name == "requireNonNull" || call.name == "getClass");
        if checks {
            self.mark(at, at + 1);
        }
    }

    /// `for` over a collection or an array keeps an iterator, or a copy, a length and an index, in variables that
    /// have no name.
    fn for_each(&mut self, pool: &ConstantPool, code: &Code, at: usize) {
        let Some(Insn::Local { op, slot, .. }) = code.insns.get(at + 1) else { return };
        if is_named(code, *slot, at + 2) {
            return;
        }
        let end = code.insns[at + 2..].iter().position(|insn| stores(insn, *slot));
        let end = end.map_or(code.insns.len(), |end| at + 2 + end);
        match (&code.insns[at], op) {
            (insn, LocalOp::Astore) if called(pool, insn).is_some_and(|call| call.name == "iterator") => {
                self.mark(at, at + 1);
                self.iteration(code, *slot, at + 2, end);
            }
            (Insn::Op(Op::ArrayLength), LocalOp::Istore) => self.index(code, at, *slot),
            _ => {}
        }
    }

    /// `hasNext`, its jump, and `next` of the iterator in a slot.
    fn iteration(&mut self, code: &Code, slot: u16, from: usize, to: usize) {
        for at in from..to {
            if matches!(code.insns[at], Insn::Local { op: LocalOp::Aload, slot: read, .. } if read == slot) {
                self.mark(at, at + 2);
                if matches!(code.insns.get(at + 2), Some(Insn::Branch { op: BranchOp::Ifeq, .. })) {
                    self.mark(at, at + 3);
                }
            }
        }
    }

    /// `0`, the comparison with the length in a slot, and the increment of the index after it.
    fn index(&mut self, code: &Code, at: usize, length: u16) {
        let Some(Insn::Local { op: LocalOp::Istore, slot: index, .. }) = code.insns.get(at + 3) else {
            return;
        };
        let (index, compared) = (*index, at + 6);
        let reads = |at: usize, wanted: u16| matches!(code.insns.get(at), Some(Insn::Local { op: LocalOp::Iload, slot, .. }) if *slot == wanted);
        if !reads(at + 4, index) || !reads(at + 5, length) {
            return;
        }
        self.mark(at, compared + 1);
        let Some(Insn::Branch { target, .. }) = code.insns.get(compared) else { return };
        for at in compared..target.index().min(code.insns.len()) {
            if matches!(code.insns[at], Insn::Iinc { slot, .. } if slot == index) {
                self.mark(at, at + 1);
            }
        }
    }

    /// The number of an enum's constant: `new; dup; name; number`.
    fn enum_constant(&mut self, code: &Code, at: usize) {
        if let [Insn::Class { op: ClassOp::New, .. }, Insn::Op(Op::Dup), Insn::Ldc { .. }, number] =
            &code.insns[at.saturating_sub(3)..=at]
            && small(number).is_some()
        {
            self.mark(at, at + 1);
        }
    }
}

impl Generated {
    /// A condition as a value: `1; goto end; 0`.
    fn truth(&mut self, code: &Code, at: usize) {
        if let Some(
            [Insn::Op(Op::Iconst1), Insn::Branch { op: BranchOp::Goto, target, .. }, Insn::Op(Op::Iconst0)],
        ) = code.insns.get(at..at + 3)
            && target.index() == at + 3
        {
            self.mark(at, at + 3);
        }
    }
}

/// The method that a call names.
pub(crate) fn called<'p>(pool: &'p ConstantPool, insn: &Insn) -> Option<Member<'p>> {
    match insn {
        Insn::Invoke { method, .. } | Insn::InvokeInterface { method, .. } => Some(pool.method(*method)),
        _ => None,
    }
}

/// Whether a call needs no receiver.
pub(crate) fn is_static_call(insn: &Insn) -> bool {
    matches!(insn, Insn::Invoke { op: InvokeOp::Static, .. })
}

/// The number that a short instruction pushes.
fn small(insn: &Insn) -> Option<i32> {
    match insn {
        Insn::Op(op) if (Op::IconstM1 as u8..=Op::Iconst5 as u8).contains(&(*op as u8)) => {
            Some(i32::from(*op as u8) - i32::from(Op::Iconst0 as u8))
        }
        Insn::Bipush(value) => Some((*value).into()),
        Insn::Sipush(value) => Some((*value).into()),
        _ => None,
    }
}

fn text(pool: &ConstantPool, index: u16) -> Option<String> {
    pool.check(index).map(|string| pool.string(string).into_owned())
}

fn stores(insn: &Insn, slot: u16) -> bool {
    matches!(insn, Insn::Local { op, slot: stored, .. } if *stored == slot && !op.is_load())
}

/// Whether the source has a name for the variable in a slot. Without names nothing has one, and what looks like
/// the compiler's variable is taken for it.
fn is_named(code: &Code, slot: u16, at: usize) -> bool {
    let at = Label::at(at);
    code.local_variables().any(|variable| variable.slot == slot && variable.start <= at && at < variable.end)
}

/// The lines in handlers for everything, which are copies of a `finally` block.
fn copied_lines(code: &Code, lines: &Lines) -> Vec<u16> {
    let mut copied = Vec::new();
    for handler in code.handlers.iter().filter(|handler| handler.catch.is_none()) {
        let body = &code.insns[handler.target.index()..];
        let end = body.iter().position(|insn| matches!(insn, Insn::Op(Op::Athrow))).unwrap_or(0);
        copied.extend((0..end).filter_map(|at| lines.at(Label::at(handler.target.index() + at))));
    }
    copied.sort_unstable();
    copied.dedup();
    copied
}
