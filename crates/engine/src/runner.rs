//! What the engine asks of workers: run these sequences, tell what they did.

use jurat_model::{Outcome, Sequence};
use jurat_oracle::Observation;
use jurat_protocol::{self as wire, Chart, Isolation, Roam, Roamed};

use crate::error::RunError;

/// How a batch is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Many sequences share fresh state, and the state they leave behind is told: what strategies learn from.
    Explore,
    /// Many sequences share fresh state, and nothing but what they reach is told: the fastest.
    Probe,
    /// As `Probe`, in the opposite order: what only one of the two reaches depends on what ran before.
    ProbeBackwards,
    /// Many sequences share fresh state, and all is told that can be asserted.
    Observe,
    /// As `Observe`, in the opposite order and under another clock, zone, locale and identity hash.
    Perturbed,
    /// As `Observe`, every sequence in fresh state of its own: slow.
    Alone,
    /// As `Perturbed`, every sequence in fresh state of its own: slow.
    AlonePerturbed,
}

impl Mode {
    /// True if the sequences run under another clock, zone, locale and identity hash.
    pub fn is_perturbed(self) -> bool {
        matches!(self, Self::Perturbed | Self::AlonePerturbed)
    }

    /// True if the last job is run first.
    pub fn is_backwards(self) -> bool {
        matches!(self, Self::Perturbed | Self::ProbeBackwards)
    }

    /// True if each sequence has fresh state of its own.
    pub fn is_alone(self) -> bool {
        matches!(self, Self::Alone | Self::AlonePerturbed)
    }

    /// True if what can be asserted is told.
    pub fn observes(self) -> bool {
        matches!(self, Self::Observe | Self::Perturbed | Self::Alone | Self::AlonePerturbed)
    }
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

    /// Runs a batch as `Probe` and as `ProbeBackwards`, at the same time where that can be.
    fn both_ways(&mut self, jobs: &[Job]) -> Result<[Vec<Outcome>; 2], RunError> {
        Ok([self.run(jobs, Mode::Probe)?, self.run(jobs, Mode::ProbeBackwards)?])
    }

    /// Runs sequences as workers know them, many in shared state, and tells what they reach.
    fn execute(
        &mut self,
        sequences: &[wire::Sequence],
        isolation: Isolation,
    ) -> Result<Vec<wire::Outcome>, RunError> {
        let _ = (sequences, isolation);
        Err(RunError::Bug("this runner runs what has types only".to_owned()))
    }

    /// Lets workers roam; answers in the order of the orders.
    fn roam(&mut self, chart: &Chart, orders: &[Roam]) -> Result<Vec<Roamed>, RunError> {
        let _ = (chart, orders);
        Err(RunError::Bug("this runner cannot roam".to_owned()))
    }

    /// There is no more roaming: what was kept for it may go.
    fn end_roaming(&mut self) {}

    /// Runs sequences as workers know them, where probes tell distances; outcomes in the order of the sequences.
    fn measure(
        &mut self,
        sequences: &[jurat_protocol::Sequence],
        isolation: Isolation,
    ) -> Result<Vec<jurat_protocol::Outcome>, RunError> {
        let _ = (sequences, isolation);
        Err(RunError::Bug("this runner cannot measure".to_owned()))
    }
}
