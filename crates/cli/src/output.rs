//! How results reach stdout: as text or JSON, in colour or not.

use std::io::{ErrorKind, IsTerminal, Write, stdout};

use serde::Serialize;

use crate::exit::Failure;

/// What a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// One JSON document and nothing else
    Json,
}

/// Prints to stdout. A reader that has seen enough (`jurat list | head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::environment(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Tells the user something beside the result, on stderr.
#[expect(clippy::print_stderr, reason = "stdout is for results")]
pub(crate) fn note(text: &str) {
    eprintln!("jurat: {text}");
}

/// Prints one JSON document, indented.
pub(crate) fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document).expect("our documents have string keys only");
    print(&(text + "\n"))
}

/// Columns of the terminal that stdout is; none if it is a file or a pipe, where lines stay whole.
pub(crate) fn width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(stdout())?;
    Some(usize::from(columns).max(40))
}

/// Colours, where they are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    coloured: bool,
}

impl Paint {
    /// Coloured on a terminal, unless `NO_COLOR` is set or the terminal knows no colours.
    pub(crate) fn for_stdout() -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self { coloured: stdout().is_terminal() && !no_color && !dumb }
    }

    /// Never coloured.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self { coloured: false }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
