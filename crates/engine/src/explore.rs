//! Explores live: workers roam on live values, what reaches something new is cut out, replayed in fresh state and
//! archived.
//!
//! Work goes in rounds of a fixed number of orders; their answers are learned from in order, so that the number of
//! workers shows nowhere.

mod chart;
mod compose;
mod doubt;
mod evolve;
mod naming;
mod own;
mod resort;
mod retype;
mod stock;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jurat_base::{FxHashMap, Rng, Seed};
use jurat_model::{Candidate, ClassId, ClassKind, OpId, Operation, OperationKind, Outcome, ProbeId, Subject};
use jurat_protocol::{
    self as wire, Cut, Ending, Find, Given, Roam, Roamed, Start, Statement, Tally, Text, Trouble,
};
use jurat_random::{Width, slice};

use crate::archive::{Archive, Goal, Kind};
use crate::coverage::ProbeTable;
use crate::deadline::Deadline;
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};
use crate::wire::send;
use chart::Charted;
pub(crate) use evolve::Evolver;
use retype::retype;

/// Orders in a round.
const ORDERS: u64 = 4;
/// Calls in a session: slices are short by nature, and coverage does not suffer.
const SESSION: u32 = 32;
/// Sessions of an order in the first round of a budget of steps; later rounds have more.
const FIRST_SESSIONS: u32 = 50;
/// Sessions of an order of a budget of steps at most.
const MOST_SESSIONS: u32 = 4000;
/// Sessions of any order at most: more cannot be told apart in shared memory.
const LIMIT: u32 = 0xffff;
/// Every so many rounds of a budget of time, classes are loaded anew: what sessions did to static state goes with them.
const RENEWED: u32 = 3;
/// How often something that could not be replayed is taken up again.
const PATIENCE: u32 = 6;
/// How many sessions of a round that reached the same are looked at.
const RIVALS: usize = 1;
/// Sequences offered to each focus to start from.
const STARTS: usize = 6;
/// A round that replays so many sequences tells how long one takes.
const MANY: u32 = 16;
/// How many replays making a test of a sequence takes: somewhat more than the two to four that were seen.
const REPLAYS: u32 = 5;
/// How long it takes to run a sequence alone, as often as that is done: its classes are loaded anew each time.
const ALONE_TIME: Duration = Duration::from_millis(30);
/// How many sequences of a round are run again that call what killed, stalled or retired workers: each may take seconds.
const RISKY: usize = 4;
/// Held sequences that others are run behind: what is reached before anything else was used only is not held.
const COMPANY: usize = 8;
/// After so many times an operation that kills or stalls workers, or touches the world too often, is set aside.
const DEADLY: u32 = 2;

/// What exploring did, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exploration {
    /// How long it took.
    pub time: Duration,
    /// Operations called by sessions.
    pub calls: u64,
    /// Calls that threw.
    pub threw: u64,
    /// Statements of sessions that reached something new.
    pub discoveries: u64,
    /// Slices that reached it again at once.
    pub at_once: u64,
    /// Slices that did so after they were widened.
    pub widened: u64,
    /// Discoveries that no slice reached again, by reason.
    pub lost: BTreeMap<Loss, u64>,
    /// Probes that sessions reached, replayed or not, and those that others reached.
    pub probes: BTreeSet<ProbeId>,
    /// Operations that are not called any more, and why.
    pub set_aside: BTreeMap<OpId, Trouble>,
}

/// Why a discovery was not reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Java has no types for the calls.
    Untyped,
    /// It depends on what other sessions, or calls that threw, left behind.
    State,
    /// It does more than a test should.
    Harm,
}

impl Loss {
    /// The reason, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Untyped => "Java has no types for the calls",
            Self::State => "depends on what earlier calls left behind",
            Self::Harm => "reaches outside the JVM, leaves threads behind or needs too long",
        }
    }
}

/// What exploring is about.
pub(crate) struct Explorer<'a> {
    subject: &'a Subject,
    probes: &'a ProbeTable,
    charted: Charted,
    seed: Seed,
    /// Whether what happens decides what comes next.
    feedback: bool,
    known: Known,
    tries: FxHashMap<ProbeId, u32>,
    /// How often objects of their own were made for goals.
    owned: FxHashMap<Goal, u32>,
    deaths: BTreeMap<OpId, u32>,
    pub(crate) archive: Archive<'a>,
    pub(crate) exploration: Exploration,
    order: u64,
    round: u32,
    /// Rounds of the last resort.
    resorts: u64,
    /// Strings that runs compared with, as far as the search knows.
    seen: Vec<Text>,
    /// Sequences that were replayed.
    replayed: u32,
    /// How long one takes in a round with many.
    replay_time: Option<Duration>,
}

/// What need not be reported again.
#[derive(Default)]
struct Known {
    /// A bit for each probe.
    probes: Vec<u8>,
    thrown: BTreeSet<(u32, String)>,
    returned: BTreeSet<(u32, Given)>,
}

impl Known {
    fn add(&mut self, goal: &Goal) {
        match goal {
            Goal::Probe(probe) => {
                if let Some(byte) = self.probes.get_mut((probe.0 / 8) as usize) {
                    *byte |= 1 << (probe.0 % 8);
                }
            }
            Goal::Exception(op, class) => {
                self.thrown.insert((op.0, class.replace('/', ".")));
            }
            Goal::Returned(op, kind) => {
                self.returned.insert((op.0, given(*kind)));
            }
        }
    }
}

/// Something a session reached, to be reached again.
struct Item {
    package: Arc<str>,
    /// The answer it is in, and which of its finds it is.
    find: (usize, usize),
    statement: usize,
    goals: Vec<Goal>,
    /// Its last slice, by number.
    slice: Option<usize>,
    /// Why it was not reached again.
    loss: Loss,
    /// Whether it was not run, because too many of its kind were.
    is_put_off: bool,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(subject: &'a Subject, probes: &'a ProbeTable, seed: Seed, feedback: bool) -> Self {
        Self {
            subject,
            probes,
            charted: chart::chart(subject),
            seed: seed.derive("roam"),
            feedback,
            known: Known { probes: vec![0; probes.count().div_ceil(8)], ..Known::default() },
            tries: FxHashMap::default(),
            owned: FxHashMap::default(),
            deaths: BTreeMap::new(),
            archive: Archive::new(subject),
            exploration: Exploration::default(),
            order: 0,
            round: 0,
            resorts: 0,
            seen: Vec::new(),
            replayed: 0,
            replay_time: None,
        }
    }

    /// How long it will take, more or less, to make tests of what is held; none if that cannot be told.
    pub(crate) fn rest(&self) -> Option<Duration> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let drafts = number(self.archive.candidates().count());
        let together = self.replay_time?.saturating_mul(drafts).saturating_mul(REPLAYS);
        Some(together + ALONE_TIME.saturating_mul(number(self.archive.sharing().count())))
    }

    /// Whether there is anything to explore.
    pub(crate) fn is_idle(&self) -> bool {
        self.charted.chart.focuses.is_empty()
    }

    /// Runs sequences that others propose, and archives what they reach. Gives their number.
    pub(crate) fn consider(
        &mut self,
        candidates: &[Candidate],
        runner: &mut dyn Runner,
    ) -> Result<u64, RunError> {
        let jobs: Vec<Job> = candidates.iter().map(|candidate| candidate.sequence.clone().into()).collect();
        let outcomes = if jobs.is_empty() { Vec::new() } else { runner.run(&jobs, Mode::Explore)? };
        for (candidate, outcome) in candidates.iter().zip(&outcomes) {
            self.archive.consider(candidate, outcome);
        }
        self.settle(Vec::new());
        Ok(jobs.len() as u64)
    }

    /// One round: roam, replay, learn. Gives the number of steps.
    pub(crate) fn round(&mut self, runner: &mut dyn Runner, deadline: &Deadline) -> Result<u64, RunError> {
        let orders = self.orders(deadline);
        let answers = runner.roam(&self.charted.chart, &orders)?;
        let mut steps = 0;
        for answer in &answers {
            steps += answer.tally.calls;
            self.learn(answer);
        }
        let (start, before) = (deadline.elapsed(), self.replayed);
        self.replay(&answers, runner)?;
        self.make_own(runner)?;
        let replayed = self.replayed - before;
        if replayed >= MANY {
            let time = deadline.elapsed().saturating_sub(start) / replayed;
            self.replay_time = Some(self.replay_time.map_or(time, |known| known.min(time)));
        }
        self.round += 1;
        Ok(steps)
    }

    /// The orders of the next round.
    fn orders(&mut self, deadline: &Deadline) -> Vec<Roam> {
        let sessions = self.sessions(deadline);
        let weights = self.weights();
        let mut rng = self.seed.derive("starts").rng(u64::from(self.round));
        let starts = self.starts(&mut rng);
        let barred = self.exploration.set_aside.keys().map(|op| op.0).collect();
        let template = Roam {
            number: 0,
            seed: 0,
            sessions: (0, sessions),
            length: SESSION,
            weights,
            known: self.known.probes.clone(),
            thrown: self.known.thrown.iter().cloned().collect(),
            returned: self.known.returned.iter().copied().collect(),
            starts,
            barred,
            seen: self.seen.clone(),
            millis: deadline.order_millis(self.round),
            fresh: self.round.is_multiple_of(RENEWED) || deadline.room(0).is_some(),
            feedback: self.feedback,
        };
        let first = self.order;
        self.order += ORDERS;
        (first..self.order)
            .map(|order| Roam { seed: self.seed.rng(order).next_u64(), ..template.clone() })
            .collect()
    }

    /// How many sessions an order of the next round has; the clock may end it before.
    fn sessions(&self, deadline: &Deadline) -> u32 {
        let Some(room) = deadline.room(self.exploration.calls) else { return LIMIT };
        let sessions = FIRST_SESSIONS.saturating_mul(1 << self.round.min(8)).min(MOST_SESSIONS);
        let most = room.div_ceil(ORDERS * u64::from(SESSION)).max(1);
        sessions.min(u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// Classes with much left to reach get more sessions; none gets nothing.
    fn weights(&self) -> Vec<u32> {
        if !self.feedback {
            return vec![1; self.charted.focuses.len()];
        }
        let mut open: FxHashMap<&str, u32> = FxHashMap::default();
        for (class, range) in self.probes.ranges() {
            let left = range.filter(|probe| !self.is_known(*probe)).count();
            *open.entry(outermost_named(self.subject, class)).or_default() +=
                u32::try_from(left).unwrap_or(0);
        }
        let weight = |class: &jurat_model::ClassId| {
            4 + open.get(&*self.subject[*class].internal_name).copied().unwrap_or(0).min(150)
        };
        self.charted.focuses.iter().map(weight).collect()
    }

    fn is_known(&self, probe: u32) -> bool {
        self.known.probes.get((probe / 8) as usize).is_some_and(|byte| byte & (1 << (probe % 8)) != 0)
    }

    /// Sequences that hold a goal, some for each focus: what reached something new is worth going on from.
    fn starts(&self, rng: &mut Rng) -> Vec<Start> {
        if !self.feedback {
            return Vec::new();
        }
        let focus_of: FxHashMap<jurat_model::ClassId, u32> =
            (0..).zip(&self.charted.focuses).map(|(number, class)| (*class, number)).collect();
        let mut by_focus: BTreeMap<u32, Vec<&Candidate>> = BTreeMap::new();
        for candidate in self.archive.candidates() {
            let last = candidate.sequence.calls().last();
            let owner = last.map(|(_, op, _)| self.subject[op].owner);
            let Some(focus) = owner.and_then(|owner| focus_of.get(&owner)) else { continue };
            // What only code of another package may call cannot be gone on from here.
            let package = self.charted.chart.focuses[*focus as usize].package;
            let package = &self.charted.packages[package as usize];
            if candidate.package.as_ref().is_none_or(|bound| bound == package) {
                by_focus.entry(*focus).or_default().push(candidate);
            }
        }
        let mut starts = Vec::new();
        for (focus, candidates) in by_focus {
            for _ in 0..STARTS.min(candidates.len()) {
                let candidate = candidates[rng.below(candidates.len())];
                let sequence = send(self.subject, &candidate.sequence, &[]).sequence;
                starts.push(Start { focus, sequence });
            }
        }
        starts
    }

    /// Takes note of what an answer says besides its finds.
    fn learn(&mut self, answer: &Roamed) {
        let Tally { calls, threw, .. } = answer.tally;
        self.exploration.calls += calls;
        self.exploration.threw += threw;
        for (operation, trouble) in &answer.troubles {
            let op = OpId(*operation);
            if op.index() >= self.subject.operations().len() {
                continue;
            }
            match trouble {
                Trouble::Attempt | Trouble::Killed | Trouble::Stuck => self.note_death(op, *trouble, 1),
                // It takes a worker each time, and a second is waited in vain: whoever declares it.
                Trouble::Left => {
                    for same in namesakes(self.subject, op) {
                        self.note_death(same, *trouble, DEADLY);
                    }
                }
                Trouble::Fuel | Trouble::Exhausted => {}
            }
        }
    }

    /// Takes note of a sequence that killed or stalled its worker; `statement` gives those that it is made of.
    fn note_end<'s>(
        &mut self,
        outcome: &wire::Outcome,
        statement: impl FnOnce(usize) -> Option<&'s Statement>,
    ) {
        let trouble = match outcome.endings.last() {
            Some(Ending::KilledWorker(_)) => Trouble::Killed,
            Some(Ending::TimedOut(Cut::Clock)) => Trouble::Stuck,
            _ => return,
        };
        let last = outcome.endings.len().checked_sub(1).and_then(statement);
        if let Some(Statement::Operate { operation, .. }) = last
            && (*operation as usize) < self.subject.operations().len()
        {
            self.note_death(OpId(*operation), trouble, 1);
        }
    }

    fn note_death(&mut self, op: OpId, trouble: Trouble, times: u32) {
        let count = self.deaths.entry(op).or_default();
        *count += times;
        if *count >= DEADLY {
            self.exploration.set_aside.entry(op).or_insert(trouble);
        }
    }

    /// Cuts out what reached something new, and runs it in fresh state, wider and wider.
    fn replay(&mut self, answers: &[Roamed], runner: &mut dyn Runner) -> Result<(), RunError> {
        let mut items = self.items(answers);
        self.exploration.discoveries += items.len() as u64;
        self.exploration.at_once += self.reach_again(answers, &mut items, &[Width::Narrow], runner)?;
        // Few are left, and every run takes a while to start: all wider slices are tried together.
        self.exploration.widened +=
            self.reach_again(answers, &mut items, &[Width::Wide, Width::Whole], runner)?;
        self.settle(items);
        Ok(())
    }

    /// Runs slices of items, and leaves those that none reached again. Says how many were.
    fn reach_again(
        &mut self,
        answers: &[Roamed],
        items: &mut Vec<Item>,
        widths: &[Width],
        runner: &mut dyn Runner,
    ) -> Result<u64, RunError> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut numbers: FxHashMap<Candidate, usize> = FxHashMap::default();
        let mut risks = 0;
        for width in widths {
            let slices = self.cut_all(answers, items, *width);
            for (item, candidate) in items.iter_mut().zip(slices) {
                let Some(candidate) = candidate else { continue };
                if let Some(number) = numbers.get(&candidate) {
                    item.slice = Some(*number);
                    continue;
                }
                risks += usize::from(self.is_risky(&candidate));
                if risks > RISKY {
                    item.is_put_off = true;
                    continue;
                }
                item.slice = Some(candidates.len());
                numbers.insert(candidate.clone(), candidates.len());
                candidates.push(candidate);
            }
        }
        let is_safe = self.keep_agreed(&candidates, runner)?;
        for item in items.iter_mut() {
            if let Some(number) = item.slice.take() {
                item.loss = if is_safe[number] { Loss::State } else { Loss::Harm };
            }
        }
        let before = items.len();
        let (held, lost): (Vec<Item>, Vec<Item>) = std::mem::take(items)
            .into_iter()
            .partition(|item| item.goals.iter().any(|goal| self.archive.holds(goal)));
        *items = lost;
        // What needs private members or mocks again: nothing better will come of looking at it for ever.
        for goal in held.into_iter().flat_map(|item| item.goals) {
            if !self.archive.settles(&goal) {
                self.doubt(&goal);
            }
        }
        Ok((before - items.len()) as u64)
    }

    /// Archives what candidates reach whichever way round they are run, some others before or behind them. Says of each
    /// whether it does no harm.
    fn keep_agreed(
        &mut self,
        candidates: &[Candidate],
        runner: &mut dyn Runner,
    ) -> Result<Vec<bool>, RunError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let mut jobs = self.company(candidates);
        let others = jobs.len();
        jobs.extend(candidates.iter().map(|candidate| Job::from(candidate.sequence.clone())));
        self.replayed = self.replayed.saturating_add(u32::try_from(jobs.len()).unwrap_or(u32::MAX));
        let outcomes = agreed(&jobs, runner)?.split_off(others);
        for (candidate, (outcome, _)) in candidates.iter().zip(&outcomes) {
            if jurat_oracle::is_assertable(&candidate.sequence, outcome) {
                self.archive.consider(candidate, outcome);
            }
        }
        Ok(outcomes.into_iter().map(|(_, is_safe)| is_safe).collect())
    }

    /// Whether a sequence calls what was in trouble.
    fn is_risky(&self, candidate: &Candidate) -> bool {
        let is_costly = |op: OpId| {
            let trouble = self.exploration.set_aside.get(&op);
            trouble.is_some_and(|trouble| *trouble != Trouble::Attempt)
        };
        candidate.sequence.calls().any(|(_, op, _)| is_costly(op))
    }

    /// A few sequences that are held, and some that may leave something behind.
    fn company(&self, candidates: &[Candidate]) -> Vec<Job> {
        let held: Vec<&Candidate> = self.archive.candidates().collect();
        let mut rng = self.seed.derive("company").rng(u64::from(self.replayed));
        let drawn = (0..COMPANY).filter_map(|_| rng.pick(&held).copied());
        let drawn = drawn.map(|candidate| candidate.sequence.clone().into());
        drawn.chain(self.archive.company(candidates)).collect()
    }

    /// What sessions reached and the archive does not hold. Orders of a round find much the same: a few of those that
    /// reach a goal are enough.
    fn items(&mut self, answers: &[Roamed]) -> Vec<Item> {
        let mut items = Vec::new();
        let mut claims: FxHashMap<Goal, usize> = FxHashMap::default();
        for (number, answer) in answers.iter().enumerate() {
            for (at, find) in answer.finds.iter().enumerate() {
                let focus = &self.charted.chart.focuses[find.focus as usize];
                let package = &self.charted.packages[focus.package as usize];
                for reached in &find.reached {
                    let statement = reached.statement as usize;
                    let probes = reached.probes.iter().copied().map(ProbeId);
                    self.exploration.probes.extend(probes.clone());
                    let mut goals: Vec<Goal> = probes.map(Goal::Probe).collect();
                    goals.extend(exception(find, statement, reached.threw, &answer.classes));
                    goals.extend(result(find, statement, reached.gave));
                    goals.retain(|goal| !self.archive.settles(goal));
                    let is_wanted = |goal: &Goal| claims.get(goal).is_none_or(|count| *count < RIVALS);
                    if goals.iter().any(is_wanted) {
                        for goal in &goals {
                            *claims.entry(goal.clone()).or_default() += 1;
                        }
                        let (package, find) = (package.clone(), (number, at));
                        items.push(Item {
                            package,
                            find,
                            statement,
                            goals,
                            slice: None,
                            loss: Loss::Untyped,
                            is_put_off: false,
                        });
                    }
                }
            }
        }
        items
    }

    /// The slices of sessions that led to items, on all processors: giving them types takes as long as running them.
    fn cut_all(&self, answers: &[Roamed], items: &[Item], width: Width) -> Vec<Option<Candidate>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = items.len().div_ceil(threads).max(1);
        let cut = |item: &Item| {
            let (number, at) = item.find;
            // More calls would not help what does harm already.
            let is_done = item.loss == Loss::Harm || item.is_put_off;
            if is_done { None } else { self.cut(&answers[number], at, item, width) }
        };
        std::thread::scope(|scope| {
            let running: Vec<_> = items
                .chunks(share)
                .map(|items| scope.spawn(move || items.iter().map(cut).collect::<Vec<_>>()))
                .collect();
            let joined = running.into_iter().map(|thread| thread.join().expect("it does not panic"));
            joined.flatten().collect()
        })
    }

    /// The slice of a session that led to an item, as Java code.
    fn cut(&self, answer: &Roamed, at: usize, item: &Item, width: Width) -> Option<Candidate> {
        let find = &answer.finds[at];
        let class = |at: usize| find.classes.binary_search_by_key(&at, |(made, _)| *made as usize);
        let name = |at: usize| answer.classes.get(find.classes[class(at).ok()?].1 as usize);
        let is_literal = |at: usize| matches!(find.sequence.statements()[at], Statement::Literal(_));
        let made = |at: usize| class(at).is_ok() && !is_literal(at);
        let failed = |at: usize| u32::try_from(at).is_ok_and(|at| find.failed.binary_search(&at).is_ok());
        let kept = slice(&find.sequence, item.statement, width, &made, &failed);
        let found = |at: usize| Some(name(at)?.replace('.', "/"));
        retype(self.subject, &item.package, &find.sequence, &kept, &found)
    }

    /// Takes note that a goal was looked at in vain: a probe that was so too often is left alone, other goals at once.
    fn doubt(&mut self, goal: &Goal) {
        if let Goal::Probe(probe) = goal {
            let tries = self.tries.entry(*probe).or_default();
            *tries += 1;
            if *tries < PATIENCE {
                return;
            }
        }
        self.known.add(goal);
    }

    /// Learns what is held now; what could not be replayed is left for another session, a few times. So is what needs
    /// private members or mocks: a session may do without.
    fn settle(&mut self, lost: Vec<Item>) {
        for item in lost.into_iter().filter(|item| !item.is_put_off) {
            *self.exploration.lost.entry(item.loss).or_default() += 1;
            for goal in &item.goals {
                self.doubt(goal);
            }
        }
        for goal in self.archive.goals().filter(|goal| self.archive.settles(goal)) {
            self.known.add(goal);
        }
    }
}

/// An operation, those that it overrides and those that override it. Of what an interface or `Object` declares, others
/// may do something else altogether.
fn namesakes(subject: &Subject, op: OpId) -> Vec<OpId> {
    let (operation, classes) = (&subject[op], subject.classes());
    let is_general =
        |class: ClassId| class == classes.object() || subject[class].kind == ClassKind::Interface;
    if operation.kind != OperationKind::InstanceMethod || is_general(operation.owner) {
        return vec![op];
    }
    let is_same = |(_, other): &(u32, &Operation)| {
        other.kind == operation.kind
            && other.name == operation.name
            && other.descriptor == operation.descriptor
            && (classes.is_subclass(other.owner, operation.owner)
                || classes.is_subclass(operation.owner, other.owner))
    };
    let same = (0..).zip(subject.operations()).filter(is_same);
    same.map(|(number, _)| OpId(number)).collect()
}

/// What sequences do whichever way round they are run: what shows in one order only is what others left behind. And
/// whether they do no harm either way.
fn agreed(jobs: &[Job], runner: &mut dyn Runner) -> Result<Vec<(Outcome, bool)>, RunError> {
    let [forwards, backwards] = runner.both_ways(jobs)?;
    let both = forwards.into_iter().zip(backwards).map(|(mut one, other)| {
        one.hits.retain(|hit| other.hits.binary_search(hit).is_ok());
        let is_safe = !one.is_unsafe && !other.is_unsafe;
        // Only the first use of a class that cannot be initialized says what it lacks.
        one.missing = one.missing.or(other.missing);
        one.is_unsafe = !is_safe || one.endings.len() != other.endings.len();
        (one, is_safe)
    });
    Ok(both.collect())
}

/// The exception a statement threw for the first time, as a goal.
fn exception(find: &Find, statement: usize, threw: Option<u32>, names: &[String]) -> Option<Goal> {
    let class = names.get(threw? as usize)?;
    called(find, statement).map(|op| Goal::Exception(op, class.replace('.', "/").into()))
}

/// What a statement gave for the first time, as a goal.
fn result(find: &Find, statement: usize, gave: Option<Given>) -> Option<Goal> {
    let kind = match gave? {
        Given::True => Kind::True,
        Given::False => Kind::False,
        Given::Null => Kind::Null,
        Given::Zero => Kind::Zero,
        Given::One => Kind::One,
        Given::Negative => Kind::Negative,
        Given::Empty => Kind::Empty,
        Given::Other => Kind::Other,
    };
    called(find, statement).map(|op| Goal::Returned(op, kind))
}

fn given(kind: Kind) -> Given {
    match kind {
        Kind::True => Given::True,
        Kind::False => Given::False,
        Kind::Null => Given::Null,
        Kind::Zero => Given::Zero,
        Kind::One => Given::One,
        Kind::Negative => Given::Negative,
        Kind::Empty => Given::Empty,
        Kind::Other => Given::Other,
    }
}

/// The operation that a statement calls.
fn called(find: &Find, statement: usize) -> Option<OpId> {
    match find.sequence.statements().get(statement)? {
        jurat_protocol::Statement::Operate { operation, .. } => Some(OpId(*operation)),
        _ => None,
    }
}

/// The named class under test that a class belongs to: itself, or the one it is inside of.
fn outermost_named<'s>(subject: &Subject, class: &'s str) -> &'s str {
    let mut name = class;
    loop {
        let known =
            subject.classes().find(name).filter(|id| subject[*id].under_test && subject[*id].has_name());
        if known.is_some() {
            return name;
        }
        match name.rfind('$') {
            Some(at) if at > 0 => name = &name[..at],
            _ => return class,
        }
    }
}

#[cfg(test)]
mod tests {
    use jurat_model::{
        Action, Ending, Instance, JavaType, Sequence, Statement as Step, Substitution, Technique, Value,
    };

    use super::*;

    /// Operation 1 leaves something behind, after which operation 2 no longer reaches probe 2. Operation 3 looks at nothing.
    struct Leaky;

    impl Runner for Leaky {
        fn run(&mut self, jobs: &[Job], mode: Mode) -> Result<Vec<Outcome>, RunError> {
            let mut is_spoilt = false;
            let mut outcome = |job: &Job| {
                let called: Vec<u32> = job.sequence.calls().map(|(_, op, _)| op.0).collect();
                let hits =
                    called.iter().filter(|op| **op != 2 || !is_spoilt).map(|op| ProbeId(*op)).collect();
                is_spoilt |= called.contains(&1);
                let endings = vec![Ending::Returned(Value::Void); called.len()];
                Outcome { endings, hits, ..Outcome::default() }
            };
            if mode.is_backwards() {
                let mut outcomes: Vec<Outcome> = jobs.iter().rev().map(outcome).collect();
                outcomes.reverse();
                return Ok(outcomes);
            }
            Ok(jobs.iter().map(&mut outcome).collect())
        }
    }

    /// A call of an operation that takes nothing and gives nothing.
    fn calling(op: u32) -> Candidate {
        let instance = Instance {
            operation: OpId(op),
            receiver: None,
            params: Vec::new(),
            result: JavaType::Void,
            throws: Vec::new(),
            chosen: Substitution::default(),
        };
        let call = Action::Call { instance: Arc::new(instance), inputs: Vec::new() };
        let sequence = Sequence::new(vec![Step { action: call, ty: JavaType::Void }]).expect("no inputs");
        Candidate { sequence, package: None, technique: Technique::Random }
    }

    /// The probes that are held after candidates were run, one batch after the other.
    fn held(batches: &[&[u32]]) -> Vec<u32> {
        let subject = jurat_testkit::subject("class A { A(); void spoil(); void look(); void pass(); }");
        let probes = ProbeTable::default();
        let mut explorer = Explorer::new(&subject, &probes, Seed(1), true);
        for batch in batches {
            let candidates: Vec<Candidate> = batch.iter().copied().map(calling).collect();
            explorer.keep_agreed(&candidates, &mut Leaky).expect("it does not fail");
        }
        let probe = |goal: &Goal| if let Goal::Probe(probe) = goal { Some(probe.0) } else { None };
        explorer.archive.goals().filter_map(probe).collect()
    }

    #[test]
    fn what_one_order_alone_reaches_is_not_held() {
        assert_eq!(held(&[&[2, 3]]), [2, 3]);
        assert_eq!(held(&[&[2, 1, 3]]), [1, 3]);
    }

    #[test]
    fn what_is_reached_only_where_nothing_that_is_held_ran_before_is_not_held() {
        assert_eq!(held(&[&[1], &[3], &[2]]), [1, 3]);
    }

    #[test]
    fn what_leaves_threads_is_blamed_with_what_it_overrides_and_nothing_else() {
        let subject = jurat_testkit::subject(
            "package p; class Base { Base(); void open(); void close(); } class Sub extends Base { Sub(); void open(); }",
        );
        let all: Vec<OpId> = (0..).map(OpId).take(subject.operations().len()).collect();
        let named = |name: &str, of: &str| {
            let is_it = |op: &&OpId| {
                let operation = &subject[**op];
                &*operation.name == name && &*subject[operation.owner].internal_name == of
            };
            *all.iter().find(is_it).expect("it is declared")
        };
        let (upper, lower) = (named("open", "p/Base"), named("open", "p/Sub"));
        assert_eq!(namesakes(&subject, lower), [upper, lower]);
        assert_eq!(namesakes(&subject, upper), [upper, lower]);
        let constructor = named("<init>", "p/Sub");
        assert_eq!(namesakes(&subject, constructor), [constructor]);
    }
}
