//! Leaves out breaches that others explain: an object that cannot be used as its constructor leaves it fails whatever is
//! done to it, and whatever it is passed to.

use jurat_base::FxHashSet;
use jurat_model::{Action, OpId, Sequence, Subject};
use jurat_oracle::contracts::Breach;

const NULL_POINTER: &str = "java/lang/NullPointerException";

/// The breaches without those that a constructor is to blame for; one for each such constructor stays.
pub(crate) fn causes(subject: &Subject, breaches: Vec<Breach>) -> Vec<Breach> {
    let unready: FxHashSet<OpId> =
        breaches.iter().filter_map(|breach| unready_maker(subject, breach)).collect();
    let mut told: FxHashSet<OpId> = FxHashSet::default();
    let mut causes = breaches;
    causes.retain(|breach| match unready_maker(subject, breach) {
        Some(maker) => told.insert(maker),
        None => !throws_null_pointer(breach) || !makers(&breach.sequence).any(|op| unready.contains(&op)),
    });
    causes
}

fn throws_null_pointer(breach: &Breach) -> bool {
    breach.thrown.as_deref() == Some(NULL_POINTER)
}

fn makers(sequence: &Sequence) -> impl Iterator<Item = OpId> + '_ {
    sequence.calls().map(|(_, op, _)| op)
}

/// The constructor whose object cannot be used: it takes nothing, and the first call on the object fails.
fn unready_maker(subject: &Subject, breach: &Breach) -> Option<OpId> {
    let calls: Vec<_> = breach.sequence.calls().collect();
    let [(made, maker, inputs), (_, _, used)] = calls.as_slice() else { return None };
    let is_unready = throws_null_pointer(breach)
        && subject[*maker].is_constructor()
        && inputs.is_empty()
        && used.first().is_some_and(|receiver| is_same(&breach.sequence, *receiver, *made));
    is_unready.then_some(*maker)
}

/// True if a value is another, perhaps seen at another type.
fn is_same(sequence: &Sequence, value: jurat_model::Var, other: jurat_model::Var) -> bool {
    match sequence.statement(value).action {
        Action::Cast { value } => is_same(sequence, value, other),
        _ => value == other,
    }
}
