//! Runs a compiled suite alone and together, and says which tests and checks are at fault.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use jurat_emit::{EmittedTest, TestId as SuiteId};
use jurat_model::{Check, Subject, Suite};
use jurat_validate::{Bench, Diagnostic, Ended, Hunt, Led, Run, Severity, TestId, TestResult, ValidateError};

use super::culprits::{sample, to_drop};
use super::groups::groups;
use super::notes::Notes;
use super::workshop::{Placed, Workshop};
use super::{COMPLAINTS, Chance, Finishing, Mending, Patience, environment};
use crate::archive::Standing;
use crate::error::RunError;

/// Culprits, each with a test that fails after it.
type Strikes = BTreeSet<(TestId, TestId)>;

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
    /// Tests that passed wherever they ran together; none if they could not be run.
    pub(super) passed: Option<BTreeSet<SuiteId>>,
    /// True if some that failed may pass once others are gone.
    pub(super) is_open: bool,
}

/// Compiles and runs the suite as it is now.
pub(super) fn judge(
    subject: &Subject,
    placed: &Placed<'_>,
    workshop: &mut Workshop,
    finishing: &Finishing<'_>,
    clock: &Patience<'_>,
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
    let court = Court { subject, placed, bench, classes: workshop.classes(), seed: finishing.seed, clock };
    court.sit(mending)
}

/// The tests and where they are tried.
struct Court<'a> {
    subject: &'a Subject,
    placed: &'a Placed<'a>,
    bench: &'a Bench,
    classes: PathBuf,
    seed: u64,
    clock: &'a Patience<'a>,
}

impl Court<'_> {
    fn sit(&self, mending: &mut Mending) -> Result<Verdicts, RunError> {
        let tests: Vec<TestId> = self.placed.by_name.keys().cloned().collect();
        let orders = [Run::Shuffled(self.seed), Run::Reversed(self.seed)];
        let is_proof = mending.chance == Chance::Proof;
        let together = |run| {
            if is_proof {
                self.bench.run_whole(&tests, &self.classes, run, self.clock.left())
            } else {
                self.bench.run(&tests, &self.classes, run, self.clock.left_for_all())
            }
        };
        let mut shuffled = both(|| together(orders[0]), || together(orders[1]))?;
        let [mut passed, other] = shuffled.each_ref().map(|results| self.passed(results));
        passed.retain(|test| other.contains(test));
        let mut strikes = BTreeSet::new();
        if shuffled.iter().flatten().all(|result| result.ended == Ended::Passed) {
            let failed = |result: &TestResult| result.ended != Ended::Passed;
            for (results, led) in shuffled.iter_mut().zip(self.led(orders, mending)?) {
                strikes.extend(led.strikes.into_iter().filter(|(_, victim)| !led.doomed.contains(victim)));
                results.extend(led.results.into_iter().filter(failed));
            }
        }
        Notes(&self.bench.scratch).failed(self.placed, shuffled.iter().flatten());

        let mut verdicts = Verdicts::default();
        let is_late = mending.chance != Chance::More
            || self.clock.is_stopped()
            || self.clock.is_over() && mending.has_hunted;
        let spared = if is_late {
            // Nobody looks for culprits any more, but those that led are known, and without them the others pass.
            self.drop_quarrels(&strikes, None, mending, &mut verdicts);
            for results in &mut shuffled {
                results.retain(|result| !is_explained(result, &strikes));
            }
            BTreeSet::new()
        } else {
            self.spared(&shuffled, orders, &strikes, mending, &mut verdicts)?
        };
        for result in shuffled.iter().flatten().filter(|result| result.ended != Ended::Passed) {
            if !spared.contains(&result.test) {
                self.note(result, mending, &mut verdicts);
            }
            if let Some(emitted) = self.placed.by_name.get(&result.test) {
                passed.remove(&emitted.test);
            }
        }
        verdicts.passed = Some(passed);
        verdicts.is_open = !spared.is_empty();
        if verdicts.faults.is_empty() && !verdicts.is_open && !self.clock.is_over() {
            self.sorted(&tests, mending, &mut verdicts)?;
        }
        // What passes together has to pass alone as well; that takes longest, so it comes last.
        if verdicts.faults.is_empty() && !verdicts.is_open && !self.clock.is_over() {
            self.alone(&tests, mending, &mut verdicts)?;
        }
        Ok(verdicts)
    }

    /// Runs all where sets of classes have one order, and where they have the other.
    fn sorted(
        &self,
        tests: &[TestId],
        mending: &mut Mending,
        verdicts: &mut Verdicts,
    ) -> Result<(), RunError> {
        let run = |run| self.bench.run(tests, &self.classes, run, self.clock.left());
        let results = both(|| run(Run::Rising(self.seed)), || run(Run::Falling(self.seed)))?.concat();
        Notes(&self.bench.scratch).failed(self.placed, results.iter());
        for result in &results {
            if !self.note(result, mending, verdicts)
                && let Some(emitted) = self.placed.by_name.get(&result.test)
                && let Some(passed) = &mut verdicts.passed
            {
                passed.remove(&emitted.test);
            }
        }
        Ok(())
    }

    /// Lets tests of classes that remember something come first, one by one: in half of the time, since the others have to
    /// pass alone as well.
    fn led(&self, orders: [Run; 2], mending: &mut Mending) -> Result<[Led; 2], RunError> {
        let groups = groups(self.subject, &mending.suite, self.placed);
        let led = |half: usize| match groups[half].as_slice() {
            some if some.is_empty() || self.clock.is_over() => Ok(Led::default()),
            some => {
                let within = self.clock.left().map(|left| left / 2);
                self.bench.run_led(some, &self.classes, orders[half], within)
            }
        };
        let led = both(|| led(0), || led(1))?;
        let alone = led.iter().flat_map(|led| &led.alone);
        mending.alone.extend(alone.filter_map(|test| Some(self.placed.by_name.get(test)?.test)));
        Ok(led)
    }

    /// The tests that passed at least once.
    fn passed(&self, results: &[TestResult]) -> BTreeSet<SuiteId> {
        let passed = results.iter().filter(|result| result.ended == Ended::Passed);
        passed.filter_map(|result| Some(self.placed.by_name.get(&result.test)?.test)).collect()
    }

    /// Runs tests alone that have not been, as far as the time goes.
    fn alone(
        &self,
        tests: &[TestId],
        mending: &mut Mending,
        verdicts: &mut Verdicts,
    ) -> Result<(), RunError> {
        let id = |test: &TestId| self.placed.by_name.get(test).map(|emitted| emitted.test);
        let is_new = |test: &&TestId| id(test).is_some_and(|id| !mending.alone.contains(&id));
        let new: Vec<TestId> = tests.iter().filter(is_new).cloned().collect();
        let results = self.one_by_one(&new, Run::Alone, self.clock.left())?;
        Notes(&self.bench.scratch).failed(self.placed, results.iter());
        for result in &results {
            if self.note(result, mending, verdicts) {
                mending.alone.extend(id(&result.test));
            }
        }
        Ok(())
    }

    /// Runs each test by itself, in two JVMs.
    fn one_by_one(
        &self,
        tests: &[TestId],
        run: Run,
        within: Option<Duration>,
    ) -> Result<Vec<TestResult>, RunError> {
        let (first, second) = tests.split_at(tests.len() / 2);
        let run = |some| self.bench.run(some, &self.classes, run, within);
        Ok(both(|| run(first), || run(second))?.concat())
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

    /// Tests with nothing wrong about them, unless others come before: they passed in some order, or pass from a fresh
    /// start. Where many disturb others, few ever come before all of these.
    fn sound(&self, shuffled: &[Vec<TestResult>; 2]) -> Result<BTreeSet<TestId>, RunError> {
        let (mut sound, failed) = passed_or_failed(&shuffled.concat());
        let failed: Vec<TestId> = failed.into_iter().collect();
        let apart = self.one_by_one(&failed, Run::Apart(self.seed), self.clock.left_for_some())?;
        sound.extend(passed_or_failed(&apart).0);
        Ok(sound)
    }

    /// Finds out why tests fail here and pass there, and drops the culprits. Gives those that may pass without them.
    fn spared(
        &self,
        shuffled: &[Vec<TestResult>; 2],
        orders: [Run; 2],
        led: &Strikes,
        mending: &mut Mending,
        verdicts: &mut Verdicts,
    ) -> Result<BTreeSet<TestId>, RunError> {
        if shuffled.iter().flatten().all(|result| result.ended == Ended::Passed) {
            return Ok(BTreeSet::new());
        }
        let sound = self.sound(shuffled)?;
        let victims = |results: &[TestResult]| {
            let failed = results.iter().filter(|result| result.ended != Ended::Passed);
            let failed = failed.map(|result| &result.test).filter(|test| sound.contains(test));
            failed.cloned().collect::<BTreeSet<TestId>>().into_iter().collect::<Vec<TestId>>()
        };
        let victims = shuffled.each_ref().map(|results| victims(results));
        if victims.iter().all(Vec::is_empty) {
            return Ok(BTreeSet::new());
        }
        mending.has_hunted = true;
        let suspects: Vec<TestId> = sound.into_iter().collect();
        let hunt = |at: usize| {
            let watched = sample(&victims[at], WATCHED);
            self.bench.hunt(&suspects, &watched, &self.classes, orders[at], self.clock.left_for_some())
        };
        let [mut hunt, other] = both(|| hunt(0), || hunt(1))?;
        hunt.doomed.extend(other.doomed);
        hunt.watched.extend(other.watched);
        hunt.strikes.extend(other.strikes);
        let Hunt { doomed, watched, mut strikes, is_complete } = hunt;
        let all: BTreeSet<&TestId> = victims.iter().flatten().collect();
        let found: BTreeSet<TestId> = strikes.iter().map(|(_, victim)| victim.clone()).collect();
        strikes.extend(led.iter().filter(|(_, victim)| !found.contains(victim)).cloned());
        let struck: BTreeSet<&TestId> = strikes.iter().map(|(_, victim)| victim).collect();
        let seen = watched.iter().chain(struck.iter().copied()).filter(|test| all.contains(test));
        let seen: BTreeSet<&TestId> = seen.collect();
        self.drop_quarrels(&strikes, Some((seen.len(), all.len())), mending, verdicts);
        let is_alone_at_fault = |test: &TestId| {
            doomed.contains(test) || is_complete && other.is_complete && watched.contains(test)
        };
        let is_guilty = |test: &TestId| !struck.contains(test) && is_alone_at_fault(test);
        Ok(victims.into_iter().flatten().filter(|test| !is_guilty(test)).collect())
    }

    /// Drops tests until none is left together with one that it disturbs. Only some of the victims may have been looked
    /// at.
    fn drop_quarrels(
        &self,
        strikes: &Strikes,
        seen_of_all: Option<(usize, usize)>,
        mending: &mut Mending,
        verdicts: &mut Verdicts,
    ) {
        let is_last_resort = |test: &TestId| {
            let emitted = self.placed.by_name.get(test).map(|emitted| emitted.test);
            let sequence = emitted.map(|id| &mending.suite.classes[id.class].tests[id.test].sequence);
            sequence.is_some_and(|sequence| Standing::of(self.subject, sequence) == Standing::LastResort)
        };
        for (test, role) in to_drop(strikes, seen_of_all.unwrap_or((1, 1)), is_last_resort) {
            if let Some(emitted) = self.placed.by_name.get(&test) {
                blame(emitted.test, role.to_string(), mending, verdicts);
            }
        }
    }
}

/// True if a test failed because of one that came first.
fn is_explained(result: &TestResult, strikes: &Strikes) -> bool {
    let is_victim = strikes.iter().any(|(_, victim)| *victim == result.test);
    is_victim && matches!(result.ended, Ended::Failed { .. })
}

/// Tests that always ended by themselves: those that passed somewhere, and those that never did.
fn passed_or_failed(results: &[TestResult]) -> (BTreeSet<TestId>, BTreeSet<TestId>) {
    let of = |is: &dyn Fn(&Ended) -> bool| -> BTreeSet<TestId> {
        results.iter().filter(|result| is(&result.ended)).map(|result| result.test.clone()).collect()
    };
    let bad = of(&|ended| matches!(ended, Ended::Slow | Ended::KilledJvm));
    let passed = of(&|ended| *ended == Ended::Passed);
    let failed = of(&|ended| *ended != Ended::Passed);
    (&passed - &bad, &(&failed - &passed) - &bad)
}

/// The whole test goes; whatever it does in other runs, it is counted once.
fn blame(test: SuiteId, reason: String, mending: &mut Mending, verdicts: &mut Verdicts) {
    if verdicts.faults.insert(Fault::Test(test)) {
        *mending.taken_out.tests.entry(reason).or_default() += 1;
    }
}

/// Does two things with JVMs at a time.
fn both<T: Send>(
    one: impl FnOnce() -> Result<T, ValidateError> + Send,
    other: impl FnOnce() -> Result<T, ValidateError> + Send,
) -> Result<[T; 2], RunError> {
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
