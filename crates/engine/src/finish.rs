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
    let mut finished = Finished { suite, ..Finished::default() };
    let mut validated: BTreeMap<String, String> = BTreeMap::new();
    let clock = Patience::start(finishing.within);
    for attempt in 0.. {
        let emitted = emit(subject, &finished.suite, finishing.options);
        if attempt == 0 {
            finished.taken_out.inexpressible = emitted.left_out.len();
        }
        let is_new = |file: &JavaFile| validated.get(&file.path) != Some(&file.text);
        if !emitted.files.iter().any(is_new) {
            finished.files = emitted.files;
            return Ok(finished);
        }
        if attempt >= ATTEMPTS || clock.is_over() {
            // What was validated is a good suite already; the rest goes.
            let late = emitted.files.iter().filter(|file| is_new(file)).flat_map(|file| &file.tests);
            let faults: BTreeSet<Fault> = late.map(|test| Fault::Test(test.test)).collect();
            let reason = if clock.is_over() { LATE } else { "still fails after it was mended" };
            *finished.taken_out.tests.entry(reason.to_owned()).or_default() += faults.len();
            mend(&mut finished, &faults, true);
            finished.files = emit(subject, &finished.suite, finishing.options).files;
            return Ok(finished);
        }
        let folder = finishing.bench.scratch.join(format!("attempt-{attempt}"));
        let placed = Placed::write(&emitted, &is_new, &folder)?;
        let faults = faults(&placed, finishing, &clock, &finished.suite, &mut finished.taken_out)?;
        let at_fault: BTreeSet<SuiteId> = faults.iter().map(Fault::test).collect();
        for file in placed.files() {
            if !file.tests.iter().any(|test| at_fault.contains(&test.test)) {
                validated.insert(file.path.clone(), file.text.clone());
            }
        }
        mend(&mut finished, &faults, attempt + 2 >= ATTEMPTS);
    }
    unreachable!("the last attempt returns")
}

/// The reason for tests that there was no time to validate.
const LATE: &str = "no time was left to compile and run them";

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

/// Emitted files in a scratch folder: those that were not validated before.
struct Placed<'a> {
    files: Vec<&'a JavaFile>,
    sources: Vec<PathBuf>,
    classes: PathBuf,
    /// Where each test is, by the name the validating JVM gives it.
    by_name: BTreeMap<TestId, &'a EmittedTest>,
}

impl<'a> Placed<'a> {
    fn write(
        emitted: &'a Emitted,
        is_new: &dyn Fn(&JavaFile) -> bool,
        folder: &Path,
    ) -> Result<Self, RunError> {
        let files: Vec<&JavaFile> = emitted.files.iter().filter(|file| is_new(file)).collect();
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
                    .map(|test| (TestId { class: class.clone(), method: test.name.clone() }, test)),
            );
        }
        Ok(Self { files, sources, classes: folder.join("classes"), by_name })
    }

    fn files(&self) -> impl Iterator<Item = &'a JavaFile> + '_ {
        self.files.iter().copied()
    }

    /// The tests as the validating JVM names them, in the order of the files.
    fn tests(&self) -> Vec<TestId> {
        let all = self.files().flat_map(|file| file.tests.iter().map(move |test| (file, test)));
        all.map(|(file, test)| TestId { class: binary_name(file), method: test.name.clone() }).collect()
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

impl Fault {
    fn test(&self) -> SuiteId {
        match self {
            Self::Test(test) | Self::Check(test, _) => *test,
        }
    }
}

fn faults(
    placed: &Placed<'_>,
    finishing: &Finishing<'_>,
    clock: &Patience,
    suite: &Suite,
    out: &mut TakenOut,
) -> Result<BTreeSet<Fault>, RunError> {
    let bench = finishing.bench;
    let remarks = bench.compile(&placed.sources, &placed.classes).map_err(|error| environment(&error))?;
    let uncompilable = uncompilable(placed, &remarks);
    if !uncompilable.is_empty() {
        out.uncompilable += uncompilable.len();
        let errors = remarks.iter().filter(|remark| remark.severity == Severity::Error);
        let room = COMPLAINTS.saturating_sub(out.complaints.len());
        out.complaints.extend(errors.take(room).map(|error| error.message.clone()));
        return Ok(uncompilable.into_iter().map(Fault::Test).collect());
    }
    out.warnings += remarks.len();
    let tests = placed.tests();
    let (first, second) = tests.split_at(tests.len() / 2);
    let mut faults = BTreeSet::new();
    let alone = both(
        || bench.run(first, &placed.classes, Run::Alone, clock.left()),
        || bench.run(second, &placed.classes, Run::Alone, clock.left()),
    )?;
    let shuffled = both(
        || bench.run(&tests, &placed.classes, Run::Shuffled(finishing.seed), clock.left()),
        || bench.run(&tests, &placed.classes, Run::Shuffled(finishing.seed.wrapping_add(1)), clock.left()),
    )?;
    let mut times_run: BTreeMap<&TestId, usize> = BTreeMap::new();
    for result in alone.iter().chain(&shuffled) {
        *times_run.entry(&result.test).or_default() += 1;
        if let Some(emitted) = placed.by_name.get(&result.test) {
            faults.extend(fault(emitted, &result.ended, suite, out));
        }
    }
    // Alone and in two orders: what was not run in all of them is not validated.
    for (test, emitted) in &placed.by_name {
        if times_run.get(test).copied().unwrap_or_default() < 3 && faults.insert(Fault::Test(emitted.test)) {
            *out.tests.entry(LATE.to_owned()).or_default() += 1;
        }
    }
    Ok(faults)
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

fn fault(emitted: &EmittedTest, ended: &Ended, suite: &Suite, out: &mut TakenOut) -> Option<Fault> {
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
                return Some(Fault::Check(emitted.test, *check));
            }
            if test.thrown.is_some() && is_assertion {
                "does not throw what it threw before".to_owned()
            } else {
                format!("throws {}", exception.rsplit('.').next().unwrap_or(exception))
            }
        }
        Ended::Slow => "takes too long".to_owned(),
        Ended::KilledJvm => "ends the JVM".to_owned(),
    };
    *out.tests.entry(reason).or_default() += 1;
    Some(Fault::Test(emitted.test))
}

/// Takes out what is at fault; with `whole`, a test with a bad check goes as a whole.
fn mend(finished: &mut Finished, faults: &BTreeSet<Fault>, whole: bool) {
    let mut bad: BTreeMap<SuiteId, BTreeSet<usize>> = BTreeMap::new();
    let mut gone: BTreeSet<SuiteId> = BTreeSet::new();
    for fault in faults {
        match fault {
            Fault::Check(test, check) => {
                bad.entry(*test).or_default().insert(*check);
                if whole {
                    gone.insert(*test);
                }
            }
            Fault::Test(test) => {
                gone.insert(*test);
            }
        }
    }
    let Finished { suite, taken_out, .. } = finished;
    for (class, class_suite) in suite.classes.iter_mut().enumerate() {
        let mut number = 0;
        class_suite.tests.retain_mut(|test| {
            let id = SuiteId { class, test: number };
            number += 1;
            if let Some(bad) = bad.get(&id) {
                taken_out.checks += bad.len();
                let mut position = 0;
                test.checks.retain(|_| {
                    position += 1;
                    !bad.contains(&(position - 1))
                });
            }
            !gone.contains(&id)
        });
    }
    suite.classes.retain(|class| !class.tests.is_empty());
}

fn environment(error: &jurat_validate::ValidateError) -> RunError {
    RunError::Environment(error.to_string())
}
