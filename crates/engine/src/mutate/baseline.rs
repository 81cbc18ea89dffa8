//! The suite without mutants: does it pass, what does each test reach, and what does it cost?

use std::collections::BTreeSet;

use jurat_pool::{Pool, Round, Trials};
use jurat_protocol::{Ending, Isolation, Outcome, Primitive, Sequence, Text, Trial, Value, Wants};

use super::junit::{JUnitTest, TestName};
use super::ways::Sequences;
use super::{Failing, MutateProgress};
use crate::error::RunError;
use crate::pooled::run_error;

/// How many tests share a class loader at first.
const BATCH: usize = 128;

/// What a test may take that nobody has measured: the watchdog cuts what does not end.
const PLENTY: u64 = 1 << 50;

/// A test that passes, and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Passing {
    pub(crate) name: TestName,
    pub(crate) sequence: Sequence,
    /// What it takes.
    pub(crate) fuel: u64,
    /// Probes it hits when all classes are initialized.
    pub(crate) hits: BTreeSet<u32>,
    /// Probes that only the first run of it hit, initializers among them.
    pub(crate) first_hits: BTreeSet<u32>,
    /// Whether it must have a class loader of its own, because it does not pass a second time.
    pub(crate) alone: bool,
}

/// All tests that pass, and those that were skipped.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    pub(crate) tests: Vec<Passing>,
    pub(crate) skipped: Vec<TestName>,
    /// Tests that pass, but leave threads behind or exhaust memory or stack: a worker would be lost with each run.
    pub(crate) costly: Vec<TestName>,
}

/// How a test ended without mutants.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Passed,
    Skipped,
    Failed(String),
}

impl Baseline {
    /// Runs all tests. The inner error names those that fail.
    pub(crate) fn take(
        pool: &mut Pool,
        found: &[JUnitTest],
        sequences: &[Sequences],
        progress: &mut dyn MutateProgress,
    ) -> Result<Result<Self, Vec<Failing>>, RunError> {
        progress.update("running the tests", 0, found.len());
        let mut baseline = Self::default();
        let mut failing = Vec::new();
        let (usable, outcomes) = baseline.usable(pool, found, sequences, &mut failing)?;
        for (done, (at, [first, second])) in usable.into_iter().zip(&outcomes).enumerate() {
            progress.update("running the tests", done + 1, found.len());
            let (test, sequences) = (&found[at], &sequences[at]);
            let again = ended(pool, sequences, second);
            let (first, ended) = match ended(pool, sequences, first) {
                Ended::Passed => (first.clone(), Ended::Passed),
                // It may only need a class loader of its own.
                _ => explained(pool, sequences)?,
            };
            match ended {
                Ended::Failed(reason) => failing.push(Failing { test: test.name.clone(), reason }),
                Ended::Skipped => baseline.skipped.push(test.name.clone()),
                Ended::Passed => {
                    let alone = again != Ended::Passed;
                    baseline.tests.push(Passing::new(&test.name, &sequences.trial, &first, second, alone));
                }
            }
        }
        Ok(if failing.is_empty() { Ok(baseline) } else { Err(failing) })
    }

    /// Runs all tests twice, again and again without those that cost a worker and so all tests after them, and gives the
    /// positions of the others with what they did.
    fn usable(
        &mut self,
        pool: &mut Pool,
        found: &[JUnitTest],
        sequences: &[Sequences],
        failing: &mut Vec<Failing>,
    ) -> Result<(Vec<usize>, Vec<[Outcome; 2]>), RunError> {
        let mut usable: Vec<usize> = (0..found.len()).collect();
        loop {
            let trials: Vec<Sequence> = usable.iter().map(|at| sequences[*at].trial.clone()).collect();
            let outcomes = twice(pool, &trials)?;
            let costly = |pair: &[Outcome; 2]| pair.iter().any(|outcome| outcome.taint.any());
            let (culprits, others): (Vec<_>, Vec<_>) =
                usable.iter().copied().zip(outcomes).partition(|(_, pair)| costly(pair));
            if culprits.is_empty() {
                return Ok(others.into_iter().unzip());
            }
            for (at, [first, _]) in culprits {
                let test = found[at].name.clone();
                match ended(pool, &sequences[at], &first) {
                    Ended::Failed(reason) => failing.push(Failing { test, reason }),
                    _ => self.costly.push(test),
                }
            }
            usable = others.into_iter().map(|(at, _)| at).collect();
        }
    }
}

impl Passing {
    fn new(name: &TestName, sequence: &Sequence, first: &Outcome, second: &Outcome, alone: bool) -> Self {
        let all = |outcome: &Outcome| -> BTreeSet<u32> {
            outcome.coverage.own.iter().chain(&outcome.coverage.others).copied().collect()
        };
        let (first_hits, second_hits) = (all(first), all(second));
        let hits = if alone { first_hits.clone() } else { second_hits };
        let fuel = first.fuel_used.max(second.fuel_used);
        Self { name: name.clone(), sequence: sequence.clone(), fuel, hits, first_hits, alone }
    }
}

/// Runs each sequence twice in one class loader: without coverage of initializers the second time.
pub(crate) fn twice(pool: &mut Pool, sequences: &[Sequence]) -> Result<Vec<[Outcome; 2]>, RunError> {
    let batch = |sequences: &[Sequence]| {
        let mut batch = Trials::default();
        for sequence in sequences.iter().chain(sequences) {
            let like = u32::try_from(batch.sequences.len()).expect("few");
            batch.sequences.push(sequence.clone());
            batch.trials.push(Trial { mutant: 0, like, fuel: PLENTY, alone: false });
        }
        batch
    };
    let wants = Wants { coverage: true, ..Wants::default() };
    let ran = pool.run_trials(sequences.chunks(BATCH).map(batch).collect(), wants);
    let mut outcomes = Vec::with_capacity(sequences.len());
    for mut batch in ran.map_err(|error| run_error(&error))? {
        let second = batch.split_off(batch.len() / 2);
        outcomes.extend(batch.into_iter().zip(second).map(|(first, second)| [first, second]));
    }
    Ok(outcomes)
}

/// Runs one test in a class loader of its own, and asks for the reason if it fails.
fn explained(pool: &mut Pool, sequences: &Sequences) -> Result<(Outcome, Ended), RunError> {
    let asked: Vec<Sequence> =
        std::iter::once(&sequences.trial).chain(&sequences.explained).cloned().collect();
    let wants = Wants { coverage: true, ..Wants::default() };
    let round = Round { sequences: asked, isolation: Isolation::Sequence, wants };
    let mut outcomes = pool.run(&round).map_err(|error| run_error(&error))?;
    let outcome = outcomes.remove(0);
    let ended = match (ended(pool, sequences, &outcome), outcomes.first()) {
        (Ended::Failed(short), Some(long)) => Ended::Failed(last_text(long).unwrap_or(short)),
        (ended, _) => ended,
    };
    Ok((outcome, ended))
}

/// How a test ended, as far as it can be told from what its sequence did.
fn ended(pool: &Pool, sequences: &Sequences, outcome: &Outcome) -> Ended {
    let body = sequences.trial.body();
    if let Some(failures) = sequences.failures
        && outcome.endings.len() == body
    {
        return match outcome.endings.get(failures.0 as usize).and_then(number) {
            Some(0) => Ended::Passed,
            Some(count) => Ended::Failed(format!("{count} failures")),
            None => Ended::Failed(describe(pool, outcome)),
        };
    }
    let after = outcome.observations.iter().flatten().all(|ending| matches!(ending, Ending::Returned(_)));
    if outcome.endings.len() == body && outcome.returned() && after {
        return Ended::Passed;
    }
    match outcome.endings.last() {
        Some(Ending::Threw(thrown)) if is_assumption(pool.class_name(thrown.class)) => Ended::Skipped,
        _ => Ended::Failed(describe(pool, outcome)),
    }
}

/// Whether what was thrown says that a test does not apply here.
pub(crate) fn is_assumption(class: &str) -> bool {
    class.ends_with("TestAbortedException") || class.ends_with("AssumptionViolatedException")
}

fn number(ending: &Ending) -> Option<i64> {
    match ending {
        Ending::Returned(Value::Primitive(Primitive::Int(number))) => Some((*number).into()),
        Ending::Returned(Value::Primitive(Primitive::Long(number))) => Some(*number),
        _ => None,
    }
}

/// What went wrong, in one line.
fn describe(pool: &Pool, outcome: &Outcome) -> String {
    let wrong = |ending: &&Ending| !matches!(ending, Ending::Returned(_));
    let all = outcome.endings.iter().chain(outcome.observations.iter().flatten());
    match all.clone().find(wrong) {
        Some(Ending::Threw(thrown)) => {
            let class = pool.class_name(thrown.class);
            let message = thrown.message.as_ref().and_then(Text::as_str).unwrap_or_default();
            let line = message.lines().next().unwrap_or_default();
            if line.is_empty() { class.to_owned() } else { format!("{class}: {line}") }
        }
        Some(Ending::TimedOut(_)) => "it does not come to an end".to_owned(),
        Some(Ending::Exited(status)) => format!("it asks the JVM to exit with status {status}"),
        Some(Ending::KilledWorker(death)) => format!("it ends the JVM: {death:?}"),
        Some(Ending::Unresolved(what)) => format!("it cannot be run: {what}"),
        Some(other) => format!("it cannot be run: {other:?}"),
        None if outcome.endings.is_empty() => "a test before it ends the JVM".to_owned(),
        None => "it ends in an unexpected way".to_owned(),
    }
}

/// The text that the last statement gave: its first lines, as one.
fn last_text(outcome: &Outcome) -> Option<String> {
    let Some(Ending::Returned(Value::String(text) | Value::LongString(text, ..))) = outcome.endings.last()
    else {
        return None;
    };
    let lines =
        text.as_str()?.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("at "));
    let noise = |line: &&str| !line.starts_with("Failures (") && !line.starts_with("MethodSource [");
    let told: Vec<&str> = lines.filter(noise).take(4).collect();
    (!told.is_empty()).then(|| told.join(" "))
}
