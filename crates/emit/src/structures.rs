//! Tests over structures: how each is made, one parameterized test for each way a method ends, and the smallest
//! structure on which something is wrong.
//!
//! Structures are rebuilt by public operations where a [`Recipe`] says so. Otherwise fields are written: directly
//! where Java allows it, by reflection where it does not.

mod fault;
mod file;
mod recipe;
mod table;

use jurat_model::{ClassId, Literal, Obstacle, OpId, Subject};

use crate::{EmitOptions, JavaFile};

/// A value in a recipe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// No object.
    Null,
    /// A primitive value, its box or a string.
    Literal(Literal),
    /// A constant of an enum: the enum's internal name, and the constant's.
    Constant(String, String),
    /// What the step at this position made.
    Made(usize),
    /// A new `java.lang.Object`, which nothing else refers to.
    Fresh,
    /// A new array: the descriptor of its elements, and the elements.
    Array(String, Vec<Term>),
}

/// One step on the way to a structure. Classes go by their internal names, types by descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `new C(args)`
    New {
        /// The class.
        class: String,
        /// Descriptor of the constructor.
        descriptor: String,
        /// Its arguments.
        args: Vec<Term>,
    },
    /// An object of a class whose constructors are not called.
    Allocate {
        /// The class.
        class: String,
    },
    /// `new T[] {elements}`
    Array {
        /// Descriptor of `T`.
        element: String,
        /// The elements.
        elements: Vec<Term>,
    },
    /// `receiver.name(args)`, whose result is not used.
    Call {
        /// The class that declares the method.
        class: String,
        /// The method.
        name: String,
        /// Its descriptor.
        descriptor: String,
        /// The step that made the receiver.
        receiver: usize,
        /// The arguments.
        args: Vec<Term>,
    },
    /// `object.field = value`, whatever the field's visibility.
    Set {
        /// The step that made the object.
        object: usize,
        /// The class that declares the field.
        class: String,
        /// The field.
        field: String,
        /// Its type.
        descriptor: String,
        /// What it is to hold.
        value: Term,
    },
    /// `array[index] = value`
    Store {
        /// The step that made the array.
        array: usize,
        /// The index.
        index: u32,
        /// What the element is to hold.
        value: Term,
    },
}

/// How one structure is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The step that makes the object with the predicate.
    pub root: usize,
    /// What people read: the structure in one line.
    pub text: String,
}

/// A method whose behavior on structures is asserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The method.
    pub op: OpId,
    /// Which of its arguments is the structure; none if that is the receiver.
    pub at: Option<usize>,
}

/// One run of a method on a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// How the structure is made.
    pub recipe: Recipe,
    /// The other arguments.
    pub args: Vec<Term>,
    /// What the method gave, if that is asserted.
    pub gave: Option<Term>,
    /// What the observers say afterwards.
    pub states: Vec<Term>,
    /// What the method threw: a class that the test can name.
    pub threw: Option<ClassId>,
}

/// All runs of a method that end alike; or, without a method, the structures themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The method.
    pub tried: Option<Tried>,
    /// Methods without parameters that tell about the structure afterwards.
    pub observers: Vec<OpId>,
    /// Whether results are asserted: every case then has one.
    pub asserts_result: bool,
    /// The runs.
    pub cases: Vec<Case>,
}

/// What is wrong after a method ran on a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// The predicate does not hold any more, or throws.
    Invariant,
    /// The method throws what it should not: the internal name of the exception.
    Throws(String),
    /// An object does not equal itself.
    NotReflexive,
    /// One of `hashCode` and `toString` throws; its name.
    Broken(&'static str),
}

/// The smallest structure on which a method does something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The method.
    pub tried: Tried,
    /// The structure.
    pub recipe: Recipe,
    /// The other arguments.
    pub args: Vec<Term>,
    /// What the method threw and may throw, if it did: a class that the test can name.
    pub threw: Option<ClassId>,
    /// What is wrong.
    pub complaint: Complaint,
}

/// What tests over structures are about.
#[derive(Clone, Copy, Debug)]
pub struct Structures<'a> {
    /// The classes.
    pub subject: &'a Subject,
    /// The class with the predicate.
    pub root: ClassId,
    /// The predicate.
    pub predicate: &'a str,
    /// How tests are written.
    pub options: &'a EmitOptions,
}

impl Structures<'_> {
    /// Parameterized tests that pass: one file for JUnit 5, one for each table for JUnit 4.
    pub fn tables(&self, tables: &[Table]) -> Result<Vec<JavaFile>, Obstacle> {
        table::write(self, tables)
    }

    /// Tests that fail, one for each fault, in one file.
    pub fn faults(&self, faults: &[Fault]) -> Result<JavaFile, Obstacle> {
        fault::write(self, faults)
    }

    /// Says why code in the tests' package cannot make the structure, if so.
    pub fn check(&self, recipe: &Recipe) -> Result<(), Obstacle> {
        let package = self.subject.test_package(self.root);
        let mut scope = jurat_model::NameScope::new(self.subject, &package);
        let mut helpers = recipe::Helpers::default();
        recipe::Writer::new(self.subject, &mut scope, &mut helpers).write(recipe).map(|_| ())
    }
}
