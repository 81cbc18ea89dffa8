//! Landlock, seccomp and resource limits around a worker, and a record of what the subject tried.
//!
//! A worker calls [`apply`] while it is still single-threaded and before any JVM exists. From then on
//! files change only below the scratch folder, and there are no sockets, no processes and no signals
//! to others. What is refused or noteworthy is counted in [`Attempts`], because a sequence that tried
//! to write, connect, spawn, signal or exit must never become a test.
//!
//! How it is built: Landlock decides about files. A seccomp filter lets harmless calls through and
//! hands every other one to a supervisor thread of the same process, which is older than the filter,
//! bound by Landlock as well, and runs no code of the subject. The supervisor performs, refuses and
//! counts. It is preferred to a `SIGSYS` handler because glibc blocks all signals around `fork`,
//! `posix_spawn` and `pthread_create`, and a trap that meets a blocked signal kills the process.

#![expect(unsafe_code, reason = "system calls that no safe wrapper covers")]

mod attempts;
mod confine;
mod error;
mod features;
mod files;
mod filter;
mod limits;
mod places;
mod process;
mod supervisor;
mod syscalls;

use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

pub use attempts::{Attempts, Counts, Kind};
pub use error::SandboxError;
pub use features::{Features, LANDLOCK_NEEDED, Missing, detect};
pub use limits::{Limits, keep_memory_low};
pub use process::{close_inherited_fds, die_with_parent, environment, scrub_environment};

/// What a worker may do.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The only folder in which files may change; it must exist.
    pub scratch: PathBuf,
    /// The JDK, the class path and whatever else the run may know about. Reading elsewhere works, but is
    /// counted, because what is found there need not be the same on another machine.
    pub readable: Vec<PathBuf>,
    /// Caps on what the process may use.
    pub limits: Limits,
    /// The read end of a pipe that the engine holds open: when the other end closes, the worker is ended
    /// at once, whatever its threads are doing.
    pub lifeline: Option<RawFd>,
}

impl Policy {
    /// The policy for a worker with this scratch folder, nothing to read, default limits and no lifeline.
    pub fn new(scratch: impl Into<PathBuf>) -> Self {
        Self { scratch: scratch.into(), readable: Vec::new(), limits: Limits::default(), lifeline: None }
    }
}

/// Seals this process for good and starts counting in `attempts`.
///
/// Landlock and seccomp bind a thread and the threads it starts later, so the process must have one
/// thread only; anything else is refused.
pub fn apply(policy: &Policy, attempts: &'static Attempts) -> Result<(), SandboxError> {
    apply_with(policy, attempts, &detect())
}

/// [`apply`], with the kernel's features given, so that tests can play an older kernel.
#[doc(hidden)]
pub fn apply_with(
    policy: &Policy,
    attempts: &'static Attempts,
    features: &Features,
) -> Result<(), SandboxError> {
    features.ensure()?;
    process::ensure_single_threaded()?;
    let scratch = canonical(&policy.scratch)?;
    policy.limits.apply()?;
    limits::offer_to_oom_killer();
    files::restrict(&scratch, features)?;
    limits::drop_capabilities()?;
    let supervisor = supervisor::Supervisor {
        places: places::Places::new(scratch, &policy.readable),
        threads: policy.limits.threads,
        lifeline: policy.lifeline.unwrap_or(-1),
        attempts,
    };
    supervisor::start(supervisor)
}

fn canonical(scratch: &Path) -> Result<PathBuf, SandboxError> {
    let found = scratch.canonicalize().and_then(|path| {
        if path.is_dir() { Ok(path) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
    });
    found.map_err(|source| SandboxError::Scratch { path: scratch.to_owned(), source })
}
