//! Workers that run programs on structures, usual ones and such that differ in clock, zone and hash codes.

use jurat_pool::{Pool, PoolConfig, Round};
use jurat_protocol::{Ending, Isolation, Outcome, Sequence, Value, Wants};

use super::program::Table;
use crate::error::RunError;
use crate::pooled::{perturbed, run_error};

/// The workers, and the operations they know.
pub(super) struct Crew {
    config: PoolConfig,
    usual: Side,
    /// Started when first asked for.
    perturbed: Option<Side>,
}

struct Side {
    pool: Pool,
    sent: usize,
}

impl Crew {
    pub(super) fn start(config: &PoolConfig) -> Result<Self, RunError> {
        Ok(Self { usual: Side::start(config)?, perturbed: None, config: config.clone() })
    }

    /// Runs programs that share fresh state by the chunk.
    pub(super) fn run(
        &mut self,
        table: &Table,
        sequences: Vec<Sequence>,
        wants: Wants,
    ) -> Result<Vec<Outcome>, RunError> {
        self.usual.run(table, sequences, Isolation::Chunk, wants)
    }

    /// Runs each program in fresh state twice, the second time with everything changed that tests must not depend on.
    pub(super) fn confirm(
        &mut self,
        table: &Table,
        sequences: &[Sequence],
        wants: Wants,
    ) -> Result<[Vec<Outcome>; 2], RunError> {
        let first = self.usual.run(table, sequences.to_vec(), Isolation::Sequence, wants)?;
        let other = match &mut self.perturbed {
            Some(side) => side,
            None => self.perturbed.insert(Side::start(&perturbed(&self.config))?),
        };
        Ok([first, other.run(table, sequences.to_vec(), Isolation::Sequence, wants)?])
    }

    /// The internal name of a class that an outcome of the usual workers mentions.
    pub(super) fn class_name(&self, class: u32) -> String {
        self.usual.pool.class_name(class).replace('.', "/")
    }

    /// The same for the others.
    pub(super) fn perturbed_class_name(&self, class: u32) -> String {
        self.perturbed.as_ref().map_or_else(String::new, |side| side.pool.class_name(class).replace('.', "/"))
    }
}

impl Side {
    fn start(config: &PoolConfig) -> Result<Self, RunError> {
        let pool = Pool::start(config.clone()).map_err(|error| run_error(&error))?;
        Ok(Self { pool, sent: 0 })
    }

    fn run(
        &mut self,
        table: &Table,
        sequences: Vec<Sequence>,
        isolation: Isolation,
        wants: Wants,
    ) -> Result<Vec<Outcome>, RunError> {
        self.pool.add_operations(table.operations[self.sent..].iter().cloned());
        self.sent = table.operations.len();
        self.pool.run(&Round { sequences, isolation, wants }).map_err(|error| run_error(&error))
    }
}

/// What a statement gave, if it came to its end.
pub(super) fn returned(ending: Option<&Ending>) -> Option<&Value> {
    match ending {
        Some(Ending::Returned(value)) => Some(value),
        _ => None,
    }
}
