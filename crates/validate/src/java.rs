//! Starts the JDK on the embedded program and waits for its report.

use std::fmt::Write as _;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Bench, ValidateError, io};

/// The program, run from its source.
const PROGRAM: &str = include_str!("../java/JuratValidate.java");

/// Tells when the time for a run is over.
pub(crate) struct Clock {
    start: Instant,
    within: Option<Duration>,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "validation must end in time")]
    pub(crate) fn start(within: Option<Duration>) -> Self {
        Self { start: Instant::now(), within }
    }

    /// What is left, if there is a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.within.map(|within| within.saturating_sub(self.start.elapsed()))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
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
    pub(crate) error: ValidateError,
}

impl From<Failure> for ValidateError {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

impl From<ValidateError> for Failure {
    fn from(error: ValidateError) -> Self {
        Self { lines: Vec::new(), error }
    }
}

/// Runs a plan to its end and gives the lines of the report.
pub(crate) fn run(
    bench: &Bench,
    doing: &'static str,
    Start { flags, from_jar }: &Start,
    plan: &str,
    limit: Duration,
) -> Result<Vec<String>, Failure> {
    let folder = tempfile::tempdir_in(&bench.scratch).map_err(|error| io(&bench.scratch, error))?;
    let (plan_file, report_file) = (folder.path().join("plan.txt"), folder.path().join("report.txt"));
    let source = bench.scratch.join("program").join("JuratValidate.java");
    let compiled = bench.scratch.join("program").join("classes");
    let mut plan = plan.to_owned();
    let is_compiled = compiled.join("JuratValidate.class").is_file();
    if !is_compiled {
        let program = bench.scratch.join("program");
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
    let reason = wait(&mut child, limit);
    let report = std::fs::read(&report_file).unwrap_or_default();
    let mut lines: Vec<String> = String::from_utf8_lossy(&report).lines().map(str::to_owned).collect();
    if lines.last().is_some_and(|line| line == "done") {
        lines.pop();
        return Ok(lines);
    }
    Err(Failure { lines, error: ValidateError::Ended { doing, reason } })
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
        // Ctrl-C is for us: we stop, and still want to know whether the tests pass.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io(&java, error))
}

/// Waits for the end, by force once the limit is reached; gives what was said on standard error.
#[expect(clippy::disallowed_methods, reason = "the limit guards against tests that never end")]
fn wait(child: &mut Child, limit: Duration) -> String {
    let stderr = child.stderr.take();
    let said = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            // The first words tell most; the rest is read only so that the JVM is not held up.
            let _ = (&mut stderr).take(4096).read_to_end(&mut text);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    });
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                let said = said.join().unwrap_or_default();
                return if said.is_empty() { status.to_string() } else { format!("{status}: {said}") };
            }
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return format!("it took longer than {} s", limit.as_secs());
            }
        }
    }
}
