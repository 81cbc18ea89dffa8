//! Workers and their replacements: a thread of its own starts processes ahead of need.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::PoolError;
use crate::config::PoolConfig;
use crate::process::{Loss, WorkerProcess};

/// How many workers in a row may be killed by somebody else while they start.
const PATIENCE: u32 = 4;

/// Starts workers. The thread that does it lives as long as the pool, because the kernel ends a worker together
/// with the thread that started it.
pub(crate) struct Starter {
    orders: Option<Sender<()>>,
    started: Mutex<Started>,
    /// How many are to wait when those that are needed have been taken.
    spares: usize,
    thread: Option<JoinHandle<()>>,
    counts: [AtomicUsize; 3],
}

/// Workers that were ordered, in that order.
struct Started {
    workers: Receiver<Result<WorkerProcess, PoolError>>,
    /// How many of them nobody took yet.
    waiting: usize,
}

/// What became of the workers of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were put to work.
    pub started: usize,
    /// How many died while they ran something.
    pub crashed: usize,
    /// How many did not come back and were ended.
    pub timed_out: usize,
}

impl Starter {
    /// Starts the first workers and their spares.
    pub(crate) fn new(config: Arc<PoolConfig>, folder: PathBuf) -> Result<Self, PoolError> {
        let (spares, waiting) = (config.spares, config.workers + config.spares);
        let (orders, taken) = channel();
        let (finished, workers) = channel();
        let thread = std::thread::Builder::new().name("jurat-starter".to_owned()).spawn(move || {
            for (number, ()) in taken.iter().enumerate() {
                let scratch = folder.join(format!("jurat-scratch-{number}"));
                let worker = WorkerProcess::start(&config, scratch);
                if finished.send(worker).is_err() {
                    break;
                }
            }
        });
        let thread = thread.map_err(|error| PoolError::Start { what: "a thread", error })?;
        let counts = Default::default();
        let started = Mutex::new(Started { workers, waiting });
        let starter = Self { orders: Some(orders), started, spares, thread: Some(thread), counts };
        for _ in 0..waiting {
            starter.order();
        }
        Ok(starter)
    }

    fn order(&self) {
        if let Some(orders) = &self.orders {
            // The thread takes orders until `orders` is dropped.
            let _ = orders.send(());
        }
    }

    /// A worker that is ready; another one is started in its place if it was a spare one.
    pub(crate) fn take(&self) -> Result<WorkerProcess, PoolError> {
        let mut strangers = 0;
        loop {
            match self.take_next() {
                // Somebody killed it before it was of any use.
                Err(PoolError::NotReady { killed: true, .. }) if strangers < PATIENCE => strangers += 1,
                taken => return taken,
            }
        }
    }

    fn take_next(&self) -> Result<WorkerProcess, PoolError> {
        let mut worker = self.take_started().unwrap_or_else(|_| {
            let error = std::io::ErrorKind::BrokenPipe.into();
            Err(PoolError::Start { what: "reach the thread that starts workers", error })
        })?;
        worker.await_ready()?;
        self.counts[0].fetch_add(1, Ordering::Relaxed);
        Ok(worker)
    }

    fn take_started(&self) -> Result<Result<WorkerProcess, PoolError>, RecvError> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        // The one that is taken, and those that wait after it.
        while started.waiting < self.spares + 1 {
            self.order();
            started.waiting += 1;
        }
        started.waiting -= 1;
        started.workers.recv()
    }

    /// Takes note of how a worker was lost.
    pub(crate) fn note(&self, loss: &Loss) {
        let count = if matches!(loss, Loss::Stalled) { &self.counts[2] } else { &self.counts[1] };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// What became of the workers so far.
    pub(crate) fn tally(&self) -> Tally {
        let [started, crashed, timed_out] = [0, 1, 2].map(|at| self.counts[at].load(Ordering::Relaxed));
        Tally { started, crashed, timed_out }
    }
}

impl Drop for Starter {
    fn drop(&mut self) {
        self.orders = None;
        // Workers that were started and never taken die here, before the thread that started them.
        let started = self.started.get_mut().unwrap_or_else(PoisonError::into_inner);
        started.workers.iter().for_each(drop);
        if let Some(thread) = self.thread.take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}
