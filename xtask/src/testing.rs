//! Runs every test of the workspace: `cargo xtask test`, which is what `make test` does.
//!
//! `cargo test` runs one test binary after the other, and many of ours wait for JVMs most of the time. Here they run
//! `ABREAST` at a time; what each says comes whole, when it ends.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// How many binaries run at a time; each runs as many tests at a time as there are processors.
const ABREAST: usize = 2;

/// Builds all tests, runs them, and says how many passed.
#[expect(clippy::print_stdout, reason = "what tests say is what this command is for")]
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let mut jobs = built()?;
    jobs.push(Job::documentation());
    let logs = root.join("target/tests");
    std::fs::create_dir_all(&logs).with_context(|| logs.display().to_string())?;

    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || -> Result<()> {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ended = job.run(&logs)?;
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            println!("     Running {}\n{}", job.name, ended.said);
            tally.add(job, &ended);
        }
        Ok(())
    };
    let done: Vec<Result<()>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..ABREAST).map(|_| scope.spawn(work)).collect();
        let join =
            |thread: ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|_| bail!("a thread panicked"));
        threads.into_iter().map(join).collect()
    });

    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    for name in &tally.broken {
        println!("failed: {name}");
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    done.into_iter().collect::<Result<()>>()?;
    ensure!(tally.passed + tally.failed > 0, "no test ran");
    Ok(if tally.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Something that runs tests.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    /// Unit tests take seconds. What takes minutes comes first, so that it does not come alone at the end.
    is_quick: bool,
    name: String,
    program: PathBuf,
    args: Vec<&'static str>,
    /// Where it runs, as with `cargo test`: in the folder of its crate.
    folder: PathBuf,
}

/// What a job left behind.
struct Ended {
    status: ExitStatus,
    said: String,
}

/// What all jobs came to.
#[derive(Debug, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    broken: Vec<String>,
}

/// A line of what cargo says while it builds.
#[derive(Deserialize)]
struct Built {
    executable: Option<PathBuf>,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Builds all test binaries.
fn built() -> Result<Vec<Job>> {
    let output = cargo()
        .args(["test", "--workspace", "--locked", "--no-run", "--message-format=json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "the tests do not build");
    jobs(&String::from_utf8(output.stdout).context("cargo said something unexpected")?)
}

#[expect(clippy::disallowed_methods, reason = "tests are built by cargo")]
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The test binaries that cargo says it built, those first that take long.
fn jobs(lines: &str) -> Result<Vec<Job>> {
    let mut jobs = BTreeSet::new();
    for line in lines.lines() {
        let built: Built = serde_json::from_str(line).with_context(|| format!("cargo said: {line}"))?;
        let (Some(program), Some(target), Some(Profile { test: true })) =
            (built.executable, built.target, built.profile)
        else {
            continue;
        };
        let folder = built.manifest_path.parent().context("a manifest is in a folder")?.to_owned();
        let of = folder.file_name().unwrap_or_default().display();
        let kind = target.kind.first().map_or("", String::as_str);
        jobs.insert(Job {
            is_quick: kind != "test",
            name: format!("{of}, {kind} {}", target.name),
            program,
            args: Vec::new(),
            folder,
        });
    }
    Ok(jobs.into_iter().collect())
}

impl Job {
    fn documentation() -> Self {
        Self {
            is_quick: true,
            name: "documentation".to_owned(),
            program: cargo().get_program().into(),
            args: vec!["test", "--workspace", "--locked", "--doc", "--no-fail-fast", "--quiet"],
            folder: PathBuf::from("."),
        }
    }

    /// Runs it. A file takes what it says and not a pipe, which would stay open as long as anything it started.
    #[expect(clippy::disallowed_methods, reason = "tests are programs")]
    fn run(&self, logs: &Path) -> Result<Ended> {
        let log = logs.join(format!("{}.log", self.name.replace([' ', ','], "-")));
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        let status = Command::new(&self.program)
            .args(&self.args)
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .status()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let said = std::fs::read(&log).with_context(|| log.display().to_string())?;
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok(Ended { status, said })
    }
}

impl Tally {
    fn add(&mut self, job: &Job, ended: &Ended) {
        for line in ended.said.lines().filter(|line| line.starts_with("test result: ")) {
            self.passed += number_before(line, " passed");
            self.failed += number_before(line, " failed");
        }
        if !ended.status.success() {
            self.broken.push(format!("{}, {}", job.name, ended.status));
        }
    }
}

/// The number in front of a word: 3 of `ok. 3 passed; 0 failed`.
fn number_before(line: &str, word: &str) -> u64 {
    let number = line.split(word).next().and_then(|before| before.rsplit(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn job(name: &str) -> Job {
        Job { name: name.to_owned(), ..Job::documentation() }
    }

    fn ended(code: i32, said: &str) -> Ended {
        Ended { status: ExitStatus::from_raw(code << 8), said: said.to_owned() }
    }

    #[test]
    fn binaries_of_tests_are_found_and_long_ones_come_first() {
        let lines = r#"{"reason":"compiler-artifact","manifest_path":"/w/base/Cargo.toml","target":{"kind":["lib"],"name":"jurat_base"},"profile":{"test":true},"executable":"/t/base"}
{"reason":"compiler-artifact","manifest_path":"/w/cli/Cargo.toml","target":{"kind":["bin"],"name":"jurat"},"profile":{"test":false},"executable":"/t/jurat"}
{"reason":"compiler-artifact","manifest_path":"/w/cli/Cargo.toml","target":{"kind":["test"],"name":"list"},"profile":{"test":true},"executable":"/t/list"}
{"reason":"build-finished","success":true}"#;
        let found = jobs(lines).expect("the lines are what cargo says");
        let names: Vec<&str> = found.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["cli, test list", "base, lib jurat_base"]);
        assert_eq!(found[0].folder, Path::new("/w/cli"));
    }

    #[test]
    fn results_of_all_binaries_are_added_up() {
        let mut tally = Tally::default();
        let said = "running 3 tests\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\n";
        tally.add(&job("a"), &ended(101, said));
        let said = "test result: ok. 40 passed; 0 failed; 0 ignored\n\ntest result: ok. 1 passed; 0 failed\n";
        tally.add(&job("b"), &ended(0, said));
        assert_eq!((tally.passed, tally.failed), (43, 1));
        assert_eq!(tally.broken, ["a, exit status: 101"]);
    }

    #[test]
    fn what_ends_without_a_result_has_failed() {
        let mut tally = Tally::default();
        tally.add(&job("crashed"), &ended(101, "running 3 tests\n"));
        assert_eq!(tally.broken.len(), 1);
    }
}
