//! Enumerates the structures of one class: the search is cut into parts, the parts run on workers at the same time,
//! and their results are put together in order.

mod crew;
mod method;
mod offer;
mod operations;
mod parts;
mod plan;
mod program;
mod recipes;
mod target;
mod trial;

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use jurat_exhaustive::{Finitization, Space, StateVector, Tally};
use jurat_instrument::watch::WatchPlan;
use jurat_pool::{Gone, Pool, PoolConfig, PoolError, Seat};
use jurat_protocol::{Explore, Explored, Failure, Reply, Request, Stretch};

use crate::error::RunError;
use crate::pooled::run_error;
use parts::{Job, Parts};

pub use offer::{Offered, OfferedClass, offer};
pub use target::{PREDICATES, Target};
pub use trial::{StructureFinding, Trial, TrialConfig, check_method, try_structures};

/// Candidates of the first request: few, so that there is soon something to do for all workers.
const FIRST_BUDGET: u64 = 5_000;
/// How long a worker runs before it tells what it found. Results do not depend on it.
const BITE_MILLIS: u32 = 150;
/// Smaller spaces are always searched to the end.
const SMALL_SPACE: f64 = 32.0;
/// Runs of the predicate that an estimate may take.
const ESTIMATE_RUNS: u64 = 4_000;
/// How many JVMs a predicate may end before we give up.
const DEATHS: u32 = 100;
/// The error after which calls are counted.
const OVERFLOW: &str = "java.lang.StackOverflowError";
/// Back-edges that one run of the predicate may take.
const FUEL: u32 = 1_000_000;

/// What to enumerate.
#[derive(Clone, Debug)]
pub struct EnumerateConfig {
    /// How workers are started; their class path is the subject's.
    pub pool: PoolConfig,
    /// The bounds.
    pub bounds: Finitization,
    /// Where to start, if not at the beginning.
    pub from: Option<StateVector>,
    /// How many valid structures to keep.
    pub keep: u64,
    /// Whether to start even if it looks as if the search would never end.
    pub endless: bool,
    /// How many candidates a search may have that is begun nevertheless; usually [`jurat_exhaustive::ENDLESS`].
    pub longest: f64,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnumerateProgress {
    /// What all workers have run so far.
    pub tally: Tally,
    /// About how much of the search is behind them, between 0 and 1.
    pub behind: f64,
}

impl EnumerateProgress {
    /// Branches are seldom alike: where the length of the search was guessed, it tells more.
    fn with_length(self, length: Option<f64>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = |length: f64| (self.tally.explored as f64 / length.max(1.0)).min(0.99);
        Self { behind: length.map_or(self.behind, share), ..self }
    }
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Enumerated {
    /// Up to where the search went without gaps.
    pub tally: Tally,
    /// The first valid vectors.
    pub kept: Vec<Vec<u32>>,
    /// Ways in which the predicate did not end well, as first met.
    pub failures: Vec<Failure>,
    /// Where to go on, if the search was interrupted.
    pub rest: Option<StateVector>,
    /// Workers that were started in place of lost ones.
    pub replaced: u32,
}

/// Enumerates the structures of `target`. `watch` hears of progress and says whether to go on.
pub fn enumerate(
    target: &Target,
    config: &EnumerateConfig,
    watch: &(dyn Fn(&EnumerateProgress) -> bool + Sync),
) -> Result<Enumerated, RunError> {
    let space = Space::new(&config.bounds).map_err(|error| RunError::Usage(error.to_string()))?;
    let mut crew = Crew::start(target, config)?;
    let mut seats = crew.pool.seats();
    let mut length = None;
    if space.log2_size() > SMALL_SPACE.min(config.longest.log2()) {
        let mut candidates = estimate(&mut seats[0], &crew.order)?;
        if candidates.is_nan() {
            // The stack overflowed, most likely.
            crew.watched.count_calls(target)?;
            seats[0].clear();
            candidates = estimate(&mut seats[0], &crew.order)?;
        }
        if candidates > config.longest && !config.endless {
            return Err(endless(candidates, &space));
        }
        length = Some(candidates).filter(|candidates| !candidates.is_nan());
    }
    let run = Run {
        target,
        watched: &crew.watched,
        order: &crew.order,
        config,
        seats: seats.len(),
        parts: Mutex::default(),
        ready: Condvar::new(),
        watch,
        length,
    };
    let first =
        config.from.as_ref().map_or(Stretch::Whole, |vector| Stretch::From(vector.choices().to_vec()));
    run.lock().parts.start(first);
    std::thread::scope(|scope| {
        for (index, seat) in seats.iter_mut().enumerate() {
            let run = &run;
            scope.spawn(move || run.work(seat, length.is_some() && index == 0));
        }
    });
    let mut state = run.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.error.take() {
        Some(error) => Err(error),
        None => Ok(state.parts.finish(config.keep, state.replaced)),
    }
}

/// Nanoseconds per candidate on one worker: of the search's first candidates, and of the predicate run over the same
/// candidates without a search, which is as fast as a search can be.
pub fn pace(target: &Target, config: &EnumerateConfig, candidates: u32) -> Result<(f64, f64), RunError> {
    let mut crew = Crew::start(target, config)?;
    let mut seats = crew.pool.seats();
    ask(&mut seats[0], &crew.order)?.map_err(|gone| died(&gone))?;
    match ask(&mut seats[0], &Request::Pace(candidates))?.map_err(|gone| died(&gone))? {
        Reply::Paced(search, floor) => Ok((search, floor)),
        other => Err(RunError::Bug(format!("an odd answer to a measurement: {other:?}"))),
    }
}

/// Workers that know the watched classes, and what they are told to watch.
struct Crew {
    pool: Pool,
    order: Request,
    watched: Watched,
}

/// The watched classes; workers load them from the folder.
struct Watched {
    plan: WatchPlan,
    folder: tempfile::TempDir,
}

impl Watched {
    /// From now on workers that start count calls, so that recursion without end no longer costs one of them.
    fn count_calls(&self, target: &Target) -> Result<(), RunError> {
        let plan = WatchPlan { counts_calls: true, ..self.plan.clone() };
        target.write_watched(&plan, self.folder.path())
    }
}

impl Crew {
    fn start(target: &Target, config: &EnumerateConfig) -> Result<Self, RunError> {
        let folder = tempfile::Builder::new().prefix("jurat-watched-").tempdir();
        let folder = folder
            .map_err(|error| RunError::Environment(format!("cannot make a temporary folder: {error}")))?;
        let plan = plan::plan(target, &config.bounds);
        target.write_watched(&plan, folder.path())?;
        let mut settings = config.pool.clone();
        settings.class_path.insert(0, PathBuf::from(folder.path()));
        (settings.hot, settings.spares) = (true, 0);
        let order = Request::Watch(Box::new(plan::message(&plan, &config.bounds, FUEL)));
        let pool = Pool::start(settings).map_err(|error| run_error(&error))?;
        Ok(Self { pool, order, watched: Watched { plan, folder } })
    }
}

/// Guesses how many candidates there are, before the search starts.
fn estimate(seat: &mut Seat<'_>, order: &Request) -> Result<f64, RunError> {
    ask(seat, order)?.map_err(|gone| died(&gone))?;
    match ask(seat, &Request::Estimate(ESTIMATE_RUNS))?.map_err(|gone| died(&gone))? {
        Reply::Estimated(candidates) => Ok(candidates),
        other => Err(RunError::Bug(format!("an odd answer to an estimate: {other:?}"))),
    }
}

fn endless(candidates: f64, space: &Space) -> RunError {
    RunError::Usage(format!(
        "this would never end: about 10^{:.0} candidates of a space of 2^{:.0}, at some million a second; \
         choose a smaller size, or --yes to start all the same",
        candidates.log10(),
        space.log2_size()
    ))
}

fn died(gone: &Gone) -> RunError {
    RunError::Usage(format!("the subject ended its JVM before the predicate ran: {gone}"))
}

fn ask(seat: &mut Seat<'_>, request: &Request) -> Result<Result<Reply, Gone>, RunError> {
    seat.ask(request).map_err(|error| match error {
        // The worker refuses what the subject's classes do not allow, and bounds that do not fit them.
        PoolError::Refused(reason) => RunError::Usage(reason),
        other => run_error(&other),
    })
}

/// A search under way on all workers.
struct Run<'a> {
    target: &'a Target,
    watched: &'a Watched,
    order: &'a Request,
    config: &'a EnumerateConfig,
    seats: usize,
    parts: Mutex<State>,
    ready: Condvar,
    watch: &'a (dyn Fn(&EnumerateProgress) -> bool + Sync),
    /// How many candidates there may be, if that was guessed.
    length: Option<f64>,
}

#[derive(Default)]
struct State {
    parts: Parts,
    /// Whether workers that start count calls.
    counts_calls: bool,
    error: Option<RunError>,
    replaced: u32,
}

impl Run<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs parts on one worker, which may be told already what to watch, until none is left.
    fn work(&self, seat: &mut Seat<'_>, mut watching: bool) {
        while let Some(job) = self.next_job() {
            if let Err(error) = self.run_job(seat, &job, &mut watching) {
                let mut state = self.lock();
                state.error.get_or_insert(error);
                state.parts.stop();
            }
            self.ready.notify_all();
        }
    }

    /// Waits for a part that nobody runs; none when there is nothing left to do.
    fn next_job(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.parts.take() {
                return Some(job);
            }
            if state.error.is_some() || !state.parts.is_busy() {
                return None;
            }
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run_job(&self, seat: &mut Seat<'_>, job: &Job, watching: &mut bool) -> Result<(), RunError> {
        if seat.is_empty() || !*watching {
            ask(seat, self.order)?.map_err(|gone| died(&gone))?;
            *watching = true;
        }
        let reply = ask(seat, &self.explore(job))?;
        let mut state = self.lock();
        match reply {
            Ok(Reply::Explored(explored)) => {
                if explored.worn_out {
                    seat.clear();
                    state.replaced += 1;
                    let overflowed =
                        explored.failures.iter().any(|failure| failure.reason.contains(OVERFLOW));
                    if overflowed && !std::mem::replace(&mut state.counts_calls, true) {
                        self.watched.count_calls(self.target)?;
                    }
                }
                state.parts.done(job, explored);
            }
            Ok(other) => return Err(RunError::Bug(format!("an odd answer to a search: {other:?}"))),
            Err(gone) => {
                state.replaced += 1;
                if state.replaced > DEATHS {
                    return Err(RunError::Usage(format!(
                        "the predicate ended {DEATHS} JVMs; the last one: {gone}"
                    )));
                }
                state.parts.died(job, &gone.to_string())?;
            }
        }
        let progress = state.parts.progress().with_length(self.length);
        drop(state);
        if !(self.watch)(&progress) {
            self.lock().parts.stop();
        }
        Ok(())
    }

    fn explore(&self, job: &Job) -> Request {
        let first = matches!(job.stretch, Stretch::Whole | Stretch::From(_));
        let budget = if first { FIRST_BUDGET.min(job.budget) } else { job.budget };
        // Enough parts that every worker finds one.
        let parts = if job.waiting < self.seats { u32::try_from(self.seats).unwrap_or(1) + 1 } else { 1 };
        let keep = self.config.keep;
        Request::Explore(Explore { stretch: job.stretch.clone(), budget, millis: BITE_MILLIS, keep, parts })
    }
}

/// Adds up what two neighbours found.
fn add(tally: &mut Tally, explored: &Explored) {
    *tally += Tally { explored: explored.explored, valid: explored.valid, failed: explored.failed };
}
