//! Puts the probes of a watched predicate into one method.

use jurat_classfile::descriptor::{FieldType, MethodType};
use jurat_classfile::{
    BuildError, ClassFile, Code, CodeBuilder, ConstantPool, FieldOp, Fragment, Insn, InvokeOp, Label,
    MethodIndex, Op, Splice,
};

use super::{WatchPlan, probe_name, write_probe_name};

/// Puts probes into the method at `index`, or says why that is not possible.
pub(super) fn weave(class: &mut ClassFile, index: usize, plan: &WatchPlan) -> Result<(), String> {
    let Some(code) = class.methods[index].code().cloned() else { return Ok(()) };
    let is_constructor = class.pool.utf8(class.methods[index].name) == "<init>";
    let mut weaver =
        Weaver { pool: &mut class.pool, plan, code: &code, is_constructor, splice: Splice::default() };
    weaver.fill().map_err(|error| error.to_string())?;
    if plan.counts_calls {
        weaver.count_calls().map_err(|error| error.to_string())?;
    }
    let splice = weaver.splice;
    if splice.is_empty() {
        return Ok(());
    }
    class.splice(index, &splice).map_err(|error| error.to_string())
}

struct Weaver<'a> {
    pool: &'a mut ConstantPool,
    plan: &'a WatchPlan,
    code: &'a Code,
    is_constructor: bool,
    splice: Splice,
}

impl Weaver<'_> {
    fn fill(&mut self) -> Result<(), BuildError> {
        let code = self.code;
        for (index, insn) in code.insns.iter().enumerate() {
            let at = Label::at(index);
            match insn {
                Insn::Field { op, field } => {
                    let member = self.pool.field(*field);
                    let found = self.plan.resolve(&member.class, &member.name, &member.descriptor);
                    let Some((owner, number)) = found else { continue };
                    let words = if matches!(&*member.descriptor, "J" | "D") { 2 } else { 1 };
                    let (owner, is_read) = (owner.name.clone(), *op == FieldOp::GetField);
                    // In a constructor `this` may be raw, and new objects are none of ours.
                    if is_read || *op == FieldOp::PutField && !self.is_constructor {
                        self.field(at, &owner, number, is_read, words)?;
                    }
                }
                Insn::Op(op) => self.array(at, *op)?,
                Insn::Invoke { method, op } => self.call(at, *method, *op)?,
                Insn::InvokeInterface { method, .. } => self.call(at, *method, InvokeOp::Virtual)?,
                _ => {
                    let mut back = false;
                    insn.for_each_target(|target| back |= target <= at);
                    if back {
                        self.probe(at, |code, runtime| Ok(code.invoke_static(runtime, "tick", "()V")?))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts the call while it runs. One that ends by an exception stays counted: runs are short, and start anew.
    fn count_calls(&mut self) -> Result<(), BuildError> {
        let runtime = &self.plan.runtime;
        let enter = Fragment::build(self.pool, |code| Ok(code.invoke_static(runtime, "enter", "()V")?))?;
        self.splice.entry(enter);
        for (index, insn) in self.code.insns.iter().enumerate() {
            let returns = [Op::Return, Op::Ireturn, Op::Lreturn, Op::Freturn, Op::Dreturn, Op::Areturn];
            if matches!(insn, Insn::Op(op) if returns.contains(op)) {
                let leave =
                    Fragment::build(self.pool, |code| Ok(code.invoke_static(runtime, "leave", "()V")?))?;
                self.splice.before(Label::at(index), leave);
            }
        }
        Ok(())
    }

    /// Puts what `body` makes before an instruction.
    fn probe(
        &mut self,
        at: Label,
        body: impl FnOnce(&mut CodeBuilder<'_>, &str) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let runtime = &self.plan.runtime;
        let fragment = Fragment::build(self.pool, |code| body(code, runtime))?;
        self.splice.before(at, fragment);
        Ok(())
    }

    fn field(
        &mut self,
        at: Label,
        owner: &str,
        number: u32,
        is_read: bool,
        words: u16,
    ) -> Result<(), BuildError> {
        let descriptor = format!("(L{owner};)V");
        self.probe(at, |code, _| {
            if is_read {
                code.push(Op::Dup);
                code.invoke_static(owner, &probe_name(number), &descriptor)?;
            } else if words == 1 {
                code.push(Op::Dup2);
                code.push(Op::Pop);
                code.invoke_static(owner, &write_probe_name(number), &descriptor)?;
            } else {
                // object, value → value, object → object, value
                code.push(Op::Dup2X1);
                code.push(Op::Pop2);
                code.push(Op::Dup);
                code.invoke_static(owner, &write_probe_name(number), &descriptor)?;
                code.push(Op::DupX2);
                code.push(Op::Pop);
            }
            Ok(())
        })
    }

    fn array(&mut self, at: Label, op: Op) -> Result<(), BuildError> {
        let watches = |letters: &[&str]| {
            let is_reference = letters.is_empty();
            self.plan.arrays.iter().any(|element| {
                if is_reference {
                    element.starts_with(['L', '['])
                } else {
                    letters.contains(&element.as_str())
                }
            })
        };
        let watched = match op {
            Op::ArrayLength => !self.plan.arrays.is_empty(),
            Op::Iaload => watches(&["I"]),
            Op::Laload => watches(&["J"]),
            Op::Faload => watches(&["F"]),
            Op::Daload => watches(&["D"]),
            Op::Baload => watches(&["B", "Z"]),
            Op::Caload => watches(&["C"]),
            Op::Saload => watches(&["S"]),
            Op::Aaload => watches(&[]),
            _ => false,
        };
        if !watched {
            return Ok(());
        }
        self.probe(at, |code, runtime| {
            if op == Op::ArrayLength {
                code.push(Op::Dup);
                code.invoke_static(runtime, "length", "(Ljava/lang/Object;)V")?;
            } else {
                code.push(Op::Dup2);
                code.invoke_static(runtime, "element", "(Ljava/lang/Object;I)V")?;
            }
            Ok(())
        })
    }

    fn call(&mut self, at: Label, method: MethodIndex, op: InvokeOp) -> Result<(), BuildError> {
        let member = self.pool.method(method);
        let (class, name) = (member.class.into_owned(), member.name.into_owned());
        let descriptor = member.descriptor.into_owned();
        let ends_jvm = match (class.as_str(), name.as_str(), descriptor.as_str()) {
            ("java/lang/System", "exit", "(I)V") => Some("(I)V"),
            ("java/lang/Runtime", "exit" | "halt", "(I)V") => Some("(Ljava/lang/Runtime;I)V"),
            _ => None,
        };
        if let Some(descriptor) = ends_jvm {
            let runtime = &self.plan.runtime;
            let throwing =
                Fragment::build(self.pool, |code| Ok(code.invoke_static(runtime, "exit", descriptor)?))?;
            self.splice.replace(at, throwing);
            return Ok(());
        }
        let is_subject = self.plan.superclasses.iter().any(|(subject, _)| *subject == class);
        if self.plan.arrays.is_empty() || is_subject || name == "<init>" {
            return Ok(());
        }
        if class.starts_with('[') && name == "clone" && op == InvokeOp::Virtual {
            return self.probe(at, |code, runtime| {
                code.push(Op::Dup);
                Ok(code.invoke_static(runtime, "all", "(Ljava/lang/Object;)V")?)
            });
        }
        self.foreign(at, &class, &descriptor)
    }

    /// The JDK reads the arrays it is given where no probe sees it, so all of them count as read.
    fn foreign(&mut self, at: Label, class: &str, descriptor: &str) -> Result<(), BuildError> {
        let Ok(ty) = descriptor.parse::<MethodType>() else { return Ok(()) };
        let copies =
            class == "java/lang/System" && descriptor.starts_with("(Ljava/lang/Object;ILjava/lang/Object;");
        let is_array = |parameter: &FieldType| {
            matches!(parameter, FieldType::Array(_)) || copies && matches!(parameter, FieldType::Object(_))
        };
        if !ty.parameters.iter().any(is_array) {
            return Ok(());
        }
        let mut slot = self.code.max_locals;
        let mut slots = Vec::new();
        for parameter in &ty.parameters {
            slots.push(slot);
            slot += parameter.words();
        }
        self.probe(at, |code, runtime| {
            for (parameter, slot) in ty.parameters.iter().zip(&slots).rev() {
                code.store(parameter, *slot);
            }
            for (parameter, slot) in ty.parameters.iter().zip(&slots) {
                code.load(parameter, *slot);
                if is_array(parameter) {
                    code.push(Op::Dup);
                    code.invoke_static(runtime, "all", "(Ljava/lang/Object;)V")?;
                }
            }
            Ok(())
        })
    }
}
