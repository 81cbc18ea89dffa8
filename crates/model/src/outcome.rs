//! What a sequence did when it was run.

use std::sync::Arc;

use crate::sequence::{Literal, Var};

jurat_base::typed_id! {
    /// A probe: one place in the subject's code that reports when it is reached.
    pub ProbeId
}

/// What a statement made, as far as it can be told without running the subject's code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nothing.
    Void,
    /// A primitive value, a box, a string, a class or null.
    Literal(Literal),
    /// A string too long to be kept.
    LongString,
    /// A constant of an enum.
    Enum {
        /// The enum's internal name.
        class: Arc<str>,
        /// The constant's name.
        name: Arc<str>,
    },
    /// Any other object.
    Object(ObjectValue),
}

/// An object as far as it is told apart from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectValue {
    /// Internal name of its run-time class; a descriptor for arrays.
    pub class: Arc<str>,
    /// Hash of its structure, if it was asked for.
    pub fingerprint: Option<u64>,
    /// The first earlier value that is this very object.
    pub same_as: Option<Var>,
    /// True for a mock, wherever it comes from.
    pub is_mock: bool,
    /// All elements, if it is an array that was short enough.
    pub elements: Option<Vec<Value>>,
}

/// How one statement finished.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It made a value.
    Returned(Value),
    /// It threw an exception of the class with this internal name.
    Threw(Arc<str>),
    /// It was cut by fuel: the same in every run.
    OutOfFuel,
    /// It was cut by the clock, ended the process, or tried to.
    Misbehaved,
    /// It could not be run as written: a failed cast, a class that does not link.
    Unfit,
}

impl Ending {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Returned(value) => Some(value),
            _ => None,
        }
    }
}

/// What a sequence did: as much of it as was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How each statement ended, up to and including the first that did not return.
    pub endings: Vec<Ending>,
    /// How each observer ended, as far as it could be run.
    pub observations: Vec<Option<Ending>>,
    /// The probes that were hit, sorted.
    pub hits: Vec<ProbeId>,
    /// Hashes of the structure of objects after the last statement, where asked for.
    pub finals: Vec<(Var, u64)>,
    /// Which input (receiver first) of which statement was changed by it.
    pub changed: Vec<(Var, usize)>,
    /// Which mocks were asked for which of their planned answers, by the method's place among these, and how often.
    pub asked: Vec<(Var, usize, usize)>,
    /// The observers, by position, that asked a mock what nobody planned.
    pub surprised: Vec<usize>,
    /// The class, as Java writes it, without which the last statement could not go on, if the JVM did not find it.
    pub missing: Option<Arc<str>>,
    /// True if it tried to reach outside, read the environment, left threads behind, was cut by the clock, put
    /// null into a private field, called a mock, or asked one what nobody planned: it must never be emitted.
    pub is_unsafe: bool,
}

impl Outcome {
    /// True if every one of `length` statements returned.
    pub fn returned(&self, length: usize) -> bool {
        self.endings.len() == length && self.endings.iter().all(|ending| ending.value().is_some())
    }

    /// The same in as little space as it takes without what was hit.
    #[must_use]
    pub fn without_hits(mut self) -> Self {
        self.hits = Vec::new();
        self.endings.shrink_to_fit();
        self
    }

    /// The exception that ended it, and the statement that threw it.
    pub fn thrown(&self) -> Option<(Var, &Arc<str>)> {
        match self.endings.last() {
            Some(Ending::Threw(class)) => Some((Var::from_index(self.endings.len() - 1), class)),
            _ => None,
        }
    }

    /// What a statement made.
    pub fn value(&self, var: Var) -> Option<&Value> {
        self.endings.get(var.index()).and_then(Ending::value)
    }
}
