//! Runs single statements: each kind makes a value or says why it did not.

use jurat_protocol::{Ending, Literal, OperationKind, Plain, Primitive, Statement, Text, Value, Var};

use crate::capture::{self, Capture};
use crate::classes::Sort;
use crate::epoch::{Member, Unresolved, loadable_name};
use crate::execute::{Lent, Run, Slot};
use crate::fingerprint::Walker;
use crate::jni::{Env, Kind, Raw, Ref};
use crate::table::{Op, Type, TypeId};

/// How a statement ended.
pub(crate) enum Made {
    /// With a value that needs no more said about it.
    Plain(Plain),
    /// In any other way.
    Ended(Ending),
}

impl From<Made> for Ending {
    fn from(made: Made) -> Self {
        match made {
            Made::Plain(plain) => Self::Returned(plain.into()),
            Made::Ended(ending) => ending,
        }
    }
}

impl<'t> Run<'t> {
    /// Runs one statement, keeps its value and says how it ended.
    pub(crate) fn statement(&mut self, position: usize, statement: &Statement, inputs: &[Var]) -> Made {
        if let Statement::Operate { operation, .. } = statement {
            return self.operate(position, *operation as usize, inputs);
        }
        let made = match statement {
            Statement::Literal(literal) => {
                return match self.literal(literal) {
                    Ok(slot) => {
                        self.slots[position] = slot;
                        Made::Plain(Plain::Literal)
                    }
                    Err(ending) => Made::Ended(ending),
                };
            }
            composed => self.make(position, composed, inputs, &mut (Ref::NULL, 0)),
        };
        match made {
            Ok(slot) => self.keep(position, slot.raw, slot.declared, &mut (Ref::NULL, 0)),
            Err(ending) => Made::Ended(ending),
        }
    }

    /// Keeps the value that a statement made. `last` is the class, and its number, that it made one of before.
    #[inline]
    fn keep(&mut self, position: usize, raw: Raw, declared: Type, last: &mut (Ref, u32)) -> Made {
        // Field by field: what is put together elsewhere and copied here is waited for.
        let slot = &mut self.slots[position];
        slot.raw = raw;
        slot.declared.id = declared.id;
        slot.declared.kind = declared.kind;
        slot.made = true;
        let kind = declared.kind;
        if let Some(primitive) = capture::primitive(kind, raw) {
            return Made::Plain(Plain::Primitive(primitive));
        }
        if kind == Kind::Void {
            return Made::Plain(Plain::Void);
        }
        if raw.as_ref().is_null() {
            return Made::Plain(Plain::Null);
        }
        if !self.wants.results
            && !self.wants.aliases
            && let Some(class) = self.capture().only_class(raw.as_ref(), last)
        {
            return Made::Plain(Plain::Object(class));
        }
        let value = self.capture().value(kind, raw, last);
        Made::Ended(Ending::Returned(self.decorated(position, raw.as_ref(), value)))
    }

    /// Adds to an object what was asked for beyond its class.
    fn decorated(&mut self, position: usize, made: Ref, mut value: Value) -> Value {
        if let Value::Object(object) = &mut value {
            if self.wants.results {
                object.fingerprint = Some(self.fingerprint(made));
            }
            if self.wants.aliases {
                object.same_as = self.first_same(position, made);
            }
        }
        value
    }

    fn first_same(&self, position: usize, object: Ref) -> Option<Var> {
        let earlier = self.slots[..position].iter();
        let is_same = |slot: &Slot| {
            slot.declared.kind == Kind::Object && slot.made && self.env.same(slot.raw.as_ref(), object)
        };
        earlier
            .enumerate()
            .find(|(_, slot)| is_same(slot))
            .map(|(at, _)| Var(u32::try_from(at).expect("few")))
    }

    /// The fingerprint of an object.
    pub(crate) fn fingerprint(&mut self, object: Ref) -> u64 {
        let limit = self.limits.fingerprint_objects as usize;
        Walker { env: self.env, jdk: self.jdk, classes: self.classes, limit }.fingerprint(object)
    }

    pub(crate) fn capture(&mut self) -> Capture<'_> {
        Capture {
            env: self.env,
            jdk: self.jdk,
            classes: self.classes,
            limits: self.limits,
            elements: self.wants.elements,
        }
    }

    /// The ending of a statement that left an exception behind.
    pub(crate) fn threw(&mut self) -> Ending {
        match self.env.take_exception() {
            Some(thrown) => self.thrown(thrown),
            None => Ending::Unresolved("an exception vanished".to_owned()),
        }
    }

    fn thrown(&mut self, thrown: Ref) -> Ending {
        let mut taint = self.taint;
        let ending = self.capture().thrown(thrown, &mut taint);
        self.taint = taint;
        ending
    }

    pub(crate) fn unresolved(&mut self, why: Unresolved) -> Ending {
        match why {
            Unresolved::Threw(thrown) => self.thrown(thrown),
            Unresolved::Missing(what) => Ending::Unresolved(what),
        }
    }

    fn made(kind: Kind, id: TypeId, raw: Raw) -> Slot {
        Slot { raw, declared: Type { id, kind }, made: true }
    }

    fn literal(&mut self, literal: &Literal) -> Result<Slot, Ending> {
        match literal {
            Literal::Null => Ok(Self::made(Kind::Object, self.own_types.null, Raw::ZERO)),
            Literal::Primitive(primitive) => {
                let (kind, raw) = capture::raw(*primitive);
                Ok(Self::made(kind, self.own_types.null, raw))
            }
            Literal::String(text) => {
                let string = self.string(text)?;
                Ok(Self::made(Kind::Object, self.own_types.string, Raw::object(string)))
            }
            Literal::Class(descriptor) => {
                let class = self.class_literal(descriptor)?;
                Ok(Self::made(Kind::Object, self.own_types.class, Raw::object(class)))
            }
        }
    }

    /// Equal literals are the same object, as in Java.
    fn string(&mut self, text: &Text) -> Result<Ref, Ending> {
        let string = self.env.new_string(&text.units());
        if self.env.threw() {
            return Err(self.threw());
        }
        let interned = self.env.call(Kind::Object, string, self.jdk.intern, &[]).as_ref();
        if self.env.threw() {
            return Err(self.threw());
        }
        Ok(interned)
    }

    fn class_literal(&mut self, descriptor: &str) -> Result<Ref, Ending> {
        match Kind::of(descriptor) {
            Some(Kind::Object) => {
                let name = loadable_name(descriptor).unwrap_or_default();
                let loaded = self.jdk.load(self.env, &name, self.epoch.loader);
                loaded.map_err(|thrown| self.thrown(thrown))
            }
            Some(kind) => {
                let boxed = self.jdk.boxes.iter().find(|boxed| boxed.kind == kind);
                let class = boxed.map(|boxed| boxed.primitive);
                class.ok_or_else(|| Ending::Unresolved("void.class is not a literal here".to_owned()))
            }
            None => Err(Ending::Unresolved(format!("{descriptor:?} is not a type"))),
        }
    }

    fn operate(&mut self, position: usize, index: usize, inputs: &[Var]) -> Made {
        let (raw, op) = match self.called(index, inputs) {
            Ok(called) => called,
            Err(ending) => return Made::Ended(ending),
        };
        let before = self.epoch.last(index);
        let mut last = before;
        let made = self.keep(position, raw, op.output, &mut last);
        if last.1 != before.1 {
            self.epoch.remember(index, last);
        }
        made
    }

    /// Calls an operation and gives what it gave. The operation comes with it as one word: what is put together of
    /// smaller parts and handed back through memory is waited for.
    #[inline]
    fn called(&mut self, index: usize, inputs: &[Var]) -> Result<(Raw, &'t Op), Ending> {
        let table = self.table;
        let op = match table.operations.get(index) {
            Some(Ok(op)) => op,
            Some(Err(why)) => return Err(Ending::Unresolved(why.clone())),
            None => {
                let why = format!("the operation table has no entry {index}");
                return Err(Ending::Unresolved(why));
            }
        };
        self.gather(op, inputs)?;
        let resolved = self.epoch.member(self.env, self.jdk, table, index, op);
        let member = match resolved {
            Ok(member) => *member,
            Err(why) => return Err(self.unresolved(why)),
        };
        if op.kind == OperationKind::LendStatic {
            self.lend(index, member.class);
        }
        let raw = if self.probes.in_jdk {
            self.probes.listen_to(self.env, self.thread);
            let raw = invoke(self.env, op, member, &self.arguments);
            self.probes.listen_to(self.env, Ref::NULL);
            raw
        } else {
            invoke(self.env, op, member, &self.arguments)
        };
        // What threw gives zero or null, which is checked when a worker starts: asking costs as much as a short call.
        if raw.bits() == 0 && self.env.threw() {
            return Err(self.threw());
        }
        Ok((raw, op))
    }

    /// Notes what the static variables of a class hold, to put it back when the sequence ends. The class is initialized by
    /// now.
    #[cold]
    fn lend(&mut self, index: usize, class: Ref) {
        let env = self.env;
        let variables = self.epoch.variables(self.jdk, index, class).iter();
        let held =
            variables.map(|&(kind, id)| Lent { kind, class, id, held: env.get_static(kind, class, id) });
        self.lent.extend(held);
    }

    /// Puts back what static fields held before the sequence, whose frame must still be open.
    #[inline]
    pub(crate) fn put_back(&mut self) {
        while let Some(Lent { kind, class, id, held }) = self.lent.pop() {
            self.env.set_static(kind, class, id, held);
        }
    }

    /// Runs one statement and gives what it made, without a report. `last` is set to the class that values from the
    /// same operation had.
    pub(crate) fn make(
        &mut self,
        position: usize,
        statement: &Statement,
        inputs: &[Var],
        last: &mut (Ref, u32),
    ) -> Result<Slot, Ending> {
        match statement {
            Statement::Operate { operation, .. } => {
                let (raw, op) = self.called(*operation as usize, inputs)?;
                *last = self.epoch.last(*operation as usize);
                Ok(Slot { raw, declared: op.output, made: true })
            }
            Statement::Literal(literal) => self.literal(literal),
            Statement::NewArray { element, .. } => self.new_array(element, inputs.len(), inputs),
            Statement::EmptyArray { element, length } => self.new_array(element, *length as usize, &[]),
            Statement::ArrayGet => self.array_get(inputs),
            Statement::ArraySet => self.array_set(inputs),
            Statement::ArrayLength => self.array_length(inputs),
            Statement::Mock(mock) => self.mock(position, mock),
        }
    }

    /// Checks that the inputs fit the operation, and lines them up as arguments.
    fn gather(&mut self, op: &Op, inputs: &[Var]) -> Result<(), Ending> {
        if inputs.len() != op.inputs.len() {
            let (takes, given) = (op.inputs.len(), inputs.len());
            return Err(Ending::Unresolved(format!("{:?} takes {takes} inputs, {given} are given", op.name)));
        }
        self.arguments.clear();
        for (position, (input, wanted)) in inputs.iter().zip(&op.inputs).enumerate() {
            let slot = self.slots[input.0 as usize];
            if !self.fits(slot, *wanted) {
                return Err(Ending::Misfit(u32::try_from(position).expect("at most 255 inputs")));
            }
            self.arguments.push(slot.raw);
        }
        if op.kind.has_receiver() && self.arguments[0].as_ref().is_null() {
            return Err(self.capture().null_receiver());
        }
        Ok(())
    }

    /// Whether a value can be used where a type is declared: by its declared type if that tells, else by its class.
    fn fits(&mut self, slot: Slot, wanted: Type) -> bool {
        if slot.declared.kind != wanted.kind || !slot.made {
            return false;
        }
        if wanted.kind != Kind::Object || slot.declared.id == wanted.id || wanted.id == self.own_types.object
        {
            return true;
        }
        let object = slot.raw.as_ref();
        if object.is_null() {
            return true;
        }
        if self.epoch.fits(self.env, self.jdk, self.table, slot.declared.id, wanted.id) {
            return true;
        }
        match self.epoch.class(self.env, self.jdk, self.table, wanted.id) {
            Ok(class) => self.env.instance_of(object, class),
            Err(_) => false,
        }
    }

    fn new_array(&mut self, element: &str, length: usize, inputs: &[Var]) -> Result<Slot, Ending> {
        let kind = Kind::of(element).filter(|kind| *kind != Kind::Void);
        let kind = kind.ok_or_else(|| Ending::Unresolved(format!("{element:?} is not a type")))?;
        let array = if kind == Kind::Object {
            let class = self.named_class(element)?;
            self.env.new_object_array(class, length)
        } else {
            self.env.new_primitive_array(kind, length)
        };
        if self.env.threw() {
            return Err(self.threw());
        }
        for (index, input) in inputs.iter().enumerate() {
            self.store(kind, array, index, *input)?;
        }
        let declared = self.table.types.find(&format!("[{element}")).unwrap_or(self.own_types.object);
        Ok(Self::made(Kind::Object, declared, Raw::object(array)))
    }

    /// The class with a descriptor, remembered for the epoch if the type has a number.
    fn named_class(&mut self, descriptor: &str) -> Result<Ref, Ending> {
        match self.table.types.find(descriptor) {
            Some(id) => {
                let class = self.epoch.class(self.env, self.jdk, self.table, id);
                class.map_err(|why| self.unresolved(why))
            }
            None => self.class_literal(descriptor),
        }
    }

    fn store(&mut self, kind: Kind, array: Ref, index: usize, input: Var) -> Result<(), Ending> {
        let slot = self.slots[input.0 as usize];
        let position = u32::try_from(index).expect("array indices fit");
        if slot.declared.kind != kind {
            return Err(Ending::Misfit(position));
        }
        let index = i32::try_from(index).expect("array indices fit");
        self.env.set_element(kind, array, index, slot.raw);
        if self.env.threw() { Err(self.threw()) } else { Ok(()) }
    }

    /// The array among the inputs, its class, and the kind of its elements.
    fn array_input(&mut self, inputs: &[Var]) -> Result<(Ref, Kind), Ending> {
        let slot = self.slots[inputs[0].0 as usize];
        if slot.declared.kind != Kind::Object {
            return Err(Ending::Misfit(0));
        }
        let array = slot.raw.as_ref();
        if array.is_null() {
            return Err(self.capture().null_receiver());
        }
        let class = self.env.class_of(array);
        let number = self.classes.number(self.env, self.jdk, class);
        match self.classes.info(number).sort {
            Sort::Array(kind) => Ok((array, kind)),
            _ => Err(Ending::Misfit(0)),
        }
    }

    fn index_input(&self, inputs: &[Var]) -> Result<i32, Ending> {
        let slot = self.slots[inputs[1].0 as usize];
        match capture::primitive(slot.declared.kind, slot.raw) {
            Some(Primitive::Int(index)) => Ok(index),
            _ => Err(Ending::Misfit(1)),
        }
    }

    fn array_get(&mut self, inputs: &[Var]) -> Result<Slot, Ending> {
        let (array, kind) = self.array_input(inputs)?;
        let index = self.index_input(inputs)?;
        let raw = self.env.element(kind, array, index);
        if self.env.threw() {
            return Err(self.threw());
        }
        Ok(Self::made(kind, self.own_types.object, raw))
    }

    fn array_set(&mut self, inputs: &[Var]) -> Result<Slot, Ending> {
        let (array, kind) = self.array_input(inputs)?;
        let index = self.index_input(inputs)?;
        let value = self.slots[inputs[2].0 as usize];
        if value.declared.kind != kind {
            return Err(Ending::Misfit(2));
        }
        self.env.set_element(kind, array, index, value.raw);
        if self.env.threw() {
            return Err(self.threw());
        }
        Ok(Self::made(Kind::Void, self.own_types.null, Raw::ZERO))
    }

    fn array_length(&mut self, inputs: &[Var]) -> Result<Slot, Ending> {
        let (array, _) = self.array_input(inputs)?;
        let length = i32::try_from(self.env.array_length(array)).expect("array lengths fit");
        Ok(Self::made(Kind::Int, self.own_types.int, Raw::int(length)))
    }
}

/// Does what an operation does. Inputs fit it; whether it threw is for the caller to ask.
#[inline]
pub(crate) fn invoke(env: Env, op: &Op, member: Member, arguments: &[Raw]) -> Raw {
    let kind = op.output.kind;
    let Member { class, id, .. } = member;
    if member.bridged {
        return env.call_static(kind, class, id, arguments);
    }
    match op.kind {
        OperationKind::Constructor => Raw::object(env.new_object(class, id, arguments)),
        OperationKind::Static => env.call_static(kind, class, id, arguments),
        OperationKind::Virtual => env.call(kind, arguments[0].as_ref(), id, &arguments[1..]),
        OperationKind::Special => env.call_special(kind, arguments[0].as_ref(), class, id, &arguments[1..]),
        OperationKind::GetStatic => env.get_static(kind, class, id),
        OperationKind::GetField => env.get(kind, arguments[0].as_ref(), id),
        OperationKind::SetStatic | OperationKind::LendStatic => {
            env.set_static(op.inputs[0].kind, class, id, arguments[0]);
            Raw::ZERO
        }
        OperationKind::SetField => {
            env.set(op.inputs[1].kind, arguments[0].as_ref(), id, arguments[1]);
            Raw::ZERO
        }
    }
}
