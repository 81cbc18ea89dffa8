//! Runs a chunk of sequences: the hot path of the whole tool.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jurat_protocol::frame;
use jurat_protocol::{
    Chunk, ChunkOutcomes, Cut, Ending, Finished, Isolation, Literal, OperationKind, Outcome, Sequence,
    Statement, Taint, Text, Value, Var, Wants, shared as layout,
};

use crate::capture::{self, Capture};
use crate::classes::{Classes, Jdk};
use crate::epoch::{Epoch, Member, Unresolved};
use crate::jni::{Env, Kind, Raw, Ref};
use crate::serve::Worker;
use crate::shared::{Record, cell};
use crate::table::{Op, Table, Type, TypeId};
use crate::threads::Census;
use crate::{WorkerError, clock, threads, watchdog};

/// Runs a chunk and encodes the reply.
pub(crate) fn run_chunk(worker: &mut Worker, env: Env, chunk: &Chunk) -> Result<Vec<u8>, WorkerError> {
    check(chunk)?;
    let own_types = OwnTypes::of(&mut worker.table);
    name_types(&mut worker.table, chunk);
    worker.classes.begin_chunk();
    let mut run = Run {
        env,
        jdk: &worker.jdk,
        table: &worker.table,
        classes: &mut worker.classes,
        class_path: &worker.session.class_path,
        limits: worker.session.limits,
        wants: chunk.wants,
        own_types,
        epoch: Epoch::open(env, &worker.jdk, &worker.session.class_path)?,
        slots: Vec::new(),
        arguments: Vec::new(),
        endings: Vec::new(),
        taint: Taint::default(),
        census: Census::now(),
    };
    let mut outcomes = Vec::new();
    let mut count = 0;
    let mut finished = Finished::Reusable;
    for (position, sequence) in chunk.sequences.iter().enumerate() {
        if chunk.skip.binary_search(&u32::try_from(position).expect("checked")).is_ok() {
            continue;
        }
        if count > 0 && chunk.isolation == Isolation::Sequence {
            run.renew()?;
        }
        run.sequence(layout::pack(chunk.number, position, 0), sequence, &mut outcomes)?;
        count += 1;
        if run.taint.any() {
            let last = position + 1 == chunk.sequences.len();
            finished = if last { Finished::Spent } else { Finished::Retired };
            break;
        }
    }
    // A worker that will be replaced is not tidied up: its locks may be held by stopped threads.
    if finished == Finished::Reusable {
        run.close();
    }
    let names = worker.classes.take_names();
    if finished == Finished::Reusable {
        worker.classes.forget_subject(env);
    }
    Ok(ChunkOutcomes::framed(chunk.number, (count, &outcomes), &names, finished)?)
}

/// Refuses what could not be run soundly: the engine is wrong, not the subject.
fn check(chunk: &Chunk) -> Result<(), WorkerError> {
    let most = 0xffff;
    if chunk.sequences.len() > most {
        return Err(WorkerError::new(format!("a chunk holds at most {most} sequences")));
    }
    for (position, sequence) in chunk.sequences.iter().enumerate() {
        sequence.check().map_err(|error| WorkerError::new(format!("sequence {position}: {error}")))?;
        if sequence.statements().len() > most {
            return Err(WorkerError::new(format!("sequence {position} has more than {most} statements")));
        }
    }
    Ok(())
}

/// Gives every type that only a statement mentions its number.
fn name_types(table: &mut Table, chunk: &Chunk) {
    for statement in chunk.sequences.iter().flat_map(Sequence::statements) {
        if let Statement::NewArray { element, .. } | Statement::EmptyArray { element, .. } = statement {
            table.types.id(element);
            table.types.id(&format!("[{element}"));
        }
    }
}

/// Types that statements other than operations make values of.
#[derive(Clone, Copy)]
struct OwnTypes {
    null: TypeId,
    object: TypeId,
    string: TypeId,
    class: TypeId,
    int: TypeId,
}

impl OwnTypes {
    fn of(table: &mut Table) -> Self {
        let types = &mut table.types;
        Self {
            null: types.id(""),
            object: types.id("Ljava/lang/Object;"),
            string: types.id("Ljava/lang/String;"),
            class: types.id("Ljava/lang/Class;"),
            int: types.id("I"),
        }
    }
}

/// The value a statement made.
#[derive(Clone, Copy)]
struct Slot {
    raw: Raw,
    declared: Type,
    made: bool,
}

impl Slot {
    const EMPTY: Self =
        Self { raw: Raw::ZERO, declared: Type { id: TypeId(0), kind: Kind::Void }, made: false };
}

/// One chunk being run.
struct Run<'a> {
    env: Env,
    jdk: &'a Jdk,
    table: &'a Table,
    classes: &'a mut Classes,
    class_path: &'a [String],
    limits: jurat_protocol::Limits,
    wants: Wants,
    own_types: OwnTypes,
    epoch: Epoch,
    slots: Vec<Slot>,
    arguments: Vec<Raw>,
    endings: Vec<u8>,
    taint: Taint,
    census: Census,
}

impl Run<'_> {
    fn renew(&mut self) -> Result<(), WorkerError> {
        let fresh = Epoch::open(self.env, self.jdk, self.class_path)?;
        std::mem::replace(&mut self.epoch, fresh).close(self.env, self.jdk);
        Ok(())
    }

    fn close(self) {
        self.epoch.close(self.env, self.jdk);
    }

    /// Runs one sequence and appends its encoded outcome. `now` names its first statement.
    fn sequence(&mut self, now: u64, sequence: &Sequence, into: &mut Vec<u8>) -> Result<(), WorkerError> {
        let statements = sequence.statements();
        if !self.env.push_frame(statements.len() + 16) {
            return Err(WorkerError::new("no memory for local references"));
        }
        self.slots.clear();
        self.slots.resize(statements.len(), Slot::EMPTY);
        self.endings.clear();
        self.clock_starts(now);
        let mut outcome = Outcome::default();
        let ended = self.statements(now, sequence, &mut outcome)?;
        self.clock_stops();
        outcome.taint = self.taint;
        self.env.pop_frame(Ref::NULL);
        Ok(outcome.append((ended, &self.endings), into)?)
    }

    fn clock_starts(&mut self, now: u64) {
        clock::reset();
        self.census = Census::now();
        cell(layout::NOW).store(now, Ordering::Relaxed);
        watchdog::set_running(true);
    }

    /// The statements are over: what they started may end by itself.
    fn clock_stops(&mut self) {
        watchdog::set_running(false);
        self.taint.stopped |= watchdog::was_cut();
        self.taint.out_of_memory |= threads::EXHAUSTED.load(Ordering::Acquire);
        if self.census.has_news() && !self.taint.any() {
            let patience = Duration::from_millis(u64::from(self.limits.wait_millis));
            self.taint.threads_left = self.census.any_left_after(patience);
        }
    }

    /// Runs the statements, and says how many endings were encoded.
    fn statements(
        &mut self,
        now: u64,
        sequence: &Sequence,
        outcome: &mut Outcome,
    ) -> Result<usize, WorkerError> {
        let mut draft = Record::draft();
        let (mut ended, mut next_input) = (0, 0);
        let mut failed = false;
        for (position, statement) in sequence.statements().iter().enumerate() {
            let inputs = &sequence.inputs()[next_input..next_input + statement.input_count()];
            next_input += inputs.len();
            let observes = position >= sequence.body();
            if (failed && !observes) || self.taint.any() {
                continue;
            }
            if observes && !inputs.iter().all(|input| self.slots[input.0 as usize].made) {
                outcome.observations.push(None);
                continue;
            }
            cell(layout::NOW).store(now + position as u64, Ordering::Relaxed);
            let ending = self.statement(position, statement, inputs);
            let ending = self.revise(ending);
            if observes {
                outcome.observations.push(Some(ending));
                continue;
            }
            failed = !matches!(ending, Ending::Returned(_));
            let start = self.endings.len();
            frame::append(&mut self.endings, &ending)?;
            ended += 1;
            if draft.push(&self.endings[start..]) {
                cell(layout::DRAFT_COUNT).store(ended as u64, Ordering::Release);
            }
        }
        Ok(ended)
    }

    /// What really ended a statement: the subject may have caught the error we cut it with.
    fn revise(&mut self, ending: Ending) -> Ending {
        if watchdog::was_cut() {
            self.taint.stopped = true;
            return Ending::TimedOut(Cut::Clock);
        }
        ending
    }

    /// Runs one statement, keeps its value and says how it ended.
    fn statement(&mut self, position: usize, statement: &Statement, inputs: &[Var]) -> Ending {
        let mut last = (Ref::NULL, 0);
        let made = match statement {
            Statement::Literal(literal) => {
                return match self.literal(literal) {
                    Ok(slot) => {
                        self.slots[position] = slot;
                        Ending::Returned(Value::Literal)
                    }
                    Err(ending) => ending,
                };
            }
            Statement::Operate { operation, .. } => self.operate(*operation as usize, inputs, &mut last),
            Statement::NewArray { element, .. } => self.new_array(element, inputs.len(), inputs),
            Statement::EmptyArray { element, length } => self.new_array(element, *length as usize, &[]),
            Statement::ArrayGet => self.array_get(inputs),
            Statement::ArraySet => self.array_set(inputs),
            Statement::ArrayLength => self.array_length(inputs),
            Statement::Mock(mock) => Err(Ending::Unresolved(format!("no mock of {} yet", mock.class))),
        };
        match made {
            Ok(slot) => {
                self.slots[position] = slot;
                let value = self.capture().value(slot.declared.kind, slot.raw, &mut last);
                if let Statement::Operate { operation, .. } = statement {
                    self.epoch.remember(*operation as usize, last);
                }
                Ending::Returned(value)
            }
            Err(ending) => ending,
        }
    }

    fn capture(&mut self) -> Capture<'_> {
        Capture {
            env: self.env,
            jdk: self.jdk,
            classes: self.classes,
            limits: self.limits,
            elements: self.wants.elements,
        }
    }

    /// The ending of a statement that left an exception behind.
    fn threw(&mut self) -> Ending {
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

    fn unresolved(&mut self, why: Unresolved) -> Ending {
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
                let name = crate::epoch::loadable_name(descriptor).unwrap_or_default();
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

    fn operate(&mut self, index: usize, inputs: &[Var], last: &mut (Ref, u32)) -> Result<Slot, Ending> {
        let table = self.table;
        let op = match table.operations.get(index) {
            Some(Ok(op)) => op,
            Some(Err(why)) => return Err(Ending::Unresolved(why.clone())),
            None => return Err(Ending::Unresolved(format!("the operation table has no entry {index}"))),
        };
        self.gather(op, inputs)?;
        let resolved = self.epoch.member(self.env, self.jdk, table, index, op);
        let member = match resolved {
            Ok(member) => *member,
            Err(why) => return Err(self.unresolved(why)),
        };
        *last = member.last;
        let raw = self.invoke(op, member);
        if self.env.threw() {
            return Err(self.threw());
        }
        Ok(Slot { raw, declared: op.output, made: true })
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

    #[inline]
    fn invoke(&mut self, op: &Op, member: Member) -> Raw {
        let (env, kind) = (self.env, op.output.kind);
        let Member { class, id, .. } = member;
        let arguments = &self.arguments;
        match op.kind {
            OperationKind::Constructor => Raw::object(env.new_object(class, id, arguments)),
            OperationKind::Static => env.call_static(kind, class, id, arguments),
            OperationKind::Virtual => env.call(kind, arguments[0].as_ref(), id, &arguments[1..]),
            OperationKind::Special => {
                env.call_special(kind, arguments[0].as_ref(), class, id, &arguments[1..])
            }
            OperationKind::GetStatic => env.get_static(kind, class, id),
            OperationKind::GetField => env.get(kind, arguments[0].as_ref(), id),
            OperationKind::SetStatic => {
                env.set_static(op.inputs[0].kind, class, id, arguments[0]);
                Raw::ZERO
            }
            OperationKind::SetField => {
                env.set(op.inputs[1].kind, arguments[0].as_ref(), id, arguments[1]);
                Raw::ZERO
            }
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
            crate::classes::Sort::Array(kind) => Ok((array, kind)),
            _ => Err(Ending::Misfit(0)),
        }
    }

    fn index_input(&self, inputs: &[Var]) -> Result<i32, Ending> {
        let slot = self.slots[inputs[1].0 as usize];
        match capture::primitive(slot.declared.kind, slot.raw) {
            Some(jurat_protocol::Primitive::Int(index)) => Ok(index),
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
