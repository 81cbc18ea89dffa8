//! How strong a suite of JUnit tests is: its mutation score.
//!
//! First every test runs without mutants, twice in one class loader: the suite must pass, and it is seen which test
//! reaches which line, what it costs, and what only the initializers of classes reach. Then each mutant runs with the
//! tests that reach its line, cheapest first, until one of them ends in another way than it does without. Rounds and
//! batches do not depend on the number of workers, so neither do verdicts.

mod baseline;
mod junit;
mod table;
mod trial;
mod ways;

use jurat_classpath::ClassPath;
use jurat_instrument::mutants::Mutant;
use jurat_pool::{Pool, PoolConfig};

pub use junit::TestName;
pub use table::MutantTable;

use crate::deadline::Stop;
use crate::error::RunError;
use crate::pooled::run_error;
use baseline::Baseline;
pub(crate) use baseline::twice;

/// What a mutation run works on.
pub struct Mutate<'a> {
    /// The classes that hold the tests.
    pub tests: &'a ClassPath,
    /// All classes that the tests may use, themselves included.
    pub all: &'a ClassPath,
    /// The mutants.
    pub table: &'a MutantTable,
    /// How workers are started; probes and limits are set here.
    pub pool: PoolConfig,
    /// Asked between rounds.
    pub stop: Stop,
}

/// How far a run has come, for people who wait.
pub trait MutateProgress {
    /// Called after each round.
    fn update(&mut self, doing: &'static str, done: usize, of: usize);
}

/// What became of the mutants.
#[derive(Debug, Default)]
pub struct Mutation {
    /// Tests that ran.
    pub tests: Vec<TestName>,
    /// Tests that were skipped: disabled, or an assumption of theirs does not hold.
    pub skipped: Vec<TestName>,
    /// Tests that pass but were left out, because each run of them would cost a worker: they leave threads behind, or
    /// exhaust memory or stack.
    pub costly: Vec<TestName>,
    /// Runs that could not be made, because a test did not come to its usual end without mutants.
    pub lost: usize,
    /// Every mutant, in order.
    pub mutants: Vec<Judged>,
    /// How many times a test was run with a mutant.
    pub runs: usize,
    /// Seconds that the runs with mutants took, without starting and without the runs before.
    pub seconds: f64,
    /// Whether the user stopped the run: mutants not yet judged count as not reached.
    pub interrupted: bool,
}

/// A mutant and its verdict.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Binary name of its class, with dots.
    pub class: String,
    /// The mutant.
    pub mutant: Mutant,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A test noticed it.
    Killed {
        /// Position of the test in [`Mutation::tests`].
        by: usize,
        /// How it noticed.
        how: Kill,
    },
    /// All tests that reach it end as they do without it.
    Survived,
    /// No test reaches it.
    NotReached,
}

/// How a test noticed a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kill {
    /// An assertion failed.
    Assertion,
    /// Something else was thrown, by this class's name.
    Exception(String),
    /// It did not come to an end.
    Timeout,
    /// It ended the JVM, or tried to.
    Crash,
}

/// Why a suite cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The test.
    pub test: TestName,
    /// What happened.
    pub reason: String,
}

/// What a run came to.
#[derive(Debug)]
pub enum Mutated {
    /// The mutants were judged.
    Judged(Mutation),
    /// There are no tests.
    NoTests,
    /// These tests fail without any mutant.
    Failing(Vec<Failing>),
}

/// Judges every mutant.
pub fn mutate(run: &Mutate<'_>, progress: &mut dyn MutateProgress) -> Result<Mutated, RunError> {
    let found = junit::find(run.tests, run.all);
    if found.is_empty() {
        return Ok(Mutated::NoTests);
    }
    let mut writer = ways::Writer::default();
    let sequences: Vec<ways::Sequences> = found.iter().map(|test| writer.write(test)).collect();
    let mut config = run.pool.clone();
    config.probes = run.table.setup();
    config.operations = writer.operations;
    config.limits.compute_millis = 10_000;
    config.limits.wait_millis = 3_000;
    let mut pool = Pool::start(config).map_err(|error| run_error(&error))?;
    let baseline = match Baseline::take(&mut pool, &found, &sequences, progress)? {
        Ok(baseline) => baseline,
        Err(failing) => return Ok(Mutated::Failing(failing)),
    };
    trial::judge(run, &mut pool, baseline, progress).map(Mutated::Judged)
}

impl Mutation {
    /// How many mutants were killed.
    pub fn killed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Killed { .. }))
    }

    /// How many mutants some test reaches.
    pub fn reached(&self) -> usize {
        self.count(|verdict| *verdict != Verdict::NotReached)
    }

    fn count(&self, counts: impl Fn(&Verdict) -> bool) -> usize {
        self.mutants.iter().filter(|judged| counts(&judged.verdict)).count()
    }
}
