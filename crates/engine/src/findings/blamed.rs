//! Leaves out breaches that others explain: an object that cannot be used as its constructor leaves it fails whatever is
//! done to it, and whatever it is passed to.

use std::collections::{BTreeMap, BTreeSet};

use jurat_model::{Action, OpId, Sequence, Subject, Var};
use jurat_oracle::contracts::{Breach, Contract};

pub(super) const NULL_POINTER: &str = "java/lang/NullPointerException";

/// The breaches without those that a constructor is to blame for; one for each such constructor stays, if there is one
/// about a call on its object, that.
pub(crate) fn causes(subject: &Subject, breaches: Vec<Breach>) -> Vec<Breach> {
    let breaches = told_once(breaches);
    let mut blamed = blame(subject, &breaches, |maker, _| subject[maker].params.is_empty());
    // One that was given something may have left an object that a single method cannot use: that is the method's fault.
    // And it may have been given what cannot be used.
    let empty: BTreeSet<OpId> = blamed.keys().copied().collect();
    let is_own = |breach: &Breach| breach.sequence.calls().all(|(_, op, _)| !empty.contains(&op));
    let given = |maker: OpId, breach: &Breach| !subject[maker].params.is_empty() && is_own(breach);
    blamed.extend(blame(subject, &breaches, given).into_iter().filter(|(_, known)| known.methods.len() > 1));
    let is_shown = |at: usize| blamed.values().any(|known| known.best.1 == at);
    let is_explained = |breach: &Breach| {
        throws_null_pointer(breach) && breach.sequence.calls().any(|(_, op, _)| blamed.contains_key(&op))
    };
    let causes = breaches.into_iter().enumerate();
    causes.filter(|(at, breach)| is_shown(*at) || !is_explained(breach)).map(|(_, breach)| breach).collect()
}

/// The constructors whose objects cannot be used, of those that may be to blame for a breach.
fn blame(
    subject: &Subject,
    breaches: &[Breach],
    may_be: impl Fn(OpId, &Breach) -> bool,
) -> BTreeMap<OpId, Blamed> {
    let mut blamed: BTreeMap<OpId, Blamed> = BTreeMap::new();
    for (position, breach) in breaches.iter().enumerate() {
        let Some((maker, is_passed)) = unready_maker(subject, breach) else { continue };
        if may_be(maker, breach) {
            let best = (is_passed, position);
            let known = blamed.entry(maker).or_insert_with(|| Blamed { best, methods: BTreeSet::new() });
            known.best = known.best.min(best);
            known.methods.insert(breach.method);
        }
    }
    blamed
}

/// A constructor whose objects cannot be used.
struct Blamed {
    /// Whether the object is passed to a call, rather than called upon, and the breach that shows it.
    best: (bool, usize),
    /// The methods that fail.
    methods: BTreeSet<OpId>,
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

pub(super) fn throws_null_pointer(breach: &Breach) -> bool {
    breach.thrown.as_deref() == Some(NULL_POINTER)
}

/// The constructor whose object cannot be used: the first call that is given the object fails. Also whether the object is
/// passed to that call, rather than called upon.
fn unready_maker(subject: &Subject, breach: &Breach) -> Option<(OpId, bool)> {
    if !throws_null_pointer(breach) {
        return None;
    }
    let sequence = &breach.sequence;
    let calls: Vec<_> = sequence.calls().collect();
    let ((_, user, used), earlier) = calls.split_last()?;
    earlier.iter().rev().find_map(|(made, maker, _)| {
        let uses = |inputs: &[Var]| inputs.iter().position(|input| is_same(sequence, *input, *made));
        let is_passed = uses(used)? > 0 || subject[*user].receiver.is_none();
        // What is passed along with other things need not be to blame.
        let is_first = earlier.iter().all(|(_, _, inputs)| uses(inputs).is_none());
        (subject[*maker].is_constructor() && is_first && (!is_passed || earlier.len() == 1))
            .then_some((*maker, is_passed))
    })
}

/// True if a value is another, perhaps seen at another type.
fn is_same(sequence: &Sequence, value: Var, other: Var) -> bool {
    match sequence.statement(value).action {
        Action::Cast { value } => is_same(sequence, value, other),
        _ => value == other,
    }
}
