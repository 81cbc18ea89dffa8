//! Exit codes, and the errors that pick them.

use std::process::ExitCode;

/// Why the command could not do its job, by who can act on it.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The exit code when the machine lacks something.
    pub(crate) const ENVIRONMENT: u8 = 3;

    /// The arguments contradict each other or name something that does not exist: exit 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into() }
    }

    /// The machine lacks something (a path, a JDK, a sandbox feature): exit 3.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self { code: Self::ENVIRONMENT, message: message.into() }
    }

    /// We are wrong: exit 70.
    pub(crate) fn bug(message: impl Into<String>) -> Self {
        Self { code: 70, message: message.into() }
    }

    /// True if the arguments are at fault.
    pub(crate) fn is_usage(&self) -> bool {
        self.code == 2
    }

    /// Prints the message on stderr and gives the exit code.
    #[expect(clippy::print_stderr, reason = "this is where errors reach people")]
    pub(crate) fn report(&self) -> ExitCode {
        eprintln!("jurat: {}", self.message);
        ExitCode::from(self.code)
    }
}
