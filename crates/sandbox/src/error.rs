//! What can go wrong while sealing a worker, said so that the user can act.

use std::io;
use std::path::PathBuf;

use crate::features::Missing;

/// Why the sandbox could not be put up.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The kernel lacks what the sandbox needs.
    #[error(
        "no sandbox: {}; Jurat runs no code it cannot contain. {}, or pass --no-sandbox to run the classes with your own rights",
        .0.what, .0.remedy
    )]
    Missing(Missing),
    /// The scratch folder cannot be used.
    #[error("the scratch folder {} cannot be used: {source}", path.display())]
    Scratch {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The sandbox binds only threads that start after it.
    #[error("the sandbox must be put up before a second thread exists, but there are {0}")]
    NotSingleThreaded(u64),
    /// A system call that should have worked did not.
    #[error("the sandbox could not {action}: {source}")]
    System {
        /// What was to be done.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The Landlock rules were not accepted.
    #[error("the sandbox could not restrict files: {0}")]
    Landlock(#[from] landlock::RulesetError),
}

impl SandboxError {
    /// The error of the system call that just failed on this thread.
    pub(crate) fn last(action: &'static str) -> Self {
        Self::System { action, source: io::Error::last_os_error() }
    }
}
