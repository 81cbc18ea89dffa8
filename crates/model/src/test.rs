//! Tests: sequences with what was observed of them, and the suites they form.

use crate::class::ClassId;
use crate::law::{Broken, Law};
use crate::operation::OpId;
use crate::sequence::{Literal, Sequence, Var};
use crate::types::JavaType;

/// A value that can be written down in a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observed {
    /// A primitive value, its box, a string, a class or null.
    Literal(Literal),
    /// A constant of an enum.
    Enum(OpId),
    /// An array.
    Array {
        /// The erased component type it has at run time.
        component: JavaType,
        /// Its elements.
        elements: Vec<Observed>,
    },
    /// The elements of a list, in order.
    List(Vec<Observed>),
    /// The elements of a set, each once, sorted.
    Set(Vec<Observed>),
    /// What an `Optional` holds, if anything.
    Optional(Option<Box<Observed>>),
}

/// An assertion kept in a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// What a statement gave, asserted right after it.
    Result {
        /// The statement.
        var: Var,
        /// What it gave.
        expected: Observed,
    },
    /// A statement gave the very object another made.
    Same {
        /// The statement.
        var: Var,
        /// The earlier one.
        other: Var,
    },
    /// A statement gave an object of which nothing else is asserted.
    NotNull {
        /// The statement.
        var: Var,
    },
    /// What a value holds after the last statement: an array or a collection.
    Contents {
        /// The value.
        var: Var,
        /// What it holds.
        expected: Observed,
    },
    /// A law of which a failing test speaks.
    Law {
        /// What must hold.
        law: Law,
        /// How it is broken; none if it holds, and only prepares the one that does not.
        broken: Option<Broken>,
    },
    /// What an observer says of a value after the last statement.
    State {
        /// The value observed.
        receiver: Var,
        /// The observer: no further inputs, no side effects.
        observer: OpId,
        /// What it gives.
        expected: Observed,
    },
}

/// The exception that ends a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thrown {
    /// The type to assert: the exception's class, or the nearest superclass a test may name.
    pub asserted: ClassId,
}

/// A sequence with its checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// What is done.
    pub sequence: Sequence,
    /// The operation it shows.
    pub focus: OpId,
    /// What is asserted, in the order in which it is to be written.
    pub checks: Vec<Check>,
    /// The exception the last statement throws.
    pub thrown: Option<Thrown>,
}

/// The tests of one class under test, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSuite {
    /// The class under test.
    pub class: ClassId,
    /// Its tests.
    pub tests: Vec<Test>,
}

/// The tests to emit, by class under test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    /// One entry for each class that has tests.
    pub classes: Vec<ClassSuite>,
}

impl Suite {
    /// How many tests there are in all.
    pub fn len(&self) -> usize {
        self.classes.iter().map(|class| class.tests.len()).sum()
    }

    /// True without tests.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
