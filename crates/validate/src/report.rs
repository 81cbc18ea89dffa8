//! What the validating JVM tells, as data.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::{Hunt, Led};

/// A test: its class and its method.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestId {
    /// Binary name of the class, with dots.
    pub class: String,
    /// Name of the method.
    pub method: String,
}

/// How bad a remark of the compiler is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It compiles.
    Warning,
    /// It does not.
    Error,
}

/// A remark of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file, if the remark is about one.
    pub file: Option<PathBuf>,
    /// The line, from 1.
    pub line: usize,
    /// What the compiler says.
    pub message: String,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It passed.
    Passed,
    /// It threw, from this line of its method.
    Failed {
        /// The line of the test's file, or 0.
        line: usize,
        /// The class of what it threw.
        exception: String,
        /// Its message.
        message: String,
    },
    /// It did not end in time.
    Slow,
    /// It ended the JVM.
    KilledJvm,
}

/// A test and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// The test.
    pub test: TestId,
    /// Its end.
    pub ended: Ended,
}

pub(crate) fn diagnostics(lines: &[String]) -> Vec<Diagnostic> {
    lines.iter().filter_map(|line| diagnostic(line)).collect()
}

fn diagnostic(line: &str) -> Option<Diagnostic> {
    let mut parts = line.splitn(4, '\t');
    let severity = match parts.next()? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let file = Some(parts.next()?).filter(|file| *file != "-").map(PathBuf::from);
    let line = parts.next()?.parse().unwrap_or(0);
    Some(Diagnostic { severity, file, line, message: parts.next()?.to_owned() })
}

pub(crate) fn results(lines: &[String]) -> Vec<TestResult> {
    lines.iter().filter_map(|line| result(line)).collect()
}

/// The test that was running when the report broke off.
pub(crate) fn unfinished(lines: &[String]) -> Option<TestId> {
    let mut parts = lines.last()?.strip_prefix("run\t")?.split('\t');
    Some(TestId { class: parts.next()?.to_owned(), method: parts.next()?.to_owned() })
}

/// Adds what one JVM told in which tests led others.
pub(crate) fn led(lines: &[String], led: &mut Led) {
    let mut leader: Option<TestId> = None;
    let mut has_passed = false;
    for line in lines {
        let parts: Vec<&str> = line.split('\t').collect();
        if let ["lead", class, method] = parts[..] {
            leader = Some(TestId { class: class.to_owned(), method: method.to_owned() });
            has_passed = false;
            continue;
        }
        let Some(result) = result(line) else { continue };
        match &leader {
            Some(leader) if *leader == result.test => {
                has_passed = result.ended == Ended::Passed;
                let leaders = if has_passed { &mut led.alone } else { &mut led.doomed };
                leaders.insert(leader.clone());
            }
            Some(leader) if has_passed && matches!(result.ended, Ended::Failed { .. }) => {
                led.strikes.insert((leader.clone(), result.test.clone()));
            }
            _ => {}
        }
        led.results.push(result);
    }
}

/// Adds what one JVM of a hunt told; gives the suspects it was done with.
pub(crate) fn hunted(lines: &[String], hunt: &mut Hunt) -> BTreeSet<TestId> {
    let mut seen = BTreeSet::new();
    for line in lines {
        let mut parts = line.split('\t');
        let word = parts.next();
        let mut test = || Some(TestId { class: parts.next()?.to_owned(), method: parts.next()?.to_owned() });
        let Some(first) = test() else { continue };
        match (word, test()) {
            (Some("suspect"), _) => _ = seen.insert(first),
            (Some("doomed"), _) => _ = hunt.doomed.insert(first),
            (Some("watched"), _) => _ = hunt.watched.insert(first),
            (Some("strikes"), Some(victim)) => _ = hunt.strikes.insert((first, victim)),
            _ => {}
        }
    }
    seen
}

fn result(line: &str) -> Option<TestResult> {
    let mut parts = line.splitn(6, '\t');
    let word = parts.next()?;
    let test = TestId { class: parts.next()?.to_owned(), method: parts.next()?.to_owned() };
    let ended = match word {
        "pass" => Ended::Passed,
        "slow" => Ended::Slow,
        "fail" => Ended::Failed {
            line: parts.next()?.parse().unwrap_or(0),
            exception: parts.next()?.to_owned(),
            message: parts.next().unwrap_or_default().to_owned(),
        },
        _ => return None,
    };
    Some(TestResult { test, ended })
}
