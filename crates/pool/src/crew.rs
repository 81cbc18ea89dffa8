//! Workers and their replacements: a thread of its own starts processes ahead of need.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::PoolError;
use crate::config::PoolConfig;
use crate::process::WorkerProcess;

/// Starts workers. The thread that does it lives as long as the pool, because the kernel ends a worker together
/// with the thread that started it.
pub(crate) struct Starter {
    orders: Option<Sender<()>>,
    started: Mutex<Receiver<Result<WorkerProcess, PoolError>>>,
    thread: Option<JoinHandle<()>>,
}

impl Starter {
    /// Starts the first `count` workers.
    pub(crate) fn new(config: Arc<PoolConfig>, folder: PathBuf, count: usize) -> Result<Self, PoolError> {
        let (orders, taken) = channel();
        let (finished, started) = channel();
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
        let starter = Self { orders: Some(orders), started: Mutex::new(started), thread: Some(thread) };
        for _ in 0..count {
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

    /// A worker that is ready; another one is started in its place.
    pub(crate) fn take(&self) -> Result<WorkerProcess, PoolError> {
        self.order();
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let mut worker = started.unwrap_or_else(|_| {
            let error = std::io::ErrorKind::BrokenPipe.into();
            Err(PoolError::Start { what: "reach the thread that starts workers", error })
        })?;
        worker.await_ready()?;
        Ok(worker)
    }
}

impl Drop for Starter {
    fn drop(&mut self) {
        self.orders = None;
        // Workers that were started and never taken die here, before the thread that started them.
        let started = self.started.get_mut().unwrap_or_else(PoisonError::into_inner);
        started.iter().for_each(drop);
        if let Some(thread) = self.thread.take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}
