//! Runs one chunk to its end, over as many workers as it takes.
//!
//! A chunk's outcomes do not depend on which workers run it: it starts from fresh state, and after a loss it is
//! run again from its start without the sequence that caused the loss. After a sequence that taints its worker, what
//! was reported stands, and the rest goes on in fresh state.

use std::collections::BTreeMap;

use jurat_protocol::{
    Chunk, ChunkOutcomes, Coverage, Cut, Death, Ending, Finished, Isolation, Outcome, Taint,
};

use crate::PoolError;
use crate::process::{Loss, Lost, Remains};

/// How often a worker may be lost to something from outside at the same statement before we believe that it is
/// the statement's doing after all: a kernel short of memory looks like a stranger's signal.
const COINCIDENCES: u32 = 8;

/// How many workers may die before they run anything.
const HOPELESS: u32 = 5;

/// Whoever can run chunks.
pub(crate) trait Crew {
    /// Runs a chunk without the skipped sequences, on the current worker or a fresh one.
    fn execute(&mut self, chunk: &Chunk, skip: &[u32]) -> Result<Result<ChunkOutcomes, Lost>, PoolError>;
    /// Lets the current worker go: the next chunk runs on a fresh one.
    fn retire(&mut self);
}

/// What all sequences of a chunk did. Class positions refer to `classes`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ChunkResult {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) classes: Vec<String>,
}

/// Runs a chunk to its end.
pub(crate) fn run_chunk(crew: &mut dyn Crew, chunk: &Chunk) -> Result<ChunkResult, PoolError> {
    let mut progress = Progress::new(chunk);
    loop {
        match crew.execute(chunk, &progress.skip)? {
            Ok(reply) => {
                let finished = reply.finished;
                progress.take(reply)?;
                if finished != Finished::Reusable {
                    crew.retire();
                }
                if finished != Finished::Retired {
                    break;
                }
            }
            Err(lost) => {
                crew.retire();
                progress.explain(lost)?;
            }
        }
        if progress.skip.len() == chunk.sequences.len() {
            break;
        }
    }
    Ok(progress.result())
}

/// What is known of a chunk so far.
struct Progress<'a> {
    chunk: &'a Chunk,
    outcomes: Vec<Option<Outcome>>,
    classes: Vec<String>,
    /// Ascending.
    skip: Vec<u32>,
    coincidences: BTreeMap<(usize, usize), u32>,
    early: u32,
}

impl<'a> Progress<'a> {
    fn new(chunk: &'a Chunk) -> Self {
        let outcomes = vec![None; chunk.sequences.len()];
        Self {
            chunk,
            outcomes,
            classes: Vec::new(),
            skip: Vec::new(),
            coincidences: BTreeMap::new(),
            early: 0,
        }
    }

    /// Keeps what a worker reported. If it retired, its last sequence is left out from now on.
    fn take(&mut self, reply: ChunkOutcomes) -> Result<(), PoolError> {
        let base = to_u32(self.classes.len());
        let count = reply.outcomes.len();
        let run: Vec<usize> = (0..self.outcomes.len())
            .filter(|&position| self.skip.binary_search(&to_u32(position)).is_err())
            .take(count)
            .collect();
        let expected =
            if reply.finished == Finished::Retired { 1 } else { self.outcomes.len() - self.skip.len() };
        if count == 0 && reply.finished == Finished::Retired && !self.chunk.trials.is_empty() {
            // The sequences that tell what is usual do not come to their end.
            self.leave_out(0);
            return Ok(());
        }
        if run.len() != count || count < expected {
            return Err(PoolError::Refused(format!("{count} outcomes for chunk {}", self.chunk.number)));
        }
        let known = to_u32(reply.classes.len());
        for (&position, mut outcome) in run.iter().zip(reply.outcomes) {
            let mut sound = true;
            outcome.visit_classes(&mut |class| {
                sound &= *class < known;
                *class += base;
            });
            if !sound {
                return Err(PoolError::Refused("an outcome names a class that was not sent".to_owned()));
            }
            // What was reported first stands; it is the same, or the worker is at fault.
            self.outcomes[position].get_or_insert(outcome);
        }
        self.classes.extend(reply.classes);
        if reply.finished == Finished::Retired {
            // What was reported stands; the rest goes on in fresh state, as it will in every run.
            self.skip = (0..=to_u32(*run.last().expect("at least one"))).collect();
        }
        Ok(())
    }

    /// Finds the sequence that a worker was lost to, and leaves it out, unless it may be innocent.
    fn explain(&mut self, lost: Lost) -> Result<(), PoolError> {
        let (chunk, sequence, statement) = lost.now;
        let known = chunk == self.chunk.number && sequence < self.outcomes.len();
        let ending = match lost.loss {
            Loss::Misunderstanding(why) => return Err(PoolError::Refused(why)),
            _ if !known => {
                self.early += 1;
                if self.early >= HOPELESS {
                    let (count, last) = (self.early, format!("{:?}", lost.loss));
                    return Err(PoolError::Hopeless { count, chunk: self.chunk.number, last });
                }
                return Ok(());
            }
            Loss::Own(death) => Ending::KilledWorker(death),
            Loss::Stalled => Ending::TimedOut(Cut::Clock),
            Loss::Outside(signal) => {
                let seen = self.coincidences.entry((sequence, statement)).or_default();
                *seen += 1;
                if *seen < COINCIDENCES {
                    return Ok(());
                }
                Ending::KilledWorker(Death::Signal(signal.unwrap_or(0)))
            }
        };
        let Remains { mut endings, classes, attempts, hits } = *lost.remains;
        endings.truncate(statement.min(self.chunk.sequences[sequence].body()));
        endings.push(ending);
        let taint = Taint { stopped: true, ..Taint::default() };
        let own = if self.chunk.wants.coverage { hits } else { Vec::new() };
        let coverage = Coverage { own, others: Vec::new() };
        let mut outcome = Outcome { endings, taint, coverage, attempts, ..Outcome::default() };
        self.rename(&mut outcome, classes);
        self.outcomes[sequence].get_or_insert(outcome);
        self.leave_out(sequence);
        Ok(())
    }

    /// Makes an outcome of a dead worker refer to our table of classes. One it never told is unknown.
    fn rename(&mut self, outcome: &mut Outcome, classes: Vec<String>) {
        let (base, known) = (to_u32(self.classes.len()), to_u32(classes.len()));
        outcome.visit_classes(&mut |class| *class = base + (*class).min(known));
        self.classes.extend(classes);
        self.classes.push("?".to_owned());
    }

    fn leave_out(&mut self, position: usize) {
        if self.chunk.trials.get(position).is_some_and(|trial| trial.mutant == 0) {
            // Without the sequences that tell what is usual, nothing can be learned from the others.
            self.skip = (0..to_u32(self.outcomes.len())).collect();
        } else if self.chunk.isolation == Isolation::Sequence || !self.chunk.trials.is_empty() {
            // Sequences before it need not run again: they leave nothing behind.
            self.skip = (0..=to_u32(position)).collect();
        } else if let Err(at) = self.skip.binary_search(&to_u32(position)) {
            self.skip.insert(at, to_u32(position));
        }
    }

    fn result(self) -> ChunkResult {
        let outcomes = self.outcomes.into_iter().map(Option::unwrap_or_default).collect();
        ChunkResult { outcomes, classes: self.classes }
    }
}

fn to_u32(position: usize) -> u32 {
    u32::try_from(position).expect("fewer than 2^32 sequences and classes")
}

#[cfg(test)]
mod tests {
    use jurat_protocol::{Primitive, Sequence, Value, Wants};

    use super::*;

    /// Workers of straw: each sequence is one number, and what it does is decided by `behave`.
    struct Straw {
        behave: fn(i32, u32) -> Act,
        runs: u32,
        retired: u32,
    }

    /// What a sequence does.
    enum Act {
        Return,
        Taint,
        Lose(Loss),
    }

    impl Crew for Straw {
        fn execute(&mut self, chunk: &Chunk, skip: &[u32]) -> Result<Result<ChunkOutcomes, Lost>, PoolError> {
            self.runs += 1;
            let mut outcomes = Vec::new();
            let mut finished = Finished::Reusable;
            for position in 0..chunk.sequences.len() {
                if skip.contains(&to_u32(position)) {
                    continue;
                }
                let number = i32::try_from(position).expect("small");
                let mut outcome = returned(number);
                match (self.behave)(number, self.runs) {
                    Act::Return => {}
                    Act::Taint => {
                        outcome.taint.stopped = true;
                        finished = Finished::Retired;
                    }
                    Act::Lose(loss) => {
                        let now = (chunk.number, position, 0);
                        return Ok(Err(Lost { loss, now, operation: None, remains: Box::default() }));
                    }
                }
                outcomes.push(outcome);
                if finished == Finished::Retired {
                    break;
                }
            }
            Ok(Ok(ChunkOutcomes { number: chunk.number, outcomes, classes: Vec::new(), finished }))
        }

        fn retire(&mut self) {
            self.retired += 1;
        }
    }

    fn returned(number: i32) -> Outcome {
        let ending = Ending::Returned(Value::Primitive(Primitive::Int(number)));
        Outcome { endings: vec![ending], ..Outcome::default() }
    }

    /// Runs four sequences; gives their endings and how many runs and workers that took.
    fn check(isolation: Isolation, behave: fn(i32, u32) -> Act) -> (Vec<Ending>, u32, u32) {
        let mut sequence = Sequence::default();
        sequence.int(0);
        let sequences = vec![sequence; 4];
        let chunk = Chunk {
            number: 7,
            isolation,
            wants: Wants::default(),
            sequences,
            skip: Vec::new(),
            trials: Vec::new(),
        };
        let mut straw = Straw { behave, runs: 0, retired: 0 };
        let result = run_chunk(&mut straw, &chunk).expect("no error of ours");
        let endings = result.outcomes.into_iter().flat_map(|outcome| outcome.endings).collect();
        (endings, straw.runs, straw.retired)
    }

    fn int(number: i32) -> Ending {
        returned(number).endings.remove(0)
    }

    #[test]
    fn a_calm_chunk_takes_one_run() {
        let done = check(Isolation::Chunk, |_, _| Act::Return);
        assert_eq!(done, ((0..4).map(int).collect(), 1, 0));
    }

    #[test]
    fn a_crash_is_the_culprits_and_the_rest_is_run_without_it() {
        let crash =
            |number, _| if number == 2 { Act::Lose(Loss::Own(Death::Signal(11))) } else { Act::Return };
        let (endings, runs, retired) = check(Isolation::Chunk, crash);
        assert_eq!(endings, [int(0), int(1), Ending::KilledWorker(Death::Signal(11)), int(3)]);
        assert_eq!((runs, retired), (2, 1));
    }

    #[test]
    fn what_a_retired_worker_reported_stands() {
        let taint = |number, _| if number == 1 { Act::Taint } else { Act::Return };
        for isolation in [Isolation::Chunk, Isolation::Sequence] {
            let (endings, runs, retired) = check(isolation, taint);
            assert_eq!(endings, [int(0), int(1), int(2), int(3)]);
            assert_eq!((runs, retired), (2, 1));
        }
    }

    #[test]
    fn a_worker_killed_by_a_stranger_leaves_no_trace() {
        let kill = |number, run| {
            if (number, run) == (1, 1) { Act::Lose(Loss::Outside(Some(9))) } else { Act::Return }
        };
        let (endings, runs, _) = check(Isolation::Chunk, kill);
        assert_eq!((endings, runs), ((0..4).map(int).collect(), 2));
    }

    #[test]
    fn a_stranger_who_always_comes_at_the_same_statement_is_none() {
        let kill = |number, _| if number == 1 { Act::Lose(Loss::Outside(Some(9))) } else { Act::Return };
        let (endings, runs, _) = check(Isolation::Chunk, kill);
        assert_eq!(endings[1], Ending::KilledWorker(Death::Signal(9)));
        assert_eq!(runs, COINCIDENCES + 1);
    }

    #[test]
    fn a_chunk_of_killers_comes_to_an_end() {
        let (endings, runs, _) = check(Isolation::Chunk, |_, _| Act::Lose(Loss::Stalled));
        assert_eq!((endings, runs), (vec![Ending::TimedOut(Cut::Clock); 4], 4));
    }
}
