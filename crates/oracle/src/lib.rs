//! Judges outcomes and chooses the checks worth keeping.
//!
//! A check is kept only if every run of the sequence agrees on it, and the runs differ in clock, zone, locale
//! and identity hash codes: what depends on those never becomes an assertion.

mod observers;
mod policy;
mod values;

use jurat_model::{Check, ClassId, Ending, OpId, Outcome, Sequence, Subject, Thrown, Value, Var};

pub use observers::{Observation, Observers};
pub use policy::{Policy, Ruling};
use values::observed;

/// The most checks of state that one test gets.
const STATE_CHECKS: usize = 4;

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
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Unsafe => "reaches outside the JVM, leaves threads behind or needs too long",
            Self::Unstable => "ends differently under another clock, zone, locale or hash code",
            Self::Unassertable => "ends in an error that depends on the machine",
            Self::Unrunnable => "uses a class that does not link, or a cast that fails",
        })
    }
}

/// The facts on which all runs of a sequence agree. `observations` are those the runs were asked for.
pub fn facts(
    subject: &Subject,
    sequence: &Sequence,
    package: &str,
    runs: &[Outcome],
    observations: &[Observation],
) -> Result<Facts, Unfit> {
    let first = runs.first().ok_or(Unfit::Unstable)?;
    if runs.iter().any(|run| run.is_unsafe) {
        return Err(Unfit::Unsafe);
    }
    if runs.iter().any(|run| !same_endings(first, run)) {
        return Err(Unfit::Unstable);
    }
    if first.endings.last() == Some(&Ending::Unfit) {
        return Err(Unfit::Unrunnable);
    }
    if first.endings.len() < sequence.len() || first.endings.is_empty() {
        return Err(Unfit::Unassertable);
    }
    let last = Var::from_index(sequence.len() - 1);
    let thrown = match &first.endings[last.index()] {
        Ending::Returned(_) => None,
        Ending::Threw(class) => Some(thrown(subject, class, package).ok_or(Unfit::Unassertable)?),
        _ => return Err(Unfit::Unassertable),
    };
    let mut checks = Vec::new();
    if thrown.is_none() {
        checks.extend(result_check(subject, sequence, package, last, runs));
        checks.extend(state_checks(subject, package, runs, observations));
    }
    Ok(Facts { checks, thrown })
}

fn same_endings(one: &Outcome, other: &Outcome) -> bool {
    let same = |(one, other): (&Ending, &Ending)| match (one, other) {
        (Ending::Returned(_), Ending::Returned(_)) => true,
        (one, other) => one == other,
    };
    one.endings.len() == other.endings.len() && one.endings.iter().zip(&other.endings).all(same)
}

/// Errors that say more about the machine and the moment than about the subject.
const UNASSERTABLE: [&str; 8] = [
    "java/lang/StackOverflowError",
    "java/lang/OutOfMemoryError",
    "java/lang/InternalError",
    "java/lang/UnknownError",
    "java/lang/ThreadDeath",
    "java/lang/UnsatisfiedLinkError",
    "java/lang/NoClassDefFoundError",
    "java/lang/BootstrapMethodError",
];

/// The type to assert for an exception: its class, or the nearest above it that the test can name.
fn thrown(subject: &Subject, class: &str, package: &str) -> Option<Thrown> {
    let classes = subject.classes();
    if UNASSERTABLE.contains(&class) {
        return None;
    }
    let class = classes.find(class)?;
    let named = classes.denotable(&jurat_model::JavaType::class(class), package).class_id()?;
    let asserted = if classes.is_subclass(named, classes.throwable()) { named } else { classes.throwable() };
    Some(Thrown { asserted })
}

/// What the last call gave, if all runs agree and it can be written down.
fn result_check(
    subject: &Subject,
    sequence: &Sequence,
    package: &str,
    var: Var,
    runs: &[Outcome],
) -> Option<Check> {
    sequence.calls().find(|(call, ..)| *call == var)?;
    let values: Vec<&Value> = runs.iter().filter_map(|run| run.value(var)).collect();
    let first = *values.first()?;
    if *first == Value::Void {
        return None;
    }
    if let Some(other) = same_object(&values) {
        return Some(Check::Same { var, other });
    }
    let agreed = values.iter().all(|value| *value == first);
    match observed(subject, package, first) {
        Some(expected) if agreed => Some(Check::Result { var, expected }),
        _ => matches!(first, Value::Object(_)).then_some(Check::NotNull { var }),
    }
}

/// The earlier value that all runs say this one is.
fn same_object(values: &[&Value]) -> Option<Var> {
    let same = |value: &Value| match value {
        Value::Object(object) => object.same_as,
        _ => None,
    };
    let first = same(values.first()?)?;
    values.iter().all(|value| same(value) == Some(first)).then_some(first)
}

fn state_checks(
    subject: &Subject,
    package: &str,
    runs: &[Outcome],
    observations: &[Observation],
) -> Vec<Check> {
    let mut checks = Vec::new();
    for (position, observation) in observations.iter().enumerate() {
        let values: Option<Vec<&Value>> =
            runs.iter().map(|run| run.observations.get(position)?.as_ref()?.value()).collect();
        let Some(values) = values else { continue };
        let Some(first) = values.first() else { continue };
        if values.iter().any(|value| value != first) {
            continue;
        }
        if let Some(expected) = observed(subject, package, first) {
            let Observation { receiver, observer } = *observation;
            checks.push(Check::State { receiver, observer, expected });
        }
        if checks.len() == STATE_CHECKS {
            break;
        }
    }
    checks
}

/// The operation a sequence shows: its last call.
pub fn focus(sequence: &Sequence) -> Option<OpId> {
    sequence.calls().last().map(|(_, op, _)| op)
}

/// The class under test that a sequence's test belongs to.
pub fn home(subject: &Subject, sequence: &Sequence) -> Option<ClassId> {
    let focus = focus(sequence)?;
    let owner = subject[focus].owner;
    if subject[owner].under_test {
        return Some(owner);
    }
    let mut calls: Vec<OpId> = sequence.calls().map(|(_, op, _)| op).collect();
    calls.reverse();
    calls.into_iter().map(|op| subject[op].owner).find(|owner| subject[*owner].under_test)
}
