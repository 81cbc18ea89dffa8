//! Judges outcomes and chooses the checks worth keeping.
//!
//! A check is kept only if every run of the sequence agrees on it, and the runs differ in clock, zone, locale
//! and identity hash codes: what depends on those never becomes an assertion.

pub mod contracts;
mod facts;
mod kinds;
mod observers;
mod policy;
mod values;

use jurat_model::{Action, Check, ClassId, Literal, OpId, Outcome, Sequence, Subject, Thrown, Value, Var};

pub use facts::{Before, facts, is_assertable};
pub use observers::{Look, Observation, Observers};
pub use policy::{Policy, Ruling};

/// What one test asserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Checks in the order in which they are to be written.
    pub checks: Vec<Check>,
    /// The exception the last statement throws.
    pub thrown: Option<Thrown>,
}

/// Why a sequence cannot become a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfit {
    /// It reached outside, left threads behind, or was cut by the clock.
    Unsafe,
    /// Its runs end differently.
    Unstable,
    /// It ends in a way that no test should pin down: exhausted memory or stack, fuel, a JVM's own error.
    Unassertable,
    /// It could not be run as written: a cast that fails, a class that does not link.
    Unrunnable,
    /// A class is missing, or could not be initialized: only the first use of that says why, so tests would depend on
    /// their order.
    Uninitialized,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Unsafe => "reaches outside the JVM, leaves threads behind or needs too long",
            Self::Unstable => "ends differently under another clock, zone, locale or hash code",
            Self::Unassertable => "ends in an error that depends on the machine",
            Self::Uninitialized => "uses a class that is missing, or whose initializer fails",
            Self::Unrunnable => "uses a class that does not link, or a cast that fails",
        })
    }
}

/// True if a sequence ends by calling upon null, which says nothing about what was called.
pub fn is_on_null(sequence: &Sequence, outcome: &Outcome) -> bool {
    let Some((thrower, _)) = outcome.thrown() else { return false };
    let Some((_, _, inputs)) = sequence.calls().find(|(call, ..)| *call == thrower) else { return false };
    let has_receiver = matches!(&sequence.statement(thrower).action, Action::Call { instance, .. } if instance.receiver.is_some());
    let is_null = |var: Var| outcome.value(var) == Some(&Value::Literal(Literal::Null));
    has_receiver && inputs.first().is_some_and(|receiver| is_null(*receiver))
}

/// The operation a sequence shows: its last call.
pub fn focus(sequence: &Sequence) -> Option<OpId> {
    sequence.calls().last().map(|(_, op, _)| op)
}

/// The class under test that a sequence's test belongs to: the last that it calls, if the calls can be written down in
/// its package; else the last of which it has a value, else any.
pub fn home(subject: &Subject, sequence: &Sequence) -> Option<ClassId> {
    let is_tested = |class: &ClassId| subject[*class].under_test;
    let called: Vec<ClassId> =
        sequence.calls().map(|(_, op, _)| subject[op].owner).filter(is_tested).collect();
    let types = sequence.statements().iter().rev().filter_map(|statement| statement.ty.class_id());
    let can_hold = |class: &ClassId| can_be_written(subject, sequence, &subject.test_package(*class));
    let mut classes = called.iter().rev().copied().chain(types.filter(is_tested)).chain(subject.under_test());
    classes.find(can_hold).or(called.last().copied())
}

/// True if code of a package can make all calls and name all types of a sequence.
fn can_be_written(subject: &Subject, sequence: &Sequence, package: &str) -> bool {
    let can_call =
        |op: OpId| subject.check_operation(op, package).is_ok() || subject.check_private(op, package).is_ok();
    sequence.calls().all(|(_, op, _)| can_call(op))
        && sequence
            .statements()
            .iter()
            .all(|statement| subject.classes().check_type(&statement.ty, package).is_ok())
}
