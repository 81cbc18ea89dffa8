//! Compiles and runs an emitted suite with the JDK's and JUnit's own programs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::command::{Command, Ended};
use crate::files::below;

/// Where a suite is examined.
pub(crate) struct Bench<'a> {
    pub(crate) jdk: &'a Path,
    pub(crate) jars: &'a Path,
    /// What Jurat was given; may name a module of the JDK.
    pub(crate) class_path: &'a str,
    pub(crate) folder: &'a Path,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Suite {
    pub(crate) files: usize,
    pub(crate) lines: usize,
    pub(crate) longest_file: usize,
    pub(crate) tests: usize,
    /// Lines in the body of each test.
    pub(crate) lengths: Vec<usize>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Tests that failed in each of the shuffled runs; more than there are tests if the run itself failed.
    pub(crate) failed: Vec<usize>,
}

/// Zone, language, country and hash mode of the runs: not those in which Jurat itself tries its tests.
const PERTURBATIONS: [[&str; 4]; 5] = [
    ["Asia/Pyongyang", "et", "EE", "0"],
    ["Australia/Lord_Howe", "lt", "LT", "5"],
    ["Europe/Lisbon", "hu", "HU", "2"],
    ["America/Argentina/San_Luis", "zh", "CN", "3"],
    ["Africa/Casablanca", "sv", "SE", "1"],
];

/// What tests with mocks need.
const MOCKITO: [&str; 4] = ["mockito-core-", "byte-buddy-1", "byte-buddy-agent-", "objenesis-"];

/// What suits a JVM that lives for seconds: half the time of a processor.
pub(crate) const BRIEF: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// No suite needs longer, unless a test hangs.
const LONGEST: Duration = Duration::from_secs(600);

impl Bench<'_> {
    /// Counts, compiles and runs the tests in a folder; a folder that was never made has none.
    pub(crate) fn examine(&self, tests: &Path) -> Result<Suite> {
        let mut suite = Suite::default();
        let sources: Vec<PathBuf> = if tests.is_dir() { below(tests)? } else { Vec::new() };
        let sources: Vec<PathBuf> = sources
            .into_iter()
            .filter(|path| path.extension().is_some_and(|found| found == "java"))
            .collect();
        for source in &sources {
            suite.count(&std::fs::read_to_string(source).with_context(|| source.display().to_string())?);
        }
        if suite.tests == 0 {
            return Ok(suite);
        }
        self.compile(&sources, &mut suite)?;
        for (run, perturbation) in PERTURBATIONS.iter().enumerate() {
            suite.failed.push(self.shuffled(run, *perturbation, suite.tests)?);
        }
        Ok(suite)
    }

    fn compile(&self, sources: &[PathBuf], suite: &mut Suite) -> Result<()> {
        let list = self.folder.join("sources.txt");
        let names: Vec<String> = sources.iter().map(|path| format!("\"{}\"", path.display())).collect();
        std::fs::write(&list, names.join("\n"))?;
        let mut command = Command::new(&self.jdk.join("bin/javac"));
        command.args(BRIEF.map(|flag| format!("-J{flag}")));
        // Level 8 is what is promised; that javac finds it old is not about the tests.
        command.args(["-source", "8", "-target", "8", "-Xlint:all,-options", "-Xmaxerrs", "100000"]);
        command.args(["-Xmaxwarns", "100000", "-proc:none", "-encoding", "UTF-8", "-d"]).arg(self.classes());
        command.args(["-cp", &self.test_class_path()]).arg(format!("@{}", list.display()));
        let run = command.run(LONGEST)?;
        std::fs::write(self.folder.join("javac.log"), &run.stderr)?;
        (suite.errors, suite.warnings) = remarks(&run.stderr);
        if run.ended != Ended::Code(0) {
            suite.errors = suite.errors.max(1);
        }
        Ok(())
    }

    /// Runs all tests in a fresh JVM, in an order of its own, and counts those that fail.
    fn shuffled(&self, run: usize, perturbation: [&str; 4], tests: usize) -> Result<usize> {
        let [zone, language, country, hash] = perturbation;
        let flags = [
            format!("-Duser.timezone={zone}"),
            format!("-Duser.language={language}"),
            format!("-Duser.country={country}"),
            "-XX:+UnlockExperimentalVMOptions".to_owned(),
            format!("-XX:hashCode={hash}"),
        ];
        // With the collector of most machines, the JDK's own classes have other hash codes than with that of small ones.
        let collector = if run.is_multiple_of(2) { BRIEF[1] } else { "-XX:+UseG1GC" };
        let flags: Vec<String> = flags.into_iter().chain([collector.to_owned()]).collect();
        let launched = self.launch(&flags, run as u64 + 1)?;
        std::fs::write(self.folder.join(format!("run-{}.log", run + 1)), &launched)?;
        let number = |what| summary(&launched, what);
        Ok(match (number("tests successful"), number("tests failed")) {
            (Some(successful), Some(failed)) if successful + failed >= tests => failed,
            // Tests that were skipped or lost did not pass either.
            (Some(successful), Some(_)) => tests.saturating_sub(successful),
            _ => tests + 1,
        })
    }

    /// Starts JUnit on the compiled tests and gives what it printed.
    pub(crate) fn launch(&self, flags: &[String], seed: u64) -> Result<String> {
        let mut command = Command::new(&self.jdk.join("bin/java"));
        command.args(["-ea", "-Xmx1g", BRIEF[0]]).args(flags).arg("-jar").arg(self.junit()?);
        command.args(["execute", "--disable-banner", "--disable-ansi-colors", "--details=summary"]);
        command.args(["--class-path", &self.test_class_path()]).arg("--scan-class-path").arg(self.classes());
        command.args(["--include-classname", ".*"]);
        for (key, value) in [
            (
                "junit.jupiter.testmethod.order.default",
                "org.junit.jupiter.api.MethodOrderer$Random".to_owned(),
            ),
            ("junit.jupiter.testclass.order.default", "org.junit.jupiter.api.ClassOrderer$Random".to_owned()),
            ("junit.jupiter.execution.order.random.seed", seed.to_string()),
        ] {
            command.args(["--config".to_owned(), format!("{key}={value}")]);
        }
        let run = command.folder(self.folder).run(LONGEST)?;
        Ok(format!("{}\n{}\n{}\n", run.stdout, run.stderr, run.ended))
    }

    pub(crate) fn classes(&self) -> PathBuf {
        self.folder.join("classes")
    }

    pub(crate) fn test_class_path(&self) -> String {
        let mut entries = vec![self.classes().display().to_string()];
        entries
            .extend(self.class_path.split(':').filter(|entry| Path::new(entry).exists()).map(str::to_owned));
        entries.extend(self.junit().ok().map(|jar| jar.display().to_string()));
        let mockito = MOCKITO.iter().filter_map(|prefix| self.jar(prefix).ok());
        entries.extend(mockito.map(|jar| jar.display().to_string()));
        entries.join(":")
    }

    fn junit(&self) -> Result<PathBuf> {
        self.jar("junit-platform-console-standalone-")
    }

    /// The jar whose name starts like this.
    pub(crate) fn jar(&self, prefix: &str) -> Result<PathBuf> {
        let entries = std::fs::read_dir(self.jars).with_context(|| self.jars.display().to_string())?;
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)))
            .collect();
        found.sort();
        ensure!(!found.is_empty(), "no {prefix}*.jar in {}: run `make setup`", self.jars.display());
        Ok(found.swap_remove(found.len() - 1))
    }
}

impl Suite {
    fn count(&mut self, source: &str) {
        let lines = source.lines().count();
        self.files += 1;
        self.lines += lines;
        self.longest_file = self.longest_file.max(lines);
        let lengths = lengths(source);
        self.tests += lengths.len();
        self.lengths.extend(lengths);
    }
}

/// The number of lines in the body of each test: from its header to the brace that closes it.
fn lengths(source: &str) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if !line.trim_start().starts_with("@Test") {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let header = lines.by_ref().find(|line| line.trim_end().ends_with('{'));
        if header.is_some() {
            let end = format!("{indent}}}");
            let body = lines.by_ref().take_while(|line| line.trim_end() != end);
            lengths.push(body.filter(|line| !line.trim().is_empty()).count());
        }
    }
    lengths
}

/// Errors and warnings that javac found in the tests.
fn remarks(said: &str) -> (usize, usize) {
    let count = |kind: &str| {
        said.lines()
            .filter(|line| line.split_once(".java:").is_some_and(|(_, rest)| rest.contains(kind)))
            .count()
    };
    (count(": error: "), count(": warning: "))
}

/// The number in a line such as `[        12 tests failed          ]`.
fn summary(printed: &str, what: &str) -> Option<usize> {
    let line = printed.lines().find(|line| line.starts_with('[') && line.contains(what))?;
    let number = line.trim_start_matches('[').split_whitespace().next()?;
    number.chars().try_fold(0, |sum: usize, digit| Some(sum * 10 + value_of(digit)?))
}

/// Whether JUnit came to the end of a suite.
pub(crate) fn is_complete(printed: &str) -> bool {
    summary(printed, "tests failed").is_some()
}

/// What a digit is worth; in an Arabic locale JUnit prints Arabic ones.
fn value_of(digit: char) -> Option<usize> {
    let zero = if digit.is_ascii() { '0' } else { '\u{660}' };
    let value = u32::from(digit).checked_sub(u32::from(zero))?;
    usize::try_from(value).ok().filter(|value| *value < 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_test_is_that_of_its_body() {
        let source = "class A {\n    @Test\n    void one() {\n        a();\n\n        if (b) {\n        }\n    }\n\n    @Test\n    void none() {\n    }\n}\n";
        assert_eq!(lengths(source), [3, 0]);
    }

    #[test]
    fn only_remarks_about_the_tests_count() {
        let said =
            "warning: [options] old\nA.java:3: warning: [rawtypes] x\n/t/B.java:9: error: no\n2 warnings\n";
        assert_eq!(remarks(said), (1, 1));
    }

    #[test]
    fn the_summary_of_a_run_is_read() {
        let printed = "[        12 tests failed          ]\n[         0 tests successful      ]\n";
        assert_eq!(summary(printed, "tests failed"), Some(12));
        assert_eq!(summary(printed, "tests successful"), Some(0));
        assert_eq!(summary("[        ٢٣ tests failed ]", "tests failed"), Some(23));
        assert_eq!(summary("", "tests failed"), None);
    }
}
