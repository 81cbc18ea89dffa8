//! The seam between the engine and the techniques.

use crate::sequence::Sequence;

/// A sequence a strategy proposes, not yet run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// What to run.
    pub sequence: Sequence,
    /// The package its code must be in; none if any will do.
    pub package: Option<std::sync::Arc<str>>,
}
