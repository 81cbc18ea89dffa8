//! The process that hosts one HotSpot JVM and runs sequences in it.
//!
//! [`run`] is the whole life of a worker: it takes its descriptors, applies the sandbox while it is still one
//! thread, creates the JVM and answers requests until the engine closes the pipe. It leaves with `_exit`, because
//! a JVM whose subject misbehaved may never shut down.
#![expect(unsafe_code, reason = "JNI, JVMTI, shared memory and process set-up")]

mod bare;
mod calls;
mod capture;
mod classes;
mod clock;
mod crash;
mod enumerate;
mod epoch;
mod execute;
mod fingerprint;
mod flags;
mod jni;
mod judge;
mod jvm;
mod jvmti;
mod mocks;
mod patch;
mod pins;
mod probes;
mod random;
mod roam;
mod scratch;
mod serve;
mod shared;
mod standin;
mod start;
mod statement;
mod synthesize;
mod table;
mod threads;
mod trials;
mod warm;
mod watchdog;
mod weave;

use std::fmt;

/// Why a worker cannot work. The engine sees the text.
#[derive(Debug)]
pub(crate) struct WorkerError(String);

impl WorkerError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<jurat_protocol::frame::FrameError> for WorkerError {
    fn from(error: jurat_protocol::frame::FrameError) -> Self {
        Self(error.to_string())
    }
}

/// Lives a worker's life. Returns only when the process was not started as a worker: by hand, say.
pub fn run() -> Result<std::convert::Infallible, NotAWorker> {
    start::run()
}

/// The process has no engine to talk to.
#[derive(Debug, thiserror::Error)]
#[error("`jurat worker` is started by jurat itself: it talks to an engine, and there is none")]
pub struct NotAWorker;
