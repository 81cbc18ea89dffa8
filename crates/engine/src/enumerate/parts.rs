//! The parts of a search, in their order: waiting, running, or done.

use std::collections::VecDeque;

use jurat_exhaustive::{StateVector, Tally};
use jurat_protocol::{Explored, Failure, Remainder, Stretch};

use super::{EnumerateProgress, Enumerated, add};
use crate::error::RunError;

/// All parts that are not yet folded into the result.
#[derive(Default)]
pub(super) struct Parts {
    /// Everything up to the first part that is not done.
    result: Enumerated,
    open: VecDeque<Part>,
    next_id: u64,
    stopped: bool,
    all: Tally,
}

struct Part {
    id: u64,
    state: PartState,
    /// The vector of its first candidate.
    first: Vec<u32>,
    /// How much of the search lies before it.
    start: f64,
    /// How many candidates to run at once: fewer after a worker was lost to it.
    budget: u64,
}

enum PartState {
    Waiting(Stretch),
    Running,
    Done(Box<Explored>),
}

/// A part to run.
#[derive(Clone, Debug)]
pub(super) struct Job {
    id: u64,
    pub(super) stretch: Stretch,
    pub(super) budget: u64,
    /// How many others wait.
    pub(super) waiting: usize,
}

impl Parts {
    /// Begins with one part.
    pub(super) fn start(&mut self, stretch: Stretch) {
        let first = match &stretch {
            Stretch::From(vector) => vector.clone(),
            _ => Vec::new(),
        };
        self.open.push_back(Part {
            id: 0,
            state: PartState::Waiting(stretch),
            first,
            start: 0.0,
            budget: u64::MAX,
        });
        self.next_id = 1;
    }

    /// The first part that waits, to be run.
    pub(super) fn take(&mut self) -> Option<Job> {
        if self.stopped {
            return None;
        }
        let waits = |part: &&mut Part| matches!(part.state, PartState::Waiting(_));
        let waiting = self.open.iter_mut().filter(waits).count().saturating_sub(1);
        let part = self.open.iter_mut().find(waits)?;
        let PartState::Waiting(stretch) = std::mem::replace(&mut part.state, PartState::Running) else {
            unreachable!("it waits")
        };
        Some(Job { id: part.id, stretch, budget: part.budget, waiting })
    }

    /// Whether some part runs: more may come of it.
    pub(super) fn is_busy(&self) -> bool {
        self.open.iter().any(|part| matches!(part.state, PartState::Running))
    }

    /// Lets what runs come to its end, and nothing else.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Takes in what a job found: the part is done, and what is left of it waits in its place.
    pub(super) fn done(&mut self, job: &Job, mut explored: Explored) {
        add(&mut self.all, &explored);
        let Some(at) = self.open.iter().position(|part| part.id == job.id) else { return };
        let rest = std::mem::take(&mut explored.rest);
        self.open[at].state = PartState::Done(Box::new(explored));
        let budget = if job.budget == 0 { 1 } else { job.budget.saturating_mul(8) };
        for (offset, Remainder { stretch, first, behind }) in rest.into_iter().enumerate() {
            let id = self.next_id;
            self.next_id += 1;
            let part = Part { id, state: PartState::Waiting(stretch), first, start: behind, budget };
            self.open.insert(at + 1 + offset, part);
        }
        self.fold();
    }

    /// A worker was lost to a job: it waits again, to be run in smaller bites until the culprit is known.
    pub(super) fn died(&mut self, job: &Job, how: &str) -> Result<(), RunError> {
        let Some(part) = self.open.iter_mut().find(|part| part.id == job.id) else { return Ok(()) };
        match (&job.stretch, job.budget) {
            (stretch, 1) => {
                let Stretch::Part { stack, floor, run: true } = stretch else {
                    return Err(RunError::Usage(format!(
                        "the predicate ends its JVM on the first structure: {how}"
                    )));
                };
                // The culprit counts as read no further than those before it, and as invalid.
                let after = Stretch::Part { stack: stack.clone(), floor: *floor, run: false };
                let failure =
                    Failure { reason: format!("it ended its JVM: {how}"), vector: part.first.clone() };
                let remainder = Remainder { stretch: after, first: part.first.clone(), behind: part.start };
                let (explored, valid, failed, kept) = (1, 0, 1, Vec::new());
                let failures = vec![failure];
                let rest = vec![remainder];
                self.done(job, Explored { explored, valid, failed, kept, failures, rest, worn_out: false });
            }
            // A part that has to advance first is told to do only that: then its next candidate is its first.
            (Stretch::Part { run: false, .. }, 2..=64) => part.retry(job, 0),
            (_, 65..=4096) => part.retry(job, 64),
            (_, 0..=64) => part.retry(job, 1),
            _ => part.retry(job, 4096),
        }
        Ok(())
    }

    /// How far all parts have come.
    pub(super) fn progress(&self) -> EnumerateProgress {
        let ends = self.open.iter().skip(1).map(|part| part.start).chain([1.0]);
        let ahead: f64 = self
            .open
            .iter()
            .zip(ends)
            .filter(|(part, _)| !matches!(part.state, PartState::Done(_)))
            .map(|(part, end)| (end - part.start).max(0.0))
            .sum();
        EnumerateProgress { tally: self.all, behind: (1.0 - ahead).clamp(0.0, 1.0) }
    }

    /// Adds parts that are done to the result, as far as there is no gap.
    fn fold(&mut self) {
        while let Some(Part { state: PartState::Done(_), .. }) = self.open.front() {
            let Some(Part { state: PartState::Done(explored), .. }) = self.open.pop_front() else { return };
            add(&mut self.result.tally, &explored);
            self.result.kept.extend(explored.kept);
            for failure in explored.failures {
                if self.result.failures.iter().all(|known| known.reason != failure.reason) {
                    self.result.failures.push(failure);
                }
            }
        }
    }

    /// What was found without gaps, and where the first gap is.
    pub(super) fn finish(mut self, keep: u64, replaced: u32) -> Enumerated {
        self.fold();
        let rest = self.open.front().map(|part| StateVector::new(part.first.clone()));
        let mut result = self.result;
        result.kept.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        Enumerated { rest, replaced, ..result }
    }
}

impl Part {
    fn retry(&mut self, job: &Job, budget: u64) {
        self.state = PartState::Waiting(job.stretch.clone());
        self.budget = budget;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u32) -> Stretch {
        Stretch::Part { stack: vec![(number, 0)], floor: 0, run: true }
    }

    fn found(valid: u64, rest: &[(u32, f64)]) -> Explored {
        let rest = rest.iter().map(|&(number, behind)| Remainder {
            stretch: part(number),
            first: vec![number],
            behind,
        });
        Explored {
            explored: 10,
            valid,
            failed: 0,
            kept: vec![vec![u32::try_from(valid).expect("small")]],
            failures: Vec::new(),
            rest: rest.collect(),
            worn_out: false,
        }
    }

    #[test]
    fn results_come_in_the_order_of_parts_whoever_is_first() {
        let mut parts = Parts::default();
        parts.start(Stretch::Whole);
        let whole = parts.take().expect("the whole");
        parts.done(&whole, found(1, &[(1, 0.25), (2, 0.5)]));
        let (near, far) = (parts.take().expect("near"), parts.take().expect("far"));
        assert_eq!((&near.stretch, &far.stretch), (&part(1), &part(2)));
        assert!(parts.take().is_none() && parts.is_busy());
        parts.done(&far, found(3, &[]));
        assert!((parts.progress().behind - 0.75).abs() < 1e-9);
        parts.done(&near, found(2, &[]));
        let result = parts.finish(2, 0);
        assert_eq!((result.tally.valid, result.kept, result.rest), (6, vec![vec![1], vec![2]], None));
    }

    #[test]
    fn an_interrupted_search_counts_up_to_its_first_gap() {
        let mut parts = Parts::default();
        parts.start(Stretch::Whole);
        let whole = parts.take().expect("the whole");
        parts.done(&whole, found(1, &[(1, 0.25), (2, 0.5)]));
        let (_near, far) = (parts.take().expect("near"), parts.take().expect("far"));
        parts.done(&far, found(3, &[]));
        parts.stop();
        let result = parts.finish(9, 0);
        assert_eq!((result.tally.explored, result.rest), (10, Some(StateVector::new(vec![1]))));
    }

    #[test]
    fn the_culprit_of_a_death_is_narrowed_down_and_left_out() {
        let mut parts = Parts::default();
        parts.start(part(7));
        let mut budgets = Vec::new();
        let mut runs = 0;
        while let Some(job) = parts.take() {
            budgets.push(job.budget);
            runs += 1;
            match &job.stretch {
                Stretch::Part { run: true, .. } => parts.died(&job, "crash").expect("no error"),
                _ => parts.done(&job, found(0, &[])),
            }
            assert!(runs < 10);
        }
        assert_eq!(budgets, [u64::MAX, 4096, 64, 1, 8]);
        let result = parts.finish(9, 0);
        assert_eq!((result.tally.failed, result.failures.len()), (1, 1));
    }
}
