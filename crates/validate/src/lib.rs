//! Compiles emitted tests and runs them in fresh JVMs, under other clocks, zones and hash codes.
//!
//! The work is done by one Java program, `java/JuratValidate.java`, which the JDK runs from its source: there is
//! nothing to build beforehand and nothing to ship beside the binary. Plans and reports are lines of text.

mod java;
mod junit;
mod report;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jurat_classpath::jdk::Jdk;

use java::Cause;

pub use junit::{JUnit, JUnitSearch, Version, is_mockito, is_of_mockito};
pub use report::{Diagnostic, Ended, Severity, TestId, TestResult};

/// How long one test may take.
const TEST_MILLIS: u64 = 10_000;

/// How long a JVM may say nothing. Tests have a limit of their own: this one is for a JVM that hangs, not for a busy
/// machine.
const SILENCE: Duration = Duration::from_secs(120);

/// Flags where classes are defined again and again, as when tests run alone; they are verified when all run together.
const UNVERIFIED: [&str; 2] = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"];

/// How many JVMs a hunt may take.
const HUNTS: usize = 8;

/// Why validation could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// The JDK has no compiler.
    #[error("the JDK at {} has no compiler; install the full JDK (on Debian: apt-get install openjdk-17-jdk-headless)", .0.display())]
    NoCompiler(PathBuf),
    /// JUnit was not found.
    #[error(
        "JUnit {version} not found; looked at {looked}. Add it to --classpath, fetch it with Maven, or run `make setup`"
    )]
    NoJUnit {
        /// Which one is needed.
        version: &'static str,
        /// Where it was looked for.
        looked: String,
    },
    /// A file could not be read or written.
    #[error("cannot write {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The JVM ended without finishing its plan.
    #[error("the JVM that {doing} ended early: {reason}")]
    Ended {
        /// What it was to do.
        doing: &'static str,
        /// What it said.
        reason: String,
    },
}

/// What tests are compiled and run with.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The JDK.
    pub jdk: Jdk,
    /// The classes under test and what they need: loaded anew for every test that runs alone.
    pub class_path: Vec<PathBuf>,
    /// JUnit and Mockito, which are loaded once; none of JUnit if the class path has it.
    pub junit: Vec<PathBuf>,
    /// A folder for plans, reports and class files.
    pub scratch: PathBuf,
    /// Set when the user asks to stop: what runs then ends early, what is started later has the time it is given.
    pub stop: Arc<AtomicBool>,
}

/// How tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Each in a class loader of its own, in this order.
    Alone,
    /// The same, in the zone and locale and with the identity hash codes in which `Shuffled` begins.
    Apart(u64),
    /// All in one class loader and one thread, in an order drawn from this seed, in another zone and locale and with
    /// other identity hash codes; three times, each from a fresh start, in other orders and places.
    Shuffled(u64),
    /// The same orders from their ends to their starts, in other places, with other identity hash codes yet and another
    /// collector: of two tests, either comes first as often.
    Reversed(u64),
    /// All once in one class loader, in the order in which `Shuffled` begins. The identity hash codes of the JDK's classes
    /// that they name rise with the names.
    Rising(u64),
    /// The same from the end to the start, and the hash codes fall: of two classes in a set, either comes first once.
    Falling(u64),
}

/// Tests that may find what others of them leave behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// All of them.
    pub members: Vec<TestId>,
    /// Those that are run first, each once.
    pub leaders: Vec<TestId>,
}

/// How tests of groups ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Led {
    /// All of them, once for each time that they ran.
    pub results: Vec<TestResult>,
    /// The leaders that passed from a fresh start: as if they had run alone.
    pub alone: BTreeSet<TestId>,
    /// Leaders that passed, and tests that failed after them.
    pub strikes: BTreeSet<(TestId, TestId)>,
    /// Leaders that failed: nobody came before them.
    pub doomed: BTreeSet<TestId>,
}

/// Which tests disturb which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunt {
    /// Victims that fail from a fresh start: it is the surroundings that they depend on.
    pub doomed: BTreeSet<TestId>,
    /// Victims that were looked at after every test.
    pub watched: BTreeSet<TestId>,
    /// A test, and a victim that fails after it though it passes from a fresh start: at once, or when another test comes
    /// in between.
    pub strikes: BTreeSet<(TestId, TestId)>,
    /// True if there was time to look at every suspect.
    pub is_complete: bool,
}

impl Bench {
    /// Compiles all files at once into `classes`. They must not need each other: where the compiler crashes or does not
    /// end, that costs the file that makes it do so, not the rest.
    pub fn compile(&self, sources: &[PathBuf], classes: &Path) -> Result<Vec<Diagnostic>, ValidateError> {
        self.check_compiler()?;
        std::fs::create_dir_all(classes).map_err(|error| io(classes, error))?;
        self.compile_some(sources, classes)
    }

    /// Finds out whether there is a compiler.
    pub fn check_compiler(&self) -> Result<(), ValidateError> {
        if self.jdk.javac.is_none() {
            return Err(ValidateError::NoCompiler(self.jdk.home.clone()));
        }
        Ok(())
    }

    fn compile_some(&self, sources: &[PathBuf], classes: &Path) -> Result<Vec<Diagnostic>, ValidateError> {
        let mut plan = self.plan("compile", &[]);
        let _ = writeln!(plan, "out {}", classes.display());
        for source in sources {
            let _ = writeln!(plan, "source {}", source.display());
        }
        let limit = Duration::from_secs(60)
            + Duration::from_millis(50) * u32::try_from(sources.len()).unwrap_or(u32::MAX);
        let limits = java::Limits { all: Some(limit), silence: limit };
        let (start, clock) = (java::Start::default(), java::Clock::start(None, &self.stop));
        let failure = match java::run(self, "compiles the tests", &start, &plan, &limits, &clock) {
            Ok(lines) => return Ok(report::diagnostics(&lines)),
            Err(failure) => failure,
        };
        match sources {
            // It did not even begin with them.
            _ if failure.lines.is_empty() => Err(failure.error),
            [] => Err(failure.error),
            [file] => Ok(vec![Diagnostic {
                severity: Severity::Error,
                file: Some(file.clone()),
                line: 0,
                message: failure.error.to_string(),
            }]),
            _ => {
                let (first, second) = sources.split_at(sources.len() / 2);
                let mut remarks = self.compile_some(first, classes)?;
                remarks.extend(self.compile_some(second, classes)?);
                Ok(remarks)
            }
        }
    }

    /// Runs tests whose classes are in `classes`. A JVM that dies costs the test it was running, not the rest. Once
    /// `within` is over no further test is started: what was not run has no result.
    pub fn run(
        &self,
        tests: &[TestId],
        classes: &Path,
        run: Run,
        within: Option<Duration>,
    ) -> Result<Vec<TestResult>, ValidateError> {
        self.run_some(tests, classes, run, within, false)
    }

    /// The same for tests that run together, but all are run once however long it takes.
    pub fn run_whole(
        &self,
        tests: &[TestId],
        classes: &Path,
        run: Run,
        within: Option<Duration>,
    ) -> Result<Vec<TestResult>, ValidateError> {
        self.run_some(tests, classes, run, within, true)
    }

    fn run_some(
        &self,
        tests: &[TestId],
        classes: &Path,
        run: Run,
        within: Option<Duration>,
        is_whole: bool,
    ) -> Result<Vec<TestResult>, ValidateError> {
        let clock = java::Clock::start(within, &self.stop);
        let mut results: Vec<TestResult> = Vec::new();
        let mut left: Vec<TestId> = tests.to_vec();
        let mut has_chance = true;
        while !left.is_empty() && (is_whole || !clock.is_over()) {
            let (mut plan, start) = self.run_plan(&left, classes, run, clock.left());
            let _ = writeln!(plan, "whole {is_whole}");
            let all = clock.left().filter(|_| !is_whole).map(|left| left + SILENCE);
            let limits = java::Limits { all, silence: SILENCE };
            let failure = match java::run(self, "runs the tests", &start, &plan, &limits, &clock) {
                Ok(lines) => {
                    results.extend(report::results(&lines));
                    break;
                }
                Err(failure) => failure,
            };
            // What nothing has run in, or somebody else killed, says nothing about the tests: it is tried once more, and
            // all of them together.
            let is_odd = failure.lines.is_empty() || failure.cause == Cause::Killed;
            if has_chance && is_odd && matches!(failure.cause, Cause::Killed | Cause::Subject) {
                has_chance = false;
                continue;
            }
            if failure.lines.is_empty() || failure.cause == Cause::Ours {
                return Err(failure.error);
            }
            let told = report::results(&failure.lines);
            let told_of: BTreeSet<&TestId> = told.iter().map(|result| &result.test).collect();
            left.retain(|test| !told_of.contains(test));
            results.extend(told.iter().cloned());
            // One that went on may have been about to finish.
            if failure.cause == Cause::Late {
                break;
            }
            // Where none was running, the last one left something behind.
            let last = || told.last().map(|result| result.test.clone());
            let Some(culprit) = report::unfinished(&failure.lines).or_else(last) else { break };
            left.retain(|test| *test != culprit);
            results.push(TestResult { test: culprit, ended: Ended::KilledJvm });
        }
        Ok(results)
    }

    /// Runs the tests of each group as often as it has leaders: one of these first, from a fresh start, then the others.
    /// What goes wrong ends it; what was not run has no result.
    pub fn run_led(
        &self,
        groups: &[Group],
        classes: &Path,
        run: Run,
        within: Option<Duration>,
    ) -> Result<Led, ValidateError> {
        let clock = java::Clock::start(within, &self.stop);
        let mut led = Led::default();
        // A JVM that somebody else killed says nothing about the tests: what did not lead has another chance.
        for _ in 0..2 {
            let done = led.alone.iter().chain(&led.doomed).cloned().collect();
            if self.lead_on(groups, &done, (classes, run), &clock, &mut led)? {
                break;
            }
        }
        Ok(led)
    }

    /// Lets those lead that are not done, in one JVM; false if it was killed from outside.
    fn lead_on(
        &self,
        groups: &[Group],
        done: &BTreeSet<TestId>,
        (classes, run): (&Path, Run),
        clock: &java::Clock<'_>,
        led: &mut Led,
    ) -> Result<bool, ValidateError> {
        let within = clock.left();
        let all: BTreeSet<&TestId> = groups.iter().flat_map(|group| &group.members).collect();
        let all: Vec<TestId> = all.into_iter().cloned().collect();
        let (mut plan, mut start) = self.run_plan(&all, classes, run, within);
        start.flags.extend(UNVERIFIED.map(str::to_owned));
        plan = plan.replacen("mode shuffled", "mode led", 1);
        for group in groups {
            plan.push_str("group -\n");
            let leaders = group.leaders.iter().filter(|leader| !done.contains(leader));
            let members = group.members.iter().map(|member| ("member", member));
            for (word, test) in members.chain(leaders.map(|leader| ("leader", leader))) {
                let _ = writeln!(plan, "{word} {} {}", test.class, test.method);
            }
        }
        let limits = java::Limits { all: within.map(|within| within + SILENCE), silence: SILENCE };
        let (lines, cause) = match java::run(self, "runs the tests", &start, &plan, &limits, clock) {
            Ok(lines) => (lines, None),
            Err(java::Failure { cause: Cause::Ours, error, .. }) => return Err(error),
            Err(java::Failure { lines, cause, .. }) => (lines, Some(cause)),
        };
        report::led(&lines, led);
        if cause == Some(Cause::Subject) {
            // Where none was running, the last one left something behind.
            let culprit = report::unfinished(&lines)
                .or_else(|| report::results(&lines).pop().map(|result| result.test));
            led.results.extend(culprit.map(|test| TestResult { test, ended: Ended::KilledJvm }));
        }
        Ok(cause != Some(Cause::Killed))
    }

    /// Finds the tests after which victims of a run fail. What a test leaves behind may outlive its class loader; then
    /// the hunt goes on in another JVM.
    pub fn hunt(
        &self,
        suspects: &[TestId],
        victims: &[TestId],
        classes: &Path,
        run: Run,
        within: Option<Duration>,
    ) -> Result<Hunt, ValidateError> {
        if victims.is_empty() {
            return Ok(Hunt { is_complete: true, ..Hunt::default() });
        }
        let clock = java::Clock::start(within, &self.stop);
        let mut hunt = Hunt::default();
        let mut left: Vec<TestId> = suspects.to_vec();
        for _ in 0..HUNTS {
            if left.is_empty() || clock.is_over() {
                break;
            }
            let (mut plan, start) = self.run_plan(&left, classes, run, clock.left());
            plan = plan.replacen("mode shuffled", "mode hunt", 1);
            for victim in victims {
                let _ = writeln!(plan, "victim {} {}", victim.class, victim.method);
            }
            let all = SILENCE + clock.left().unwrap_or(Duration::from_secs(600));
            let limits = java::Limits { all: Some(all), silence: SILENCE };
            let doing = "looks for tests that disturb others";
            let lines = match java::run(self, doing, &start, &plan, &limits, &clock) {
                Err(java::Failure { cause: Cause::Ours, error, .. }) => return Err(error),
                Ok(lines) | Err(java::Failure { lines, .. }) => lines,
            };
            let seen = report::hunted(&lines, &mut hunt);
            if seen.is_empty() {
                break;
            }
            left.retain(|test| !seen.contains(test));
        }
        hunt.is_complete = left.is_empty();
        Ok(hunt)
    }

    fn run_plan(
        &self,
        tests: &[TestId],
        classes: &Path,
        run: Run,
        left: Option<Duration>,
    ) -> (String, java::Start) {
        let (mode, seed, flags) = match run {
            Run::Alone => ("alone", 0, ["-ea"].into_iter().chain(UNVERIFIED).map(str::to_owned).collect()),
            Run::Apart(seed) => ("apart", seed, perturbed(seed)),
            Run::Shuffled(seed) => ("shuffled", seed, perturbed(seed)),
            Run::Rising(seed) | Run::Falling(seed) => ("sorted", seed, counting()),
            Run::Reversed(seed) => {
                let flags = perturbed(seed.wrapping_add(1)).into_iter();
                ("shuffled", seed, flags.chain([java::LARGE_HEAPS.to_owned()]).collect())
            }
        };
        let reversed = matches!(run, Run::Reversed(_) | Run::Falling(_));
        let mut plan = self.plan(mode, &[classes]);
        let _ = writeln!(plan, "seed {seed}\nreversed {reversed}\nmillis {TEST_MILLIS}");
        if let Some(left) = left {
            let _ = writeln!(plan, "within {}", left.as_millis());
        }
        for test in tests {
            let _ = writeln!(plan, "test {} {}", test.class, test.method);
        }
        (plan, java::Start { flags, from_jar: reversed })
    }

    fn plan(&self, mode: &str, first: &[&Path]) -> String {
        let mut plan = format!("mode {mode}\n");
        let entries = first.iter().copied().chain(self.class_path.iter().map(PathBuf::as_path));
        let shared = self.junit.iter().map(|entry| ("shared", entry.as_path()));
        for (word, entry) in entries.map(|entry| ("cp", entry)).chain(shared) {
            // A loader takes a folder for a folder only by its absolute path.
            let entry = std::path::absolute(entry).unwrap_or_else(|_| entry.to_owned());
            let _ = writeln!(plan, "{word} {}", entry.display());
        }
        plan
    }
}

/// Flags for a JVM that counts identity hash codes, also those of classes that the JDK keeps in its archive.
fn counting() -> Vec<String> {
    let counted = ["-ea", "-Xshare:off", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"];
    counted.into_iter().chain(UNVERIFIED).map(str::to_owned).collect()
}

/// Flags for a JVM that differs from the usual one in everything a good test does not depend on.
fn perturbed(seed: u64) -> Vec<String> {
    let zones = ["Asia/Kathmandu", "America/St_Johns", "Antarctica/Troll", "UTC"];
    let locales = [("tr", "TR"), ("de", "DE"), ("ar", "EG"), ("ja", "JP")];
    let pick = usize::try_from(seed % 4).unwrap_or(0);
    let (language, country) = locales[pick];
    vec![
        "-ea".to_owned(),
        format!("-Duser.timezone={}", zones[pick]),
        format!("-Duser.language={language}"),
        format!("-Duser.country={country}"),
        "-XX:+UnlockExperimentalVMOptions".to_owned(),
        format!("-XX:hashCode={}", [0, 1, 5, 4][pick]),
    ]
}

fn io(path: &Path, error: std::io::Error) -> ValidateError {
    ValidateError::Io { path: path.to_owned(), error }
}
