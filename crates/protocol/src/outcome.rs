//! What a sequence did: endings, values, coverage, and everything else that was asked for.
//!
//! Class names are sent once per reply; a value names its class by position in that table. The pool turns these
//! positions into its own, which are the same for any number of workers.

use serde::{Deserialize, Serialize};

use crate::frame::{self, FrameError, Sink};
use crate::{Text, Var};

/// What one sequence did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How each statement ended, up to and including the first that did not return.
    pub endings: Vec<Ending>,
    /// How each observer ended; `None` when one of its inputs was never made.
    pub observations: Vec<Option<Ending>>,
    /// Which probes were hit.
    pub coverage: Coverage,
    /// How near branches came to edges they did not take, in the order of their first evaluation.
    pub distances: Vec<Distance>,
    /// Strings that a call compared and found different, if distances are wanted: the first few.
    pub compared: Vec<Compared>,
    /// What mocks were asked, in order.
    pub asked: Vec<Asked>,
    /// What the sequence tried to do to the world. Such a sequence must never be emitted.
    pub attempts: Vec<Attempt>,
    /// Fingerprints of all objects after the last statement: `(var, fingerprint)`.
    pub fingerprints: Vec<(Var, u64)>,
    /// Which inputs a statement changed: `(statement, input)`.
    pub changed: Vec<(u32, u32)>,
    /// Back-edges and entries of methods, all statements together, observers left out; zero if a statement was stopped or
    /// ran out of memory or stack.
    pub fuel_used: u64,
    /// What makes the worker unfit to go on after this sequence.
    pub taint: Taint,
}

/// How one statement finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// It made a value.
    Returned(Value),
    /// It threw.
    Threw(Thrown),
    /// It was cut.
    TimedOut(Cut),
    /// It asked the JVM to exit, with this status, whatever it did when that was refused.
    Exited(i32),
    /// It ended the worker's process.
    KilledWorker(Death),
    /// The input at this position is of a class that the statement cannot take: in Java, a failed cast.
    Misfit(u32),
    /// The JVM cannot find or make what the statement names; the text says what.
    Unresolved(String),
}

/// What ended a statement that did not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cut {
    /// It used up its back-edges. The same in every run.
    Fuel,
    /// The clock: it computed or waited for too long. Reported, never learned from.
    Clock,
}

/// How a worker died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Death {
    /// By a signal: a crash in native code.
    Signal(i32),
    /// It left with this status.
    Exit(i32),
}

/// A primitive value. Floating point is kept as bits, so that every value equals itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Primitive {
    /// `boolean`.
    Boolean(bool),
    /// `byte`.
    Byte(i8),
    /// `char`.
    Char(u16),
    /// `short`.
    Short(i16),
    /// `int`.
    Int(i32),
    /// `long`.
    Long(i64),
    /// `float`, as bits.
    Float(u32),
    /// `double`, as bits.
    Double(u64),
}

impl Primitive {
    /// A `float`.
    pub fn float(value: f32) -> Self {
        Self::Float(value.to_bits())
    }

    /// A `double`.
    pub fn double(value: f64) -> Self {
        Self::Double(value.to_bits())
    }

    /// Appends its encoding; the frequent ones without a way through serde.
    #[inline]
    fn append(self, sink: &mut impl Sink) -> Result<(), FrameError> {
        match self {
            Self::Boolean(value) => sink.extend(&[0, u8::from(value)]),
            Self::Int(value) => {
                sink.push(4);
                frame::append_signed(sink, value.into());
            }
            Self::Long(value) => {
                sink.push(5);
                frame::append_signed(sink, value);
            }
            other => frame::append(sink, &other)?,
        }
        Ok(())
    }

    /// The descriptor of its type.
    pub fn descriptor(self) -> char {
        match self {
            Self::Boolean(_) => 'Z',
            Self::Byte(_) => 'B',
            Self::Char(_) => 'C',
            Self::Short(_) => 'S',
            Self::Int(_) => 'I',
            Self::Long(_) => 'J',
            Self::Float(_) => 'F',
            Self::Double(_) => 'D',
        }
    }
}

/// What a statement made, as far as it can be told without running the subject's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing.
    Void,
    /// What the literal says.
    Literal,
    /// `null`.
    Null,
    /// A primitive.
    Primitive(Primitive),
    /// `Integer` and its like, by what is inside.
    Boxed(Primitive),
    /// A string.
    String(Text),
    /// The beginning of a string that is too long to send, its length, and a hash of all of it.
    LongString(Text, u32, u64),
    /// A constant of an enum: its class and name.
    Enum(u32, Text),
    /// A class, by its name as `Class.getName` gives it.
    Class(Text),
    /// Any other object.
    Object(ObjectValue),
}

/// What most statements make: a value that is encoded at once, without an [`Ending`] being built around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// Nothing.
    Void,
    /// What the literal says.
    Literal,
    /// `null`.
    Null,
    /// A primitive.
    Primitive(Primitive),
    /// An object of which only the class is told, by its position in the table of class names.
    Object(u32),
}

impl Plain {
    /// Appends the encoding of [`Ending::Returned`] with this value.
    #[inline]
    pub fn append(&self, sink: &mut impl Sink) -> Result<(), FrameError> {
        // `Returned` is the first of the endings; then comes the position of the value among values.
        sink.push(0);
        match self {
            Self::Void => sink.push(0),
            Self::Literal => sink.push(1),
            Self::Null => sink.push(2),
            Self::Primitive(primitive) => {
                sink.push(3);
                primitive.append(sink)?;
            }
            Self::Object(class) => {
                sink.push(9);
                frame::append_number(sink, u64::from(*class));
                // No length, no elements, no fingerprint, no earlier value.
                sink.extend(&[0; 4]);
            }
        }
        Ok(())
    }
}

impl From<Plain> for Value {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Void => Self::Void,
            Plain::Literal => Self::Literal,
            Plain::Null => Self::Null,
            Plain::Primitive(primitive) => Self::Primitive(primitive),
            Plain::Object(class) => Self::Object(ObjectValue {
                class,
                length: None,
                elements: Vec::new(),
                fingerprint: None,
                same_as: None,
            }),
        }
    }
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectValue {
    /// Its run-time class, a position in the table of class names.
    pub class: u32,
    /// Its length, if it is an array.
    pub length: Option<u32>,
    /// Its first elements, if it is an array and contents were asked for.
    pub elements: Vec<Value>,
    /// Its structural fingerprint, if asked for.
    pub fingerprint: Option<u64>,
    /// The first earlier value that is this very object, if asked for.
    pub same_as: Option<Var>,
}

/// An exception that left a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    /// Its class, a position in the table of class names.
    pub class: u32,
    /// The message it was made with. A class may override `getMessage` and say something else.
    pub message: Option<Text>,
    /// The innermost frame that is not the JDK's: `class.method:line`, if asked for and there is one.
    pub at: Option<String>,
}

/// Probes that were hit, each once, in the order of their first hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// By the thread that ran the statements.
    pub own: Vec<u32>,
    /// By threads the statements started; in ascending order, because threads race.
    pub others: Vec<u32>,
}

/// How near a branch came to an edge that it did not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distance {
    /// The edge's probe.
    pub edge: u32,
    /// Bits of the smallest `f64` distance seen.
    pub distance: u64,
}

/// Two strings that do not relate as a call asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Compared {
    /// What was asked.
    pub relation: Relation,
    /// The string that was looked at.
    pub text: Text,
    /// What it should have been, begun with, ended with, held or been matched by.
    pub wanted: Text,
}

/// What a call asks of two strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// Whether they are equal, case or no case.
    Equal,
    /// Whether one begins with the other.
    Prefix,
    /// Whether one ends with the other.
    Suffix,
    /// Whether one holds the other.
    Inside,
    /// Whether one is matched by the pattern that the other is.
    Pattern,
}

/// One call that a mock received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The mock.
    pub mock: Var,
    /// The statement that was running, observers included.
    pub during: u32,
    /// The method's name.
    pub name: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// Whether an answer was planned.
    pub planned: bool,
}

/// Something a sequence tried to do to the world outside, or to learn about it. These are the sandbox's kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Attempt {
    /// Creating, changing, renaming or deleting a file of its scratch folder.
    WriteInside,
    /// The same of any other file.
    WriteOutside,
    /// Opening a socket.
    Connect,
    /// Starting a process.
    Spawn,
    /// Sending a signal.
    Signal,
    /// Ending the JVM.
    Exit,
    /// Changing the mode, owner, times or attributes of a file.
    Metadata,
    /// Reading a file that belongs neither to the run nor to the system.
    ReadOutside,
    /// Reading an environment variable.
    Environment,
    /// Having more threads than a worker may.
    Threads,
    /// Any other system call that the sandbox refuses.
    Other,
}

impl Attempt {
    /// All of them, in the order of the sandbox's counters.
    pub const ALL: [Self; 11] = [
        Self::WriteInside,
        Self::WriteOutside,
        Self::Connect,
        Self::Spawn,
        Self::Signal,
        Self::Exit,
        Self::Metadata,
        Self::ReadOutside,
        Self::Environment,
        Self::Threads,
        Self::Other,
    ];
}

/// What makes a worker unfit to go on. It is replaced, and what it reported stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, any of which may hold")]
pub struct Taint {
    /// A thread was stopped from outside.
    pub stopped: bool,
    /// A `StackOverflowError` was thrown.
    pub stack_overflow: bool,
    /// An `OutOfMemoryError` was thrown.
    pub out_of_memory: bool,
    /// Threads the sequence started were still alive when it was over.
    pub threads_left: bool,
    /// Fuel ran out inside a JDK initializer.
    pub initializer_cut: bool,
    /// State that lives as long as the JVM was changed and cannot be set back.
    pub state_changed: bool,
}

impl Taint {
    /// Whether the worker must be replaced.
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

impl Outcome {
    /// Appends the encoding of this outcome, whose endings were encoded one by one as they came about: so many, which
    /// `endings` appends.
    pub fn append(
        &self,
        count: usize,
        endings: impl FnOnce(&mut Vec<u8>),
        buffer: &mut Vec<u8>,
    ) -> Result<(), FrameError> {
        let Self { endings: _, observations, coverage, distances, compared, asked, attempts, .. } = self;
        frame::append_length(buffer, count);
        endings(buffer);
        frame::append(buffer, observations)?;
        for probes in [&coverage.own, &coverage.others] {
            frame::append_length(buffer, probes.len());
            for probe in probes {
                frame::append_number(buffer, (*probe).into());
            }
        }
        frame::append(buffer, &(distances, compared, asked, attempts))?;
        frame::append(buffer, &(&self.fingerprints, &self.changed, self.fuel_used, self.taint))
    }

    /// Calls `visit` on every position in the table of class names.
    pub fn visit_classes(&mut self, visit: &mut impl FnMut(&mut u32)) {
        for ending in self.endings.iter_mut().chain(self.observations.iter_mut().flatten()) {
            match ending {
                Ending::Returned(value) => value.visit_classes(visit),
                Ending::Threw(thrown) => visit(&mut thrown.class),
                _ => {}
            }
        }
        for argument in self.asked.iter_mut().flat_map(|asked| &mut asked.arguments) {
            argument.visit_classes(visit);
        }
    }

    /// Whether both did the same, as far as a test can tell: messages and places of exceptions are left out.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let same = |(one, other): (&Ending, &Ending)| match (one, other) {
            (Ending::Threw(one), Ending::Threw(other)) => one.class == other.class,
            (one, other) => one == other,
        };
        let observed = |(one, other): (&Option<Ending>, &Option<Ending>)| match (one, other) {
            (Some(one), Some(other)) => same((one, other)),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.endings.len() == other.endings.len()
            && self.observations.len() == other.observations.len()
            && self.endings.iter().zip(&other.endings).all(same)
            && self.observations.iter().zip(&other.observations).all(observed)
    }

    /// Whether every statement returned.
    pub fn returned(&self) -> bool {
        self.endings.iter().all(|ending| matches!(ending, Ending::Returned(_)))
    }
}

impl Value {
    fn visit_classes(&mut self, visit: &mut impl FnMut(&mut u32)) {
        match self {
            Self::Enum(class, _) => visit(class),
            Self::Object(object) => {
                visit(&mut object.class);
                for element in &mut object.elements {
                    element.visit_classes(visit);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_value_is_encoded_as_the_ending_it_is() {
        let primitives = [
            Primitive::Int(-300),
            Primitive::Int(i32::MIN),
            Primitive::Int(i32::MAX),
            Primitive::Long(i64::MIN),
            Primitive::Long(63),
            Primitive::Boolean(true),
            Primitive::double(0.5),
        ];
        let plain =
            [Plain::Void, Plain::Literal, Plain::Null, Plain::Object(7), Plain::Object(300)].into_iter();
        for plain in plain.chain(primitives.map(Plain::Primitive)) {
            let mut encoded = Vec::new();
            plain.append(&mut encoded).expect("a vector takes everything");
            let ending = Ending::Returned(plain.into());
            assert_eq!(
                encoded,
                postcard::to_stdvec(&ending).expect("a vector takes everything"),
                "{ending:?}"
            );
        }
    }

    #[test]
    fn an_outcome_encoded_in_parts_is_the_same_outcome() {
        let ending = Ending::Returned(Value::Primitive(Primitive::Int(-7)));
        let outcome = Outcome {
            endings: vec![ending.clone(), Ending::TimedOut(Cut::Fuel)],
            observations: vec![None, Some(ending)],
            coverage: Coverage { own: vec![3, 1], others: vec![9] },
            fingerprints: vec![(Var(1), 99)],
            changed: vec![(1, 0)],
            attempts: vec![Attempt::Spawn],
            fuel_used: 12,
            taint: Taint { threads_left: true, ..Taint::default() },
            ..Outcome::default()
        };
        let mut endings = Vec::new();
        for ending in &outcome.endings {
            frame::append(&mut endings, ending).expect("a vector takes everything");
        }
        let mut parts = Vec::new();
        outcome
            .append(2, |parts| parts.extend_from_slice(&endings), &mut parts)
            .expect("a vector takes everything");
        assert_eq!(parts, postcard::to_stdvec(&outcome).expect("a vector takes everything"));
    }
}
