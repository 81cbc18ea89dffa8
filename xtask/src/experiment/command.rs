//! Starts a program, waits for it with a limit, and keeps what it printed.

use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::memory::{Peak, resident};

/// A program to start.
pub(crate) struct Command {
    inner: std::process::Command,
    log: Option<PathBuf>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Code(i32),
    Killed,
    TookTooLong,
}

impl fmt::Display for Ended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "exit {code}"),
            Self::Killed => out.write_str("killed"),
            Self::TookTooLong => out.write_str("too long"),
        }
    }
}

/// What it left behind.
pub(crate) struct Run {
    pub(crate) ended: Ended,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) wall: Duration,
    pub(crate) peak: Peak,
    /// What the program alone held after each minute, in bytes.
    pub(crate) minutes: Vec<u64>,
}

/// How often the end is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How often memory is: it takes a walk through all processes.
const GLANCE: Duration = Duration::from_millis(500);

impl Command {
    #[expect(clippy::disallowed_methods, reason = "measuring programs means starting them")]
    pub(crate) fn new(program: &Path) -> Self {
        let mut inner = std::process::Command::new(program);
        inner.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        inner.env_remove("JAVA_TOOL_OPTIONS").env_remove("CLASSPATH");
        Self { inner, log: None }
    }

    pub(crate) fn args(&mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Self {
        self.inner.args(args);
        self
    }

    pub(crate) fn arg(&mut self, arg: impl AsRef<OsStr>) -> &mut Self {
        self.inner.arg(arg);
        self
    }

    pub(crate) fn folder(&mut self, folder: &Path) -> &mut Self {
        self.inner.current_dir(folder);
        self
    }

    /// Where a copy of standard error goes.
    pub(crate) fn log_to(&mut self, file: &Path) -> &mut Self {
        self.log = Some(file.to_owned());
        self
    }

    /// Waits for the end.
    pub(crate) fn run(&mut self, limit: Duration) -> Result<Run> {
        self.wait(limit, false)
    }

    /// Waits for the end and watches the memory of the program and all it starts.
    pub(crate) fn run_watched(&mut self, limit: Duration) -> Result<Run> {
        self.wait(limit, true)
    }

    #[expect(clippy::disallowed_methods, reason = "time is what is measured")]
    fn wait(&mut self, limit: Duration, is_watched: bool) -> Result<Run> {
        let started = Instant::now();
        let mut child = self.inner.spawn().with_context(|| format!("cannot start {:?}", self.inner))?;
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let (mut peak, mut minutes, mut glances) = (Peak::default(), Vec::new(), 0);
        let ended = loop {
            if let Some(status) = child.try_wait()? {
                break status.code().map_or(Ended::Killed, Ended::Code);
            }
            if started.elapsed() > limit {
                stop(&mut child);
                break Ended::TookTooLong;
            }
            if is_watched && started.elapsed() >= GLANCE * glances {
                glances += 1;
                peak.look(child.id());
                if started.elapsed().as_secs() / 60 > minutes.len() as u64 {
                    minutes.push(resident(child.id()));
                }
            }
            std::thread::sleep(TICK);
        };
        let wall = started.elapsed();
        let (stdout, stderr) = (text(stdout), text(stderr));
        if let Some(log) = &self.log {
            std::fs::write(log, &stderr).with_context(|| log.display().to_string())?;
        }
        Ok(Run { ended, stdout, stderr, wall, peak, minutes })
    }
}

fn stop(child: &mut Child) {
    // It may have ended by itself in the meantime; either way it is gone.
    let _ = child.kill();
    let _ = child.wait();
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a stream broke is still worth showing.
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

fn text(reader: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
