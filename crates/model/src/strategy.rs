//! The seam between the engine and the techniques.

use jurat_base::Seed;

use crate::outcome::Outcome;
use crate::sequence::Sequence;
use crate::subject::Subject;

/// A sequence a strategy proposes, not yet run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// What to run.
    pub sequence: Sequence,
    /// The package its code must be in; none if any will do.
    pub package: Option<std::sync::Arc<str>>,
}

/// What a strategy sees when it proposes.
#[derive(Debug)]
pub struct Round<'a> {
    /// The classes under test.
    pub subject: &'a Subject,
    /// Number of the first candidate of this round: with the seed, the source of all randomness.
    pub first: u64,
    /// How many candidates are wanted; never depends on the number of workers.
    pub size: usize,
    /// The seed of the run.
    pub seed: Seed,
}

/// What a strategy learns of one of its candidates.
#[derive(Debug)]
pub struct Lesson<'a> {
    /// The candidate.
    pub candidate: &'a Candidate,
    /// What it did.
    pub outcome: &'a Outcome,
    /// True if it reached something that nothing before it reached.
    pub is_new: bool,
}

/// Proposes rounds of candidates and learns from what they did. An empty round means that there
/// is nothing left to try. Lessons come in the order in which the candidates were proposed.
pub trait Strategy {
    /// The next candidates.
    fn propose(&mut self, round: &Round<'_>) -> Vec<Candidate>;

    /// What the last candidates did.
    fn learn(&mut self, subject: &Subject, lessons: &[Lesson<'_>]);
}
