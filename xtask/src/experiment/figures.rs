//! The figures of one run: Jurat's own, and those of the programs that examined what it wrote.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::command::{Ended, Run};
use super::coverage::{Measured, OpenMethod, Share};
use super::suite::Suite;

/// All that is known of one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// Why there are no more figures.
    pub(crate) trouble: Option<String>,
    pub(crate) own: Option<Own>,
    pub(crate) suite: Suite,
    pub(crate) jacoco: Option<Measured>,
    /// Classes of which JaCoCo says that every branch is covered.
    pub(crate) covered: Vec<String>,
    /// Methods of which JaCoCo says that branches are open.
    pub(crate) open: Vec<OpenMethod>,
    /// Mutants noticed, by PIT's default operators.
    pub(crate) pit: Option<Share>,
    pub(crate) wall: f64,
    /// Of the engine and its workers, in bytes.
    pub(crate) memory: u64,
    /// With the JVMs of the validation.
    pub(crate) memory_all: u64,
    /// Of the engine alone after each minute, in bytes.
    pub(crate) minutes: Vec<u64>,
}

/// What Jurat says of itself; figures it does not give are zero.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Own {
    pub(crate) steps: u64,
    pub(crate) steps_per_second: f64,
    pub(crate) tests: OwnTests,
    pub(crate) findings: Vec<serde_json::Value>,
    pub(crate) removed: OwnRemoved,
    pub(crate) explored: OwnExplored,
    coverage: OwnCoverage,
}

/// What exploring did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnExplored {
    pub(crate) calls_per_second: f64,
    /// Operations that are not called any more.
    pub(crate) set_aside: Vec<String>,
}

/// What it took out of its suite.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnRemoved {
    /// Tests that the compiler refused.
    pub(crate) uncompilable: usize,
}

/// How many tests it wrote.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnTests {
    pub(crate) regression: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct OwnCoverage {
    line: OwnShare,
    branch: OwnShare,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct OwnShare {
    covered: u64,
    total: u64,
}

impl From<OwnShare> for Share {
    fn from(share: OwnShare) -> Self {
        Self { covered: share.covered, total: share.total }
    }
}

impl Own {
    pub(crate) fn line(&self) -> Share {
        self.coverage.line.into()
    }

    pub(crate) fn branch(&self) -> Share {
        self.coverage.branch.into()
    }
}

impl Figures {
    /// A run that ended well.
    pub(crate) fn reported(run: &Run) -> Result<Self> {
        let own: Own = serde_json::from_str(&run.stdout).context("jurat did not print its JSON report")?;
        Ok(Self { own: Some(own), ..Self::outside(run) })
    }

    /// A run that ended badly.
    pub(crate) fn broken(ended: Ended, run: &Run) -> Self {
        let last = run.stderr.lines().last().unwrap_or_default();
        Self { trouble: Some(format!("{ended}: {last}")), ..Self::outside(run) }
    }

    fn outside(run: &Run) -> Self {
        Self {
            wall: run.wall.as_secs_f64(),
            memory: run.peak.own,
            memory_all: run.peak.all,
            minutes: run.minutes.clone(),
            ..Self::default()
        }
    }

    /// True if something that must not happen happened.
    pub(crate) fn is_faulty(&self) -> bool {
        let broken = self.trouble.is_some() && self.wall > 0.0;
        let lost = self.own.as_ref().is_some_and(|own| own.tests.regression != self.suite.tests);
        let refused = self.refused() > 0;
        broken
            || lost
            || refused
            || self.suite.errors > 0
            || self.suite.failed.iter().any(|failed| *failed > 0)
    }

    /// Tests that the compiler refused before anything was written.
    pub(crate) fn refused(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.removed.uncompilable)
    }

    /// The run in one line, for people who wait.
    pub(crate) fn line(&self) -> String {
        let trouble = self.trouble.clone().unwrap_or_default();
        let Some(own) = &self.own else { return trouble };
        let jacoco = self.jacoco.map_or_else(String::new, |measured| {
            let (line, branch) = (measured.line, measured.branch);
            format!(
                ", JaCoCo {}/{} lines {}/{} branches",
                line.covered, line.total, branch.covered, branch.total
            )
        });
        let pit = self.pit.map_or_else(String::new, |pit| format!(", PIT {}/{}", pit.covered, pit.total));
        format!(
            "{} steps, {:.0}/s, {} tests, {} findings, {} refused, {} errors, {} warnings, failed {:?}{jacoco}{pit}, {:.0} s, {} MB {trouble}",
            own.steps,
            own.steps_per_second,
            self.suite.tests,
            own.findings.len(),
            self.refused(),
            self.suite.errors,
            self.suite.warnings,
            self.suite.failed,
            self.wall,
            self.memory >> 20,
        )
    }
}

/// What must not happen, added up.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    runs: usize,
    tests: usize,
    refused: usize,
    errors: usize,
    warnings: usize,
    failed: usize,
    /// Runs in which something happened, with what kept them from being measured.
    faulty: Vec<String>,
}

impl Faults {
    pub(crate) fn add(&mut self, name: &str, run: &Figures) {
        self.runs += 1;
        self.tests += run.suite.tests;
        self.refused += run.refused();
        self.errors += run.suite.errors;
        self.warnings += run.suite.warnings;
        self.failed += run.suite.failed.iter().sum::<usize>();
        if run.is_faulty() {
            let trouble = run.trouble.as_deref().unwrap_or("see its figures");
            self.faulty.push(format!("{name}: {trouble}"));
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.faulty.is_empty()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, tests, refused, errors, warnings, failed, faulty } = self;
        write!(
            f,
            "{runs} runs, {tests} tests: {refused} refused by the compiler, {errors} errors and {warnings} warnings, \
             {failed} failures in shuffled runs, {} faulty runs.",
            faulty.len()
        )?;
        faulty.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_could_not_be_measured_is_named() {
        let mut faults = Faults::default();
        faults.add("A-1", &Figures::default());
        assert!(faults.is_clean());
        let trouble = Some("JaCoCo: no".to_owned());
        faults.add("A-2", &Figures { trouble, wall: 1.0, ..Figures::default() });
        assert!(!faults.is_clean());
        assert!(faults.to_string().ends_with("1 faulty runs.\n  A-2: JaCoCo: no"), "{faults}");
    }
}
