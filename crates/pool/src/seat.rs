//! One worker's place in the pool, for requests that are no chunks of sequences.

use jurat_protocol::{Reply, Request};

use crate::crew::Starter;
use crate::process::{Loss, WorkerProcess};
use crate::{Pool, PoolError};

/// A worker and its replacements, one after the other. Seats may be used on different threads.
pub struct Seat<'a> {
    worker: &'a mut Option<WorkerProcess>,
    starter: &'a Starter,
}

/// How a worker was lost to a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Gone(String);

impl Pool {
    /// All seats of the pool.
    pub fn seats(&mut self) -> Vec<Seat<'_>> {
        let starter = &self.starter;
        self.lanes.iter_mut().map(|worker| Seat { worker, starter }).collect()
    }
}

impl Seat<'_> {
    /// Whether no worker sits here: the next request goes to a fresh one.
    pub fn is_empty(&self) -> bool {
        self.worker.is_none()
    }

    /// Asks the worker; a lost one leaves the seat empty.
    pub fn ask(&mut self, request: &Request) -> Result<Result<Reply, Gone>, PoolError> {
        if self.worker.is_none() {
            *self.worker = Some(self.starter.take()?);
        }
        let worker = self.worker.as_mut().expect("it was just taken");
        let lost = match worker.ask(request) {
            Ok(reply) => return Ok(Ok(reply)),
            Err(lost) => lost,
        };
        *self.worker = None;
        self.starter.note(&lost.loss);
        match lost.loss {
            Loss::Misunderstanding(why) => Err(PoolError::Refused(why)),
            Loss::Own(death) => Ok(Err(Gone(format!("{death:?}")))),
            Loss::Stalled => Ok(Err(Gone("it did not come back".to_owned()))),
            Loss::Outside(signal) => {
                Ok(Err(Gone(format!("killed from outside by signal {}", signal.unwrap_or(0)))))
            }
        }
    }

    /// Lets the worker go.
    pub fn clear(&mut self) {
        *self.worker = None;
    }
}
