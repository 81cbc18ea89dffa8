//! Runs sequences with mutants: is what a sequence does with one what it does without?
//!
//! Classes are loaded once for many trials. Whatever a mutant leaves behind in static state could make a later trial
//! look different, so nothing unusual is believed at once: the sequence is run again without its mutant, and if that
//! is unusual as well, with and without it in fresh state each, where nothing was left behind.

use jurat_protocol::{Chunk, ChunkOutcomes, Finished, Outcome, Trial, frame, shared as layout};

use crate::WorkerError;
use crate::execute::Run;
use crate::jni::Env;
use crate::serve::Worker;

/// Runs a chunk of trials and encodes the reply.
pub(crate) fn run_trials(worker: &mut Worker, chunk: &Chunk) -> Result<Vec<u8>, WorkerError> {
    let mut trials = Trials::new(chunk)?;
    while trials.finished == Finished::Reusable && trials.next < chunk.sequences.len() {
        if std::mem::take(&mut trials.doubtful) || trials.next_is_alone() {
            trials.settle(worker)?;
        } else {
            worker.on_subject_thread(|worker, env| trials.share(worker, env))?;
        }
    }
    let names = worker.classes.take_names();
    let outcomes = (trials.count, trials.outcomes.as_slice());
    Ok(ChunkOutcomes::framed(chunk.number, outcomes, &names, trials.finished)?)
}

/// How far a chunk of trials has come.
struct Trials<'a> {
    chunk: &'a Chunk,
    /// How many sequences at the start run without a mutant.
    plain: usize,
    /// What those do.
    usual: Vec<Option<Outcome>>,
    /// The next sequence whose outcome is to be reported.
    next: usize,
    /// Whether what the next sequence does must be found out in fresh state.
    doubtful: bool,
    count: usize,
    outcomes: Vec<u8>,
    finished: Finished,
}

impl<'a> Trials<'a> {
    fn new(chunk: &'a Chunk) -> Result<Self, WorkerError> {
        let plain = chunk.trials.iter().take_while(|trial| trial.mutant == 0).count();
        let sound = |trial: &Trial| trial.mutant != 0 && (trial.like as usize) < plain;
        if chunk.trials.len() != chunk.sequences.len() || !chunk.trials[plain..].iter().all(sound) {
            return Err(WorkerError::new("trials do not fit their sequences"));
        }
        Ok(Self {
            chunk,
            plain,
            usual: vec![None; plain],
            next: 0,
            doubtful: false,
            count: 0,
            outcomes: Vec::new(),
            finished: Finished::Reusable,
        })
    }

    /// Runs trials that share an epoch, until the chunk is over, one is in doubt or needs an epoch of its own.
    fn share(&mut self, worker: &mut Worker, env: Env) -> Result<(), WorkerError> {
        let mut run = Run::open(worker, env, self.chunk.wants)?;
        for position in 0..self.plain {
            let outcome = self.run(&mut run, position, 0)?;
            self.usual[position].get_or_insert(outcome.clone());
            if position == self.next {
                self.report(&outcome)?;
            }
            if self.is_over(&run) {
                return Ok(());
            }
        }
        while self.next < self.chunk.sequences.len() && !self.doubtful && !self.next_is_alone() {
            if self.is_skipped(self.next) {
                self.next += 1;
                continue;
            }
            self.try_out(&mut run)?;
            if self.is_over(&run) {
                return Ok(());
            }
        }
        run.close();
        Ok(())
    }

    /// Whether the next sequence needs an epoch of its own, and it is known what is usual.
    fn next_is_alone(&self) -> bool {
        let trial = self.chunk.trials.get(self.next).filter(|_| !self.is_skipped(self.next));
        trial.is_some_and(|trial| trial.alone && self.usual[trial.like as usize].is_some())
    }

    /// Runs the next trial, and again without its mutant if it is unusual.
    fn try_out(&mut self, run: &mut Run<'_>) -> Result<(), WorkerError> {
        let trial = self.chunk.trials[self.next];
        let outcome = self.run(run, self.next, trial.mutant)?;
        if !outcome.taint.any() && !self.is_usual(trial, &outcome) {
            let without = self.run(run, self.next, 0)?;
            self.doubtful = !without.taint.any() && !self.is_usual(trial, &without);
        }
        if self.doubtful { Ok(()) } else { self.report(&outcome) }
    }

    /// Runs the next sequence with its mutant and without it, each in fresh state, and believes what that shows.
    fn settle(&mut self, worker: &mut Worker) -> Result<(), WorkerError> {
        let (position, trial) = (self.next, self.chunk.trials[self.next]);
        let with = self.run_alone(worker, position, trial.mutant)?;
        let usual = self.usual[trial.like as usize].clone().unwrap_or_default();
        if self.finished != Finished::Reusable || with.agrees_with(&usual) {
            return self.report(&with);
        }
        let without = self.run_alone(worker, position, 0)?;
        self.report(if with.agrees_with(&without) { &usual } else { &with })
    }

    fn run_alone(
        &mut self,
        worker: &mut Worker,
        position: usize,
        mutant: u32,
    ) -> Result<Outcome, WorkerError> {
        worker.on_subject_thread(|worker, env| {
            let mut run = Run::open(worker, env, self.chunk.wants)?;
            let outcome = self.run(&mut run, position, mutant)?;
            if !self.is_over(&run) {
                run.close();
            }
            Ok(outcome)
        })
    }

    fn run(&self, run: &mut Run<'_>, position: usize, mutant: u32) -> Result<Outcome, WorkerError> {
        let Chunk { number, sequences, trials, .. } = self.chunk;
        run.limits.fuel = trials[position].fuel;
        run.probes.make_live(run.env, mutant);
        let mut encoded = Vec::new();
        let ran = run.sequence(layout::pack(*number, position, 0), &sequences[position], &mut encoded);
        run.probes.make_live(run.env, 0);
        ran?;
        let outcome = frame::decode_all(&encoded).into_iter().next();
        outcome.ok_or_else(|| WorkerError::new("an outcome that cannot be read again"))
    }

    fn is_usual(&self, trial: Trial, outcome: &Outcome) -> bool {
        self.usual[trial.like as usize].as_ref().is_some_and(|usual| usual.agrees_with(outcome))
    }

    /// Reports the next sequence, unless that is not asked for.
    fn report(&mut self, outcome: &Outcome) -> Result<(), WorkerError> {
        if !self.is_skipped(self.next) {
            frame::append(&mut self.outcomes, outcome)?;
            self.count += 1;
        }
        self.next += 1;
        Ok(())
    }

    fn is_skipped(&self, position: usize) -> bool {
        let position = u32::try_from(position).expect("checked");
        self.chunk.skip.binary_search(&position).is_ok()
    }

    /// Whether the worker must be replaced now.
    fn is_over(&mut self, run: &Run<'_>) -> bool {
        if run.taint.any() {
            let last = self.next == self.chunk.sequences.len();
            self.finished = if last { Finished::Spent } else { Finished::Retired };
        }
        run.taint.any()
    }
}
