//! Assembles the text that the probes' class is written in.
//!
//! A line is an instruction by its name in the JVM specification, with operands; `name:` is a label, `#` begins a
//! comment, `method NAME DESCRIPTOR` begins a method. Constants are `push`, `long`, `double`, `string` and `class`.

use jurat_base::FxHashMap;
use jurat_classfile::{
    Access, ArrayKind, BranchOp, BuildError, ClassFile, ClassOp, CodeBuilder, FieldOp, Insn, InvokeOp, Label,
    LocalOp, Op,
};

/// Adds the methods of a listing to `class`, all public and static.
pub(super) fn assemble(class: &mut ClassFile, listing: &str) -> Result<(), BuildError> {
    let lines = listing.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    for method in lines.chunk_by(|_, next| !next.starts_with("method ")) {
        let (name, descriptor) = split(method[0].trim_start_matches("method "));
        let access = if name == "<clinit>" { Access::STATIC } else { Access::PUBLIC | Access::STATIC };
        class.add_method(access, name, descriptor, |code| {
            let mut body = Body { code, labels: FxHashMap::default() };
            method[1..].iter().try_for_each(|line| body.line(line))
        })?;
    }
    Ok(())
}

/// A method's body under assembly.
struct Body<'b, 'c, 'p> {
    code: &'b mut CodeBuilder<'p>,
    labels: FxHashMap<&'c str, Label>,
}

impl<'c> Body<'_, 'c, '_> {
    fn line(&mut self, line: &'c str) -> Result<(), BuildError> {
        if let Some(label) = line.strip_suffix(':') {
            let label = self.label(label);
            self.code.place(label);
            return Ok(());
        }
        let (name, operands) = split(line);
        if let Some(op) = Op::ALL.iter().find(|op| op.mnemonic() == name) {
            self.code.push(*op);
        } else if let Some(op) = LocalOp::ALL.iter().find(|op| op.mnemonic() == name) {
            self.code.local(*op, number(operands));
        } else if let Some(op) = BranchOp::ALL.iter().find(|op| op.mnemonic() == name) {
            let label = self.label(operands);
            self.code.branch(*op, label);
        } else if let Some(op) = FieldOp::ALL.iter().find(|op| op.mnemonic() == name) {
            let (class, name, descriptor) = member(operands);
            self.code.field(*op, class, name, descriptor)?;
        } else if let Some(op) = InvokeOp::ALL.iter().find(|op| op.mnemonic() == name) {
            let (class, name, descriptor) = member(operands);
            let method = self.code.pool().add_method(class, name, descriptor)?;
            self.code.invoke(*op, method);
        } else {
            self.constant(name, operands)?;
        }
        Ok(())
    }

    fn constant(&mut self, name: &str, operand: &str) -> Result<(), BuildError> {
        match name {
            "push" => self.code.push_int(number(operand))?,
            "long" => self.code.push_long(number(operand))?,
            "double" if operand == "max" => self.code.push_double(f64::MAX)?,
            "double" => self.code.push_double(number(operand))?,
            "string" => self.code.push_string(operand)?,
            "class" => self.code.push_class(operand)?,
            "invokeinterface" => {
                let (class, name, descriptor) = member(operand);
                self.code.invoke_interface(class, name, descriptor)?;
            }
            "new" => self.code.class(ClassOp::New, operand)?,
            "iinc" => {
                let (slot, by) = split(operand);
                self.code.push(Insn::iinc(number(slot), number(by)));
            }
            "newarray" => self.code.push(Insn::NewArray(ArrayKind::Int)),
            _ => panic!("no instruction `{name}`: the listing is part of this crate"),
        }
        Ok(())
    }

    fn label(&mut self, name: &'c str) -> Label {
        let code = &mut *self.code;
        *self.labels.entry(name).or_insert_with(|| code.label())
    }
}

/// Class, name and descriptor; a member without a class is one of the probes' class.
fn member(operands: &str) -> (&str, &str, &str) {
    let (name, descriptor) = split(operands);
    match name.rsplit_once('.') {
        Some((class, name)) => (class, name, descriptor),
        None => (super::CLASS, name, descriptor),
    }
}

fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number: the listing is part of this crate"))
}
