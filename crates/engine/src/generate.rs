//! Runs one generation: a subject and a way to run sequences in, tests out.

use std::collections::{BTreeMap, BTreeSet};

use jurat_base::Seed;
use jurat_model::{ClassId, ClassSuite, Lesson, Outcome, Round, Strategy, Subject, Suite, Test};
use jurat_oracle::{Facts, Observers, Unfit};
use jurat_random::Random;

use crate::archive::{Archive, Goal, goals};
use crate::deadline::Deadline;
use crate::error::RunError;
use crate::minimize::{Draft, reduce, shrink};
use crate::runner::{Job, Mode, Runner};

/// How many candidates are proposed, run and learned from together.
const ROUND: usize = 512;

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
    /// Sequences executed while exploring.
    pub steps: u64,
    /// Goals reached while exploring.
    pub explored: BTreeSet<Goal>,
    /// Sequences that could not become tests, by reason.
    pub unfit: BTreeMap<Unfit, usize>,
    /// Sequences that did not reach their goal again in fresh state.
    pub not_reproduced: usize,
}

/// Generates tests for the subject.
pub fn generate(
    subject: &Subject,
    seed: Seed,
    deadline: &Deadline,
    runner: &mut dyn Runner,
    progress: &mut dyn Progress,
) -> Result<Generated, RunError> {
    let mut generated = Generated::default();
    let archive = explore(subject, seed, deadline, runner, progress, &mut generated)?;
    let steps = generated.steps;
    let drafts = archive.into_drafts();
    generated.explored = drafts.iter().flat_map(|(_, goals)| goals.iter().cloned()).collect();
    progress.update(Phase::Confirm, steps, generated.explored.len(), drafts.len());
    let found = drafts.len();
    let mut drafts = confirm(drafts, runner)?;
    generated.not_reproduced = found - drafts.len();
    drafts = reduce(drafts);
    progress.update(Phase::Minimize, steps, generated.explored.len(), drafts.len());
    for draft in &mut drafts {
        draft.required.clone_from(&draft.reached);
    }
    claim(&mut drafts);
    shrink(&mut drafts, runner, deadline)?;
    drafts = reduce(drafts);
    progress.update(Phase::Assert, steps, generated.explored.len(), drafts.len());
    generated.suite = tests(subject, &drafts, runner, &mut generated.unfit)?;
    Ok(generated)
}

fn explore(
    subject: &Subject,
    seed: Seed,
    deadline: &Deadline,
    runner: &mut dyn Runner,
    progress: &mut dyn Progress,
    generated: &mut Generated,
) -> Result<Archive, RunError> {
    let mut archive = Archive::default();
    let mut strategy = Random::new(subject);
    let mut first = 0;
    while deadline.may_explore(generated.steps) {
        let size = deadline.round_size(generated.steps, ROUND);
        let candidates = strategy.propose(&Round { subject, first, size, seed });
        first += size as u64;
        if candidates.is_empty() {
            break;
        }
        let jobs: Vec<Job> = candidates.iter().map(|candidate| candidate.sequence.clone().into()).collect();
        let outcomes = runner.run(&jobs, Mode::Explore)?;
        let lessons: Vec<Lesson<'_>> = candidates
            .iter()
            .zip(&outcomes)
            .map(|(candidate, outcome)| {
                let is_new = archive.consider(candidate, outcome);
                Lesson { candidate, outcome, is_new }
            })
            .collect();
        strategy.learn(subject, &lessons);
        generated.steps += candidates.len() as u64;
        progress.update(Phase::Explore, generated.steps, archive.len(), 0);
    }
    Ok(archive)
}

/// Runs every draft in fresh state; those that reach none of their goals again are dropped.
fn confirm(
    drafts: Vec<(jurat_model::Candidate, Vec<Goal>)>,
    runner: &mut dyn Runner,
) -> Result<Vec<Draft>, RunError> {
    let jobs: Vec<Job> = drafts.iter().map(|(candidate, _)| candidate.sequence.clone().into()).collect();
    let outcomes = runner.run(&jobs, Mode::Confirm)?;
    let mut confirmed = Vec::new();
    for ((mut candidate, held), outcome) in drafts.into_iter().zip(outcomes) {
        // What follows a statement that threw was never run.
        candidate.sequence = candidate.sequence.prefix(outcome.endings.len());
        let reached: BTreeSet<Goal> = goals(&candidate.sequence, &outcome).into_iter().collect();
        let required: BTreeSet<Goal> = held.into_iter().filter(|goal| reached.contains(goal)).collect();
        if !required.is_empty() && !outcome.is_unsafe {
            confirmed.push(Draft { candidate, required, reached });
        }
    }
    Ok(confirmed)
}

/// Leaves each goal to the first draft that reaches it, so that shrinking has room.
fn claim(drafts: &mut [Draft]) {
    let mut claimed: BTreeSet<Goal> = BTreeSet::new();
    for draft in drafts {
        draft.required.retain(|goal| claimed.insert(goal.clone()));
    }
}

fn tests(
    subject: &Subject,
    drafts: &[Draft],
    runner: &mut dyn Runner,
    unfit: &mut BTreeMap<Unfit, usize>,
) -> Result<Suite, RunError> {
    let mut observers = Observers::default();
    let jobs = observed_jobs(subject, drafts, &observers);
    let runs = [runner.run(&jobs, Mode::Confirm)?, runner.run(&jobs, Mode::Perturbed)?];
    refute(&mut observers, &jobs, &runs);
    // Asked again without those that turned out to have effects: an observer's effect must not be in a fact.
    let jobs = observed_jobs(subject, drafts, &observers);
    let runs = [runner.run(&jobs, Mode::Confirm)?, runner.run(&jobs, Mode::Perturbed)?];
    let mut by_class: BTreeMap<ClassId, Vec<Test>> = BTreeMap::new();
    for (at, job) in jobs.iter().enumerate() {
        let pair = [runs[0][at].clone(), runs[1][at].clone()];
        match test(subject, job, &pair) {
            Ok((class, test)) => by_class.entry(class).or_default().push(test),
            Err(reason) => *unfit.entry(reason).or_default() += 1,
        }
    }
    let classes = by_class
        .into_iter()
        .map(|(class, mut tests)| {
            tests.sort_by_key(|test| (test.focus, test.thrown.is_some(), test.sequence.len()));
            ClassSuite { class, tests }
        })
        .collect();
    Ok(Suite { classes })
}

fn test(subject: &Subject, job: &Job, runs: &[Outcome]) -> Result<(ClassId, Test), Unfit> {
    let class = jurat_oracle::home(subject, &job.sequence).ok_or(Unfit::Unassertable)?;
    let focus = jurat_oracle::focus(&job.sequence).ok_or(Unfit::Unassertable)?;
    let package = subject.test_package(class);
    let Facts { checks, thrown } =
        jurat_oracle::facts(subject, &job.sequence, &package, runs, &job.observations)?;
    Ok((class, Test { sequence: job.sequence.clone(), focus, checks, thrown }))
}

fn observed_jobs(subject: &Subject, drafts: &[Draft], observers: &Observers) -> Vec<Job> {
    drafts
        .iter()
        .map(|draft| {
            let sequence = draft.candidate.sequence.clone();
            let class = jurat_oracle::home(subject, &sequence);
            let package = class.map(|class| subject.test_package(class)).unwrap_or_default();
            let observations = observers.for_sequence(subject, &sequence, &package);
            Job { sequence, observations }
        })
        .collect()
}

/// Observers that changed what they looked at are none.
fn refute(observers: &mut Observers, jobs: &[Job], runs: &[Vec<Outcome>; 2]) {
    for run in runs {
        for (job, outcome) in jobs.iter().zip(run) {
            for (var, _) in &outcome.changed {
                let position = var.index().checked_sub(job.sequence.len());
                if let Some(observation) = position.and_then(|position| job.observations.get(position)) {
                    observers.refute(observation.observer);
                }
            }
            if outcome.is_unsafe {
                for observation in &job.observations {
                    observers.refute(observation.observer);
                }
            }
        }
    }
}
