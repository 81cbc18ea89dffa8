//! Puts together the instructions of a method or of a fragment.

use thiserror::Error;

use crate::access::Access;
use crate::attribute::{Attribute, Content};
use crate::code::{Code, FrameKind, FullFrame, Handler, LineNumber};
use crate::descriptor::{self, FieldType, Primitive};
use crate::effect;
use crate::frames::{self, Inference, NotInferred, Span, Spelled};
use crate::insn::{BranchOp, ClassOp, FieldOp, Insn, InvokeOp, Label, LocalOp, Op};
use crate::pool::{ClassIndex, ConstantPool, MethodIndex, PoolFull};
use crate::splice::{Fragment, OUTSIDE, SpliceError};
use crate::state::{Context, Kind, NoFrame, State};

/// Collects instructions. Labels are handed out by [`CodeBuilder::label`], may be jumped to before they are placed,
/// and are placed once.
pub struct CodeBuilder<'p> {
    pool: &'p mut ConstantPool,
    insns: Vec<Insn>,
    /// For each label handed out, the instruction it was placed at.
    labels: Vec<Option<Label>>,
    handlers: Vec<Handler>,
    lines: Vec<LineNumber>,
    frames: Vec<(Label, FullFrame)>,
}

/// Why code could not be put together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// No room for another constant.
    #[error(transparent)]
    Pool(#[from] PoolFull),
    /// A label that is jumped to was never placed.
    #[error("label {0} was never placed")]
    Unplaced(u32),
    /// A descriptor, of the method or of a member it uses, is malformed.
    #[error("a descriptor is malformed")]
    Descriptor,
    /// No frame can be found; one has to be given with [`CodeBuilder::frame`].
    #[error("no stack map frame can be found for instruction {0}")]
    NoFrame(usize),
    /// More stack or locals than the format allows.
    #[error("the code needs more than 65535 words of stack or local variables")]
    TooDeep,
    /// Too much code, or a jump out of it.
    #[error(transparent)]
    Unfit(#[from] SpliceError),
    /// The call takes more words than an interface call can say.
    #[error("an interface method takes more than 255 words")]
    TooManyArguments,
}

impl<'p> CodeBuilder<'p> {
    pub(crate) fn new(pool: &'p mut ConstantPool) -> Self {
        let (insns, labels, handlers, lines, frames) = (vec![], vec![], vec![], vec![], vec![]);
        Self { pool, insns, labels, handlers, lines, frames }
    }

    /// The constants of the class.
    pub fn pool(&mut self) -> &mut ConstantPool {
        self.pool
    }

    /// Appends an instruction.
    pub fn push(&mut self, insn: impl Into<Insn>) {
        self.insns.push(insn.into());
    }

    /// A new label, not placed yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label::at(self.labels.len() - 1)
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) {
        let here = Label::at(self.insns.len());
        if let Some(slot) = self.labels.get_mut(label.index()) {
            *slot = Some(here);
        }
    }

    /// A new label placed before the next instruction.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// Says what the locals and the stack hold before the next instruction, where that cannot be found out.
    pub fn frame(&mut self, frame: FullFrame) {
        self.frames.push((Label::at(self.insns.len()), frame));
    }

    /// The next instruction begins a line of the source.
    pub fn line(&mut self, line: u16) {
        self.lines.push(LineNumber { start: Label::at(self.insns.len()), line });
    }

    /// Exceptions thrown from `start` up to `end` go to `target`; all of them, or those of one class.
    pub fn handler(
        &mut self,
        start: Label,
        end: Label,
        target: Label,
        catch: Option<&str>,
    ) -> Result<(), PoolFull> {
        let catch = catch.map(|name| self.pool.add_class(name)).transpose()?;
        self.handlers.push(Handler { start, end, target, catch });
        Ok(())
    }

    /// A conditional or unconditional jump.
    pub fn branch(&mut self, op: BranchOp, target: Label) {
        self.push(Insn::branch(op, target));
    }

    /// Reads or writes a local variable.
    pub fn local(&mut self, op: LocalOp, slot: u16) {
        self.push(Insn::local(op, slot));
    }

    /// Reads a local variable of some type.
    pub fn load(&mut self, kind: &FieldType, slot: u16) {
        self.local(
            by_type(kind, [LocalOp::Iload, LocalOp::Lload, LocalOp::Fload, LocalOp::Dload, LocalOp::Aload]),
            slot,
        );
    }

    /// Writes a local variable of some type.
    pub fn store(&mut self, kind: &FieldType, slot: u16) {
        let ops = [LocalOp::Istore, LocalOp::Lstore, LocalOp::Fstore, LocalOp::Dstore, LocalOp::Astore];
        self.local(by_type(kind, ops), slot);
    }

    /// Returns a value of some type, or nothing.
    pub fn return_value(&mut self, kind: Option<&FieldType>) {
        let ops = [Op::Ireturn, Op::Lreturn, Op::Freturn, Op::Dreturn, Op::Areturn];
        self.push(kind.map_or(Op::Return, |kind| by_type(kind, ops)));
    }

    /// Pushes an `int`.
    pub fn push_int(&mut self, value: i32) -> Result<(), PoolFull> {
        let small =
            [Op::IconstM1, Op::Iconst0, Op::Iconst1, Op::Iconst2, Op::Iconst3, Op::Iconst4, Op::Iconst5];
        let position = value.checked_add(1).and_then(|position| usize::try_from(position).ok());
        if let Some(op) = position.and_then(|position| small.get(position)) {
            self.push(*op);
        } else if let Ok(byte) = i8::try_from(value) {
            self.push(Insn::Bipush(byte));
        } else if let Ok(short) = i16::try_from(value) {
            self.push(Insn::Sipush(short));
        } else {
            let constant = self.pool.add_integer(value)?;
            self.push(Insn::ldc(constant));
        }
        Ok(())
    }

    /// Pushes a `long`.
    pub fn push_long(&mut self, value: i64) -> Result<(), PoolFull> {
        match value {
            0 => self.push(Op::Lconst0),
            1 => self.push(Op::Lconst1),
            _ => {
                let constant = self.pool.add_long(value)?;
                self.push(Insn::ldc2(constant));
            }
        }
        Ok(())
    }

    /// Pushes a `float`.
    pub fn push_float(&mut self, value: f32) -> Result<(), PoolFull> {
        let constant = self.pool.add_float(value)?;
        self.push(Insn::ldc(constant));
        Ok(())
    }

    /// Pushes a `double`.
    pub fn push_double(&mut self, value: f64) -> Result<(), PoolFull> {
        let constant = self.pool.add_double(value)?;
        self.push(Insn::ldc2(constant));
        Ok(())
    }

    /// Pushes a string.
    pub fn push_string(&mut self, value: &str) -> Result<(), PoolFull> {
        let constant = self.pool.add_string(value)?;
        self.push(Insn::ldc(constant));
        Ok(())
    }

    /// Pushes a class object, by binary name or array descriptor.
    pub fn push_class(&mut self, name: &str) -> Result<(), PoolFull> {
        let constant = self.pool.add_class(name)?;
        self.push(Insn::ldc(constant));
        Ok(())
    }

    /// Reads or writes a field.
    pub fn field(&mut self, op: FieldOp, class: &str, name: &str, descriptor: &str) -> Result<(), PoolFull> {
        let field = self.pool.add_field(class, name, descriptor)?;
        self.push(Insn::Field { op, field });
        Ok(())
    }

    /// Calls a static method of a class.
    pub fn invoke_static(&mut self, class: &str, name: &str, descriptor: &str) -> Result<(), PoolFull> {
        let method = self.pool.add_method(class, name, descriptor)?;
        self.invoke(InvokeOp::Static, method);
        Ok(())
    }

    /// Calls an instance method of a class.
    pub fn invoke_virtual(&mut self, class: &str, name: &str, descriptor: &str) -> Result<(), PoolFull> {
        let method = self.pool.add_method(class, name, descriptor)?;
        self.invoke(InvokeOp::Virtual, method);
        Ok(())
    }

    /// Calls a constructor, a private method or a method of the superclass.
    pub fn invoke_special(&mut self, class: &str, name: &str, descriptor: &str) -> Result<(), PoolFull> {
        let method = self.pool.add_method(class, name, descriptor)?;
        self.invoke(InvokeOp::Special, method);
        Ok(())
    }

    /// Calls a method that is not selected by interface; `method` may still be of one (`static`, `default`).
    pub fn invoke(&mut self, op: InvokeOp, method: MethodIndex) {
        self.push(Insn::Invoke { op, method });
    }

    /// Calls an instance method of an interface.
    pub fn invoke_interface(
        &mut self,
        interface: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<(), BuildError> {
        let (words, _) = descriptor::words(descriptor).ok_or(BuildError::Descriptor)?;
        let count = u8::try_from(u32::from(words) + 1).map_err(|_| BuildError::TooManyArguments)?;
        let method = self.pool.add_interface_method(interface, name, descriptor)?;
        self.push(Insn::InvokeInterface { method, count });
        Ok(())
    }

    /// Calls a dynamically linked call site.
    pub fn invoke_dynamic(&mut self, bootstrap: u16, name: &str, descriptor: &str) -> Result<(), PoolFull> {
        let site = self.pool.add_invoke_dynamic(bootstrap, name, descriptor)?;
        self.push(Insn::InvokeDynamic(site));
        Ok(())
    }

    /// Allocates, casts to or tests for a class.
    pub fn class(&mut self, op: ClassOp, name: &str) -> Result<(), PoolFull> {
        let class = self.pool.add_class(name)?;
        self.push(Insn::Class { op, class });
        Ok(())
    }

    /// Wraps the primitive on the stack into its object.
    pub fn box_value(&mut self, primitive: Primitive) -> Result<(), PoolFull> {
        let wrapper = wrapper(primitive);
        self.invoke_static(wrapper, "valueOf", &format!("({})L{wrapper};", primitive.letter()))
    }

    /// Turns the reference on the stack, which must be the wrapper of `primitive`, into the primitive.
    pub fn unbox_value(&mut self, primitive: Primitive) -> Result<(), PoolFull> {
        let wrapper = wrapper(primitive);
        self.class(ClassOp::CheckCast, wrapper)?;
        let name = format!("{}Value", primitive.keyword());
        self.invoke_virtual(wrapper, &name, &format!("(){}", primitive.letter()))
    }

    /// Makes everything that was labelled refer to instructions.
    fn resolve(&mut self) -> Result<(), BuildError> {
        let (labels, mut unplaced) = (&self.labels, None);
        let mut find = |label: Label| {
            if label.0 & OUTSIDE != 0 {
                return label;
            }
            labels.get(label.index()).copied().flatten().unwrap_or_else(|| {
                unplaced.get_or_insert(label.0);
                label
            })
        };
        for insn in &mut self.insns {
            insn.map_targets(&mut find);
        }
        for Handler { start, end, target, .. } in &mut self.handlers {
            (*start, *end, *target) = (find(*start), find(*end), find(*target));
        }
        match unplaced {
            Some(label) => Err(BuildError::Unplaced(label)),
            None => Ok(()),
        }
    }

    /// The body of a method of `this_class`; `framed` says whether classes of its version have frames.
    pub(crate) fn into_method(
        mut self,
        (this_class, framed): (ClassIndex, bool),
        access: Access,
        name: &str,
        descriptor: &str,
    ) -> Result<Code, BuildError> {
        self.resolve()?;
        let (words, _) = descriptor::words(descriptor).ok_or(BuildError::Descriptor)?;
        let words = words.checked_add(u16::from(!access.is_static())).ok_or(BuildError::TooDeep)?;
        let (max_stack, locals) =
            effect::peak(&self.insns, &self.handlers, self.pool).ok_or(BuildError::Descriptor)?;
        let Self { pool, insns, handlers, lines, frames, .. } = self;
        let mut code =
            Code { max_stack, max_locals: locals.max(words), insns, handlers, attributes: Vec::new() };
        if framed {
            let receiver = if name == "<init>" { Kind::UninitializedThis } else { Kind::class(this_class) };
            let receiver = (!access.is_static()).then_some(receiver);
            let descriptor = pool.add_utf8(descriptor)?;
            let entry = State::on_entry(pool, descriptor, receiver).map_err(|_| BuildError::Descriptor)?;
            infer_frames(&mut code, pool, this_class, &entry, &frames)?;
        }
        if !lines.is_empty() {
            code.attributes.extend(Attribute::new(pool, Content::LineNumberTable(lines))?);
        }
        Ok(code)
    }

    fn into_fragment(mut self) -> Result<Fragment, BuildError> {
        self.resolve()?;
        Ok(Fragment { insns: self.insns, handlers: self.handlers })
    }
}

impl Fragment {
    /// A fragment of what `body` puts together. Lines and frames given there are of no use and left out.
    ///
    /// ```
    /// use jurat_classfile::{BranchOp, ConstantPool, FieldOp, Fragment, Op};
    /// let mut pool = ConstantPool::default();
    /// let fuel = Fragment::build(&mut pool, |code| {
    ///     let enough = code.label();
    ///     code.field(FieldOp::GetStatic, "Probe", "fuel", "I")?;
    ///     code.branch(BranchOp::Ifgt, enough);
    ///     code.invoke_static("Probe", "stop", "()V")?;
    ///     code.place(enough);
    ///     Ok(())
    /// })?;
    /// assert_eq!(fuel.insns.len(), 3);
    /// # Ok::<(), jurat_classfile::BuildError>(())
    /// ```
    pub fn build(
        pool: &mut ConstantPool,
        body: impl FnOnce(&mut CodeBuilder<'_>) -> Result<(), BuildError>,
    ) -> Result<Self, BuildError> {
        let mut builder = CodeBuilder::new(pool);
        body(&mut builder)?;
        builder.into_fragment()
    }
}

/// Adds the frames that the code needs to those given.
fn infer_frames(
    code: &mut Code,
    pool: &mut ConstantPool,
    this_class: ClassIndex,
    entry: &State,
    given: &[(Label, FullFrame)],
) -> Result<(), BuildError> {
    let spell = |(at, frame): &(Label, FullFrame)| {
        State::default().framed(&FrameKind::Full(Box::new(frame.clone()))).map(|state| (*at, state))
    };
    let mut known: Vec<Spelled> = given.iter().filter_map(spell).collect();
    let mut wanted: Vec<Label> = code.handlers.iter().map(|handler| handler.target).collect();
    code.insns.iter().for_each(|insn| insn.for_each_target(|target| wanted.push(target)));
    wanted.sort_unstable();
    wanted.dedup();
    let span = Span { start: 0, end: code.insns.len(), wanted };
    let context = Context { pool, this_class };
    let found = Inference { code, context, known: &known, entry }.states(&[span]).map_err(no_frame)?;
    known.extend(found);
    known.sort_by_key(|(at, _)| *at);
    let packed = frames::pack(&known, entry, pool).map_err(no_frame)?;
    if !packed.is_empty() {
        code.attributes.extend(Attribute::new(pool, Content::StackMapTable(packed))?);
    }
    Ok(())
}

fn no_frame(error: NotInferred) -> BuildError {
    match error.reason {
        NoFrame::Unverifiable => BuildError::NoFrame(error.at),
        NoFrame::Pool(full) => BuildError::Pool(full),
    }
}

/// Chooses among what there is for `int`, `long`, `float`, `double` and references.
fn by_type<T>(kind: &FieldType, [int, long, float, double, reference]: [T; 5]) -> T {
    match kind {
        FieldType::Primitive(Primitive::Long) => long,
        FieldType::Primitive(Primitive::Float) => float,
        FieldType::Primitive(Primitive::Double) => double,
        FieldType::Primitive(_) => int,
        FieldType::Object(_) | FieldType::Array(_) => reference,
    }
}

fn wrapper(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Boolean => "java/lang/Boolean",
        Primitive::Byte => "java/lang/Byte",
        Primitive::Char => "java/lang/Character",
        Primitive::Short => "java/lang/Short",
        Primitive::Int => "java/lang/Integer",
        Primitive::Long => "java/lang/Long",
        Primitive::Float => "java/lang/Float",
        Primitive::Double => "java/lang/Double",
    }
}
