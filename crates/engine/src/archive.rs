//! The best sequence for each goal.

use std::collections::BTreeMap;
use std::sync::Arc;

use jurat_base::FxHashSet;
use jurat_model::{
    Action, Candidate, Literal, OpId, Operation, Outcome, ProbeId, Sequence, Subject, Value, Var, Visibility,
};

/// One thing to cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// A branch edge, line or method entry.
    Probe(ProbeId),
    /// An operation that throws an exception of this class.
    Exception(OpId, Arc<str>),
    /// An operation that ends a sequence by giving a value of this kind.
    Returned(OpId, Kind),
}

/// What comes of a call, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// `0`
    Zero,
    /// `1`
    One,
    /// A number below zero.
    Negative,
    /// `""`
    Empty,
    /// Anything else, or nothing.
    Other,
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Literal(Literal::Boolean(true)) => Self::True,
            Value::Literal(Literal::Boolean(false)) => Self::False,
            Value::Literal(Literal::Null) => Self::Null,
            Value::Literal(Literal::String(text)) if text.units().is_empty() => Self::Empty,
            Value::Literal(literal) => number(literal).map_or(Self::Other, Self::of_number),
            _ => Self::Other,
        }
    }
}

impl Kind {
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn of_number(number: f64) -> Self {
        if number == 0.0 {
            Self::Zero
        } else if number == 1.0 {
            Self::One
        } else if number < 0.0 {
            Self::Negative
        } else {
            Self::Other
        }
    }
}

/// The value of a number, near enough to tell its kind.
#[expect(clippy::cast_precision_loss, reason = "a long keeps its sign, and one stays one")]
fn number(literal: &Literal) -> Option<f64> {
    Some(match literal {
        Literal::Byte(value) => f64::from(*value),
        Literal::Short(value) => f64::from(*value),
        Literal::Int(value) => f64::from(*value),
        Literal::Long(value) => *value as f64,
        Literal::Float(bits) => f64::from(f32::from_bits(*bits)),
        Literal::Double(bits) => f64::from_bits(*bits),
        _ => return None,
    })
}

/// The operation that ends a sequence and what came of it, if it returned.
fn returned(sequence: &Sequence, outcome: &Outcome) -> Option<(OpId, Kind)> {
    returned_at(sequence, outcome, sequence.last()?)
}

/// The operation that a statement calls and what came of it, if it returned.
pub(crate) fn returned_at(sequence: &Sequence, outcome: &Outcome, var: Var) -> Option<(OpId, Kind)> {
    let value = outcome.value(var)?;
    match &sequence.statement(var).action {
        Action::Call { instance, .. } => Some((instance.operation, Kind::of(value))),
        _ => None,
    }
}

impl Goal {
    /// True if an outcome reached it.
    pub(crate) fn is_reached(&self, sequence: &Sequence, outcome: &Outcome) -> bool {
        match self {
            Self::Probe(probe) => outcome.hits.binary_search(probe).is_ok(),
            Self::Exception(op, class) => outcome.thrown().is_some_and(|(var, thrown)| {
                thrown == class && sequence.calls().any(|(call, called, _)| call == var && called == *op)
            }),
            Self::Returned(op, kind) => returned(sequence, outcome) == Some((*op, *kind)),
        }
    }
}

/// The goals an outcome reached.
pub(crate) fn goals(sequence: &Sequence, outcome: &Outcome) -> Vec<Goal> {
    let mut goals: Vec<Goal> = outcome.hits.iter().copied().map(Goal::Probe).collect();
    if let Some((var, class)) = outcome.thrown()
        && let Some((_, op, _)) = sequence.calls().find(|(call, ..)| *call == var)
        && !jurat_oracle::is_on_null(sequence, outcome)
    {
        goals.push(Goal::Exception(op, class.clone()));
    }
    goals.extend(returned(sequence, outcome).map(|(op, kind)| Goal::Returned(op, kind)));
    goals
}

/// What reading a sequence costs: calls first, then everything else.
pub(crate) fn cost(sequence: &Sequence) -> (usize, usize) {
    (sequence.calls().count(), sequence.len())
}

/// True if a sequence needs private members or mocks: others are preferred, whatever their length.
pub(crate) fn is_last_resort(subject: &Subject, sequence: &Sequence) -> bool {
    let is_private = |op: OpId| subject[op].visibility == Visibility::Private;
    sequence.has_mocks() || sequence.calls().any(|(_, op, _)| is_private(op))
}

/// One sequence that holds at least one goal.
#[derive(Debug)]
struct Holder {
    candidate: Candidate,
    /// Whether it needs private members or mocks, then what reading it costs.
    cost: (bool, (usize, usize)),
}

/// The shortest sequence known for each goal.
#[derive(Debug, Default)]
pub struct Archive {
    /// The private operations.
    private: FxHashSet<OpId>,
    holders: Vec<Holder>,
    held: BTreeMap<Goal, usize>,
}

impl Archive {
    /// An archive for sequences over a subject.
    pub fn new(subject: &Subject) -> Self {
        let is_private = |operation: &&Operation| operation.visibility == Visibility::Private;
        let private = subject.operations().iter().filter(is_private).map(|operation| operation.id).collect();
        Self { private, ..Self::default() }
    }

    fn is_last_resort(&self, sequence: &Sequence) -> bool {
        sequence.has_mocks() || sequence.calls().any(|(_, op, _)| self.private.contains(&op))
    }

    /// Takes note of what a candidate reached; true if it was the first to reach something.
    pub fn consider(&mut self, candidate: &Candidate, outcome: &Outcome) -> bool {
        if outcome.is_unsafe {
            return false;
        }
        let cost = (self.is_last_resort(&candidate.sequence), cost(&candidate.sequence));
        let mut is_new = false;
        let mut number = None;
        for goal in goals(&candidate.sequence, outcome) {
            let better = match self.held.get(&goal) {
                None => {
                    is_new = true;
                    true
                }
                Some(&holder) => cost < self.holders[holder].cost,
            };
            if better {
                let holders = &mut self.holders;
                let number = *number.get_or_insert_with(|| {
                    holders.push(Holder { candidate: candidate.clone(), cost });
                    holders.len() - 1
                });
                self.held.insert(goal, number);
            }
        }
        is_new
    }

    /// Whether a goal is reached.
    pub fn holds(&self, goal: &Goal) -> bool {
        self.held.contains_key(goal)
    }

    /// How many probes are reached.
    pub(crate) fn probes(&self) -> usize {
        self.held.keys().take_while(|goal| matches!(goal, Goal::Probe(_))).count()
    }

    /// The sequence that holds a goal.
    pub fn holder(&self, goal: &Goal) -> Option<&Candidate> {
        self.held.get(goal).map(|holder| &self.holders[*holder].candidate)
    }

    /// The goals that are reached, in order.
    pub fn goals(&self) -> impl Iterator<Item = &Goal> {
        self.held.keys()
    }

    /// The sequences that hold a goal, in the order they were found.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        let holding: std::collections::BTreeSet<usize> = self.held.values().copied().collect();
        holding.into_iter().map(|holder| &self.holders[holder].candidate)
    }

    /// How many goals are reached.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// True if nothing is reached yet.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The sequences that hold a goal, each with the goals it holds, in the order they were found.
    pub fn into_drafts(self) -> Vec<(Candidate, Vec<Goal>)> {
        let mut goals: Vec<Vec<Goal>> = vec![Vec::new(); self.holders.len()];
        for (goal, holder) in self.held {
            goals[holder].push(goal);
        }
        self.holders
            .into_iter()
            .zip(goals)
            .filter(|(_, goals)| !goals.is_empty())
            .map(|(holder, goals)| (holder.candidate, goals))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use jurat_model::{JavaType, Statement, Technique};

    use super::*;

    fn candidate(length: usize) -> Candidate {
        let literal = Statement { action: Action::Literal(Literal::Int(0)), ty: JavaType::INT };
        let sequence = Sequence::new(vec![literal; length]).expect("literals need nothing");
        Candidate { sequence, package: None, technique: Technique::Random }
    }

    fn hits(ids: &[u32]) -> Outcome {
        Outcome { hits: ids.iter().copied().map(ProbeId).collect(), ..Outcome::default() }
    }

    #[test]
    fn a_shorter_sequence_takes_over_the_goals_it_reaches() {
        let mut archive = Archive::default();
        assert!(archive.consider(&candidate(5), &hits(&[1, 2])));
        assert!(!archive.consider(&candidate(3), &hits(&[2])));
        assert!(!archive.consider(&candidate(4), &hits(&[2])));
        let drafts = archive.into_drafts();
        let lengths: Vec<_> =
            drafts.iter().map(|(draft, goals)| (draft.sequence.len(), goals.clone())).collect();
        assert_eq!(lengths, [(5, vec![Goal::Probe(ProbeId(1))]), (3, vec![Goal::Probe(ProbeId(2))])]);
    }

    #[test]
    fn what_needs_no_mock_takes_over_whatever_its_length() {
        let mock = Statement { action: Action::Mock { answers: Vec::new() }, ty: JavaType::INT };
        let sequence = Sequence::new(vec![mock]).expect("it needs nothing");
        let mocked = Candidate { sequence, ..candidate(1) };
        let mut archive = Archive::default();
        assert!(archive.consider(&mocked, &hits(&[1, 2])));
        assert!(!archive.consider(&candidate(9), &hits(&[1])));
        assert!(!archive.consider(&mocked, &hits(&[1])));
        let drafts = archive.into_drafts();
        let lengths: Vec<_> = drafts.iter().map(|(draft, _)| draft.sequence.len()).collect();
        assert_eq!(lengths, [1, 9], "the mock keeps only what nothing else reaches");
    }

    #[test]
    fn what_is_unsafe_is_never_held() {
        let mut archive = Archive::default();
        let outcome = Outcome { is_unsafe: true, ..hits(&[1]) };
        assert!(!archive.consider(&candidate(1), &outcome));
        assert!(archive.is_empty());
    }
}
