//! The verifier's view of code: which types the locals and the stack hold before an instruction.

use crate::code::{FrameKind, VerificationType};
use crate::effect;
use crate::insn::{ArrayKind, BranchOp, ClassOp, FieldOp, Insn, InvokeOp, Label, LocalOp, Op};
use crate::pool::{ClassIndex, Constant, ConstantPool, LoadableIndex, MethodIndex, PoolFull, Utf8Index};

/// What a local variable or stack entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    Uninitialized(Label),
    Reference(Reference),
}

/// A class or array type, told by where it is written, so that following code costs no new constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    source: Source,
    /// How many array dimensions of the source to take off.
    stripped: u8,
    /// Then, whether to put one on.
    wrapped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Class(ClassIndex),
    /// A part of a descriptor.
    Part(Utf8Index, u16, u16),
    Known(&'static str),
}

/// Code that the verifier would refuse as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unverifiable;

type Step<T> = Result<T, Unverifiable>;

/// What the methods of one class have in common.
#[derive(Clone, Copy)]
pub(crate) struct Context<'p> {
    pub(crate) pool: &'p ConstantPool,
    pub(crate) this_class: ClassIndex,
}

/// The types before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// One entry for each word; the second word of a long or double is `Top`.
    locals: Vec<Kind>,
    /// One entry for each value.
    stack: Vec<Kind>,
}

impl Kind {
    fn words(self) -> usize {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }

    pub(crate) fn class(class: ClassIndex) -> Self {
        Self::of(Source::Class(class))
    }

    pub(crate) fn known(name: &'static str) -> Self {
        Self::of(Source::Known(name))
    }

    fn of(source: Source) -> Self {
        Self::Reference(Reference { source, stripped: 0, wrapped: false })
    }

    /// The type at byte `start` of a descriptor, and where the next one begins.
    fn in_descriptor(text: Utf8Index, bytes: &[u8], start: usize) -> Step<(Self, usize)> {
        let letter = *bytes.get(start).ok_or(Unverifiable)?;
        let primitive = match letter {
            b'J' => Self::Long,
            b'D' => Self::Double,
            b'F' => Self::Float,
            b'L' | b'[' => {
                let end = reference_end(bytes, start).ok_or(Unverifiable)?;
                let narrow = |at| u16::try_from(at).map_err(|_| Unverifiable);
                return Ok((Self::of(Source::Part(text, narrow(start)?, narrow(end)?)), end));
            }
            _ => Self::Integer,
        };
        Ok((primitive, start + 1))
    }

    fn of_field(text: Utf8Index, pool: &ConstantPool) -> Step<Self> {
        Self::in_descriptor(text, pool.utf8_bytes(text), 0).map(|(kind, _)| kind)
    }

    /// The elements of an array of this type.
    fn element(self) -> Step<Self> {
        match self {
            Self::Null => Ok(Self::Null),
            Self::Reference(Reference { source, stripped, wrapped: true }) => {
                Ok(Self::Reference(Reference { source, stripped, wrapped: false }))
            }
            Self::Reference(Reference { source, stripped, wrapped: false }) => {
                let stripped = stripped.checked_add(1).ok_or(Unverifiable)?;
                Ok(Self::Reference(Reference { source, stripped, wrapped: false }))
            }
            _ => Err(Unverifiable),
        }
    }

    /// How a frame spells this type; adds a class constant if the pool has none.
    pub(crate) fn verification_type(self, pool: &mut ConstantPool) -> Result<VerificationType, NoFrame> {
        Ok(match self {
            Self::Top => VerificationType::Top,
            Self::Integer => VerificationType::Integer,
            Self::Float => VerificationType::Float,
            Self::Double => VerificationType::Double,
            Self::Long => VerificationType::Long,
            Self::Null => VerificationType::Null,
            Self::UninitializedThis => VerificationType::UninitializedThis,
            Self::Uninitialized(label) => VerificationType::Uninitialized(label),
            Self::Reference(Reference { source: Source::Class(class), stripped: 0, wrapped: false }) => {
                VerificationType::Object(class)
            }
            Self::Reference(reference) => {
                let name = reference.class_name(pool).ok_or(NoFrame::Unverifiable)?;
                VerificationType::Object(pool.add_class_bytes(&name)?)
            }
        })
    }
}

impl From<VerificationType> for Kind {
    fn from(kind: VerificationType) -> Self {
        match kind {
            VerificationType::Top => Self::Top,
            VerificationType::Integer => Self::Integer,
            VerificationType::Float => Self::Float,
            VerificationType::Double => Self::Double,
            VerificationType::Long => Self::Long,
            VerificationType::Null => Self::Null,
            VerificationType::UninitializedThis => Self::UninitializedThis,
            VerificationType::Object(class) => Self::class(class),
            VerificationType::Uninitialized(label) => Self::Uninitialized(label),
        }
    }
}

/// Why there is no frame for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFrame {
    Unverifiable,
    Pool(PoolFull),
}

impl From<PoolFull> for NoFrame {
    fn from(full: PoolFull) -> Self {
        Self::Pool(full)
    }
}

impl Reference {
    /// The name the constant pool has for this class; `None` if dimensions were taken off something without.
    fn class_name(self, pool: &ConstantPool) -> Option<Vec<u8>> {
        let mut text = match self.source {
            Source::Class(class) => descriptor_of(pool.class_name_bytes(class)),
            Source::Part(text, start, end) => {
                pool.utf8_bytes(text).get(usize::from(start)..usize::from(end))?.to_vec()
            }
            Source::Known(name) => descriptor_of(name.as_bytes()),
        };
        let dimensions = usize::from(self.stripped);
        if text.len() < dimensions || text[..dimensions].iter().any(|byte| *byte != b'[') {
            return None;
        }
        text.drain(..dimensions);
        if self.wrapped {
            text.insert(0, b'[');
        }
        match text.first()? {
            b'[' => Some(text),
            b'L' => Some(text[1..text.len() - 1].to_vec()),
            _ => None,
        }
    }
}

/// From the pool's name of a class to its descriptor.
fn descriptor_of(name: &[u8]) -> Vec<u8> {
    if name.first() == Some(&b'[') { name.to_vec() } else { [b"L", name, b";"].concat() }
}

/// Where the reference type that begins at `start` ends.
fn reference_end(bytes: &[u8], start: usize) -> Option<usize> {
    let element = start + bytes.get(start..)?.iter().position(|byte| *byte != b'[')?;
    if bytes[element] == b'L' {
        bytes[element..].iter().position(|byte| *byte == b';').map(|length| element + length + 1)
    } else {
        Some(element + 1)
    }
}

impl State {
    /// The state on entry to a method; `this` is what the receiver is, if there is one.
    pub(crate) fn on_entry(pool: &ConstantPool, descriptor: Utf8Index, this: Option<Kind>) -> Step<Self> {
        let mut state = Self::default();
        if let Some(this) = this {
            state.locals.push(this);
        }
        let bytes = pool.utf8_bytes(descriptor);
        let mut at = 1;
        while bytes.get(at) != Some(&b')') {
            let (kind, next) = Kind::in_descriptor(descriptor, bytes, at)?;
            state.push_local(kind);
            at = next;
        }
        Ok(state)
    }

    /// The state that a frame describes relative to this one; `None` if it takes away more than there is.
    pub(crate) fn framed(mut self, kind: &FrameKind) -> Option<Self> {
        self.stack.clear();
        match kind {
            FrameKind::Same { .. } => {}
            FrameKind::OneStack { stack, .. } => self.stack.push((*stack).into()),
            FrameKind::Chop(count) => {
                for _ in 0..*count {
                    let last = self.locals.pop()?;
                    // The second word of a long or double is no local of its own.
                    if last == Kind::Top && self.locals.last().is_some_and(|local| local.words() == 2) {
                        self.locals.pop();
                    }
                }
            }
            FrameKind::Append(locals) => locals.iter().for_each(|local| self.push_local((*local).into())),
            FrameKind::Full(full) => {
                self.locals.clear();
                full.locals.iter().for_each(|local| self.push_local((*local).into()));
                self.stack.extend(full.stack.iter().map(|entry| Kind::from(*entry)));
            }
        }
        Some(self)
    }

    /// The locals, one entry for each value.
    pub(crate) fn local_values(&self) -> Vec<Kind> {
        let mut values = Vec::with_capacity(self.locals.len());
        let mut at = 0;
        while let Some(local) = self.locals.get(at) {
            values.push(*local);
            at += local.words();
        }
        values
    }

    /// The stack, one entry for each value.
    pub(crate) fn stack(&self) -> &[Kind] {
        &self.stack
    }

    /// Takes off trailing locals without a value.
    pub(crate) fn trim(&mut self) {
        while self.locals.last() == Some(&Kind::Top)
            && self.locals.iter().rev().nth(1).is_none_or(|local| local.words() == 1)
        {
            self.locals.pop();
        }
    }

    /// The state in an exception handler of a range that begins in this state.
    pub(crate) fn in_handler(&self, caught: Kind) -> Self {
        Self { locals: self.locals.clone(), stack: vec![caught] }
    }

    /// Keeps what both states agree on. False if their stacks cannot be brought together.
    pub(crate) fn merge(&mut self, other: &Self, pool: &ConstantPool) -> bool {
        self.locals.truncate(other.locals.len());
        for (own, theirs) in self.locals.iter_mut().zip(&other.locals) {
            *own = join(*own, *theirs, pool).unwrap_or(Kind::Top);
        }
        self.stack.len() == other.stack.len()
            && self.stack.iter_mut().zip(&other.stack).all(|(own, theirs)| {
                let joined = join(*own, *theirs, pool);
                *own = joined.unwrap_or(Kind::Top);
                joined.is_some()
            })
    }

    fn push_local(&mut self, kind: Kind) {
        self.locals.push(kind);
        if kind.words() == 2 {
            self.locals.push(Kind::Top);
        }
    }

    fn pop(&mut self) -> Step<Kind> {
        self.stack.pop().ok_or(Unverifiable)
    }

    fn drop_values(&mut self, count: usize) -> Step<()> {
        let left = self.stack.len().checked_sub(count).ok_or(Unverifiable)?;
        self.stack.truncate(left);
        Ok(())
    }

    /// What the instruction at `at` makes of this state.
    pub(crate) fn step(&mut self, insn: &Insn, at: Label, context: Context<'_>) -> Step<()> {
        match insn {
            Insn::Op(op) => return self.op(*op),
            Insn::Bipush(_) | Insn::Sipush(_) => self.stack.push(Kind::Integer),
            Insn::Ldc { constant, .. } => self.stack.push(constant_kind(*constant, context.pool)?),
            Insn::Local { op, slot, .. } => return self.local(*op, usize::from(*slot)),
            Insn::Iinc { .. } => {}
            // Subroutines have no place in code with frames.
            Insn::Branch { op: BranchOp::Jsr, .. } => return Err(Unverifiable),
            Insn::Branch { op, .. } => return self.drop_values(effect::of_branch(*op).into()),
            Insn::TableSwitch(_) | Insn::LookupSwitch(_) => return self.drop_values(1),
            Insn::Field { op, field } => return self.field(*op, field.raw(), context.pool),
            Insn::Invoke { op, method } => return self.call(*op, *method, context),
            Insn::InvokeInterface { method, .. } => return self.call(InvokeOp::Virtual, *method, context),
            Insn::InvokeDynamic(site) => {
                let (_, descriptor) = member_parts(site.raw(), context.pool).ok_or(Unverifiable)?;
                return self.arguments_to_result(descriptor, context.pool);
            }
            Insn::Class { op, class } => return self.class(*op, *class, at),
            Insn::NewArray(kind) => {
                self.pop()?;
                self.stack.push(Kind::known(array_name(*kind)));
            }
            Insn::MultiNewArray { class, dimensions } => {
                self.drop_values((*dimensions).into())?;
                self.stack.push(Kind::class(*class));
            }
        }
        Ok(())
    }

    fn op(&mut self, op: Op) -> Step<()> {
        match op {
            Op::Aaload => {
                self.pop()?;
                let element = self.pop()?.element()?;
                self.stack.push(element);
            }
            Op::Pop => self.take(1).map(drop)?,
            Op::Pop2 => self.take(2).map(drop)?,
            Op::Dup => self.duplicate(1, 0)?,
            Op::DupX1 => self.duplicate(1, 1)?,
            Op::DupX2 => self.duplicate(1, 2)?,
            Op::Dup2 => self.duplicate(2, 0)?,
            Op::Dup2X1 => self.duplicate(2, 1)?,
            Op::Dup2X2 => self.duplicate(2, 2)?,
            Op::Swap => {
                let (first, second) = (self.pop()?, self.pop()?);
                self.stack.extend([first, second]);
            }
            _ => {
                let (taken, put) = effect::of_op(op).ok_or(Unverifiable)?;
                self.drop_values(taken.len())?;
                self.stack.extend(put.bytes().map(|letter| match letter {
                    b'I' => Kind::Integer,
                    b'J' => Kind::Long,
                    b'F' => Kind::Float,
                    b'D' => Kind::Double,
                    _ => Kind::Null,
                }));
            }
        }
        Ok(())
    }

    /// Takes values that make up `words` words, lowest first.
    fn take(&mut self, words: usize) -> Step<Vec<Kind>> {
        let mut start = self.stack.len();
        let mut found = 0;
        while found < words {
            start = start.checked_sub(1).ok_or(Unverifiable)?;
            found += self.stack[start].words();
        }
        if found == words { Ok(self.stack.split_off(start)) } else { Err(Unverifiable) }
    }

    /// Copies the top `words` words below the `under` words beneath them.
    fn duplicate(&mut self, words: usize, under: usize) -> Step<()> {
        let top = self.take(words)?;
        let beneath = self.take(under)?;
        self.stack.extend(&top);
        self.stack.extend(beneath);
        self.stack.extend(top);
        Ok(())
    }

    fn local(&mut self, op: LocalOp, slot: usize) -> Step<()> {
        match op {
            LocalOp::Iload => self.stack.push(Kind::Integer),
            LocalOp::Lload => self.stack.push(Kind::Long),
            LocalOp::Fload => self.stack.push(Kind::Float),
            LocalOp::Dload => self.stack.push(Kind::Double),
            LocalOp::Aload => {
                let kind = *self.locals.get(slot).ok_or(Unverifiable)?;
                self.stack.push(kind);
            }
            LocalOp::Ret => return Err(Unverifiable),
            LocalOp::Istore | LocalOp::Lstore | LocalOp::Fstore | LocalOp::Dstore | LocalOp::Astore => {
                let kind = self.pop()?;
                self.store(slot, kind);
            }
        }
        Ok(())
    }

    fn store(&mut self, slot: usize, kind: Kind) {
        let end = slot + kind.words();
        if self.locals.len() < end {
            self.locals.resize(end, Kind::Top);
        }
        // Half of an overwritten long or double is of no use.
        if slot > 0 && self.locals[slot - 1].words() == 2 {
            self.locals[slot - 1] = Kind::Top;
        }
        self.locals[slot] = kind;
        if kind.words() == 2 {
            self.locals[slot + 1] = Kind::Top;
        }
    }

    fn field(&mut self, op: FieldOp, index: u16, pool: &ConstantPool) -> Step<()> {
        let (_, descriptor) = member_parts(index, pool).ok_or(Unverifiable)?;
        match op {
            FieldOp::GetStatic => {}
            FieldOp::PutStatic | FieldOp::GetField => self.drop_values(1)?,
            FieldOp::PutField => self.drop_values(2)?,
        }
        if matches!(op, FieldOp::GetStatic | FieldOp::GetField) {
            self.stack.push(Kind::of_field(descriptor, pool)?);
        }
        Ok(())
    }

    fn call(&mut self, op: InvokeOp, method: MethodIndex, context: Context<'_>) -> Step<()> {
        let pool = context.pool;
        let (name, descriptor) = member_parts(method.raw(), pool).ok_or(Unverifiable)?;
        let parameters = count_parameters(pool.utf8_bytes(descriptor)).ok_or(Unverifiable)?;
        self.drop_values(parameters)?;
        if op != InvokeOp::Static {
            let receiver = self.pop()?;
            if op == InvokeOp::Special && pool.utf8_bytes(name) == b"<init>" {
                self.initialize(receiver, method, context);
            }
        }
        self.push_result(descriptor, pool)
    }

    /// A constructor ran: whatever held the raw object now holds an initialized one.
    fn initialize(&mut self, raw: Kind, method: MethodIndex, context: Context<'_>) {
        let class = match (raw, context.pool.get(method.raw())) {
            (Kind::Uninitialized(_), Some(Constant::MethodRef { class, .. })) => class,
            _ => context.this_class,
        };
        for kind in self.locals.iter_mut().chain(&mut self.stack).filter(|kind| **kind == raw) {
            *kind = Kind::class(class);
        }
    }

    fn arguments_to_result(&mut self, descriptor: Utf8Index, pool: &ConstantPool) -> Step<()> {
        let parameters = count_parameters(pool.utf8_bytes(descriptor)).ok_or(Unverifiable)?;
        self.drop_values(parameters)?;
        self.push_result(descriptor, pool)
    }

    fn push_result(&mut self, descriptor: Utf8Index, pool: &ConstantPool) -> Step<()> {
        let bytes = pool.utf8_bytes(descriptor);
        let result = bytes.iter().rposition(|byte| *byte == b')').ok_or(Unverifiable)? + 1;
        if bytes.get(result) != Some(&b'V') {
            let (kind, _) = Kind::in_descriptor(descriptor, bytes, result)?;
            self.stack.push(kind);
        }
        Ok(())
    }

    fn class(&mut self, op: ClassOp, class: ClassIndex, at: Label) -> Step<()> {
        if op != ClassOp::New {
            self.pop()?;
        }
        self.stack.push(match op {
            ClassOp::New => Kind::Uninitialized(at),
            ClassOp::NewArray => {
                Kind::Reference(Reference { source: Source::Class(class), stripped: 0, wrapped: true })
            }
            ClassOp::CheckCast => Kind::class(class),
            ClassOp::InstanceOf => Kind::Integer,
        });
        Ok(())
    }
}

/// What two states agree on, if anything.
fn join(one: Kind, other: Kind, pool: &ConstantPool) -> Option<Kind> {
    match (one, other) {
        _ if one == other => Some(one),
        (Kind::Null, Kind::Reference(_)) => Some(other),
        (Kind::Reference(_), Kind::Null) => Some(one),
        (Kind::Reference(left), Kind::Reference(right)) => {
            (left.class_name(pool)? == right.class_name(pool)?).then_some(one)
        }
        _ => None,
    }
}

/// Where name and descriptor of a member or dynamic call are.
fn member_parts(index: u16, pool: &ConstantPool) -> Option<(Utf8Index, Utf8Index)> {
    let (Constant::FieldRef { name_and_type, .. }
    | Constant::MethodRef { name_and_type, .. }
    | Constant::InterfaceMethodRef { name_and_type, .. }
    | Constant::Dynamic { name_and_type, .. }
    | Constant::InvokeDynamic { name_and_type, .. }) = pool.get(index)?
    else {
        return None;
    };
    match pool.get(name_and_type.raw())? {
        Constant::NameAndType { name, descriptor } => Some((name, descriptor)),
        _ => None,
    }
}

fn count_parameters(descriptor: &[u8]) -> Option<usize> {
    let mut at = 1;
    let mut count = 0;
    while *descriptor.get(at)? != b')' {
        at = if matches!(descriptor[at], b'L' | b'[') { reference_end(descriptor, at)? } else { at + 1 };
        count += 1;
    }
    Some(count)
}

fn constant_kind(constant: LoadableIndex, pool: &ConstantPool) -> Step<Kind> {
    Ok(match pool.get(constant.raw()).ok_or(Unverifiable)? {
        Constant::Integer(_) => Kind::Integer,
        Constant::Float(_) => Kind::Float,
        Constant::Long(_) => Kind::Long,
        Constant::Double(_) => Kind::Double,
        Constant::Class(_) => Kind::known("java/lang/Class"),
        Constant::String(_) => Kind::known("java/lang/String"),
        Constant::MethodHandle { .. } => Kind::known("java/lang/invoke/MethodHandle"),
        Constant::MethodType(_) => Kind::known("java/lang/invoke/MethodType"),
        _ => {
            let (_, descriptor) = member_parts(constant.raw(), pool).ok_or(Unverifiable)?;
            Kind::of_field(descriptor, pool)?
        }
    })
}

fn array_name(kind: ArrayKind) -> &'static str {
    match kind {
        ArrayKind::Boolean => "[Z",
        ArrayKind::Char => "[C",
        ArrayKind::Float => "[F",
        ArrayKind::Double => "[D",
        ArrayKind::Byte => "[B",
        ArrayKind::Short => "[S",
        ArrayKind::Int => "[I",
        ArrayKind::Long => "[J",
    }
}
