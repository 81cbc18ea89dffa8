//! Starts, times out, kills and replaces workers; the only crate that spawns them.
//!
//! [`Pool::run`] takes a round of sequences and gives their outcomes in the same order. The round is cut into
//! chunks by index; which worker runs which chunk, and how many workers die on the way, does not show.
#![expect(
    clippy::disallowed_methods,
    reason = "starting workers, and timing them out by the clock, is its task"
)]
#![expect(unsafe_code, reason = "shared memory, pipes and process set-up")]

mod chunk;
mod config;
mod crew;
mod error;
mod memory;
mod pipe;
mod process;
mod roam;
mod seat;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jurat_base::FxHashMap;
use jurat_protocol::{Chunk, ChunkOutcomes, Isolation, Operation, Outcome, Sequence, Trial, Wants};
use tempfile::TempDir;

use chunk::{ChunkResult, Crew, run_chunk};
pub use config::PoolConfig;
use crew::Starter;
pub use crew::Tally;
pub use error::PoolError;
use process::{Lost, WorkerProcess};
pub use seat::{Gone, Seat};

/// Sequences that are run and learned from together.
#[derive(Clone, Debug)]
pub struct Round {
    /// The sequences.
    pub sequences: Vec<Sequence>,
    /// What is fresh when.
    pub isolation: Isolation,
    /// What to report.
    pub wants: Wants,
}

/// Sequences that are run with mutants; those without one come first.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// The sequences.
    pub sequences: Vec<Sequence>,
    /// How each is run.
    pub trials: Vec<Trial>,
}

/// A set of workers.
pub struct Pool {
    config: Arc<PoolConfig>,
    operations: Vec<Operation>,
    lanes: Vec<Option<WorkerProcess>>,
    /// Workers that roam, one for each lane: they may go on where others have to be replaced.
    rovers: Vec<Option<WorkerProcess>>,
    starter: Starter,
    next_chunk: u32,
    class_names: Vec<String>,
    class_ids: FxHashMap<String, u32>,
    _folder: TempDir,
}

impl Pool {
    /// Starts the workers, and waits for the first of them: what is wrong with the machine shows here.
    pub fn start(mut config: PoolConfig) -> Result<Self, PoolError> {
        config.workers = config.workers.max(1);
        config.chunk_size = config.chunk_size.clamp(1, 0xffff);
        let folder = tempfile::Builder::new().prefix("jurat-").tempdir();
        let folder = folder.map_err(|error| PoolError::Start { what: "make a temporary folder", error })?;
        let operations = std::mem::take(&mut config.operations);
        let config = Arc::new(config);
        let starter = Starter::new(Arc::clone(&config), folder.path().to_owned())?;
        let mut lanes = vec![Some(starter.take()?)];
        lanes.resize_with(config.workers, || None);
        let rovers = lanes.iter().map(|_| None).collect();
        Ok(Self {
            config,
            operations,
            lanes,
            rovers,
            starter,
            next_chunk: 1,
            class_names: Vec::new(),
            class_ids: FxHashMap::default(),
            _folder: folder,
        })
    }

    /// Appends to the operation table, and says at which index the new ones begin.
    pub fn add_operations(&mut self, operations: impl IntoIterator<Item = Operation>) -> u32 {
        let first = u32::try_from(self.operations.len()).expect("fewer than 2^32 operations");
        self.operations.extend(operations);
        first
    }

    /// Runs a round: outcomes in the order of the sequences, the same for any number of workers.
    pub fn run(&mut self, round: &Round) -> Result<Vec<Outcome>, PoolError> {
        Ok(self.run_all(std::slice::from_ref(round))?.into_iter().flatten().collect())
    }

    /// Runs rounds side by side, so that small ones keep all workers busy: for each what it gives by itself.
    pub fn run_all(&mut self, rounds: &[Round]) -> Result<Vec<Vec<Outcome>>, PoolError> {
        let cut: Vec<Vec<Chunk>> = rounds.iter().map(|round| self.cut(round)).collect();
        let counts: Vec<usize> = cut.iter().map(Vec::len).collect();
        let chunks: Vec<Chunk> = cut.into_iter().flatten().collect();
        let mut results = self.run_chunks(&chunks)?.into_iter();
        let outcomes = counts.into_iter().map(|count| {
            let of_round = results.by_ref().take(count);
            of_round.flat_map(|result| self.adopt(result)).collect()
        });
        Ok(outcomes.collect())
    }

    /// Runs batches of trials, each a chunk of its own: outcomes in order, batch by batch.
    pub fn run_trials(&mut self, batches: Vec<Trials>, wants: Wants) -> Result<Vec<Vec<Outcome>>, PoolError> {
        let chunks = batches.into_iter().map(|Trials { sequences, trials }| {
            let number = self.next_chunk;
            self.next_chunk = self.next_chunk.wrapping_add(1).max(1);
            Chunk { number, isolation: Isolation::Chunk, wants, sequences, skip: Vec::new(), trials }
        });
        let chunks: Vec<Chunk> = chunks.collect();
        let results = self.run_chunks(&chunks)?;
        Ok(results.into_iter().map(|result| self.adopt(result)).collect())
    }

    fn run_chunks(&mut self, chunks: &[Chunk]) -> Result<Vec<ChunkResult>, PoolError> {
        each(&mut self.lanes, &self.starter, &self.operations, chunks, |lane, chunk| run_chunk(lane, chunk))
    }

    /// The name of a class that an outcome mentions.
    pub fn class_name(&self, class: u32) -> &str {
        self.class_names.get(class as usize).map_or("?", String::as_str)
    }

    /// What became of the workers so far.
    pub fn tally(&self) -> Tally {
        self.starter.tally()
    }

    /// The processes that run now.
    pub fn worker_ids(&self) -> Vec<u32> {
        self.lanes.iter().chain(&self.rovers).flatten().map(WorkerProcess::id).collect()
    }

    fn cut(&mut self, round: &Round) -> Vec<Chunk> {
        let size = match round.isolation {
            Isolation::Chunk | Isolation::Lasting => self.config.chunk_size,
            // Fresh state for each of them takes long: more and smaller chunks share the load better.
            Isolation::Sequence => self.config.chunk_size.div_ceil(16),
        };
        let chunks = round.sequences.chunks(size).map(|sequences| {
            let number = self.next_chunk;
            self.next_chunk = self.next_chunk.wrapping_add(1).max(1);
            Chunk {
                number,
                isolation: round.isolation,
                wants: round.wants,
                sequences: sequences.to_vec(),
                skip: Vec::new(),
                trials: Vec::new(),
            }
        });
        chunks.collect()
    }

    /// Turns a chunk's class positions into the pool's own, which depend on the order of outcomes only.
    fn adopt(&mut self, mut result: ChunkResult) -> Vec<Outcome> {
        let mut known: Vec<Option<u32>> = vec![None; result.classes.len()];
        for outcome in &mut result.outcomes {
            outcome.visit_classes(&mut |class| {
                let Some(known) = known.get_mut(*class as usize) else { return };
                let name = &result.classes[*class as usize];
                *class = *known.get_or_insert_with(|| self.class_id(name));
            });
        }
        result.outcomes
    }

    fn class_id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.class_ids.get(name) {
            return id;
        }
        let id = u32::try_from(self.class_names.len()).expect("fewer than 2^32 classes");
        self.class_names.push(name.to_owned());
        self.class_ids.insert(name.to_owned(), id);
        id
    }
}

/// A worker's place in a round.
struct Lane<'a> {
    worker: &'a mut Option<WorkerProcess>,
    starter: &'a Starter,
    operations: &'a [Operation],
}

/// Runs pieces of work on all lanes; results come in the order of the pieces.
fn each<T: Sync, R: Send>(
    lanes: &mut [Option<WorkerProcess>],
    starter: &Starter,
    operations: &[Operation],
    pieces: &[T],
    run: impl Fn(&mut Lane<'_>, &T) -> Result<R, PoolError> + Sync,
) -> Result<Vec<R>, PoolError> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(pieces.iter().map(|_| None).collect());
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for worker in lanes {
            let (next, results, failure, run) = (&next, &results, &failure, &run);
            scope.spawn(move || {
                let mut lane = Lane { worker, starter, operations };
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(piece) = pieces.get(index) else { break };
                    match run(&mut lane, piece) {
                        Ok(result) => lock(results)[index] = Some(result),
                        Err(error) => {
                            lock(failure).get_or_insert(error);
                            next.store(pieces.len(), Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = lock(&failure).take() {
        return Err(error);
    }
    Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect())
}

impl Crew for Lane<'_> {
    fn execute(&mut self, chunk: &Chunk, skip: &[u32]) -> Result<Result<ChunkOutcomes, Lost>, PoolError> {
        if self.worker.is_none() {
            *self.worker = Some(self.starter.take()?);
        }
        let worker = self.worker.as_mut().expect("it was just taken");
        let answer = worker.execute(self.operations, chunk, skip);
        if let Err(lost) = &answer {
            self.starter.note(&lost.loss);
        }
        Ok(answer)
    }

    fn retire(&mut self) {
        *self.worker = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
