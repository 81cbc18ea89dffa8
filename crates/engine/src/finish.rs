//! Emits a suite, validates it, and takes out whatever does not hold: first assertions, then tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jurat_emit::{EmitOptions, Emitted, EmittedTest, JavaFile, TestId as SuiteId, emit};
use jurat_model::{Subject, Suite};
use jurat_validate::{Bench, Diagnostic, Ended, Run, Severity, TestId, TestResult};

use crate::coverage::{Coverage, ProbeTable};
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// How often the suite is mended before what still fails is dropped as a whole.
const ATTEMPTS: usize = 5;

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

/// Emits and validates. `seed` decides the orders in which the tests are shuffled.
pub fn finish(
    subject: &Subject,
    suite: Suite,
    options: &EmitOptions,
    bench: &Bench,
    seed: u64,
) -> Result<Finished, RunError> {
    let mut finished = Finished { suite, ..Finished::default() };
    for attempt in 0..ATTEMPTS {
        let emitted = emit(subject, &finished.suite, options);
        if attempt == 0 {
            finished.taken_out.inexpressible = emitted.left_out.len();
        }
        let placed = Placed::write(&emitted, &bench.scratch.join(format!("attempt-{attempt}")))?;
        let faults = faults(&placed, bench, seed, &mut finished.taken_out)?;
        if faults.is_empty() {
            finished.files = emitted.files;
            return Ok(finished);
        }
        let last_but_one = attempt + 2 >= ATTEMPTS;
        mend(&mut finished, &faults, last_but_one);
    }
    Err(RunError::Bug("the emitted tests could not be made to pass".to_owned()))
}

/// What the tests of a suite cover, each run in fresh state.
pub fn covered(suite: &Suite, probes: &ProbeTable, runner: &mut dyn Runner) -> Result<Coverage, RunError> {
    let tests = suite.classes.iter().flat_map(|class| &class.tests);
    let jobs: Vec<Job> = tests.map(|test| test.sequence.clone().into()).collect();
    let outcomes = runner.run(&jobs, Mode::Confirm)?;
    let hits: BTreeSet<_> = outcomes.into_iter().flat_map(|outcome| outcome.hits).collect();
    Ok(probes.coverage(&hits))
}

/// Emitted files in a scratch folder.
struct Placed<'a> {
    emitted: &'a Emitted,
    sources: Vec<PathBuf>,
    classes: PathBuf,
}

impl<'a> Placed<'a> {
    fn write(emitted: &'a Emitted, folder: &Path) -> Result<Self, RunError> {
        let mut sources = Vec::new();
        for file in &emitted.files {
            let path = folder.join("src").join(&file.path);
            crate::place::write_file(&path, &file.text)?;
            sources.push(path);
        }
        Ok(Self { emitted, sources, classes: folder.join("classes") })
    }

    /// The tests as the validating JVM names them.
    fn tests(&self) -> Vec<TestId> {
        let all = self.emitted.files.iter().flat_map(|file| file.tests.iter().map(move |test| (file, test)));
        all.map(|(file, test)| TestId { class: binary_name(file), method: test.name.clone() }).collect()
    }

    fn find(&self, test: &TestId) -> Option<&EmittedTest> {
        let file = self.emitted.files.iter().find(|file| binary_name(file) == test.class)?;
        file.tests.iter().find(|emitted| emitted.name == test.method)
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

fn faults(
    placed: &Placed<'_>,
    bench: &Bench,
    seed: u64,
    out: &mut TakenOut,
) -> Result<BTreeSet<Fault>, RunError> {
    if placed.sources.is_empty() {
        return Ok(BTreeSet::new());
    }
    let remarks = bench.compile(&placed.sources, &placed.classes).map_err(|error| environment(&error))?;
    let uncompilable = uncompilable(placed, &remarks);
    if !uncompilable.is_empty() {
        out.uncompilable += uncompilable.len();
        let errors = remarks.iter().filter(|remark| remark.severity == Severity::Error);
        out.complaints.extend(errors.take(5).map(|error| error.message.clone()));
        return Ok(uncompilable.into_iter().map(Fault::Test).collect());
    }
    out.warnings = remarks.len();
    let tests = placed.tests();
    let mut faults = BTreeSet::new();
    for run in [Run::Alone, Run::Shuffled(seed), Run::Shuffled(seed.wrapping_add(1))] {
        let results = bench.run(&tests, &placed.classes, run).map_err(|error| environment(&error))?;
        for result in results {
            faults.extend(fault(placed, &result, out));
        }
    }
    Ok(faults)
}

/// The tests in which the compiler found errors; all tests of a file with an error outside of them.
fn uncompilable(placed: &Placed<'_>, remarks: &[Diagnostic]) -> BTreeSet<SuiteId> {
    let mut found = BTreeSet::new();
    for remark in remarks.iter().filter(|remark| remark.severity == Severity::Error) {
        let position =
            remark.file.as_ref().and_then(|file| placed.sources.iter().position(|source| source == file));
        let files = match position {
            Some(position) => &placed.emitted.files[position..=position],
            None => &placed.emitted.files[..],
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

fn fault(placed: &Placed<'_>, result: &TestResult, out: &mut TakenOut) -> Option<Fault> {
    let emitted = placed.find(&result.test)?;
    let reason = match &result.ended {
        Ended::Passed => return None,
        Ended::Failed { line, exception, .. } => {
            let check = emitted.checks.iter().find(|(_, at)| at == line);
            if let Some((check, _)) = check.filter(|_| exception.contains("Assert")) {
                return Some(Fault::Check(emitted.test, *check));
            }
            format!("throws {}", exception.rsplit('.').next().unwrap_or(exception))
        }
        Ended::Slow => "takes too long".to_owned(),
        Ended::KilledJvm => "ends the JVM".to_owned(),
    };
    *out.tests.entry(reason).or_default() += 1;
    Some(Fault::Test(emitted.test))
}

/// Takes out what is at fault; with `whole`, a test with a bad check goes as a whole.
fn mend(finished: &mut Finished, faults: &BTreeSet<Fault>, whole: bool) {
    let Finished { suite, taken_out, .. } = finished;
    for (class, class_suite) in suite.classes.iter_mut().enumerate() {
        let mut number = 0;
        class_suite.tests.retain_mut(|test| {
            let id = SuiteId { class, test: number };
            number += 1;
            let bad: BTreeSet<usize> = faults
                .iter()
                .filter_map(|fault| match fault {
                    Fault::Check(at, check) if *at == id => Some(*check),
                    _ => None,
                })
                .collect();
            taken_out.checks += bad.len();
            let mut position = 0;
            test.checks.retain(|_| {
                position += 1;
                !bad.contains(&(position - 1))
            });
            let gone = faults.contains(&Fault::Test(id)) || whole && !bad.is_empty();
            !gone
        });
    }
    suite.classes.retain(|class| !class.tests.is_empty());
}

fn environment(error: &jurat_validate::ValidateError) -> RunError {
    RunError::Environment(error.to_string())
}
