//! Emits a suite, validates it, and takes out whatever does not hold: first assertions, then tests.

mod culprits;
mod groups;
mod judge;
mod notes;
mod workshop;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jurat_emit::{EmitOptions, JavaFile, TestId as SuiteId, emit};
use jurat_model::{Subject, Suite};
use jurat_validate::Bench;

use self::judge::{Fault, Verdicts, judge};
use self::notes::Notes;
use self::workshop::Workshop;

use crate::coverage::{Coverage, ProbeTable};
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// How often what fails is mended before it is dropped as a whole.
const ATTEMPTS: usize = 6;
/// How often what is left when that ends is run again, until all of it passes. Each time something goes; where that does not
/// end, nothing is left to trust.
const PROOFS: usize = 32;
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
    let mut workshop = Workshop::new(&finishing.bench.scratch);
    let stop = &*finishing.bench.stop;
    let mut clock = Patience::start(finishing.within, stop);
    let mut is_proven = false;
    for attempt in 0..ATTEMPTS {
        // Tests that were never run are none: before the first have passed, nothing ends for want of time. Nor does it
        // when culprits were found just now, and those that they disturbed were not run without them.
        if is_proven || clock.is_over() && !mending.good.is_empty() && !mending.is_open {
            break;
        }
        mending.chance = if attempt + 1 == ATTEMPTS { Chance::Last } else { Chance::More };
        let whole = attempt + 2 >= ATTEMPTS;
        is_proven = mending.attempt(subject, finishing, &mut workshop, &clock, whole)?;
        if mending.has_hunted {
            clock.lengthen();
        }
    }
    let reason = if clock.is_over() { LATE } else { "still failed after it was mended" };
    mending.drop_unproven(reason);
    // What passed did so among tests that are gone now, and may have needed them.
    mending.chance = Chance::Proof;
    let clock = Patience::start(finishing.within.map(|within| (within / 2).max(LEAST)), stop);
    for _ in 0..PROOFS {
        if is_proven || mending.suite.classes.is_empty() {
            break;
        }
        is_proven = mending.attempt(subject, finishing, &mut workshop, &clock, true)?;
        mending.drop_unproven(reason);
    }
    if !is_proven {
        mending.good.clear();
        mending.drop_unproven("never all passed together");
    }
    let files = emit(subject, &mending.suite, finishing.options).files;
    let Mending { suite, taken_out, .. } = mending;
    Ok(Finished { suite, files, taken_out, coverage: Coverage::default() })
}

/// What becomes of tests that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chance {
    /// They are looked into, for they may pass when others are gone.
    More,
    /// They go.
    Last,
    /// They go, and all are run together however long it takes: what is left has to be known to pass as it is.
    Proof,
}

/// A suite on its way to one that passes.
struct Mending {
    suite: Suite,
    /// Tests that passed together with the others, as they are now.
    good: BTreeSet<SuiteId>,
    /// Tests that passed alone, as they are now.
    alone: BTreeSet<SuiteId>,
    taken_out: TakenOut,
    chance: Chance,
    /// True once culprits were looked for.
    has_hunted: bool,
    /// True if some that failed may pass, now that others are gone.
    is_open: bool,
}

impl Mending {
    fn new(suite: Suite) -> Self {
        Self {
            suite,
            good: BTreeSet::new(),
            alone: BTreeSet::new(),
            taken_out: TakenOut::default(),
            chance: Chance::More,
            has_hunted: false,
            is_open: false,
        }
    }

    /// Runs the suite and takes out what is at fault; with `whole`, a test with a bad check goes as a whole. True if all of
    /// it passed, as it is.
    fn attempt(
        &mut self,
        subject: &Subject,
        finishing: &Finishing<'_>,
        workshop: &mut Workshop,
        clock: &Patience<'_>,
        whole: bool,
    ) -> Result<bool, RunError> {
        let emitted = emit(subject, &self.suite, finishing.options);
        if !emitted.left_out.is_empty() {
            self.taken_out.inexpressible += emitted.left_out.len();
            Notes(&finishing.bench.scratch).left_out(subject, &self.suite, &emitted.left_out);
            self.drop_all(emitted.left_out.iter().map(|(test, _)| *test));
            return Ok(false);
        }
        let placed = workshop.place(&emitted)?;
        let Verdicts { faults, passed, is_open } = judge(subject, &placed, workshop, finishing, clock, self)?;
        // Tests that were not run, for want of time, are not proven any more than those that failed.
        let have_all_passed = passed
            .as_ref()
            .is_some_and(|passed| placed.by_name.values().all(|emitted| passed.contains(&emitted.test)));
        // What the compiler refuses keeps the others from being run: they are what they were before.
        self.good = passed.unwrap_or_else(|| std::mem::take(&mut self.good));
        self.is_open = is_open;
        self.mend(&faults, whole);
        Ok(have_all_passed && faults.is_empty() && !is_open)
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
                    self.alone.remove(test);
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
        let mut numbers: BTreeMap<SuiteId, SuiteId> = BTreeMap::new();
        let mut classes = Vec::new();
        for (class, mut class_suite) in std::mem::take(&mut self.suite.classes).into_iter().enumerate() {
            let mut kept = Vec::new();
            for (test, kept_test) in std::mem::take(&mut class_suite.tests).into_iter().enumerate() {
                let old = SuiteId { class, test };
                if !gone.contains(&old) {
                    numbers.insert(old, SuiteId { class: classes.len(), test: kept.len() });
                    kept.push(kept_test);
                }
            }
            if !kept.is_empty() {
                class_suite.tests = kept;
                classes.push(class_suite);
            }
        }
        self.suite.classes = classes;
        for set in [&mut self.good, &mut self.alone] {
            *set = set.iter().filter_map(|test| numbers.get(test).copied()).collect();
        }
    }
}

/// The reason for tests that there was no time to validate.
const LATE: &str = "no time was left to compile and run them";

/// The least time in which all tests are run together.
const LEAST: Duration = Duration::from_secs(10);

/// The time that is left: none once the user asks to stop.
struct Patience<'a> {
    start: Instant,
    within: Option<Duration>,
    stop: &'a AtomicBool,
    /// True once it is known that tests disturb each other.
    is_longer: bool,
}

impl<'a> Patience<'a> {
    #[expect(clippy::disallowed_methods, reason = "validation must end in time")]
    fn start(within: Option<Duration>, stop: &'a AtomicBool) -> Self {
        Self { start: Instant::now(), within, stop, is_longer: false }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Half as long again: to find out which tests disturb others takes time.
    fn lengthen(&mut self) {
        self.is_longer = true;
    }

    fn left(&self) -> Option<Duration> {
        if self.is_stopped() {
            return Some(Duration::ZERO);
        }
        let all = |within: Duration| if self.is_longer { within + within / 2 } else { within };
        self.within.map(|within| all(within).saturating_sub(self.start.elapsed()))
    }

    /// The time for running all tests together: some there must be, however long the compiler took.
    fn left_for_all(&self) -> Option<Duration> {
        if self.is_stopped() {
            return Some(LEAST);
        }
        let least = |within: Duration| (within / 2).max(LEAST);
        self.left().zip(self.within).map(|(left, within)| left.max(least(within)))
    }

    /// The time for what has to be tried at least once.
    fn left_for_some(&self) -> Option<Duration> {
        self.left().map(|left| left.max(LEAST))
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

fn environment(error: &jurat_validate::ValidateError) -> RunError {
    RunError::Environment(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_run_together_even_if_the_compiler_took_all_the_time() {
        let stop = AtomicBool::new(false);
        let over = Patience::start(Some(Duration::ZERO), &stop);
        assert!(over.is_over());
        assert_eq!(over.left_for_all(), Some(LEAST));
        let minute = Patience::start(Some(Duration::from_secs(60)), &stop);
        assert!(minute.left_for_all() > Some(Duration::from_secs(30)));
        let endless = Patience::start(None, &stop);
        assert_eq!(endless.left_for_all(), None);
        stop.store(true, Ordering::Relaxed);
        assert!(endless.is_over() && minute.is_over(), "who asks to stop does not wait");
        assert_eq!([endless.left_for_all(), minute.left_for_all()], [Some(LEAST); 2]);
    }
}
