//! Reports calls with receiver, arguments and result: where they are made, and where they arrive.
//!
//! Events go to static methods of a sink, a class that the plan names. [`SINK`] is one whose methods are native, to
//! be bound by the process that hosts the JVM; [`sink_class`] makes it. Values are boxed. Each call site has one id
//! for its three events, each method one for its own three:
//!
//! ```text
//! before(id, receiver, arguments)   a call is about to be made; no receiver for static methods and constructors
//! after(result, id)                 it returned; nothing for void, the object for a constructor
//! threw(exception, id)              it threw
//! entered(id, receiver, arguments)  a method was called; constructors have no receiver yet
//! left(result, id)                  it returned; a constructor tells its object
//! failed(exception, id)             an exception left it
//! ```

use jurat_classfile::descriptor::{FieldType, MethodType, SyntaxError};
use jurat_classfile::{
    Access, BuildError, ClassFile, ClassOp, CodeBuilder, Fragment, Insn, InvokeOp, Label, LocalOp, Op,
};

use crate::map::ProbeKind;
use crate::method::{Draft, Unfit};
use crate::plan::{ProbePlan, TracePlan};
use crate::rewrite::rewritten;

/// A sink whose methods are native.
pub const SINK: &str = "java/lang/JuratTrace";

/// The static methods of a sink: names and descriptors.
pub const SINK_METHODS: [(&str, &str); 6] = [
    ("before", STARTING),
    ("after", RETURNING),
    ("threw", THROWING),
    ("entered", STARTING),
    ("left", RETURNING),
    ("failed", THROWING),
];

const STARTING: &str = "(ILjava/lang/Object;[Ljava/lang/Object;)V";
const RETURNING: &str = "(Ljava/lang/Object;I)V";
const THROWING: &str = "(Ljava/lang/Throwable;I)V";

/// The bytes of [`SINK`], a class of `java.base`.
pub fn sink_class() -> Vec<u8> {
    let make = || -> Result<ClassFile, BuildError> {
        let mut class = ClassFile::new(SINK, "java/lang/Object")?;
        class.access.insert(Access::FINAL);
        let access = Access::PUBLIC | Access::STATIC | Access::NATIVE;
        for (name, descriptor) in SINK_METHODS {
            class.add_bodiless_method(access, name, descriptor)?;
        }
        Ok(class)
    };
    make().expect("a few constants fit").write().expect("the class is small")
}

/// What stands below the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receiver {
    /// Nothing: the method is static.
    None,
    /// An object.
    Object,
    /// What `new` made, about to be initialized.
    New,
    /// `this` of a constructor, about to be initialized.
    This,
}

/// A method and how it is called.
struct Callee {
    class: String,
    name: String,
    descriptor: String,
    receiver: Receiver,
}

impl Draft<'_> {
    /// Sends the call at `at` elsewhere, reports it, or both.
    pub(crate) fn call_site(&mut self, at: Label, insn: &Insn, plan: &ProbePlan) -> Result<(), Unfit> {
        if plan.trace.is_none() && plan.rewrites.is_empty() {
            return Ok(());
        }
        let Some(callee) = self.callee(at, insn) else { return Ok(()) };
        let replacement = rewritten(insn, self.pool, &plan.rewrites)?;
        match &plan.trace {
            Some(trace) if trace.calls.include(&callee.class) => {
                self.traced_call(at, replacement.as_ref().unwrap_or(insn), callee, &trace.sink)
            }
            _ => {
                if let Some(call) = replacement {
                    self.splice.replace(at, vec![call]);
                }
                Ok(())
            }
        }
    }

    fn callee(&self, at: Label, insn: &Insn) -> Option<Callee> {
        let (method, op) = match insn {
            Insn::Invoke { op, method } => (*method, *op),
            Insn::InvokeInterface { method, .. } => (*method, InvokeOp::Virtual),
            _ => return None,
        };
        let member = self.pool.method(method);
        let receiver = match op {
            InvokeOp::Static => Receiver::None,
            InvokeOp::Special if member.name == "<init>" && self.this_call() == Some(at) => Receiver::This,
            InvokeOp::Special if member.name == "<init>" => Receiver::New,
            InvokeOp::Special | InvokeOp::Virtual => Receiver::Object,
        };
        let (class, name) = (member.class.into_owned(), member.name.into_owned());
        Some(Callee { class, name, descriptor: member.descriptor.into_owned(), receiver })
    }

    /// In a constructor, the call of another constructor for the same object: the first that is not for a `new` one.
    fn this_call(&self) -> Option<Label> {
        if self.name.name != "<init>" {
            return None;
        }
        let mut made = 0_u32;
        for (index, insn) in self.code.insns.iter().enumerate() {
            match insn {
                Insn::Class { op: ClassOp::New, .. } => made += 1,
                Insn::Invoke { op: InvokeOp::Special, method }
                    if self.pool.method(*method).name == "<init>" =>
                {
                    match made.checked_sub(1) {
                        None => return Some(Label::at(index)),
                        Some(left) => made = left,
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Replaces a call by one that is reported.
    fn traced_call(&mut self, at: Label, call: &Insn, callee: Callee, sink: &str) -> Result<(), Unfit> {
        let Callee { class, name, descriptor, receiver } = callee;
        let method = method_type(&descriptor)?;
        let id = self.probe(at, ProbeKind::Call { insn: at.0, class, name, descriptor });
        let id = self.push(id)?;
        let slots = Slots::new(&method, self.code.max_locals);
        let site = Site { sink, id: &id, slots: &slots, method: &method, receiver };
        let fragment = Fragment::build(self.pool, |code| site.build(code, call))?;
        self.splice.replace(at, fragment);
        Ok(())
    }

    /// Reports when the method is entered and left.
    pub(crate) fn traced_method(&mut self, plan: &TracePlan, access: Access) -> Result<(), Unfit> {
        let id = self.probe(Label(0), ProbeKind::Callee);
        let id = self.push(id)?;
        let ty = method_type(&self.name.descriptor)?;
        let is_constructor = self.name.name == "<init>";
        let has_this = !access.is_static() && !is_constructor;
        let slots = Slots::new(&ty, u16::from(!access.is_static()));
        let entered = Fragment::build(self.pool, |code| {
            code.push(id.clone());
            code.push(if has_this { Insn::local(LocalOp::Aload, 0) } else { Op::AconstNull.into() });
            boxed_array(code, &ty, &slots)?;
            Ok(code.invoke_static(&plan.sink, "entered", STARTING)?)
        })?;
        self.splice.entry(entered);
        let this = (is_constructor && !stores_this(&self.code.insns)).then_some(0);
        let left = Fragment::build(self.pool, |code| {
            result(code, ty.result.as_ref(), this)?;
            code.push(id.clone());
            Ok(code.invoke_static(&plan.sink, "left", RETURNING)?)
        })?;
        let returns = self.code.insns.iter().enumerate().filter(|(_, insn)| insn.is_return());
        returns.for_each(|(index, _)| self.splice.before(Label::at(index), left.clone()));
        self.guarded(plan, &id, is_constructor)
    }

    /// Reports exceptions that leave the method; of a constructor, once its object is initialized.
    fn guarded(&mut self, plan: &TracePlan, id: &Insn, is_constructor: bool) -> Result<(), Unfit> {
        let initialized = self.this_call().map(|call| Label(call.0 + 1));
        let start = if is_constructor { initialized } else { Some(Label(0)) };
        let end = Label::at(self.code.insns.len());
        if let Some(start) = start.filter(|start| *start < end) {
            let failed = Fragment::build(self.pool, |code| throwing(code, id, &plan.sink, "failed"))?;
            self.splice.guard(start, end, None, failed);
        }
        Ok(())
    }
}

fn method_type(descriptor: &str) -> Result<MethodType, Unfit> {
    descriptor.parse().map_err(|error: SyntaxError| Unfit(error.to_string()))
}

/// Local variables for the arguments of a call, and for its receiver.
struct Slots {
    parameters: Vec<u16>,
    receiver: u16,
}

impl Slots {
    fn new(method: &MethodType, first: u16) -> Self {
        let mut next = first;
        let parameters = method.parameters.iter().map(|parameter| {
            let slot = next;
            next = next.saturating_add(parameter.words());
            slot
        });
        Self { parameters: parameters.collect(), receiver: next }
    }
}

/// A call site under construction.
struct Site<'s> {
    sink: &'s str,
    id: &'s Insn,
    slots: &'s Slots,
    method: &'s MethodType,
    receiver: Receiver,
}

impl Site<'_> {
    fn build(&self, code: &mut CodeBuilder<'_>, call: &Insn) -> Result<(), BuildError> {
        self.put_aside(code);
        self.before(code)?;
        self.take_back(code);
        let (end, handler, done) = (code.label(), code.label(), code.label());
        let start = code.here();
        code.push(call.clone());
        code.place(end);
        let is_new = matches!(self.receiver, Receiver::New | Receiver::This);
        result(code, self.method.result.as_ref(), is_new.then_some(self.slots.receiver))?;
        code.push(self.id.clone());
        code.invoke_static(self.sink, "after", RETURNING)?;
        // No handler may cover the call that initializes `this`.
        if self.receiver != Receiver::This {
            code.push(Insn::goto(done));
            code.place(handler);
            throwing(code, self.id, self.sink, "threw")?;
            code.handler(start, end, handler, None)?;
        }
        code.place(done);
        Ok(())
    }

    /// Stores arguments and receiver; of an object that is not initialized, only a copy.
    fn put_aside(&self, code: &mut CodeBuilder<'_>) {
        for (parameter, slot) in self.method.parameters.iter().zip(&self.slots.parameters).rev() {
            code.store(parameter, *slot);
        }
        match self.receiver {
            Receiver::None => return,
            Receiver::Object => {}
            Receiver::New | Receiver::This => code.push(Op::Dup),
        }
        code.local(LocalOp::Astore, self.slots.receiver);
    }

    fn before(&self, code: &mut CodeBuilder<'_>) -> Result<(), BuildError> {
        code.push(self.id.clone());
        if self.receiver == Receiver::Object {
            code.local(LocalOp::Aload, self.slots.receiver);
        } else {
            code.push(Op::AconstNull);
        }
        boxed_array(code, self.method, self.slots)?;
        Ok(code.invoke_static(self.sink, "before", STARTING)?)
    }

    fn take_back(&self, code: &mut CodeBuilder<'_>) {
        if self.receiver == Receiver::Object {
            code.local(LocalOp::Aload, self.slots.receiver);
        }
        for (parameter, slot) in self.method.parameters.iter().zip(&self.slots.parameters) {
            code.load(parameter, *slot);
        }
    }
}

/// Pushes an `Object[]` of the parameters.
fn boxed_array(code: &mut CodeBuilder<'_>, method: &MethodType, slots: &Slots) -> Result<(), BuildError> {
    let count = i32::try_from(method.parameters.len()).map_err(|_| BuildError::TooManyArguments)?;
    code.push_int(count)?;
    code.class(ClassOp::NewArray, "java/lang/Object")?;
    for (index, (parameter, slot)) in (0..).zip(method.parameters.iter().zip(&slots.parameters)) {
        code.push(Op::Dup);
        code.push_int(index)?;
        code.load(parameter, *slot);
        boxed(code, parameter)?;
        code.push(Op::Aastore);
    }
    Ok(())
}

fn boxed(code: &mut CodeBuilder<'_>, ty: &FieldType) -> Result<(), BuildError> {
    if let FieldType::Primitive(primitive) = ty {
        code.box_value(*primitive)?;
    }
    Ok(())
}

/// Pushes a copy of the result on the stack, or the object in a local variable, or null.
fn result(code: &mut CodeBuilder<'_>, ty: Option<&FieldType>, object: Option<u16>) -> Result<(), BuildError> {
    match (ty, object) {
        (Some(ty), _) => {
            code.push(if ty.words() == 2 { Op::Dup2 } else { Op::Dup });
            boxed(code, ty)
        }
        (None, Some(slot)) => {
            code.local(LocalOp::Aload, slot);
            Ok(())
        }
        (None, None) => {
            code.push(Op::AconstNull);
            Ok(())
        }
    }
}

/// Reports the exception on the stack and throws it on.
fn throwing(code: &mut CodeBuilder<'_>, id: &Insn, sink: &str, name: &str) -> Result<(), BuildError> {
    code.push(Op::Dup);
    code.push(id.clone());
    code.invoke_static(sink, name, THROWING)?;
    code.push(Op::Athrow);
    Ok(())
}

/// Whether the variable of `this` is used for something else.
fn stores_this(insns: &[Insn]) -> bool {
    insns.iter().any(|insn| matches!(insn, Insn::Local { op, slot: 0, .. } if !op.is_load()))
}
