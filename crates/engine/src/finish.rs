//! Emits a suite, validates it, and takes out whatever does not hold: first assertions, then tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jurat_emit::{EmitOptions, Emitted, EmittedTest, JavaFile, TestId as SuiteId, emit};
use jurat_model::{Check, Subject, Suite};
use jurat_validate::{Bench, Diagnostic, Ended, Run, Severity, TestId, TestResult, ValidateError};

use crate::coverage::{Coverage, ProbeTable};
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// How often what fails is mended before it is dropped as a whole.
const ATTEMPTS: usize = 4;
/// How many complaints of the compiler are kept.
const COMPLAINTS: usize = 5;

/// A suite that compiles and passes.
#[derive(Debug, Default)]
pub struct Finished {
    /// What is left of the suite.
    pub suite: Suite,
    /// Its files.
    pub files: Vec<JavaFile>,
    /// What was taken out on the way.
    pub taken_out: TakenOut,
    /// What the suite covers.
    pub coverage: Coverage,
}

/// What was taken out of a suite, and why.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TakenOut {
    /// Tests that Java cannot express.
    pub inexpressible: usize,
    /// Tests that did not compile: our mistake.
    pub uncompilable: usize,
    /// The first few things the compiler said of them.
    pub complaints: Vec<String>,
    /// Remarks of the compiler about what compiles.
    pub warnings: usize,
    /// Assertions that did not hold in a fresh JVM.
    pub checks: usize,
    /// Tests that did not pass in a fresh JVM, by reason.
    pub tests: BTreeMap<String, usize>,
}

/// How a suite is emitted and validated.
#[derive(Clone, Copy, Debug)]
pub struct Finishing<'a> {
    /// How tests are written.
    pub options: &'a EmitOptions,
    /// What they are compiled and run with.
    pub bench: &'a Bench,
    /// Decides the orders in which the tests are shuffled.
    pub seed: u64,
    /// How long it may take. What could not be validated by then is dropped.
    pub within: Option<Duration>,
}

/// Emits and validates.
pub fn finish(subject: &Subject, suite: Suite, finishing: &Finishing<'_>) -> Result<Finished, RunError> {
    let mut mending = Mending::new(suite);
    let clock = Patience::start(finishing.within);
    for attempt in 0..ATTEMPTS {
        // Tests that were never run are none: before the first have passed, nothing ends for want of time.
        if mending.is_good() || clock.is_over() && !mending.good.is_empty() {
            break;
        }
        let emitted = emit(subject, &mending.suite, finishing.options);
        if attempt == 0 {
            mending.taken_out.inexpressible = emitted.left_out.len();
        }
        mending.drop_all(emitted.left_out.iter().map(|(test, _)| *test));
        if !emitted.left_out.is_empty() {
            continue;
        }
        let folder = finishing.bench.scratch.join(format!("attempt-{attempt}"));
        let placed = Placed::write(&emitted, &mending, &folder)?;
        let Verdicts { faults, passed } = judge(&placed, finishing, &clock, &mut mending)?;
        mending.good.extend(passed);
        mending.mend(&faults, attempt + 2 >= ATTEMPTS);
    }
    // What passed is a good suite already; the rest goes.
    let reason = if clock.is_over() { LATE } else { "still failed after it was mended" };
    mending.drop_unproven(reason);
    let files = emit(subject, &mending.suite, finishing.options).files;
    let Mending { suite, taken_out, .. } = mending;
    Ok(Finished { suite, files, taken_out, coverage: Coverage::default() })
}

/// A suite on its way to one that passes.
struct Mending {
    suite: Suite,
    /// Tests that passed alone and in two orders, as they are now.
    good: BTreeSet<SuiteId>,
    taken_out: TakenOut,
}

impl Mending {
    fn new(suite: Suite) -> Self {
        Self { suite, good: BTreeSet::new(), taken_out: TakenOut::default() }
    }

    fn is_good(&self) -> bool {
        self.good.len() == self.suite.len()
    }

    /// Takes out what is at fault; with `whole`, a test with a bad check goes as a whole.
    fn mend(&mut self, faults: &BTreeSet<Fault>, whole: bool) {
        let mut gone: BTreeSet<SuiteId> = BTreeSet::new();
        // From the last check to the first, so that positions stay what they were.
        for fault in faults.iter().rev() {
            match fault {
                Fault::Check(test, _) if whole => {
                    gone.insert(*test);
                }
                Fault::Check(test, check) => {
                    self.suite.classes[test.class].tests[test.test].checks.remove(*check);
                    self.good.remove(test);
                }
                Fault::Test(test) => {
                    gone.insert(*test);
                }
            }
            self.taken_out.checks += usize::from(matches!(fault, Fault::Check(..)));
        }
        self.drop_all(gone);
    }

    /// Drops tests that did not pass as they are now.
    fn drop_unproven(&mut self, reason: &str) {
        let all = self.suite.classes.iter().enumerate();
        let ids =
            all.flat_map(|(class, tests)| (0..tests.tests.len()).map(move |test| SuiteId { class, test }));
        let unproven: BTreeSet<SuiteId> = ids.filter(|id| !self.good.contains(id)).collect();
        if !unproven.is_empty() {
            *self.taken_out.tests.entry(reason.to_owned()).or_default() += unproven.len();
            self.drop_all(unproven);
        }
    }

    /// Drops tests; those that are left are numbered anew.
    fn drop_all(&mut self, gone: impl IntoIterator<Item = SuiteId>) {
        let gone: BTreeSet<SuiteId> = gone.into_iter().collect();
        if gone.is_empty() {
            return;
        }
        let mut good = BTreeSet::new();
        let mut classes = Vec::new();
        for (class, mut class_suite) in std::mem::take(&mut self.suite.classes).into_iter().enumerate() {
            let mut kept = Vec::new();
            for (test, kept_test) in std::mem::take(&mut class_suite.tests).into_iter().enumerate() {
                let old = SuiteId { class, test };
                if gone.contains(&old) {
                    continue;
                }
                if self.good.contains(&old) {
                    good.insert(SuiteId { class: classes.len(), test: kept.len() });
                }
                kept.push(kept_test);
            }
            if !kept.is_empty() {
                class_suite.tests = kept;
                classes.push(class_suite);
            }
        }
        self.suite.classes = classes;
        self.good = good;
    }
}

/// The reason for tests that there was no time to validate.
const LATE: &str = "no time was left to compile and run them";

/// The least time in which all tests are run together.
const LEAST: Duration = Duration::from_secs(10);

/// The time that is left.
struct Patience {
    start: Instant,
    within: Option<Duration>,
}

impl Patience {
    #[expect(clippy::disallowed_methods, reason = "validation must end in time")]
    fn start(within: Option<Duration>) -> Self {
        Self { start: Instant::now(), within }
    }

    fn left(&self) -> Option<Duration> {
        self.within.map(|within| within.saturating_sub(self.start.elapsed()))
    }

    /// The time for running all tests together: some there must be, however long the compiler took.
    fn left_for_all(&self) -> Option<Duration> {
        let least = |within: Duration| (within / 2).max(LEAST);
        self.left().zip(self.within).map(|(left, within)| left.max(least(within)))
    }

    fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// What the tests of a suite cover when they run together, as they do in a build.
pub fn covered(suite: &Suite, probes: &ProbeTable, runner: &mut dyn Runner) -> Result<Coverage, RunError> {
    let tests = suite.classes.iter().flat_map(|class| &class.tests);
    let jobs: Vec<Job> = tests.map(|test| test.sequence.clone().into()).collect();
    let outcomes = runner.run(&jobs, Mode::Probe)?;
    let hits: BTreeSet<_> = outcomes.into_iter().flat_map(|outcome| outcome.hits).collect();
    Ok(probes.coverage(&hits))
}

/// Emitted files in a scratch folder: those with tests that have not passed yet.
struct Placed<'a> {
    files: Vec<&'a JavaFile>,
    sources: Vec<PathBuf>,
    classes: PathBuf,
    /// Where each test that has not passed yet is, by the name the validating JVM gives it.
    by_name: BTreeMap<TestId, &'a EmittedTest>,
}

impl<'a> Placed<'a> {
    fn write(emitted: &'a Emitted, mending: &Mending, folder: &Path) -> Result<Self, RunError> {
        let is_open = |test: &&EmittedTest| !mending.good.contains(&test.test);
        let files: Vec<&JavaFile> =
            emitted.files.iter().filter(|file| file.tests.iter().any(|test| is_open(&test))).collect();
        let mut sources = Vec::new();
        let mut by_name = BTreeMap::new();
        for file in &files {
            let path = folder.join("src").join(&file.path);
            crate::place::write_file(&path, &file.text)?;
            sources.push(path);
            let class = binary_name(file);
            by_name.extend(
                file.tests
                    .iter()
                    .filter(is_open)
                    .map(|test| (TestId { class: class.clone(), method: test.name.clone() }, test)),
            );
        }
        Ok(Self { files, sources, classes: folder.join("classes"), by_name })
    }
}

fn binary_name(file: &JavaFile) -> String {
    if file.package.is_empty() {
        file.class_name.clone()
    } else {
        format!("{}.{}", file.package, file.class_name)
    }
}

/// What is wrong with one test.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// The whole test has to go.
    Test(SuiteId),
    /// One of its checks does not hold.
    Check(SuiteId, usize),
}

/// What validation found.
#[derive(Default)]
struct Verdicts {
    faults: BTreeSet<Fault>,
    /// Tests that passed alone and in two orders.
    passed: BTreeSet<SuiteId>,
}

fn judge(
    placed: &Placed<'_>,
    finishing: &Finishing<'_>,
    clock: &Patience,
    mending: &mut Mending,
) -> Result<Verdicts, RunError> {
    let (bench, out) = (finishing.bench, &mut mending.taken_out);
    let remarks = bench.compile(&placed.sources, &placed.classes).map_err(|error| environment(&error))?;
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
    let tests: Vec<TestId> = placed.by_name.keys().cloned().collect();
    let (first, second) = tests.split_at(tests.len() / 2);
    // The cheap runs first: should the time run out in the middle, most is known.
    let shuffle = |seed| bench.run(&tests, &placed.classes, Run::Shuffled(seed), clock.left_for_all());
    let shuffled = both(|| shuffle(finishing.seed), || shuffle(finishing.seed.wrapping_add(1)))?;
    let alone = both(
        || bench.run(first, &placed.classes, Run::Alone, clock.left()),
        || bench.run(second, &placed.classes, Run::Alone, clock.left()),
    )?;
    let mut verdicts = Verdicts::default();
    let mut passes: BTreeMap<SuiteId, usize> = BTreeMap::new();
    for result in alone.iter().chain(&shuffled) {
        let Some(emitted) = placed.by_name.get(&result.test) else { continue };
        match fault(emitted, &result.ended, &mending.suite) {
            None => *passes.entry(emitted.test).or_default() += 1,
            Some(Failing::Check(check)) => {
                verdicts.faults.insert(Fault::Check(emitted.test, check));
            }
            Some(Failing::Test(reason)) => {
                // Whatever it does in the other runs, it is counted once.
                if verdicts.faults.insert(Fault::Test(emitted.test)) {
                    *mending.taken_out.tests.entry(reason).or_default() += 1;
                }
            }
        }
    }
    // What was not run in all three ways has proved little; if there is no time for more, two orders have to do.
    let enough = if clock.is_over() { 2 } else { 3 };
    let proved = |(test, count): (SuiteId, usize)| {
        (count >= enough && !verdicts.faults.contains(&Fault::Test(test))).then_some(test)
    };
    verdicts.passed = passes.into_iter().filter_map(proved).collect();
    Ok(verdicts)
}

type Ran = Result<Vec<TestResult>, ValidateError>;

/// Runs two JVMs at a time.
fn both(
    one: impl FnOnce() -> Ran + Send,
    other: impl FnOnce() -> Ran + Send,
) -> Result<Vec<TestResult>, RunError> {
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(other);
        (one(), other.join())
    });
    let other = other.map_err(|_| RunError::Bug("a thread that runs tests panicked".to_owned()))?;
    let mut results = one.map_err(|error| environment(&error))?;
    results.extend(other.map_err(|error| environment(&error))?);
    Ok(results)
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

fn environment(error: &jurat_validate::ValidateError) -> RunError {
    RunError::Environment(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_run_together_even_if_the_compiler_took_all_the_time() {
        let over = Patience::start(Some(Duration::ZERO));
        assert!(over.is_over());
        assert_eq!(over.left_for_all(), Some(LEAST));
        let minute = Patience::start(Some(Duration::from_secs(60)));
        assert!(minute.left_for_all() > Some(Duration::from_secs(30)));
        assert_eq!(Patience::start(None).left_for_all(), None);
    }
}
