//! Which of the goals that sequences reach are worth a test.

use std::collections::BTreeSet;

use jurat_instrument::ProbeKind;
use jurat_model::{JavaType, OperationKind, Primitive, Subject};

use crate::archive::{Goal, Kind};
use crate::coverage::ProbeTable;

/// What a goal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GoalKind {
    /// Both ways of every branch.
    Branch,
    /// Every line.
    Line,
    /// Every method.
    Method,
    /// Every type of exception that a method throws.
    Exception,
    /// Every kind of value that a method gives.
    Result,
}

/// Tells which goals are worth a test.
pub(crate) struct Wanted<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) probes: &'a ProbeTable,
    /// All kinds if empty.
    pub(crate) kinds: &'a BTreeSet<GoalKind>,
}

impl Wanted<'_> {
    pub(crate) fn wants(&self, goal: &Goal) -> bool {
        let is_chosen = || self.kind(goal).is_some_and(|kind| self.kinds.contains(&kind));
        is_own(self.subject, goal) && (self.kinds.is_empty() || is_chosen())
    }

    fn kind(&self, goal: &Goal) -> Option<GoalKind> {
        match goal {
            Goal::Exception(..) => Some(GoalKind::Exception),
            Goal::Returned(..) => Some(GoalKind::Result),
            Goal::Probe(probe) => match self.probes.kind(*probe)? {
                ProbeKind::Edge { .. } => Some(GoalKind::Branch),
                ProbeKind::Line => Some(GoalKind::Line),
                ProbeKind::Entry => Some(GoalKind::Method),
                ProbeKind::Call { .. } | ProbeKind::Callee => None,
            },
        }
    }
}

/// True for goals of the classes under test: what other classes do is not what tests are for. That a field can be
/// read or written is no behaviour, except for constants.
fn is_own(subject: &Subject, goal: &Goal) -> bool {
    match goal {
        Goal::Probe(_) => true,
        Goal::Exception(op, _) => subject[subject[*op].owner].under_test,
        Goal::Returned(op, kind) => {
            let operation = &subject[*op];
            let is_answer = matches!(kind, Kind::True | Kind::False);
            if is_answer && operation.result != JavaType::Primitive(Primitive::Boolean) {
                return false;
            }
            let is_constant = operation.kind == OperationKind::StaticGet && operation.is_final;
            subject[operation.owner].under_test && (operation.kind.is_call() || is_constant)
        }
    }
}
