//! Runs a chunk of sequences: the hot path of the whole tool.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jurat_protocol::frame;
use jurat_protocol::{
    Attempt, Chunk, ChunkOutcomes, Cut, Ending, Finished, Isolation, Outcome, Sequence, Statement, Taint,
    Var, Wants, shared as layout,
};

use crate::classes::{Classes, Jdk};
use crate::epoch::Epoch;
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::pins::Pins;
use crate::probes::Probes;
use crate::random::Seeds;
use crate::serve::Worker;
use crate::shared::{Draft, attempts, cell, fuel};
use crate::statement::Made;
use crate::table::{Table, Type, TypeId, class_descriptor};
use crate::threads::Census;
use crate::trials::run_trials;
use crate::{WorkerError, calls, clock, judge, mocks, scratch, threads, watchdog};

/// Runs a chunk and encodes the reply. Every epoch has a thread of its own, without locals, locks or interrupts.
pub(crate) fn run_chunk(worker: &mut Worker, chunk: &Chunk) -> Result<Vec<u8>, WorkerError> {
    check(&mut worker.table, chunk)?;
    worker.classes.begin_chunk();
    if !chunk.trials.is_empty() {
        return run_trials(worker, chunk);
    }
    let mut outcomes = std::mem::take(&mut worker.outcomes);
    outcomes.clear();
    let mut progress = Progress { position: 0, count: 0, outcomes, finished: Finished::Reusable };
    while progress.finished == Finished::Reusable && progress.position < chunk.sequences.len() {
        worker.on_subject_thread(|worker, env| run_epoch(worker, env, chunk, &mut progress))?;
    }
    let names = worker.classes.take_names();
    let outcomes = (progress.count, progress.outcomes.as_slice());
    let framed = ChunkOutcomes::framed(chunk.number, outcomes, &names, progress.finished)?;
    worker.outcomes = progress.outcomes;
    Ok(framed)
}

/// How far a chunk has come.
struct Progress {
    /// The next sequence.
    position: usize,
    /// How many outcomes there are.
    count: usize,
    outcomes: Vec<u8>,
    finished: Finished,
}

/// Runs what one epoch covers: the rest of the chunk, or one sequence.
fn run_epoch(
    worker: &mut Worker,
    env: Env,
    chunk: &Chunk,
    progress: &mut Progress,
) -> Result<(), WorkerError> {
    let mut run = Run::reopen(worker, env, chunk.wants, chunk.isolation != Isolation::Lasting)?;
    while let Some(sequence) = chunk.sequences.get(progress.position) {
        let position = progress.position;
        progress.position += 1;
        if chunk.skip.binary_search(&u32::try_from(position).expect("checked")).is_ok() {
            continue;
        }
        run.sequence(layout::pack(chunk.number, position, 0), sequence, &mut progress.outcomes)?;
        progress.count += 1;
        if run.taint.any() {
            let last = progress.position == chunk.sequences.len();
            progress.finished = if last { Finished::Spent } else { Finished::Retired };
            return Ok(());
        }
        if chunk.isolation == Isolation::Sequence {
            break;
        }
    }
    if run.probes.in_jdk {
        // Classes of the JDK are never loaded anew: what statements left in their static state goes with the JVM.
        let last = progress.position == chunk.sequences.len();
        progress.finished = if last { Finished::Spent } else { Finished::Retired };
    } else if chunk.isolation == Isolation::Lasting {
        worker.kept = Some(run.leave());
        return Ok(());
    }
    run.close();
    Ok(())
}

/// Refuses what could not be run soundly: the engine is wrong, not the subject. Gives types that only statements
/// mention their numbers on the way, while the sequence is at hand.
fn check(table: &mut Table, chunk: &Chunk) -> Result<(), WorkerError> {
    let most = 0xffff;
    if chunk.sequences.len() > most {
        return Err(WorkerError::new(format!("a chunk holds at most {most} sequences")));
    }
    for (position, sequence) in chunk.sequences.iter().enumerate() {
        if sequence.statements().len() > most {
            return Err(WorkerError::new(format!("sequence {position} has more than {most} statements")));
        }
        name_types(table, std::iter::once(sequence));
    }
    Ok(())
}

/// Gives every type that only a statement mentions its number.
pub(crate) fn name_types<'a>(table: &mut Table, sequences: impl Iterator<Item = &'a Sequence>) {
    for statement in sequences.flat_map(Sequence::statements) {
        match statement {
            Statement::NewArray { element, .. } | Statement::EmptyArray { element, .. } => {
                table.types.id(element);
                table.types.id(&format!("[{element}"));
            }
            Statement::Mock(mock) => {
                table.types.id(&class_descriptor(&mock.class));
            }
            _ => {}
        }
    }
}

/// Types that statements other than operations make values of.
#[derive(Clone, Copy)]
pub(crate) struct OwnTypes {
    pub(crate) null: TypeId,
    pub(crate) object: TypeId,
    pub(crate) string: TypeId,
    pub(crate) class: TypeId,
    pub(crate) int: TypeId,
}

impl OwnTypes {
    fn of(table: &mut Table) -> Self {
        let types = &mut table.types;
        Self {
            null: types.id(""),
            object: types.id("Ljava/lang/Object;"),
            string: types.id("Ljava/lang/String;"),
            class: types.id("Ljava/lang/Class;"),
            int: types.id("I"),
        }
    }
}

/// The value a statement made.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) raw: Raw,
    pub(crate) declared: Type,
    pub(crate) made: bool,
}

impl Slot {
    /// The object in it, if there is one.
    pub(crate) fn object(self) -> Option<Ref> {
        let object = (self.made && self.declared.kind == Kind::Object).then_some(self.raw.as_ref());
        object.and_then(Ref::some)
    }

    pub(crate) const EMPTY: Self =
        Self { raw: Raw::ZERO, declared: Type { id: TypeId(0), kind: Kind::Void }, made: false };
}

/// A static field, and what it held before a sequence wrote to it.
#[derive(Clone, Copy)]
pub(crate) struct Lent {
    pub(crate) kind: Kind,
    pub(crate) class: Ref,
    pub(crate) id: Id,
    /// An object stays alive as long as the sequence's frame.
    pub(crate) held: Raw,
}

/// One chunk being run.
pub(crate) struct Run<'a> {
    pub(crate) env: Env,
    pub(crate) jdk: &'a Jdk,
    pub(crate) seeds: &'a Seeds,
    pub(crate) pins: &'a Pins,
    pub(crate) probes: &'a mut Probes,
    /// The thread that runs the statements, as an object.
    pub(crate) thread: Ref,
    pub(crate) table: &'a Table,
    pub(crate) classes: &'a mut Classes,
    pub(crate) limits: jurat_protocol::Limits,
    pub(crate) wants: Wants,
    pub(crate) own_types: OwnTypes,
    pub(crate) epoch: Epoch,
    pub(crate) slots: Vec<Slot>,
    pub(crate) arguments: Vec<Raw>,
    /// The endings so far, encoded.
    pub(crate) draft: Draft,
    pub(crate) taint: Taint,
    pub(crate) census: Census,
    /// What the running sequence wrote to for a while.
    pub(crate) lent: Vec<Lent>,
    /// Whether the running sequence made a mock.
    pub(crate) has_mocks: bool,
    /// Whether the probes count what the thread does.
    pub(crate) listening: bool,
}

impl<'a> Run<'a> {
    /// Opens an epoch: fresh classes, on a fresh thread. One that was kept goes.
    pub(crate) fn open(worker: &'a mut Worker, env: Env, wants: Wants) -> Result<Self, WorkerError> {
        if let Some(kept) = worker.kept.take() {
            kept.close(env, &worker.jdk);
            worker.classes.forget_subject(env);
        }
        let epoch = Epoch::open_below(env, &worker.jdk, worker.parent, &worker.session.class_path)?;
        Self::within(epoch, worker, env, wants)
    }

    /// Goes on with the epoch that was kept, unless it must be a fresh one, or there is none.
    pub(crate) fn reopen(
        worker: &'a mut Worker,
        env: Env,
        wants: Wants,
        fresh: bool,
    ) -> Result<Self, WorkerError> {
        let Some(kept) = worker.kept.take_if(|_| !fresh) else { return Self::open(worker, env, wants) };
        kept.enter(env, &worker.jdk)?;
        Self::within(kept, worker, env, wants)
    }

    /// Goes on with an epoch, on a fresh thread.
    pub(crate) fn within(
        epoch: Epoch,
        worker: &'a mut Worker,
        env: Env,
        wants: Wants,
    ) -> Result<Self, WorkerError> {
        let own_types = OwnTypes::of(&mut worker.table);
        let thread = worker.jdk.current_thread(env);
        worker.pins.reset(env, &worker.jdk, thread)?;
        scratch::empty();
        Ok(Self {
            env,
            jdk: &worker.jdk,
            seeds: &worker.seeds,
            pins: &worker.pins,
            probes: &mut worker.probes,
            thread,
            table: &worker.table,
            classes: &mut worker.classes,
            limits: worker.session.limits,
            wants,
            own_types,
            epoch,
            slots: Vec::new(),
            arguments: Vec::new(),
            draft: Draft::new(),
            taint: Taint::default(),
            census: Census::now(),
            lent: Vec::new(),
            has_mocks: false,
            listening: false,
        })
    }

    /// Ends the run, and hands over the epoch.
    pub(crate) fn leave(self) -> Epoch {
        self.probes.listen_to(self.env, Ref::NULL);
        self.epoch
    }

    /// Lets go of the epoch. A worker that will be replaced is not tidied up: its locks may be held by stopped threads.
    pub(crate) fn close(self) {
        self.probes.listen_to(self.env, Ref::NULL);
        self.epoch.close(self.env, self.jdk);
        self.classes.forget_subject(self.env);
    }
}

impl Run<'_> {
    /// Runs one sequence and appends its encoded outcome. `now` names its first statement.
    pub(crate) fn sequence(
        &mut self,
        now: u64,
        sequence: &Sequence,
        into: &mut Vec<u8>,
    ) -> Result<(), WorkerError> {
        let statements = sequence.statements();
        if !self.env.push_frame(statements.len() + 16) {
            return Err(WorkerError::new("no memory for local references"));
        }
        self.slots.clear();
        self.slots.resize(statements.len(), Slot::EMPTY);
        self.clock_starts(now);
        let mut outcome = Outcome::default();
        let ended = self.statements(now, sequence, &mut outcome)?;
        self.clock_stops();
        if std::mem::take(&mut self.has_mocks) {
            mocks::end_all(self.env);
        }
        if self.wants.coverage {
            outcome.coverage.others = self.probes.hits_of_others(self.env, &outcome.coverage.own);
        }
        outcome.attempts = attempts().kinds().map(|kind| Attempt::ALL[kind as usize]).collect();
        outcome.taint = self.taint;
        // Threads that ended because their fuel did leave nothing behind, but would have gone on elsewhere.
        outcome.taint.threads_left |= self.probes.others_spent();
        self.put_back();
        self.env.pop_frame(Ref::NULL);
        Ok(outcome.append(ended, |into| self.draft.append_to(into), into)?)
    }

    pub(crate) fn clock_starts(&mut self, now: u64) {
        clock::reset();
        calls::forget_exit();
        attempts().clear();
        self.seeds.reset(self.env, self.thread);
        self.pins.reset_threads(self.env);
        self.census = Census::now();
        cell(layout::NOW).store(now, Ordering::Relaxed);
        self.probes.begin(self.env, i64::try_from(self.limits.fuel).unwrap_or(i64::MAX));
        if !self.probes.in_jdk && !self.listening {
            self.probes.listen_to(self.env, self.thread);
            self.listening = true;
        }
        watchdog::set_running(true);
    }

    /// The statements are over: what they started may end by itself.
    pub(crate) fn clock_stops(&mut self) {
        watchdog::set_running(false);
        self.taint.stopped |= watchdog::was_cut();
        self.taint.out_of_memory |= threads::EXHAUSTED.load(Ordering::Acquire);
        if !self.census.has_news() {
            return;
        }
        // Probes stay on meanwhile: a thread that has yet to begin must not be overlooked.
        if !self.taint.any() {
            let patience = Duration::from_millis(u64::from(self.limits.wait_millis));
            self.taint.threads_left = self.census.any_left_after(patience);
        }
        // Without other threads nothing runs that has probes, until the next sequence does.
        self.probes.listen_to(self.env, Ref::NULL);
        self.listening = false;
    }

    /// Runs the statements, and says how many endings were encoded.
    fn statements(
        &mut self,
        now: u64,
        sequence: &Sequence,
        outcome: &mut Outcome,
    ) -> Result<usize, WorkerError> {
        self.draft.clear();
        let (mut ended, mut next_input) = (0, 0);
        let mut failed = false;
        for (position, statement) in sequence.statements().iter().enumerate() {
            if position == sequence.body() {
                self.body_ends(outcome);
            }
            // Checked here and not when the chunk arrives: it is fetched into the cache once.
            let inputs = sequence.inputs_from(next_input, position);
            let inputs = inputs.map_err(|error| WorkerError::new(format!("an unsound sequence: {error}")))?;
            next_input += inputs.len();
            let observes = position >= sequence.body();
            if (failed && !observes) || self.taint.any() {
                continue;
            }
            if observes && !inputs.iter().all(|input| self.slots[input.0 as usize].made) {
                outcome.observations.push(None);
                continue;
            }
            cell(layout::NOW).store(now + position as u64, Ordering::Relaxed);
            let before = self.input_prints(inputs);
            let mut made = self.statement(position, statement, inputs);
            if let Some(ending) = self.interruption() {
                made = Made::Ended(ending);
            }
            self.compare(position, inputs, &before, outcome);
            if self.has_mocks {
                self.collect_asked(position, outcome);
            }
            if observes {
                outcome.observations.push(Some(made.into()));
                continue;
            }
            match &made {
                Made::Plain(plain) => plain.append(&mut self.draft)?,
                Made::Ended(ending) => {
                    failed = !matches!(ending, Ending::Returned(_));
                    frame::append(&mut self.draft, ending)?;
                }
            }
            ended += 1;
            self.draft.complete(ended);
        }
        if sequence.body() == sequence.statements().len() {
            self.body_ends(outcome);
        }
        Ok(ended)
    }

    /// Fingerprints of the objects among the inputs, if effects are wanted.
    fn input_prints(&mut self, inputs: &[Var]) -> Vec<Option<u64>> {
        if !self.wants.effects {
            return Vec::new();
        }
        let objects: Vec<Option<Ref>> =
            inputs.iter().map(|input| self.slots[input.0 as usize].object()).collect();
        objects.into_iter().map(|object| object.map(|object| self.fingerprint(object))).collect()
    }

    /// Reports the inputs that a statement changed.
    fn compare(&mut self, position: usize, inputs: &[Var], before: &[Option<u64>], outcome: &mut Outcome) {
        if !self.wants.effects || self.taint.any() {
            return;
        }
        let after = self.input_prints(inputs);
        for (input, (before, after)) in before.iter().zip(&after).enumerate() {
            if before != after {
                let at = |number: usize| u32::try_from(number).expect("checked");
                outcome.changed.push((at(position), at(input)));
            }
        }
    }

    /// Fingerprints of all objects made, if they are wanted.
    fn finals(&mut self, outcome: &mut Outcome) {
        if !self.wants.finals || self.taint.any() {
            return;
        }
        for position in 0..self.slots.len() {
            if let Some(object) = self.slots[position].object() {
                let var = Var(u32::try_from(position).expect("checked"));
                outcome.fingerprints.push((var, self.fingerprint(object)));
            }
        }
    }

    /// The statements are over, observers come next: what is reported of the statements is taken now.
    fn body_ends(&mut self, outcome: &mut Outcome) {
        // How deep a stack or how full a heap can get depends on what is compiled by then: no two runs agree.
        if !self.taint.any() {
            let left = fuel().load(Ordering::Relaxed).max(0).cast_unsigned();
            outcome.fuel_used = self.limits.fuel.saturating_sub(left);
        }
        if self.wants.coverage {
            outcome.coverage.own = self.probes.hits(self.taint.stack_overflow);
        }
        if self.wants.distances {
            outcome.distances = self.probes.distances();
            outcome.compared = judge::take();
        }
        self.finals(outcome);
    }

    /// What really ended a statement, if we did: the subject may have caught the error we cut it with.
    fn interruption(&mut self) -> Option<Ending> {
        if watchdog::was_cut() {
            self.taint.stopped = true;
            return Some(Ending::TimedOut(Cut::Clock));
        }
        if self.probes.is_spent() {
            return Some(Ending::TimedOut(Cut::Fuel));
        }
        calls::exit_status().map(Ending::Exited)
    }
}
