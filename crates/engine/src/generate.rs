//! Runs one generation: a subject and a way to run sequences in, tests out.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

use jurat_base::{FxBuildHasher, FxHashSet, Seed};
use jurat_model::{Candidate, Outcome, Sequence, Subject, Suite, Technique, Var};

use crate::archive::{Conduct, Goal, Standing, goals, returned_at};
use crate::asserting::{Asserting, LeftOut};
use crate::coverage::ProbeTable;
use crate::deadline::Deadline;
use crate::enumerate::Offered;
use crate::error::RunError;
use crate::explore::{Exploration, Explorer};
use crate::goals::{Claims, GoalSet};
use crate::minimize::{Draft, company, keeps, reduce, shrink, shrink_alone};
use crate::runner::{Job, Mode, Runner};
use crate::shared::{Shared, run_after};
use crate::turns::explore;
use crate::wanted::Wanted;

/// What a run is doing, for people who wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Looking for sequences that reach something new.
    Explore,
    /// Running what was found in fresh state.
    Confirm,
    /// Making tests smaller.
    Minimize,
    /// Choosing what to assert.
    Assert,
    /// Compiling and running the emitted tests.
    Validate,
}

/// Told how the run goes on.
pub trait Progress {
    /// Called often; must be cheap.
    fn update(&mut self, phase: Phase, steps: u64, goals: usize, tests: usize);
}

/// What a generation gives.
#[derive(Debug, Default)]
pub struct Generated {
    /// The tests.
    pub suite: Suite,
    /// What exploring did.
    pub exploration: Exploration,
    /// Sequences executed while exploring.
    pub steps: u64,
    /// Goals reached while exploring, each by the technique whose sequence is the shortest.
    pub explored: BTreeMap<Goal, Technique>,
    /// What operations were seen to do, whichever goals were asked for.
    pub conduct: Conduct,
    /// Sequences that could not become tests, by reason.
    pub unfit: BTreeMap<LeftOut, usize>,
    /// Sequences that did not reach their goal again in fresh state.
    pub not_reproduced: usize,
}

/// Generates tests for the subject; what is offered is run first, and learned from.
pub fn generate(
    subject: &Subject,
    probes: &ProbeTable,
    seed: Seed,
    deadline: &Deadline,
    offered: &Offered,
    runner: &mut dyn Runner,
    progress: &mut dyn Progress,
) -> Result<Generated, RunError> {
    let mut generated = Generated::default();
    let explorer = Explorer::new(subject, probes, seed, !offered.blind);
    let explored = explore(explorer, deadline, offered, runner, progress)?;
    runner.end_roaming();
    (generated.exploration, generated.steps) = (explored.exploration, explored.steps);
    let wanted = Wanted { subject, probes, kinds: &offered.goals };
    let shared = Shared::of(subject);
    let held = explored.archive.goals().filter(|goal| wanted.wants(goal));
    let by = |goal: &Goal| Some((goal.clone(), explored.archive.holder(goal)?.technique));
    generated.explored = held.filter_map(by).collect();
    generated.conduct = explored.archive.conduct();
    let mut found = explored.archive.into_drafts();
    found.retain(|(_, goals)| goals.iter().any(|goal| wanted.wants(goal)));
    let (steps, explored) = (generated.steps, generated.explored.len());
    let mut tell = |phase, tests| progress.update(phase, steps, explored, tests);
    tell(Phase::Confirm, found.len());
    let mut drafts;
    let confirming = Confirming { wanted: &wanted, shared: &shared, deadline: &deadline.confirming() };
    (drafts, generated.not_reproduced) = confirming.drafts(found, runner)?;
    check_first(&mut drafts, runner, deadline)?;
    tell(Phase::Minimize, drafts.len());
    let shares = drafts.iter().any(|draft| shared.is_in(&draft.candidate.sequence));
    let shrinking = if shares { deadline.before_restoring() } else { deadline.clone() };
    shrink(subject, &shared, &mut drafts, runner, &shrinking)?;
    let restored = restore(&shared, &mut drafts, runner, deadline)?;
    shrink_alone(subject, &mut drafts, &restored, runner, deadline)?;
    drafts = reduce(drafts);
    // Should the time be too short for all of them, those that cover most come first.
    drafts.sort_by_cached_key(|draft| Reverse(draft.required.probe_count() + draft.once.probe_count()));
    tell(Phase::Assert, drafts.len());
    let mut asserting = Asserting::new(subject, &shared, runner, deadline);
    generated.suite = asserting.suite(drafts)?;
    generated.unfit = asserting.unfit;
    Ok(generated)
}

/// How many sequences are confirmed at a time: what they reach takes much space until it is known what is left to them.
const SLICE: usize = 1024;

/// How many sequences are run alone before the clock is looked at.
const ALONE: usize = 32;
/// The most drafts that are made smaller alone.
const FIRST: usize = 128;

/// Runs what was found in fresh state.
struct Confirming<'a> {
    wanted: &'a Wanted<'a>,
    shared: &'a Shared,
    deadline: &'a Deadline,
}

impl Confirming<'_> {
    /// The drafts to which a goal is left, and how many sequences did not reach their goals again.
    fn drafts(
        &self,
        found: Vec<(Candidate, Vec<Goal>)>,
        runner: &mut dyn Runner,
    ) -> Result<(Vec<Draft>, usize), RunError> {
        let subject = self.wanted.subject;
        let mut found = found;
        // Neighbours that use the same classes load them once.
        found.sort_by_cached_key(|(candidate, _)| jurat_oracle::home(subject, &candidate.sequence));
        let mut claims = Claims::default();
        let mut lost = 0;
        let mut known = FxHashSet::default();
        let mut found = found.into_iter().peekable();
        while found.peek().is_some() {
            let slice = found.by_ref().take(SLICE);
            let slice: Vec<_> =
                slice.map(|(candidate, goals)| (candidate, goals.into_iter().collect())).collect();
            let count = slice.len();
            let drafts = self.confirm(slice, runner)?;
            lost += count - drafts.len();
            let mut begun = self.beginnings(&drafts, &mut known).into_iter().peekable();
            claims.extend(drafts);
            while begun.peek().is_some() {
                let slice = begun.by_ref().take(SLICE).collect();
                claims.extend(self.confirm(slice, runner)?);
            }
        }
        Ok((claims.into_drafts(), lost))
    }

    /// The beginnings of sequences that end with a call of a class under test. What a method gives is asserted only
    /// where it is called last, and what a sequence reaches on its way to something else is clearer in a test of its own.
    fn beginnings(&self, drafts: &[Draft], known: &mut FxHashSet<u64>) -> Vec<(Candidate, GoalSet)> {
        let subject = self.wanted.subject;
        known.extend(drafts.iter().map(|draft| print(&draft.candidate.sequence)));
        let mut found = Vec::new();
        for Draft { candidate, outcome, reached, once, .. } in drafts {
            let sequence = &candidate.sequence;
            let is_end = |call: Var| Some(call) == sequence.last();
            for (call, op, _) in sequence.calls().filter(|(call, ..)| !is_end(*call)) {
                let length = call.index() + 1;
                if !subject[subject[op].owner].under_test || !known.insert(print(&sequence.prefix(length))) {
                    continue;
                }
                let returned =
                    returned_at(sequence, outcome, call).map(|(op, kind)| Goal::Returned(op, kind));
                let returned = returned.filter(|goal| self.wanted.wants(goal));
                let goals = reached.iter().chain(once.iter()).chain(returned).collect();
                found.push((Candidate { sequence: sequence.prefix(length), ..candidate.clone() }, goals));
            }
        }
        found
    }

    /// Runs sequences in two orders. Those that reach none of their goals again are dropped. What is reached in one
    /// order only, as initializers are, belongs to whichever test runs first.
    fn confirm(
        &self,
        found: Vec<(Candidate, GoalSet)>,
        runner: &mut dyn Runner,
    ) -> Result<Vec<Draft>, RunError> {
        let jobs: Vec<Job> = found.iter().map(|(candidate, _)| candidate.sequence.clone().into()).collect();
        let [forwards, backwards] = runner.both_ways(&jobs)?;
        let alone = alone(&jobs, |at| self.shared.is_in(&jobs[at].sequence), runner, self.deadline)?;
        let runs = forwards.into_iter().zip(backwards).zip(alone);
        let mut confirmed = Vec::new();
        for ((candidate, held), ((one, other), alone)) in found.into_iter().zip(runs) {
            if !one.is_unsafe && !other.is_unsafe && !alone.as_ref().is_some_and(|alone| alone.is_unsafe) {
                let draft = self.draft(candidate, one, &other, alone.as_ref());
                let is_held = |goal: Goal| draft.reached.contains(&goal) || draft.once.contains(&goal);
                if held.iter().any(is_held) {
                    confirmed.push(draft);
                }
            }
        }
        Ok(confirmed)
    }

    /// What a sequence reaches, by its runs in one order, in the other, and alone.
    fn draft(&self, candidate: Candidate, one: Outcome, other: &Outcome, alone: Option<&Outcome>) -> Draft {
        // What follows a statement that threw was never run.
        let whole = candidate.sequence.prefix(one.endings.len().max(other.endings.len()));
        let own = |outcome: &Outcome| -> FxHashSet<Goal> {
            goals(&whole, outcome).into_iter().filter(|goal| self.wanted.wants(goal)).collect()
        };
        let [first, second] = [own(&one), own(other)];
        // Beside others it may reach what it does not reach alone, which is theirs.
        let all = alone.map_or_else(|| first.union(&second).cloned().collect(), own);
        let is_steady = |goal: &Goal| first.contains(goal) && second.contains(goal);
        let (steady, once): (Vec<Goal>, Vec<Goal>) = all.into_iter().partition(is_steady);
        Draft {
            standing: Standing::of(self.wanted.subject, &whole),
            candidate: Candidate { sequence: whole.clone(), ..candidate },
            whole,
            required: GoalSet::default(),
            reached: steady.into_iter().collect(),
            once: once.into_iter().collect(),
            outcome: one.without_hits(),
        }
    }
}

/// What a sequence is known by: many are, and all of them would take much space.
fn print(sequence: &Sequence) -> u64 {
    FxBuildHasher.hash_one(sequence)
}

/// Runs some of the jobs in fresh state of their own, as long as there is time: in a library that cannot be loaded twice,
/// each takes a new JVM.
fn alone(
    jobs: &[Job],
    is_chosen: impl Fn(usize) -> bool,
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<Vec<Option<Outcome>>, RunError> {
    let chosen: Vec<usize> = (0..jobs.len()).filter(|at| is_chosen(*at)).collect();
    let mut alone = vec![None; jobs.len()];
    for some in chosen.chunks(ALONE) {
        if !deadline.may_minimize() {
            break;
        }
        let again: Vec<Job> = some.iter().map(|at| jobs[*at].clone()).collect();
        for (at, outcome) in some.iter().zip(runner.run(&again, Mode::Alone)?) {
            alone[*at] = Some(outcome);
        }
    }
    Ok(alone)
}

/// Leaves drafts only those goals of one order that they reach when they run first; others were reached because of what
/// ran before. Of too many drafts, some do without.
fn check_first(
    drafts: &mut Vec<Draft>,
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<(), RunError> {
    let jobs = jobs(drafts);
    let first: Vec<usize> = (0..drafts.len()).filter(|at| !drafts[*at].once.is_empty()).take(FIRST).collect();
    let alone = alone(&jobs, |at| first.binary_search(&at).is_ok(), runner, deadline)?;
    for (draft, alone) in drafts.iter_mut().zip(alone) {
        let sequence = &draft.candidate.sequence;
        draft.once = alone
            .map_or_else(GoalSet::default, |alone| draft.once.only(|goal| goal.is_reached(sequence, &alone)));
    }
    drafts.retain(|draft| !draft.required.is_empty() || !draft.once.is_empty());
    Ok(())
}

/// Drafts that lost what they are there for if others come before them.
fn spoiled(
    shared: &Shared,
    drafts: &[Draft],
    jobs: &[Job],
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<Vec<usize>, RunError> {
    let is_bound = |at: &usize| {
        let draft = &drafts[*at];
        draft.once.is_empty() && draft.candidate.sequence != draft.whole && shared.is_in(&jobs[*at].sequence)
    };
    let bound: Vec<usize> = (0..drafts.len()).filter(is_bound).collect();
    let company = company(shared, drafts);
    let mut spoiled = Vec::new();
    for some in bound.chunks(SLICE) {
        if !deadline.may_minimize() {
            break;
        }
        let again = some.iter().map(|at| jobs[*at].clone()).collect();
        let outcomes = run_after(Some(&company), again, Mode::Probe, runner)?;
        let is_spoiled = |at: usize, outcome: &Outcome| !keeps(&drafts[at], &jobs[at].sequence, outcome);
        spoiled.extend(
            some.iter().zip(outcomes).filter(|(at, outcome)| is_spoiled(**at, outcome)).map(|(at, _)| *at),
        );
    }
    Ok(spoiled)
}

fn jobs(drafts: &[Draft]) -> Vec<Job> {
    drafts.iter().map(|draft| draft.candidate.sequence.clone().into()).collect()
}

/// Takes what drafts reach only beside others, or only before them, from them. Those that lose what they are there for get
/// their former length back; those that lose it alone are told, with those that must run first.
fn restore(
    shared: &Shared,
    drafts: &mut [Draft],
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<Vec<usize>, RunError> {
    let jobs = jobs(drafts);
    let spoiled = spoiled(shared, drafts, &jobs, runner, deadline)?;
    let mut lost = spoiled.clone();
    let outcomes = alone(&jobs, |at| shared.is_in(&jobs[at].sequence), runner, deadline)?;
    for (at, alone) in outcomes.into_iter().enumerate() {
        let Some(alone) = alone else { continue };
        let draft = &mut drafts[at];
        let sequence = &draft.candidate.sequence;
        draft.reached = draft.reached.only(|goal| goal.is_reached(sequence, &alone));
        if !keeps(draft, sequence, &alone) {
            lost.push(at);
        }
    }
    let wholes: Vec<Job> = lost.iter().map(|at| drafts[*at].whole.clone().into()).collect();
    for (at, outcome) in lost.iter().zip(alone(&wholes, |_| true, runner, deadline)?) {
        let Some(outcome) = outcome else { continue };
        let draft = &mut drafts[*at];
        draft.candidate.sequence = draft.whole.clone();
        draft.reached = draft.required.only(|goal| goal.is_reached(&draft.whole, &outcome));
        draft.outcome = outcome.without_hits();
    }
    lost.extend((0..drafts.len()).filter(|at| !drafts[*at].once.is_empty()));
    lost.sort_unstable();
    lost.dedup();
    // Alone they would become what others spoil.
    lost.retain(|at| spoiled.binary_search(at).is_err());
    lost.truncate(FIRST);
    Ok(lost)
}
