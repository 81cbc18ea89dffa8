//! The seam between the engine and the techniques.

use crate::sequence::Sequence;

/// A way to look for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Technique {
    /// Calls at random, on live values.
    Random,
    /// Every small structure that a predicate accepts.
    Exhaustive,
    /// Sequences that evolve towards branches.
    Search,
}

impl Technique {
    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Exhaustive => "exhaustive",
            Self::Search => "search",
        }
    }
}

/// A sequence a strategy proposes, not yet run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// What to run.
    pub sequence: Sequence,
    /// The package its code must be in; none if any will do.
    pub package: Option<std::sync::Arc<str>>,
    /// What proposes it.
    pub technique: Technique,
}
