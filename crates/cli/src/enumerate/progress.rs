//! How far a search has come, on a terminal or in a log; and Ctrl-C.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jurat_engine::EnumerateProgress;

use super::now;
use crate::output::Format;

/// Shows progress on stderr.
pub(super) struct Meter {
    interrupted: Arc<AtomicBool>,
    started: Instant,
    last: Mutex<Instant>,
    terminal: bool,
    every: Duration,
}

impl Meter {
    /// From now on Ctrl-C is noticed by [`Meter::show`]; a second one ends the process.
    pub(super) fn start(format: Format) -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        // Without a handler Ctrl-C still ends the process, only less politely.
        let second = signal_hook::flag::register_conditional_shutdown(
            signal_hook::consts::SIGINT,
            130,
            Arc::clone(&interrupted),
        );
        let first = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&interrupted));
        drop((first, second));
        let terminal = stderr().is_terminal() && format == Format::Human;
        let every = Duration::from_millis(if terminal { 100 } else { 10_000 });
        Self { interrupted, started: now(), last: Mutex::new(now()), terminal, every }
    }

    /// Shows how far the search is, from time to time; false when it is to stop.
    pub(super) fn show(&self, progress: &EnumerateProgress) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now();
        if now.duration_since(*last) >= self.every {
            *last = now;
            self.print(progress, now.duration_since(self.started).as_secs_f64());
        }
        self.goes_on()
    }

    /// False once Ctrl-C was pressed.
    pub(super) fn goes_on(&self) -> bool {
        !self.interrupted.load(Ordering::Relaxed)
    }

    /// Leaves the terminal as it was found.
    #[expect(clippy::print_stderr, reason = "this is where progress reaches people")]
    pub(super) fn finish(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }

    #[expect(clippy::print_stderr, reason = "this is where progress reaches people")]
    fn print(&self, progress: &EnumerateProgress, seconds: f64) {
        let line = line(progress, seconds);
        if self.terminal {
            eprint!("\r{line}\x1b[K");
        } else {
            eprintln!("{line}");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounded to millions")]
fn line(progress: &EnumerateProgress, seconds: f64) -> String {
    let tally = progress.tally;
    let rate = tally.explored as f64 / seconds.max(0.001) / 1e6;
    format!(
        "{} explored, {} valid, {rate:.2} million/s, about {:.1} % of the search behind us",
        tally.explored,
        tally.valid,
        progress.behind * 100.0
    )
}
