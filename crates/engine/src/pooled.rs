//! Runs sequences on a pool of workers, and on a second pool that differs in everything a good test does not
//! depend on.

use jurat_model::{Outcome, Subject};
use jurat_pool::{Pool, PoolConfig, PoolError, Round, Tally};
use jurat_protocol::{Chart, Isolation, Roam, Roamed, Wants};

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
}

struct Side {
    pool: Pool,
    receiver: Receiver,
}

impl<'a> PooledRunner<'a> {
    /// Starts the workers.
    pub fn start(subject: &'a Subject, mut config: PoolConfig) -> Result<Self, RunError> {
        config.operations = operation_table(subject);
        let usual = Side::start(config.clone())?;
        Ok(Self { subject, config, usual, perturbed: None })
    }

    /// What became of all workers so far.
    pub fn tally(&self) -> Tally {
        let mut whole = self.usual.pool.tally();
        if let Some(perturbed) = &self.perturbed {
            let other = perturbed.pool.tally();
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

/// Another clock, zone, locale, identity hash, random seed and order of immutable collections.
pub(crate) fn perturbed(config: &PoolConfig) -> PoolConfig {
    PoolConfig {
        zone: "Asia/Kathmandu".to_owned(),
        locale: ("tr".to_owned(), "TR".to_owned()),
        clock_millis: config.clock_millis + 86_400_000 * 1234 + 12_345_678,
        seed: config.seed + 1,
        hash_mode: 5,
        ..config.clone()
    }
}

impl Side {
    fn start(config: PoolConfig) -> Result<Self, RunError> {
        let pool = Pool::start(config).map_err(|error| run_error(&error))?;
        Ok(Self { pool, receiver: Receiver::default() })
    }
}

impl Runner for PooledRunner<'_> {
    fn run(&mut self, jobs: &[Job], mode: Mode) -> Result<Vec<Outcome>, RunError> {
        let subject = self.subject;
        let side = self.side(mode)?;
        let mut sent: Vec<Sent> =
            jobs.iter().map(|job| send(subject, &job.sequence, &job.observations)).collect();
        if mode.is_backwards() {
            sent.reverse();
        }
        let observes = mode.observes();
        let round = Round {
            sequences: sent.iter().map(|sent| sent.sequence.clone()).collect(),
            isolation: if mode.is_alone() { Isolation::Sequence } else { Isolation::Chunk },
            wants: Wants {
                coverage: true,
                finals: mode == Mode::Explore,
                effects: observes,
                aliases: observes || mode == Mode::Explore,
                elements: observes,
                ..Wants::default()
            },
        };
        let outcomes = side.pool.run(&round).map_err(|error| run_error(&error))?;
        let Side { pool, receiver } = side;
        let class_name = |class: u32| pool.class_name(class);
        let mut received: Vec<Outcome> = sent
            .iter()
            .zip(&outcomes)
            .map(|(sent, outcome)| receiver.receive(subject, sent, outcome, &class_name))
            .collect();
        if mode.is_backwards() {
            received.reverse();
        }
        Ok(received)
    }

    fn roam(&mut self, chart: &Chart, orders: &[Roam]) -> Result<Vec<Roamed>, RunError> {
        self.usual.pool.roam(chart, orders).map_err(|error| run_error(&error))
    }
}

pub(crate) fn run_error(error: &PoolError) -> RunError {
    if error.exit_code() == 3 {
        RunError::Environment(error.to_string())
    } else {
        RunError::Bug(error.to_string())
    }
}
