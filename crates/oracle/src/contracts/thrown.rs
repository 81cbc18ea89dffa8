//! Exceptions that break a contract by being thrown.

use std::sync::Arc;

use jurat_model::{
    Action, Broken, Check, Ending, LambdaBody, Law, Literal, Outcome, Sequence, Subject, Value, Var,
};

use super::{Breach, Contract, Rules};
use crate::policy::Ruling;

pub(crate) const NULL_POINTER: &str = "java/lang/NullPointerException";

/// The contract that a sequence breaks by the exception that ends it, if one is broken.
pub fn of_exception(
    subject: &Subject,
    sequence: &Sequence,
    outcome: &Outcome,
    rules: &Rules,
) -> Option<Breach> {
    if outcome.is_unsafe {
        return None;
    }
    let (var, thrown) = outcome.thrown()?;
    let Action::Call { instance, .. } = &sequence.statement(var).action else { return None };
    let method = &subject[instance.operation];
    if !subject[method.owner].under_test || is_raw(subject, sequence) {
        return None;
    }
    let classes = subject.classes();
    let contract = match rules.policy.explicit(classes, thrown) {
        Some(Ruling::Error) if &**thrown == "java/lang/AssertionError" => Contract::NoAssertionError,
        Some(Ruling::Error) => Contract::NoError,
        None if &**thrown == NULL_POINTER && !has_null(sequence, outcome) => Contract::NoNullPointer,
        _ => return None,
    };
    if !rules.has(contract) {
        return None;
    }
    let simple = thrown.rsplit(['/', '$']).next().unwrap_or(thrown);
    let name = called(subject, instance.operation);
    let sentence: Arc<str> = match contract {
        Contract::NoNullPointer => format!("{name} throws {simple} although nothing here is null"),
        Contract::NoAssertionError => format!("{name} breaks an assertion of its own class"),
        _ => format!("{name} throws {simple}, which counts as an error"),
    }
    .into();
    let broken = Broken { word: format!("throws{simple}").into(), sentence: sentence.clone() };
    Some(Breach {
        contract,
        method: method.id,
        class: method.owner,
        sequence: sequence.prefix(var.index() + 1),
        checks: vec![Check::Law { law: Law::Returns(var), broken: Some(broken) }],
        sentence,
        thrown: Some(thrown.clone()),
    })
}

/// `Booking.getGreeting()`, `new Booking()`
pub(crate) fn called(subject: &Subject, op: jurat_model::OpId) -> String {
    let operation = &subject[op];
    let owner = &subject[operation.owner].simple_name;
    if operation.is_constructor() {
        format!("new {owner}()")
    } else {
        format!("{owner}.{}()", operation.name)
    }
}

/// True if a value is null.
pub(crate) fn is_null(outcome: &Outcome, var: Var) -> bool {
    outcome.value(var) == Some(&Value::Literal(Literal::Null))
}

/// True if null may have come from outside the subject: written down, in an array, returned by a stand-in, or
/// returned by one call and passed to another.
pub(crate) fn has_null(sequence: &Sequence, outcome: &Outcome) -> bool {
    let is_null = |value: &Value| *value == Value::Literal(Literal::Null);
    let holds_null = |var: &Var| match outcome.value(*var) {
        Some(Value::Object(object)) => object.elements.as_ref().is_some_and(|all| all.iter().any(is_null)),
        Some(value) => is_null(value),
        None => false,
    };
    let made_null = sequence.statements().iter().any(|statement| match &statement.action {
        Action::Literal(literal) => *literal == Literal::Null,
        Action::Lambda(LambdaBody::Gives(None)) | Action::Mock { .. } => true,
        _ => false,
    });
    let inputs =
        sequence.statements().iter().flat_map(|statement| statement.action.inputs().collect::<Vec<_>>());
    made_null || inputs.into_iter().any(|var| holds_null(&var))
}

/// True if raw types let values in that the compiler would have kept out: what fails because of
/// them is no fault of the subject.
pub(crate) fn is_raw(subject: &Subject, sequence: &Sequence) -> bool {
    sequence.statements().iter().any(|statement| subject.classes().has_raw(&statement.ty))
}

/// True if a call ended with an exception that may be judged.
pub(crate) fn thrown_at(outcome: &Outcome, var: Var) -> Option<&Arc<str>> {
    match outcome.endings.get(var.index()) {
        Some(Ending::Threw(class)) => Some(class),
        _ => None,
    }
}
