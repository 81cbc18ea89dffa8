//! Turns drafts into tests: runs each in two ways that differ in everything a good test must not depend on, and
//! asserts what both agree on.

use std::collections::BTreeMap;
use std::sync::Arc;

use jurat_base::FxHashSet;
use jurat_model::{Action, ClassId, ClassSuite, Outcome, Sequence, Statement, Subject, Suite, Test};
use jurat_oracle::{Before, Facts, Look, Observation, Observers, Unfit};

use crate::deadline::Deadline;
use crate::error::RunError;
use crate::minimize::{Draft, keeps};
use crate::runner::{Job, Mode, Runner};
use crate::shared::Shared;

/// How many drafts are run before the clock is looked at.
const SLICE: usize = 1024;

/// How many tests are tried in fresh state of their own: those that may find what others left behind, and those that run
/// differently in another order.
const ALONE: usize = 128;

/// Why a sequence did not become a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Nothing can be asserted of it.
    Unfit(Unfit),
    /// The budget was spent before its turn came.
    Late,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unfit(unfit) => unfit.fmt(out),
            Self::Late => out.write_str("no time was left to choose assertions"),
        }
    }
}

/// Chooses what tests assert.
pub(crate) struct Asserting<'a> {
    subject: &'a Subject,
    shared: &'a Shared,
    runner: &'a mut dyn Runner,
    deadline: &'a Deadline,
    observers: Observers,
    /// Sequences that did not become tests.
    pub(crate) unfit: BTreeMap<LeftOut, usize>,
}

/// A test and the class it belongs to, or why there is none.
type Made = Result<(ClassId, Test), Unfit>;

/// A draft that was run in two ways.
struct Seen {
    job: Job,
    runs: [Outcome; 2],
    /// What was observed just before the last call, if that changed its receiver.
    before: Option<Before>,
}

impl<'a> Asserting<'a> {
    pub(crate) fn new(
        subject: &'a Subject,
        shared: &'a Shared,
        runner: &'a mut dyn Runner,
        deadline: &'a Deadline,
    ) -> Self {
        Self { subject, shared, runner, deadline, observers: Observers::default(), unfit: BTreeMap::new() }
    }

    /// The tests of all drafts for which there is time, by class.
    pub(crate) fn suite(&mut self, drafts: Vec<Draft>) -> Result<Suite, RunError> {
        let mut by_class: BTreeMap<ClassId, Vec<Test>> = BTreeMap::new();
        let until = self.deadline.asserting();
        let mut drafts = drafts.into_iter().peekable();
        while drafts.peek().is_some() {
            let mut slice: Vec<Draft> = drafts.by_ref().take(SLICE).collect();
            if until.is_some_and(|until| self.deadline.elapsed() > until) {
                *self.unfit.entry(LeftOut::Late).or_default() += slice.len();
                continue;
            }
            // Neighbours that use the same classes load them once.
            slice.sort_by_cached_key(|draft| jurat_oracle::home(self.subject, &draft.candidate.sequence));
            for made in self.slice(&slice)? {
                match made {
                    Ok((class, test)) => {
                        by_class.entry(self.subject.tested_with(class)).or_default().push(test);
                    }
                    Err(unfit) => *self.unfit.entry(LeftOut::Unfit(unfit)).or_default() += 1,
                }
            }
        }
        let classes = by_class
            .into_iter()
            .map(|(class, mut tests)| {
                tests.sort_by_key(|test| (test.focus, test.thrown.is_some(), test.sequence.len()));
                let mut read = FxHashSet::default();
                tests.retain(|test| read.insert(self.reading(&test.sequence)));
                ClassSuite { class, tests }
            })
            .collect();
        Ok(Suite { classes })
    }

    /// A sequence as it reads in Java: a method is called by its name, whichever class it is found in.
    fn reading(&self, sequence: &Sequence) -> Vec<(Option<Arc<str>>, Statement)> {
        let read = |statement: &Statement| match &statement.action {
            Action::Call { instance, inputs } if self.subject[instance.operation].kind.has_receiver() => {
                let action = Action::Array { elements: inputs.clone() };
                let name = self.subject[instance.operation].name.clone();
                (Some(name), Statement { action, ty: statement.ty.clone() })
            }
            _ => (None, statement.clone()),
        };
        sequence.statements().iter().map(read).collect()
    }

    /// Tests of some drafts. Where making a draft smaller went too far, the whole one is tried; what runs
    /// differently after others is tried in fresh state.
    fn slice(&mut self, drafts: &[Draft]) -> Result<Vec<Made>, RunError> {
        let together = [Mode::Observe, Mode::Perturbed];
        let bare: Vec<_> =
            drafts.iter().map(|draft| (draft.candidate.sequence.clone(), &draft.outcome)).collect();
        let mut seen = self.see(&bare, together)?;
        let lost: Vec<usize> = (0..drafts.len())
            .filter(|at| {
                let (draft, sequence) = (&drafts[*at], &seen[*at].job.sequence);
                *sequence != draft.whole && !seen[*at].runs.iter().all(|run| keeps(draft, sequence, run))
            })
            .collect();
        let wholes: Vec<Job> = lost.iter().map(|at| drafts[*at].whole.clone().into()).collect();
        for (at, whole) in lost.into_iter().zip(self.see_anew(&wholes, together)?) {
            if whole.runs.iter().all(|run| keeps(&drafts[at], &whole.job.sequence, run)) {
                seen[at] = whole;
            }
        }
        self.see_alone(&mut seen)?;
        let mut made: Vec<Made> = seen.iter().map(|seen| self.test(seen)).collect();
        let is_unstable = |at: &usize| made[*at].as_ref().err() == Some(&Unfit::Unstable);
        let unstable: Vec<usize> = (0..made.len()).filter(is_unstable).take(ALONE).collect();
        let again: Vec<Job> = unstable.iter().map(|at| seen[*at].job.sequence.clone().into()).collect();
        let alone = self.see_anew(&again, [Mode::Alone, Mode::AlonePerturbed])?;
        for (at, alone) in unstable.into_iter().zip(alone) {
            made[at] = self.test(&alone);
        }
        Ok(made)
    }

    /// Runs those that may find what others left behind alone in place of the first way, after they ran with all others:
    /// what is asserted of them has to hold with and without these.
    fn see_alone(&mut self, seen: &mut [Seen]) -> Result<(), RunError> {
        let shares = |at: &usize| self.shared.is_in(&seen[*at].job.sequence);
        let sharing: Vec<usize> = (0..seen.len()).filter(shares).take(ALONE).collect();
        if sharing.is_empty() {
            return Ok(());
        }
        let jobs: Vec<Job> = sharing.iter().map(|at| seen[*at].job.clone()).collect();
        let outcomes = self.runner.run(&jobs, Mode::Alone)?;
        let before = self.before(&jobs, &outcomes, Mode::Alone)?;
        for (at, (outcome, before)) in sharing.into_iter().zip(outcomes.into_iter().zip(before)) {
            seen[at].runs[0] = outcome;
            seen[at].before = before;
        }
        Ok(())
    }

    /// As `see`, for sequences of which it is not known what they do.
    fn see_anew(&mut self, bare: &[Job], modes: [Mode; 2]) -> Result<Vec<Seen>, RunError> {
        if bare.is_empty() {
            return Ok(Vec::new());
        }
        let outcomes = self.runner.run(bare, modes[0])?;
        let bare: Vec<_> = bare.iter().map(|job| job.sequence.clone()).zip(&outcomes).collect();
        self.see(&bare, modes)
    }

    /// Runs sequences in two ways, with everything observed that may be asserted. What they did before decides how
    /// to look at their values.
    fn see(&mut self, bare: &[(Sequence, &Outcome)], modes: [Mode; 2]) -> Result<Vec<Seen>, RunError> {
        let mut jobs: Vec<Job> =
            bare.iter().map(|(sequence, outcome)| self.looking(sequence, outcome)).collect();
        let mut first = self.runner.run(&jobs, modes[0])?;
        self.refute(&jobs, &first);
        // Asked again without those that turned out to have effects: an observer's effect must not be in a fact.
        let again: Vec<usize> = (0..jobs.len())
            .filter(|at| first[*at].is_unsafe || observers_changed(&jobs[*at], &first[*at]).next().is_some())
            .collect();
        for at in &again {
            let (sequence, outcome) = &bare[*at];
            let surprised = observers_surprised(&jobs[*at], &first[*at]);
            jobs[*at] = self.looking(sequence, outcome);
            if first[*at].is_unsafe && surprised.is_empty() {
                jobs[*at].observations.clear();
            }
            jobs[*at].observations.retain(|seen| !surprised.contains(seen));
        }
        self.rerun(&again, &jobs, &mut first, modes[0])?;
        // Mocks may not have been all there was to it, and new observers may ask them as well.
        let is_unsafe = |at: &usize| first[*at].is_unsafe && !jobs[*at].observations.is_empty();
        let again: Vec<usize> = again.into_iter().filter(is_unsafe).collect();
        for at in &again {
            jobs[*at].observations.clear();
        }
        self.rerun(&again, &jobs, &mut first, modes[0])?;
        let second = self.runner.run(&jobs, modes[1])?;
        let before = self.before(&jobs, &first, modes[0])?;
        let runs = first.into_iter().zip(second).zip(before);
        let seen = |(job, ((one, other), before))| Seen { job, runs: [one, other], before };
        Ok(jobs.into_iter().zip(runs).map(seen).collect())
    }

    /// Runs some jobs once more, and puts what they do now in place of what they did.
    fn rerun(
        &mut self,
        positions: &[usize],
        jobs: &[Job],
        outcomes: &mut [Outcome],
        mode: Mode,
    ) -> Result<(), RunError> {
        if positions.is_empty() {
            return Ok(());
        }
        let again: Vec<Job> = positions.iter().map(|at| jobs[*at].clone()).collect();
        for (at, outcome) in positions.iter().zip(self.runner.run(&again, mode)?) {
            outcomes[*at] = outcome;
        }
        Ok(())
    }

    /// Looks at what the last calls changed as it was before them: what differs is what they did.
    fn before(
        &mut self,
        jobs: &[Job],
        outcomes: &[Outcome],
        mode: Mode,
    ) -> Result<Vec<Option<Before>>, RunError> {
        let mut earlier: Vec<(usize, Job)> = Vec::new();
        for (at, (job, outcome)) in jobs.iter().zip(outcomes).enumerate() {
            let Some(last) = job.sequence.last() else { continue };
            if outcome.changed.iter().any(|(var, _)| *var == last) {
                let known = job.observations.iter().filter(|seen| seen.receiver < last);
                let observations = known.copied().collect();
                earlier.push((at, Job { sequence: job.sequence.prefix(last.index()), observations }));
            }
        }
        let (positions, earlier): (Vec<usize>, Vec<Job>) = earlier.into_iter().unzip();
        let mut found: Vec<Option<Before>> = jobs.iter().map(|_| None).collect();
        if earlier.is_empty() {
            return Ok(found);
        }
        let outcomes = self.runner.run(&earlier, mode)?;
        for ((at, job), outcome) in positions.into_iter().zip(earlier).zip(outcomes) {
            found[at] = Some(Before { looks: job.observations, outcome });
        }
        Ok(found)
    }

    fn looking(&mut self, sequence: &Sequence, outcome: &Outcome) -> Job {
        let subject = self.subject;
        let class = jurat_oracle::home(subject, sequence);
        let package = class.map(|class| subject.test_package(class)).unwrap_or_default();
        let observations = self.observers.for_sequence(subject, sequence, outcome, &package);
        Job { sequence: sequence.clone(), observations }
    }

    /// Methods that changed what they looked at are no observers.
    fn refute(&mut self, jobs: &[Job], outcomes: &[Outcome]) {
        for (job, outcome) in jobs.iter().zip(outcomes) {
            for look in observers_changed(job, outcome) {
                if let Look::Call(op) = look {
                    self.observers.refute(op);
                }
            }
        }
    }

    fn test(&self, seen: &Seen) -> Made {
        let (subject, sequence) = (self.subject, &seen.job.sequence);
        let class = jurat_oracle::home(subject, sequence).ok_or(Unfit::Unassertable)?;
        let focus = jurat_oracle::focus(sequence).ok_or(Unfit::Unassertable)?;
        let package = subject.test_package(class);
        let runs = [&seen.runs[0], &seen.runs[1]];
        let Facts { checks, thrown } = jurat_oracle::facts(
            subject,
            sequence,
            &package,
            &runs,
            &seen.job.observations,
            seen.before.as_ref(),
        )?;
        Ok((class, Test { sequence: sequence.clone(), focus, checks, thrown }))
    }
}

/// The observers that changed what they looked at.
fn observers_changed<'j>(job: &'j Job, outcome: &'j Outcome) -> impl Iterator<Item = Look> + 'j {
    outcome.changed.iter().filter_map(|(var, _)| {
        let position = var.index().checked_sub(job.sequence.len())?;
        job.observations.get(position).map(|seen| seen.look)
    })
}

/// The observers that asked a mock what nobody planned: elsewhere they may well be of use.
fn observers_surprised(job: &Job, outcome: &Outcome) -> Vec<Observation> {
    outcome.surprised.iter().filter_map(|position| job.observations.get(*position).copied()).collect()
}
