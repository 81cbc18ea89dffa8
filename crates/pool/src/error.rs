//! Why the pool could not do its job, by who can act on it.

use jurat_classpath::jdk::JdkError;

/// What went wrong with us or the machine; what the subject does is never an error.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// There is no usable JDK.
    #[error(transparent)]
    Jdk(#[from] JdkError),
    /// The machine refused something a worker needs.
    #[error("cannot start a worker: {what}: {error}")]
    Start {
        /// What was being done.
        what: &'static str,
        /// The machine's reason.
        error: std::io::Error,
    },
    /// A worker started but could not get ready.
    #[error("a worker could not get ready: {reason}{}", said(output))]
    NotReady {
        /// Its reason.
        reason: String,
        /// What the JVM wrote.
        output: String,
        /// Whether somebody else killed it.
        killed: bool,
    },
    /// The worker and the engine disagree about what can be asked: our mistake.
    #[error("the worker refused a request: {0}")]
    Refused(String),
    /// Workers kept dying before they could run anything.
    #[error("{count} workers in a row died before they ran a statement of chunk {chunk}: {last}")]
    Hopeless {
        /// How many.
        count: u32,
        /// The chunk they were given.
        chunk: u32,
        /// How the last one died.
        last: String,
    },
}

fn said(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!("; the JVM said: {output}") }
}

impl PoolError {
    /// The exit code: 3 when the machine lacks something, 70 when it is our mistake.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Jdk(_) | Self::Start { .. } | Self::NotReady { .. } => 3,
            Self::Refused(_) | Self::Hopeless { .. } => 70,
        }
    }
}
