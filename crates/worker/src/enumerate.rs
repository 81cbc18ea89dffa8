//! Enumerates structures: the search runs here, beside the JVM that holds the objects and runs the predicate.

mod heap;
mod machine;
mod pace;
mod setup;
mod stride;
mod wire;

use std::time::{Duration, Instant};

use jurat_exhaustive::{Search, Sink, Space, Stop, Tally, estimate};
use jurat_protocol::{Explore, Explored, Failure, Remainder, Watch};

use crate::WorkerError;
use crate::classes::Jdk;
use crate::epoch::Epoch;
use crate::jni::Env;
use heap::Heap;
use machine::Machine;

/// Between two looks at the clock.
const BITE: u64 = 1 << 12;

/// The structures being enumerated: their space, and the objects they are made of.
pub(crate) struct Enumeration {
    space: Space,
    heap: Heap,
}

impl Enumeration {
    /// Makes all objects, every position at its first choice.
    pub(crate) fn prepare(env: Env, jdk: &Jdk, epoch: &Epoch, watch: &Watch) -> Result<Self, WorkerError> {
        setup::prepare(env, jdk, epoch, watch)
    }

    /// Guesses the length of the whole search; not a number if the JVM has to be replaced first.
    pub(crate) fn estimate(&mut self, env: Env, jdk: &Jdk, runs: u64) -> f64 {
        let mut machine = Machine::new(env, jdk, &self.space, &mut self.heap);
        machine.reset();
        let length = estimate(&self.space, &mut machine, runs);
        if self.heap.worn_out { f64::NAN } else { length }
    }

    /// Runs a part of the search.
    #[expect(
        clippy::disallowed_methods,
        reason = "when to pause: what is left is taken up again, so nothing depends on it"
    )]
    pub(crate) fn explore(&mut self, env: Env, jdk: &Jdk, order: &Explore) -> Result<Explored, WorkerError> {
        let mut machine = Machine::new(env, jdk, &self.space, &mut self.heap);
        machine.reset();
        let range = wire::range(&order.stretch);
        let mut search =
            Search::new(&self.space, &range, &mut machine).map_err(|error| WorkerError::new(error.0))?;
        let mut found = Found { keep: order.keep, kept: Vec::new(), failures: Vec::new() };
        let deadline = Instant::now() + Duration::from_millis(order.millis.into());
        let stop = loop {
            let left = order.budget - search.tally().explored;
            let stop = search.run(&mut machine, &mut found, left.min(BITE));
            if stop != Stop::Budget || left <= BITE || Instant::now() >= deadline {
                break stop;
            }
        };
        let mut parts: Vec<_> = search.rest().into_iter().collect();
        while parts.len() < order.parts as usize {
            let Some(cut) = (0..parts.len()).rev().find_map(|at| Some((at, parts[at].split(&self.space)?)))
            else {
                break;
            };
            let (at, (near, far)) = cut;
            parts.splice(at..=at, [near, far]);
        }
        let remainder = |range: &jurat_exhaustive::Range| {
            let first = range.next_vector(&self.space)?.choices().to_vec();
            Some(Remainder { stretch: wire::stretch(range), first, behind: range.behind(&self.space) })
        };
        let rest = parts.iter().filter_map(remainder).collect();
        let Tally { explored, valid, failed } = search.tally();
        let failure = |(reason, vector)| Failure { reason: machine.reason(reason), vector };
        let failures = found.failures.into_iter().map(failure).collect();
        Ok(Explored {
            explored,
            valid,
            failed,
            kept: found.kept,
            failures,
            rest,
            worn_out: stop == Stop::WornOut,
        })
    }
}

/// What one part of the search found.
struct Found {
    keep: u64,
    kept: Vec<Vec<u32>>,
    failures: Vec<(u32, Vec<u32>)>,
}

impl Sink for Found {
    fn valid(&mut self, vector: &[u32]) {
        if self.wants_valid() {
            self.kept.push(vector.to_vec());
        }
    }

    fn wants_valid(&self) -> bool {
        (self.kept.len() as u64) < self.keep
    }

    fn failed(&mut self, reason: u32, vector: &[u32]) {
        if self.failures.iter().all(|(known, _)| *known != reason) {
            self.failures.push((reason, vector.to_vec()));
        }
    }
}
