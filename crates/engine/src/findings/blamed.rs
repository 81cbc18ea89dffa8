//! Leaves out breaches that others explain: an object that cannot be used as its constructor leaves it fails whatever is
//! done to it, and whatever it is passed to.

use std::collections::{BTreeMap, BTreeSet};

use jurat_model::{Action, OpId, Sequence, Subject, Var};
use jurat_oracle::contracts::{Breach, Contract};

const NULL_POINTER: &str = "java/lang/NullPointerException";

/// The breaches without those that a constructor is to blame for; one for each such constructor stays, if there is one
/// about a call on its object, that.
pub(crate) fn causes(subject: &Subject, breaches: Vec<Breach>) -> Vec<Breach> {
    let breaches = told_once(breaches);
    let mut shown: BTreeMap<OpId, (bool, usize)> = BTreeMap::new();
    for (position, breach) in breaches.iter().enumerate() {
        if let Some((maker, is_passed)) = unready_maker(subject, breach) {
            let best = shown.entry(maker).or_insert((is_passed, position));
            *best = (*best).min((is_passed, position));
        }
    }
    let is_shown = |at: usize| shown.values().any(|(_, position)| *position == at);
    let is_explained = |breach: &Breach| {
        throws_null_pointer(breach) && breach.sequence.calls().any(|(_, op, _)| shown.contains_key(&op))
    };
    let causes = breaches.into_iter().enumerate();
    causes.filter(|(at, breach)| is_shown(*at) || !is_explained(breach)).map(|(_, breach)| breach).collect()
}

/// That `equals` and its like must return is the stronger law: who breaks it throws, and is not told of again for that.
fn told_once(mut breaches: Vec<Breach>) -> Vec<Breach> {
    let is_weaker = |breach: &Breach| breach.contract == Contract::NoNullPointer;
    let told: BTreeSet<OpId> = breaches
        .iter()
        .filter(|breach| !is_weaker(breach) && throws_null_pointer(breach))
        .map(|breach| breach.method)
        .collect();
    breaches.retain(|breach| !is_weaker(breach) || !told.contains(&breach.method));
    breaches
}

fn throws_null_pointer(breach: &Breach) -> bool {
    breach.thrown.as_deref() == Some(NULL_POINTER)
}

/// The constructor whose object cannot be used: it takes nothing, and the first call that is given the object fails.
/// Also whether the object is passed to that call, rather than called upon.
fn unready_maker(subject: &Subject, breach: &Breach) -> Option<(OpId, bool)> {
    let calls: Vec<_> = breach.sequence.calls().collect();
    let [(made, maker, inputs), (_, user, used)] = calls.as_slice() else { return None };
    let position = used.iter().position(|input| is_same(&breach.sequence, *input, *made))?;
    let is_unready = throws_null_pointer(breach) && subject[*maker].is_constructor() && inputs.is_empty();
    is_unready.then_some((*maker, position > 0 || subject[*user].receiver.is_none()))
}

/// True if a value is another, perhaps seen at another type.
fn is_same(sequence: &Sequence, value: Var, other: Var) -> bool {
    match sequence.statement(value).action {
        Action::Cast { value } => is_same(sequence, value, other),
        _ => value == other,
    }
}
