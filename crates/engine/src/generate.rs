//! Runs one generation: a subject and a way to run sequences in, tests out.

use std::collections::{BTreeMap, BTreeSet};

use jurat_base::{FxHashSet, Seed};
use jurat_model::{Candidate, Sequence, Subject, Suite, Technique, Var};

use crate::archive::{Goal, goals, is_last_resort, returned_at};
use crate::asserting::{Asserting, LeftOut};
use crate::coverage::ProbeTable;
use crate::deadline::Deadline;
use crate::enumerate::Offered;
use crate::error::RunError;
use crate::explore::{Exploration, Explorer};
use crate::minimize::{Draft, reduce, shrink, weight};
use crate::runner::{Job, Runner};
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
    let mut found = explored.archive.into_drafts();
    found.retain(|(_, goals)| goals.iter().any(|goal| wanted.wants(goal)));
    let reached = |(candidate, goals): &(Candidate, Vec<Goal>)| {
        let technique = candidate.technique;
        goals.iter().map(move |goal| (goal.clone(), technique)).collect::<Vec<_>>()
    };
    generated.explored = found.iter().flat_map(reached).collect();
    let (steps, explored) = (generated.steps, generated.explored.len());
    let mut tell = |phase, tests| progress.update(phase, steps, explored, tests);
    tell(Phase::Confirm, found.len());
    let count = found.len();
    let mut drafts = confirm(&wanted, found, runner)?;
    generated.not_reproduced = count - drafts.len();
    drafts.extend(confirm(&wanted, beginnings(&wanted, &drafts), runner)?);
    drafts = claim(drafts);
    tell(Phase::Minimize, drafts.len());
    shrink(subject, &mut drafts, runner, deadline)?;
    drafts = reduce(drafts);
    // Should the time be too short for all of them, those that cover code come first.
    drafts.sort_by_key(|draft| !draft.required.iter().any(|goal| matches!(goal, Goal::Probe(_))));
    tell(Phase::Assert, drafts.len());
    let mut asserting = Asserting::new(subject, runner, deadline);
    generated.suite = asserting.suite(&drafts)?;
    generated.unfit = asserting.unfit;
    Ok(generated)
}

/// The beginnings of sequences that end with a call of a class under test. What a method gives is asserted only where it
/// is called last, and what a sequence reaches on its way to something else is clearer in a test of its own.
fn beginnings(wanted: &Wanted<'_>, drafts: &[Draft]) -> Vec<(Candidate, Vec<Goal>)> {
    let subject = wanted.subject;
    let mut known: FxHashSet<Sequence> =
        drafts.iter().map(|draft| draft.candidate.sequence.clone()).collect();
    let mut found = Vec::new();
    for Draft { candidate, outcome, reached, once, .. } in drafts {
        let sequence = &candidate.sequence;
        let is_end = |call: Var| Some(call) == sequence.last();
        for (call, op, _) in sequence.calls().filter(|(call, ..)| !is_end(*call)) {
            let length = call.index() + 1;
            if !subject[subject[op].owner].under_test || !known.insert(sequence.prefix(length)) {
                continue;
            }
            let returned = returned_at(sequence, outcome, call).map(|(op, kind)| Goal::Returned(op, kind));
            let returned = returned.filter(|goal| wanted.wants(goal));
            let goals = reached.iter().chain(once).cloned().chain(returned).collect();
            found.push((Candidate { sequence: sequence.prefix(length), ..candidate.clone() }, goals));
        }
    }
    found
}

/// Runs every draft in two orders. Those that reach none of their goals again are dropped. What is reached in one
/// order only, as initializers are, belongs to whichever test runs first.
fn confirm(
    wanted: &Wanted<'_>,
    found: Vec<(Candidate, Vec<Goal>)>,
    runner: &mut dyn Runner,
) -> Result<Vec<Draft>, RunError> {
    let subject = wanted.subject;
    let mut found = found;
    // Neighbours that use the same classes load them once.
    found.sort_by_cached_key(|(candidate, _)| jurat_oracle::home(subject, &candidate.sequence));
    let jobs: Vec<Job> = found.iter().map(|(candidate, _)| candidate.sequence.clone().into()).collect();
    let [forwards, backwards] = runner.both_ways(&jobs)?;
    let mut confirmed = Vec::new();
    for ((mut candidate, held), (one, other)) in found.into_iter().zip(forwards.into_iter().zip(&backwards)) {
        if one.is_unsafe || other.is_unsafe {
            continue;
        }
        // What follows a statement that threw was never run.
        candidate.sequence = candidate.sequence.prefix(one.endings.len().max(other.endings.len()));
        let own = |outcome| goals(&candidate.sequence, outcome).into_iter().filter(|goal| wanted.wants(goal));
        let first: BTreeSet<Goal> = own(&one).collect();
        let second: BTreeSet<Goal> = own(other).collect();
        let reached: BTreeSet<Goal> = first.intersection(&second).cloned().collect();
        let once: BTreeSet<Goal> = first.symmetric_difference(&second).cloned().collect();
        if held.iter().any(|goal| reached.contains(goal) || once.contains(goal)) {
            let whole = candidate.sequence.clone();
            let is_last_resort = is_last_resort(subject, &whole);
            confirmed.push(Draft {
                candidate,
                whole,
                required: reached.clone(),
                reached,
                once,
                outcome: one,
                is_last_resort,
            });
        }
    }
    Ok(confirmed)
}

/// Leaves each goal to the smallest draft that reaches it, so that each is about few things and shrinking has room.
/// Drafts to which no goal is left go.
fn claim(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut drafts = drafts;
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by_cached_key(|at| (drafts[*at].is_last_resort, weight(&drafts[*at].candidate.sequence)));
    let mut claimed: FxHashSet<Goal> = FxHashSet::default();
    let mut kept = vec![false; drafts.len()];
    for at in order {
        let draft = &mut drafts[at];
        draft.required =
            draft.reached.iter().filter(|goal| claimed.insert((*goal).clone())).cloned().collect();
        let first = draft.once.iter().filter(|goal| claimed.insert((*goal).clone())).count();
        kept[at] = !draft.required.is_empty() || first > 0;
    }
    drafts.into_iter().zip(kept).filter_map(|(draft, kept)| kept.then_some(draft)).collect()
}
