//! Starts the JDK on the embedded program and waits for its report.

use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::io::{Read, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{Bench, ValidateError, io};

/// The program, run from its source.
const PROGRAM: &str = include_str!("../java/JuratValidate.java");

/// Tells when the time for a run is over.
pub(crate) struct Clock<'a> {
    start: Instant,
    within: Option<Duration>,
    stop: &'a AtomicBool,
    /// True if the user had asked to stop before: then the time that was given is meant for that.
    was_stopped: bool,
}

impl<'a> Clock<'a> {
    #[expect(clippy::disallowed_methods, reason = "validation must end in time")]
    pub(crate) fn start(within: Option<Duration>, stop: &'a AtomicBool) -> Self {
        Self { start: Instant::now(), within, stop, was_stopped: stop.load(Ordering::Relaxed) }
    }

    /// True if the user asked to stop meanwhile.
    fn is_stopped(&self) -> bool {
        !self.was_stopped && self.stop.load(Ordering::Relaxed)
    }

    /// What is left, if there is a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.within.map(|within| within.saturating_sub(self.start.elapsed()))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_stopped() || self.left() == Some(Duration::ZERO)
    }
}

/// When a JVM is ended by force.
pub(crate) struct Limits {
    /// All the time it may take, if there is a limit.
    pub(crate) all: Option<Duration>,
    /// How long it may say nothing.
    pub(crate) silence: Duration,
}

/// The collector of most machines. With it, the JDK's own classes come from an archive with identity hash codes that are
/// the same every time, and others than with the collector of small machines.
pub(crate) const LARGE_HEAPS: &str = "-XX:+UseG1GC";

/// How a JVM is started.
#[derive(Default)]
pub(crate) struct Start {
    pub(crate) flags: Vec<String>,
    /// Whether the program is in a jar rather than in a folder.
    pub(crate) from_jar: bool,
}

/// A JVM that did not finish: what it told before, and why it ended.
pub(crate) struct Failure {
    pub(crate) lines: Vec<String>,
    pub(crate) cause: Cause,
    pub(crate) error: ValidateError,
}

/// Why a JVM did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It ended by itself, or said nothing any more: what it ran made it do so.
    Subject,
    /// Somebody killed it, as the system does where memory is short.
    Killed,
    /// It took longer than it was given, though it went on.
    Late,
    /// It could not be started, or not be understood.
    Ours,
}

impl From<Failure> for ValidateError {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

impl From<ValidateError> for Failure {
    fn from(error: ValidateError) -> Self {
        Self { lines: Vec::new(), cause: Cause::Ours, error }
    }
}

/// Runs a plan to its end and gives the lines of the report.
pub(crate) fn run(
    bench: &Bench,
    doing: &'static str,
    Start { flags, from_jar }: &Start,
    plan: &str,
    limits: &Limits,
    clock: &Clock<'_>,
) -> Result<Vec<String>, Failure> {
    let folder = tempfile::tempdir_in(&bench.scratch).map_err(|error| io(&bench.scratch, error))?;
    let (plan_file, report_file) = (folder.path().join("plan.txt"), folder.path().join("report.txt"));
    let program = bench.scratch.join(program_folder(bench));
    let source = program.join("JuratValidate.java");
    let compiled = program.join("classes");
    let mut plan = plan.to_owned();
    let is_compiled = compiled.join("JuratValidate.class").is_file();
    if !is_compiled {
        std::fs::create_dir_all(&program).map_err(|error| io(&program, error))?;
        std::fs::write(&source, PROGRAM).map_err(|error| io(&source, error))?;
        let _ = writeln!(plan, "program {}\nprogram {}", source.display(), compiled.display());
    }
    std::fs::write(&plan_file, plan).map_err(|error| io(&plan_file, error))?;
    let jar = compiled.with_file_name("program.jar");
    let program: Vec<&std::ffi::OsStr> = if is_compiled {
        let entry = if *from_jar { &jar } else { &compiled };
        vec!["-cp".as_ref(), entry.as_os_str(), "JuratValidate".as_ref()]
    } else {
        vec![source.as_os_str()]
    };
    let mut child = start(bench, flags, &program, [&plan_file, &report_file])?;
    let (cause, reason) = wait(&mut child, limits, &report_file, clock);
    let mut lines = lines(&report_file)?;
    if lines.last().is_some_and(|line| line == "done") {
        lines.pop();
        return Ok(lines);
    }
    Err(Failure { lines, cause, error: ValidateError::Ended { doing, reason } })
}

/// Where the program is: in a scratch folder that is kept, one of another version or for another JDK may be there already.
fn program_folder(bench: &Bench) -> String {
    let mut hasher = std::hash::DefaultHasher::new();
    PROGRAM.hash(&mut hasher);
    bench.jdk.home.hash(&mut hasher);
    bench.jdk.version.hash(&mut hasher);
    format!("program-{:016x}", hasher.finish())
}

fn lines(report: &Path) -> Result<Vec<String>, ValidateError> {
    match std::fs::read(report) {
        Ok(report) => Ok(String::from_utf8_lossy(&report).lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io(report, error)),
    }
}

#[expect(clippy::disallowed_methods, reason = "emitted tests run in JVMs of their own, outside the pool")]
fn start(
    bench: &Bench,
    flags: &[String],
    program: &[&std::ffi::OsStr],
    files: [&PathBuf; 2],
) -> Result<Child, ValidateError> {
    let java = bench.jdk.home.join("bin/java");
    Command::new(&java)
        .args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Xmx1g"])
        // The quickest to start, unless another is asked for.
        .args(["-XX:+UseSerialGC"].iter().filter(|_| !flags.iter().any(|flag| flag == LARGE_HEAPS)))
        // What tests and Mockito leave behind goes with the folder.
        .arg(format!("-Djava.io.tmpdir={}", bench.scratch.display()))
        .args(flags)
        .args(program)
        .args(files)
        .current_dir(&bench.scratch)
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("_JAVA_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS")
        .env_remove("CLASSPATH")
        // Or it would not find files whose names hold more than ASCII.
        .env("LC_ALL", "C.UTF-8")
        // Ctrl-C is for us: we stop, and still want to know whether the tests pass.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io(&java, error))
}

/// Waits for the end, by force once a limit is reached; gives why it came and what was said on standard error. A JVM is told
/// when the user asks to stop.
fn wait(child: &mut Child, limits: &Limits, report: &Path, clock: &Clock<'_>) -> (Cause, String) {
    let said = listen(child);
    let mut watch = Watch::start(limits, report);
    let mut is_told = false;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                let said = said.join().unwrap_or_default();
                let cause = if status.signal() == Some(SIGKILL) { Cause::Killed } else { Cause::Subject };
                return (
                    cause,
                    if said.is_empty() { status.to_string() } else { format!("{status}: {said}") },
                );
            }
            Ok(None) => {}
            Err(error) => return (end(child, Cause::Ours), format!("it cannot be waited for: {error}")),
        }
        if let Some((cause, reason)) = watch.reached() {
            return (end(child, cause), reason);
        }
        if !is_told && clock.is_stopped() {
            is_told = true;
            // One that does not hear it has ended.
            let _ = child.stdin.as_mut().map(|stdin| stdin.write_all(b"\n"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Kills by force, which nothing can refuse.
const SIGKILL: i32 = 9;

fn end(child: &mut Child, cause: Cause) -> Cause {
    let _ = child.kill();
    let _ = child.wait();
    cause
}

/// Reads standard error to its end.
fn listen(child: &mut Child) -> std::thread::JoinHandle<String> {
    let stderr = child.stderr.take();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            // The first words tell most; the rest is read only so that the JVM is not held up.
            let _ = (&mut stderr).take(4096).read_to_end(&mut text);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    })
}

/// Watches whether a JVM goes on.
struct Watch<'a> {
    limits: &'a Limits,
    report: &'a Path,
    start: Instant,
    /// How long the report was, and when that was looked at.
    seen: (u64, Instant),
}

impl<'a> Watch<'a> {
    #[expect(clippy::disallowed_methods, reason = "the limits guard against tests that never end")]
    fn start(limits: &'a Limits, report: &'a Path) -> Self {
        let now = Instant::now();
        Self { limits, report, start: now, seen: (0, now) }
    }

    /// Which limit is reached, if one is.
    #[expect(clippy::disallowed_methods, reason = "the limits guard against tests that never end")]
    fn reached(&mut self) -> Option<(Cause, String)> {
        if let Some(all) = self.limits.all.filter(|all| self.start.elapsed() >= *all) {
            return Some((Cause::Late, format!("it took longer than {} s", all.as_secs())));
        }
        let (length, since) = self.seen;
        if since.elapsed() < self.limits.silence {
            return None;
        }
        let now = std::fs::metadata(self.report).map_or(0, |report| report.len());
        self.seen = (now, Instant::now());
        let silence = self.limits.silence.as_secs();
        (now == length).then(|| (Cause::Subject, format!("it said nothing for {silence} s")))
    }
}
