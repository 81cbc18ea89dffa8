//! Runs a compiled suite alone and together, and says which tests and checks are at fault.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jurat_emit::{EmittedTest, TestId as SuiteId};
use jurat_model::{Check, Suite};
use jurat_validate::{Bench, Diagnostic, Ended, Hunt, Run, Severity, TestId, TestResult, ValidateError};

use super::culprits::{sample, to_drop};
use super::notes::Notes;
use super::workshop::{Placed, Workshop};
use super::{COMPLAINTS, Finishing, Mending, Patience, environment};
use crate::error::RunError;

/// How many victims are looked at after every test of a hunt.
const WATCHED: usize = 16;

/// What is wrong with one test.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// The whole test has to go.
    Test(SuiteId),
    /// One of its checks does not hold.
    Check(SuiteId, usize),
}

/// What validation found.
#[derive(Default)]
pub(super) struct Verdicts {
    pub(super) faults: BTreeSet<Fault>,
    /// Tests that passed alone and in two orders.
    pub(super) passed: BTreeSet<SuiteId>,
    /// True if some that failed may pass once others are gone.
    pub(super) is_open: bool,
}

/// Compiles and runs the suite as it is now.
pub(super) fn judge(
    placed: &Placed<'_>,
    workshop: &mut Workshop,
    finishing: &Finishing<'_>,
    clock: &Patience,
    mending: &mut Mending,
) -> Result<Verdicts, RunError> {
    let (bench, out) = (finishing.bench, &mut mending.taken_out);
    let remarks = workshop.compile(placed, bench)?;
    Notes(&bench.scratch).remarks(placed, &remarks);
    let uncompilable = uncompilable(placed, &remarks);
    if !uncompilable.is_empty() {
        out.uncompilable += uncompilable.len();
        let errors = remarks.iter().filter(|remark| remark.severity == Severity::Error);
        let room = COMPLAINTS.saturating_sub(out.complaints.len());
        out.complaints.extend(errors.take(room).map(|error| error.message.clone()));
        let faults = uncompilable.into_iter().map(Fault::Test).collect();
        return Ok(Verdicts { faults, ..Verdicts::default() });
    }
    out.warnings = out.warnings.max(remarks.len());
    let court = Court { placed, bench, classes: workshop.classes(), seed: finishing.seed, clock };
    court.sit(mending)
}

/// The tests and where they are tried.
struct Court<'a> {
    placed: &'a Placed<'a>,
    bench: &'a Bench,
    classes: PathBuf,
    seed: u64,
    clock: &'a Patience,
}

impl Court<'_> {
    fn sit(&self, mending: &mut Mending) -> Result<Verdicts, RunError> {
        let tests: Vec<TestId> = self.placed.by_name.keys().cloned().collect();
        // The cheap runs first: should the time run out in the middle, most is known.
        let orders = [Run::Shuffled(self.seed), Run::Reversed(self.seed)];
        let together = |run| self.bench.run(&tests, &self.classes, run, self.clock.left_for_all());
        let shuffled = both(|| together(orders[0]), || together(orders[1]))?;
        let is_new = |test: &&TestId| !mending.good.contains(&self.placed.by_name[*test].test);
        let new: Vec<TestId> = tests.iter().filter(is_new).cloned().collect();
        let (first, second) = new.split_at(new.len() / 2);
        let alone = |some| self.bench.run(some, &self.classes, Run::Alone, self.clock.left());
        let alone = both(|| alone(first), || alone(second))?.concat();
        Notes(&self.bench.scratch).failed(self.placed, alone.iter().chain(shuffled.iter().flatten()));

        let mut verdicts = Verdicts::default();
        let mut passes: BTreeMap<SuiteId, usize> = BTreeMap::new();
        let mut sound: BTreeSet<TestId> = tests.iter().filter(|test| !is_new(test)).cloned().collect();
        for test in &sound {
            passes.insert(self.placed.by_name[test].test, 1);
        }
        for result in &alone {
            if self.note(result, mending, &mut verdicts) {
                sound.insert(result.test.clone());
                *passes.entry(self.placed.by_name[&result.test].test).or_default() += 1;
            }
        }
        let mut spared = BTreeSet::new();
        for (results, run) in shuffled.iter().zip(orders) {
            spared.extend(self.spared(results, run, &sound, mending, &mut verdicts)?);
        }
        for result in shuffled.iter().flatten() {
            let is_spared = result.ended != Ended::Passed && spared.contains(&result.test);
            if !is_spared && self.note(result, mending, &mut verdicts) {
                *passes.entry(self.placed.by_name[&result.test].test).or_default() += 1;
            }
        }
        // What was not run in all three ways has proved little; if there is no time for more, two orders have to do.
        let enough = if self.clock.is_over() { 2 } else { 3 };
        let proved = |(test, count): (SuiteId, usize)| {
            (count >= enough && !verdicts.faults.contains(&Fault::Test(test))).then_some(test)
        };
        verdicts.passed = passes.into_iter().filter_map(proved).collect();
        verdicts.is_open = !spared.is_empty();
        Ok(verdicts)
    }

    /// Notes what is wrong with a test; true if nothing is.
    fn note(&self, result: &TestResult, mending: &mut Mending, verdicts: &mut Verdicts) -> bool {
        let Some(emitted) = self.placed.by_name.get(&result.test) else { return false };
        match fault(emitted, &result.ended, &mending.suite) {
            None => return true,
            Some(Failing::Check(check)) => {
                verdicts.faults.insert(Fault::Check(emitted.test, check));
            }
            Some(Failing::Test(reason)) => blame(emitted.test, reason, mending, verdicts),
        }
        false
    }

    /// Finds out why tests that pass alone fail together, and drops the culprits. Gives those that may pass without
    /// them.
    fn spared(
        &self,
        results: &[TestResult],
        run: Run,
        sound: &BTreeSet<TestId>,
        mending: &mut Mending,
        verdicts: &mut Verdicts,
    ) -> Result<BTreeSet<TestId>, RunError> {
        let failed = |result: &&TestResult| matches!(result.ended, Ended::Failed { .. });
        let victims = results.iter().filter(failed).map(|result| &result.test);
        let victims: Vec<TestId> = victims.filter(|test| sound.contains(*test)).cloned().collect();
        if victims.is_empty() || mending.is_last || self.clock.is_over() {
            return Ok(BTreeSet::new());
        }
        let suspects: Vec<TestId> = sound.iter().cloned().collect();
        let watched = sample(&victims, WATCHED);
        let hunt = self.bench.hunt(&suspects, &watched, &self.classes, run, self.clock.left());
        let Hunt { doomed, watched, strikes } = hunt.map_err(|error| environment(&error))?;
        let struck: BTreeSet<&TestId> = strikes.iter().map(|(_, victim)| victim).collect();
        for (test, role) in to_drop(&strikes) {
            if let Some(emitted) = self.placed.by_name.get(&test) {
                blame(emitted.test, role.to_string(), mending, verdicts);
            }
        }
        let is_guilty =
            |test: &TestId| doomed.contains(test) || watched.contains(test) && !struck.contains(test);
        Ok(victims.into_iter().filter(|test| !is_guilty(test)).collect())
    }
}

/// The whole test goes; whatever it does in other runs, it is counted once.
fn blame(test: SuiteId, reason: String, mending: &mut Mending, verdicts: &mut Verdicts) {
    if verdicts.faults.insert(Fault::Test(test)) {
        *mending.taken_out.tests.entry(reason).or_default() += 1;
    }
}

type Ran = Result<Vec<TestResult>, ValidateError>;

/// Runs two JVMs at a time.
fn both(
    one: impl FnOnce() -> Ran + Send,
    other: impl FnOnce() -> Ran + Send,
) -> Result<[Vec<TestResult>; 2], RunError> {
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(other);
        (one(), other.join())
    });
    let other = other.map_err(|_| RunError::Bug("a thread that runs tests panicked".to_owned()))?;
    Ok([one.map_err(|error| environment(&error))?, other.map_err(|error| environment(&error))?])
}

/// The tests in which the compiler found errors; all tests of a file with an error outside of them.
fn uncompilable(placed: &Placed<'_>, remarks: &[Diagnostic]) -> BTreeSet<SuiteId> {
    let mut found = BTreeSet::new();
    for remark in remarks.iter().filter(|remark| remark.severity == Severity::Error) {
        let position =
            remark.file.as_ref().and_then(|file| placed.sources.iter().position(|source| source == file));
        let files = match position {
            Some(position) => &placed.files[position..=position],
            None => &placed.files[..],
        };
        for file in files {
            let inside = |test: &&EmittedTest| (test.lines.0..=test.lines.1).contains(&remark.line);
            match file.tests.iter().find(inside) {
                Some(test) if position.is_some() => {
                    found.insert(test.test);
                }
                _ => found.extend(file.tests.iter().map(|test| test.test)),
            }
        }
    }
    found
}

/// How a test fails.
enum Failing {
    /// One of its checks does not hold.
    Check(usize),
    /// It does not get as far, for this reason.
    Test(String),
}

fn fault(emitted: &EmittedTest, ended: &Ended, suite: &Suite) -> Option<Failing> {
    let reason = match ended {
        Ended::Passed => return None,
        Ended::Failed { line, exception, .. } => {
            let test = &suite.classes[emitted.test.class].tests[emitted.test.test];
            // A check may go over several lines: it is the last that begins no later.
            let check = emitted.checks.iter().filter(|(_, at)| at <= line).max_by_key(|(_, at)| *at);
            let is_assertion = exception.contains("Assert") || exception.contains("ComparisonFailure");
            let observes = |check: usize| {
                matches!(test.checks.get(check), Some(Check::State { .. } | Check::Contents { .. }))
            };
            if let Some((check, _)) = check.filter(|(check, _)| is_assertion || observes(*check)) {
                return Some(Failing::Check(*check));
            }
            if test.thrown.is_some() && is_assertion {
                "does not throw in a fresh JVM what it threw before".to_owned()
            } else {
                format!("throws {} in a fresh JVM", exception.rsplit('.').next().unwrap_or(exception))
            }
        }
        Ended::Slow => "takes too long".to_owned(),
        Ended::KilledJvm => "ends the JVM".to_owned(),
    };
    Some(Failing::Test(reason))
}
