//! Finds broken contracts: what sequences threw, and what becomes of the laws that every class has when they are
//! tried on the values that sequences made.
//!
//! A breach counts if it shows in fresh state, twice, the second time under another clock, zone, locale and
//! identity hash. One is kept for each contract and method, made as small as it goes; its test must fail for the
//! reason it gives.

mod blamed;
mod case;
mod excuses;
mod shrink;
mod written;

use std::collections::BTreeMap;

use jurat_base::FxHashSet;
use jurat_model::{OpId, Outcome, Sequence, Subject};
use jurat_oracle::contracts::{Asking, Breach, Contract, Rules, specimens, trials};

use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};
use case::Case;
use excuses::Excuses;
pub use written::{Finding, Findings, write_findings};

/// How many trials are run together.
const BATCH: usize = 256;
/// How many ways to show the same breach are looked at again.
const RIVALS: usize = 2;

/// What to look for, and how long.
#[derive(Clone, Copy)]
pub struct Looking<'a> {
    /// Which contracts are checked, and how exceptions are judged.
    pub rules: &'a Rules,
    /// About how many trials may be run.
    pub trials: usize,
    /// Says when the search has to end; what was found by then is kept.
    pub is_over: &'a dyn Fn() -> bool,
    /// Says when making tests smaller has to end.
    pub is_small_enough: &'a dyn Fn() -> bool,
}

/// The broken contracts of a subject, worst first; `sequences` are those worth a look.
pub fn find_breaches(
    subject: &Subject,
    sequences: &[Sequence],
    looking: &Looking<'_>,
    runner: &mut dyn Runner,
) -> Result<Vec<Breach>, RunError> {
    // What only the package or subclasses may call is no promise to anyone; a mock keeps none.
    let is_fair = |sequence: &&Sequence| is_public(subject, sequence) && !sequence.has_mocks();
    let sequences: Vec<Sequence> = sequences.iter().filter(is_fair).cloned().collect();
    let mut outcomes: Vec<Outcome> = Vec::new();
    for batch in sequences.chunks(BATCH) {
        if (looking.is_over)() {
            break;
        }
        let jobs: Vec<Job> = batch.iter().cloned().map(Job::from).collect();
        outcomes.extend(runner.run(&jobs, Mode::Observe)?);
    }
    let mut suspects = Suspects::default();
    for (sequence, outcome) in sequences.iter().zip(&outcomes) {
        let case = Case::Thrown(sequence.clone());
        suspects.consider(subject, case, outcome, looking.rules);
    }
    let found = specimens(subject, sequences.iter().zip(&outcomes));
    let asking = Asking { trials: looking.trials };
    let cases: Vec<Case> =
        trials(subject, &found, looking.rules, asking).into_iter().map(Case::Trial).collect();
    for batch in cases.chunks(BATCH) {
        if (looking.is_over)() {
            break;
        }
        let asked: Vec<(Case, Job)> =
            batch.iter().filter_map(|case| Some((case.clone(), case.job(subject)?))).collect();
        let (cases, jobs): (Vec<Case>, Vec<Job>) = asked.into_iter().unzip();
        let outcomes = runner.run(&jobs, Mode::Observe)?;
        for (case, outcome) in cases.into_iter().zip(&outcomes) {
            suspects.consider(subject, case, outcome, looking.rules);
        }
    }
    let mut proven = suspects.prove(subject, looking.rules, runner)?;
    excuse(subject, &mut proven, looking.rules, runner)?;
    let mut shrunk: Vec<(Case, Breach)> = proven.values().cloned().collect();
    shrink::shrink(subject, &mut shrunk, looking, runner)?;
    // What became smaller among others has to stand alone too; else it stays as it was.
    proven.extend(prove(
        subject,
        shrunk.into_iter().map(|(case, breach)| (key(&breach), case)),
        looking.rules,
        runner,
    )?);
    let mut breaches: Vec<Breach> = proven.into_values().map(|(_, breach)| breach).collect();
    let name = |breach: &Breach| subject[breach.class].internal_name.clone();
    breaches.sort_by(|one, other| {
        (one.contract, name(one), one.method).cmp(&(other.contract, name(other), other.method))
    });
    Ok(blamed::causes(subject, breaches))
}

/// Takes out what objects that are passed on are to blame for, and puts in what these objects do themselves.
fn excuse(
    subject: &Subject,
    proven: &mut BTreeMap<Key, (Case, Breach)>,
    rules: &Rules,
    runner: &mut dyn Runner,
) -> Result<(), RunError> {
    let breaches: Vec<&Breach> = proven.values().map(|(_, breach)| breach).collect();
    let Excuses { mut excused, reasons } = excuses::ask(subject, &breaches, runner)?;
    let jobs: Vec<Job> = reasons.iter().map(|(_, reason)| reason.clone().into()).collect();
    let mut suspects = Suspects::default();
    let mut explained: Vec<(Key, Key)> = Vec::new();
    for ((breach, reason), outcome) in reasons.into_iter().zip(runner.run(&jobs, Mode::Observe)?) {
        let case = Case::Thrown(reason);
        explained.extend(case.judge(subject, &outcome, rules).map(|shown| (breach, key(&shown))));
        suspects.consider(subject, case, &outcome, rules);
    }
    let shown = suspects.prove(subject, rules, runner)?;
    excused.extend(explained.into_iter().filter(|(_, by)| shown.contains_key(by)).map(|(breach, _)| breach));
    proven.retain(|key, _| !excused.contains(key));
    for (key, shown) in shown {
        proven.entry(key).or_insert(shown);
    }
    Ok(())
}

/// True if code of any package may do the same.
fn is_public(subject: &Subject, sequence: &Sequence) -> bool {
    sequence.calls().all(|(_, op, _)| subject.check_operation(op, "").is_ok())
}

/// What makes two breaches the same: the contract and the method.
type Key = (Contract, OpId);

fn key(breach: &Breach) -> Key {
    (breach.contract, breach.method)
}

/// Breaches seen once, the shortest ways to show each first.
#[derive(Default)]
struct Suspects {
    by_key: BTreeMap<Key, Vec<Case>>,
    known: FxHashSet<Sequence>,
}

impl Suspects {
    fn consider(&mut self, subject: &Subject, case: Case, outcome: &Outcome, rules: &Rules) {
        let Some(breach) = case.judge(subject, outcome, rules) else { return };
        if !self.known.insert(breach.sequence.clone()) {
            return;
        }
        let rivals = self.by_key.entry(key(&breach)).or_default();
        rivals.push(case);
        rivals.sort_by_key(|case| case.prefix().len());
        rivals.truncate(RIVALS);
    }

    /// For each breach the first way to show it that does so in fresh state.
    fn prove(
        self,
        subject: &Subject,
        rules: &Rules,
        runner: &mut dyn Runner,
    ) -> Result<BTreeMap<Key, (Case, Breach)>, RunError> {
        let cases =
            self.by_key.into_iter().flat_map(|(key, cases)| cases.into_iter().map(move |case| (key, case)));
        prove(subject, cases, rules, runner)
    }
}

/// The first case of each key that shows its breach in fresh state, usual and perturbed.
fn prove(
    subject: &Subject,
    cases: impl Iterator<Item = (Key, Case)>,
    rules: &Rules,
    runner: &mut dyn Runner,
) -> Result<BTreeMap<Key, (Case, Breach)>, RunError> {
    let cases: Vec<(Key, Case, Job)> = cases
        .filter_map(|(key, case)| {
            let job = case.job(subject)?;
            Some((key, case, job))
        })
        .collect();
    let jobs: Vec<Job> = cases.iter().map(|(_, _, job)| job.clone()).collect();
    let usual = runner.run(&jobs, Mode::Alone)?;
    let perturbed = runner.run(&jobs, Mode::AlonePerturbed)?;
    let mut proven: BTreeMap<Key, (Case, Breach)> = BTreeMap::new();
    for (at, (wanted, case, _)) in cases.into_iter().enumerate() {
        let breach = case.judge(subject, &usual[at], rules);
        let again = case.judge(subject, &perturbed[at], rules);
        if let (Some(breach), Some(again)) = (breach, again)
            && key(&breach) == wanted
            && (again.contract, &again.thrown) == (breach.contract, &breach.thrown)
        {
            proven.entry(wanted).or_insert((case, breach));
        }
    }
    Ok(proven)
}
