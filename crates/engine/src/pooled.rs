//! Runs sequences on a pool of workers, on a second pool that differs in everything a good test does not depend on,
//! and on a third whose probes tell distances.

use jurat_model::{Outcome, Subject};
use jurat_pool::{Pool, PoolConfig, PoolError, Round, Tally};
use jurat_protocol::{Chart, Isolation, ProbedBranches, Roam, Roamed, Wants};

use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};
use crate::wire::{Receiver, Sent, operation_table, send};

/// A runner over real workers.
pub struct PooledRunner<'a> {
    subject: &'a Subject,
    config: PoolConfig,
    usual: Side,
    /// Started when first asked for: many runs end before.
    perturbed: Option<Side>,
    /// Started when first asked for: the search may never be.
    measuring: Option<Pool>,
}

/// Sequences of the search that share fresh state: few, so that all workers have some.
const MEASURED: usize = 128;

struct Side {
    pool: Pool,
    receiver: Receiver,
}

impl<'a> PooledRunner<'a> {
    /// Starts the workers.
    pub fn start(subject: &'a Subject, mut config: PoolConfig) -> Result<Self, RunError> {
        config.operations = operation_table(subject);
        let usual = Side::start(config.clone())?;
        Ok(Self { subject, config, usual, perturbed: None, measuring: None })
    }

    /// What became of all workers so far.
    pub fn tally(&self) -> Tally {
        let mut whole = self.usual.pool.tally();
        let perturbed = self.perturbed.as_ref().map(|side| side.pool.tally());
        for other in perturbed.into_iter().chain(self.measuring.as_ref().map(Pool::tally)) {
            whole.started += other.started;
            whole.crashed += other.crashed;
            whole.timed_out += other.timed_out;
        }
        whole
    }

    fn side(&mut self, mode: Mode) -> Result<&mut Side, RunError> {
        if !mode.is_perturbed() {
            return Ok(&mut self.usual);
        }
        if self.perturbed.is_none() {
            self.perturbed = Some(Side::start(perturbed(&self.config))?);
        }
        Ok(self.perturbed.as_mut().unwrap_or(&mut self.usual))
    }
}

/// The same, with probes that tell distances.
fn measuring(config: &PoolConfig) -> PoolConfig {
    let mut config = PoolConfig { chunk_size: MEASURED, spares: 0, ..config.clone() };
    config.probes.branches = ProbedBranches::Distances;
    config
}

/// Another clock, zone, locale, identity hash, random seed and order of immutable collections.
pub(crate) fn perturbed(config: &PoolConfig) -> PoolConfig {
    PoolConfig {
        zone: "Asia/Kathmandu".to_owned(),
        // Without a country, as on many servers.
        locale: ("tr".to_owned(), String::new()),
        clock_millis: config.clock_millis + 86_400_000 * 1234 + 12_345_678,
        seed: config.seed + 1,
        hash_mode: 5,
        ..config.clone()
    }
}

/// Sequences on their way to the workers.
struct Batch<'a> {
    subject: &'a Subject,
    mode: Mode,
    /// In the order they are run in.
    sent: Vec<Sent>,
}

impl<'a> Batch<'a> {
    fn new(subject: &'a Subject, jobs: &[Job], mode: Mode) -> Self {
        let mut sent: Vec<Sent> =
            jobs.iter().map(|job| send(subject, &job.sequence, &job.observations)).collect();
        if mode.is_backwards() {
            sent.reverse();
        }
        Self { subject, mode, sent }
    }

    fn round(&self) -> Round {
        let (mode, observes) = (self.mode, self.mode.observes());
        Round {
            sequences: self.sent.iter().map(|sent| sent.sequence.clone()).collect(),
            isolation: if mode.is_alone() { Isolation::Sequence } else { Isolation::Chunk },
            wants: Wants {
                coverage: true,
                finals: mode == Mode::Explore,
                effects: observes,
                aliases: observes || mode == Mode::Explore,
                elements: observes,
                ..Wants::default()
            },
        }
    }
}

impl Side {
    /// Runs batches side by side; outcomes come in the order of the jobs.
    fn run<const N: usize>(&mut self, batches: [Batch<'_>; N]) -> Result<[Vec<Outcome>; N], RunError> {
        let rounds: Vec<Round> = batches.iter().map(Batch::round).collect();
        let outcomes = self.pool.run_all(&rounds).map_err(|error| run_error(&error))?;
        let Self { pool, receiver } = self;
        let class_name = |class: u32| pool.class_name(class);
        let mut outcomes = outcomes.into_iter();
        Ok(batches.map(|Batch { subject, mode, sent }| {
            let outcomes = outcomes.next().unwrap_or_default();
            // One by one, so that not all of them are there twice.
            let received = sent.into_iter().zip(outcomes);
            let received =
                received.map(|(sent, outcome)| receiver.receive(subject, &sent, &outcome, &class_name));
            let mut received: Vec<Outcome> = received.collect();
            if mode.is_backwards() {
                received.reverse();
            }
            received
        }))
    }

    fn start(config: PoolConfig) -> Result<Self, RunError> {
        let pool = Pool::start(config).map_err(|error| run_error(&error))?;
        Ok(Self { pool, receiver: Receiver::default() })
    }
}

impl Runner for PooledRunner<'_> {
    fn run(&mut self, jobs: &[Job], mode: Mode) -> Result<Vec<Outcome>, RunError> {
        let batch = Batch::new(self.subject, jobs, mode);
        let [outcomes] = self.side(mode)?.run([batch])?;
        Ok(outcomes)
    }

    fn both_ways(&mut self, jobs: &[Job]) -> Result<[Vec<Outcome>; 2], RunError> {
        let subject = self.subject;
        let modes = [Mode::Probe, Mode::ProbeBackwards];
        self.usual.run(modes.map(|mode| Batch::new(subject, jobs, mode)))
    }

    fn execute(
        &mut self,
        sequences: &[jurat_protocol::Sequence],
        isolation: Isolation,
    ) -> Result<Vec<jurat_protocol::Outcome>, RunError> {
        let round = Round {
            sequences: sequences.to_vec(),
            isolation,
            wants: Wants { coverage: true, ..Wants::default() },
        };
        self.usual.pool.run(&round).map_err(|error| run_error(&error))
    }

    fn roam(&mut self, chart: &Chart, orders: &[Roam]) -> Result<Vec<Roamed>, RunError> {
        self.usual.pool.roam(chart, orders).map_err(|error| run_error(&error))
    }

    fn end_roaming(&mut self) {
        self.usual.pool.end_roaming();
    }

    fn measure(
        &mut self,
        sequences: &[jurat_protocol::Sequence],
        isolation: Isolation,
    ) -> Result<Vec<jurat_protocol::Outcome>, RunError> {
        let pool = match &mut self.measuring {
            Some(pool) => pool,
            none => none.insert(Pool::start(measuring(&self.config)).map_err(|error| run_error(&error))?),
        };
        let round = Round {
            sequences: sequences.to_vec(),
            isolation,
            wants: Wants { coverage: true, distances: true, ..Wants::default() },
        };
        pool.run(&round).map_err(|error| run_error(&error))
    }
}

pub(crate) fn run_error(error: &PoolError) -> RunError {
    if error.exit_code() == 3 {
        RunError::Environment(error.to_string())
    } else {
        RunError::Bug(error.to_string())
    }
}
