//! What a worker is told to enumerate structures, and what it answers.

use serde::{Deserialize, Serialize};

/// The structures to enumerate; sent once before the first [`Explore`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Binary name, with dots, of the class that watched code calls.
    pub runtime: String,
    /// Binary name of the class with the predicate.
    pub root: String,
    /// How many back-edges one run of the predicate may take.
    pub fuel: u32,
    /// The class domains.
    pub classes: Vec<ClassBound>,
    /// The array domains.
    pub arrays: Vec<ArrayBound>,
}

/// The objects of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassBound {
    /// Binary name of the class.
    pub class: String,
    /// How many objects there are.
    pub count: u32,
    /// Whether they may be swapped.
    pub interchangeable: bool,
    /// How many numbers watched code gives to fields of the class; 0 if it is not watched.
    pub numbers: u32,
    /// The fields that vary.
    pub fields: Vec<FieldBound>,
}

/// One field that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldBound {
    /// Name of the field.
    pub name: String,
    /// Binary name of the class that declares it.
    pub declared_in: String,
    /// Descriptor of its type.
    pub descriptor: String,
    /// The number that watched code gives to it.
    pub number: u32,
    /// What it may hold.
    pub choices: Choices,
}

/// The arrays of one type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArrayBound {
    /// Descriptor of the elements.
    pub element: String,
    /// How many arrays there are.
    pub count: u32,
    /// Whether they may be swapped.
    pub interchangeable: bool,
    /// Smallest and largest length.
    pub lengths: (u32, u32),
    /// What each element may hold.
    pub choices: Choices,
}

/// What a field or element may hold, in order: null, objects, values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choices {
    /// Whether it may be null.
    pub null: bool,
    /// Names of domains.
    pub objects: Vec<String>,
    /// Values that are no objects of a domain.
    pub values: ChoiceValues,
    /// Whether the values may be swapped.
    pub interchangeable: bool,
}

/// Values that are no objects of a domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ChoiceValues {
    /// None.
    None,
    /// All whole numbers from the first to the last.
    Range(i64, i64),
    /// These whole numbers.
    Whole(Vec<i64>),
    /// These floating-point numbers.
    Floating(Vec<f64>),
    /// These truth values.
    Truth(Vec<bool>),
    /// These strings.
    Text(Vec<String>),
    /// These constants of the field's enum.
    Constants(Vec<String>),
}

/// A part of the search; what it means is the worker's own affair, but parts keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stretch {
    /// Everything.
    Whole,
    /// Everything from this vector on.
    From(Vec<u32>),
    /// What is left of a search.
    Part {
        /// Positions read so far with the choices they hold, in order.
        stack: Vec<(u32, u32)>,
        /// How many of the first entries stay as they are.
        floor: u32,
        /// Whether the vector itself has still to be run.
        run: bool,
    },
}

/// Run a part of the search, for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explore {
    /// Which part.
    pub stretch: Stretch,
    /// How many candidates at most.
    pub budget: u64,
    /// After how many milliseconds to stop. What is left can be taken up again, so results do not depend on it.
    pub millis: u32,
    /// How many valid structures to send back.
    pub keep: u64,
    /// Into how many parts to cut what is left.
    pub parts: u32,
}

/// The answer to [`Explore`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explored {
    /// Candidates run.
    pub explored: u64,
    /// Structures that the predicate accepted.
    pub valid: u64,
    /// Candidates on which it did not end well.
    pub failed: u64,
    /// The first valid vectors, as many as were asked for.
    pub kept: Vec<Vec<u32>>,
    /// Each way in which the predicate did not end well, with the first vector on which it did.
    pub failures: Vec<Failure>,
    /// What is left, in order.
    pub rest: Vec<Remainder>,
    /// Whether the worker must be replaced.
    pub worn_out: bool,
}

/// A way in which a predicate did not end well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The exception, or what happened instead.
    pub reason: String,
    /// A vector on which it happened.
    pub vector: Vec<u32>,
}

/// A part of the search that is left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remainder {
    /// The part.
    pub stretch: Stretch,
    /// The vector of its first candidate.
    pub first: Vec<u32>,
    /// How much of the whole search lies before it, between 0 and 1.
    pub behind: f64,
}
