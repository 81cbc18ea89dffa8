//! What the engine asks of workers: run these sequences, tell what they did.

use jurat_model::{Outcome, Sequence};
use jurat_oracle::Observation;

use crate::error::RunError;

/// How a batch is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Many sequences share fresh state: fast, and good enough to explore.
    Explore,
    /// Every sequence has fresh state of its own: what may be emitted.
    Confirm,
    /// As `Confirm`, under another clock, zone, locale and identity hash.
    Perturbed,
}

/// A sequence to run, and what to look at afterwards.
#[derive(Clone, Debug)]
pub struct Job {
    /// The sequence.
    pub sequence: Sequence,
    /// What to observe after its last statement.
    pub observations: Vec<Observation>,
}

impl From<Sequence> for Job {
    fn from(sequence: Sequence) -> Self {
        Self { sequence, observations: Vec::new() }
    }
}

/// Runs sequences. The outcomes come in the order of the jobs and depend on nothing else.
pub trait Runner {
    /// Runs a batch.
    fn run(&mut self, jobs: &[Job], mode: Mode) -> Result<Vec<Outcome>, RunError>;
}
