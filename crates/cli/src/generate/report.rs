//! What a run tells its user: one screen, the most important line first.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use jurat_engine::{Coverage, Finished, Generated, Written};
use jurat_model::Subject;
use serde::Serialize;

use super::settings::Settings;
use crate::exit::Failure;
use crate::output::{Format, Paint, print, print_json};

/// The report as scripts read it.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    steps: u64,
    seconds: f64,
    steps_per_second: f64,
    classes: usize,
    operations: usize,
    tests: Tests,
    findings: Vec<Finding>,
    coverage: Covered,
    goals: std::collections::BTreeMap<&'static str, usize>,
    removed: Removed,
    files: Vec<String>,
    kept: Vec<String>,
    seed: u64,
    #[serde(skip)]
    replay: String,
}

#[derive(Debug, Serialize)]
struct Tests {
    regression: usize,
    failing: usize,
}

/// A broken contract.
#[derive(Debug, Serialize)]
struct Finding {
    contract: String,
    class: String,
    method: String,
    test: String,
}

#[derive(Debug, Serialize)]
struct Covered {
    line: Share,
    branch: Share,
}

#[derive(Debug, Serialize)]
struct Share {
    covered: usize,
    total: usize,
}

/// What was taken out on the way to a suite that passes.
#[derive(Debug, Serialize)]
struct Removed {
    uncompilable: usize,
    inexpressible: usize,
    unstable: usize,
    assertions: usize,
    not_reproduced: usize,
    reasons: Vec<String>,
}

impl Report {
    pub(crate) fn new(
        settings: &Settings,
        subject: &Subject,
        generated: &Generated,
        finished: &Finished,
        written: &[Written],
        generation: Duration,
    ) -> Self {
        let seconds = generation.as_secs_f64();
        let Coverage { lines, branches } = finished.coverage;
        Self {
            steps: generated.steps,
            seconds,
            #[expect(clippy::cast_precision_loss, reason = "a rate is shown to a few digits")]
            steps_per_second: generated.steps as f64 / seconds.max(0.001),
            classes: subject.under_test().count(),
            operations: subject.operations_under_test().count(),
            tests: Tests { regression: finished.suite.len(), failing: 0 },
            findings: Vec::new(),
            coverage: Covered {
                line: Share { covered: lines.0, total: lines.1 },
                branch: Share { covered: branches.0, total: branches.1 },
            },
            goals: [("random", generated.explored.len())].into(),
            removed: removed(generated, finished),
            files: written.iter().map(|file| file.path.display().to_string()).collect(),
            kept: written
                .iter()
                .filter_map(|file| Some(file.beside.as_ref()?.display().to_string()))
                .collect(),
            seed: settings.seed.0,
            replay: replay(settings),
        }
    }

    /// Adds the report of another module: counts are added up, lists go on.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.steps += other.steps;
        self.seconds += other.seconds;
        #[expect(clippy::cast_precision_loss, reason = "a rate is shown to a few digits")]
        let rate = self.steps as f64 / self.seconds.max(0.001);
        self.steps_per_second = rate;
        self.classes += other.classes;
        self.operations += other.operations;
        self.tests.regression += other.tests.regression;
        self.tests.failing += other.tests.failing;
        self.findings.extend(other.findings);
        self.coverage.line.add(&other.coverage.line);
        self.coverage.branch.add(&other.coverage.branch);
        for (technique, count) in other.goals {
            *self.goals.entry(technique).or_default() += count;
        }
        self.removed.add(other.removed);
        self.files.extend(other.files);
        self.kept.extend(other.kept);
    }

    pub(crate) fn exit_code(&self, interrupted: bool) -> ExitCode {
        if interrupted { ExitCode::from(130) } else { ExitCode::from(u8::from(!self.findings.is_empty())) }
    }

    pub(crate) fn print(&self, format: Format) -> Result<(), Failure> {
        match format {
            Format::Json => print_json(self),
            Format::Human => print(&self.text(Paint::for_stdout())),
        }
    }

    fn text(&self, paint: Paint) -> String {
        let mut text = String::new();
        let Covered { line, branch } = &self.coverage;
        let headline = format!("{} tests in {} files", self.tests.regression, self.files.len());
        let headline = if self.tests.regression > 0 { paint.good(&headline) } else { paint.bad(&headline) };
        let _ = writeln!(
            text,
            "{headline}, covering {} of branches and {} of lines",
            branch.percent(),
            line.percent()
        );
        let _ = writeln!(text);
        let _ = writeln!(text, "  branches   {} of {}", branch.covered, branch.total);
        let _ = writeln!(text, "  lines      {} of {}", line.covered, line.total);
        let _ = writeln!(text, "  subject    {} classes, {} operations", self.classes, self.operations);
        let _ = writeln!(
            text,
            "  search     {} steps in {:.1} s ({:.0} steps/s)",
            self.steps, self.seconds, self.steps_per_second
        );
        for reason in &self.removed.reasons {
            let _ = writeln!(text, "  left out   {reason}");
        }
        for kept in &self.kept {
            let _ = writeln!(text, "  kept       {kept} (edited; the new tests are beside it)");
        }
        self.list_files(&mut text);
        let _ = writeln!(text, "\nreplay: {}", self.replay);
        text
    }

    fn list_files(&self, text: &mut String) {
        const SHOWN: usize = 8;
        for file in self.files.iter().take(SHOWN) {
            let _ = writeln!(text, "  wrote      {file}");
        }
        if self.files.len() > SHOWN {
            let _ = writeln!(text, "  wrote      … and {} more", self.files.len() - SHOWN);
        }
    }
}

impl Removed {
    fn add(&mut self, other: Self) {
        self.uncompilable += other.uncompilable;
        self.inexpressible += other.inexpressible;
        self.unstable += other.unstable;
        self.assertions += other.assertions;
        self.not_reproduced += other.not_reproduced;
        self.reasons.extend(other.reasons);
    }
}

impl Share {
    fn add(&mut self, other: &Self) {
        self.covered += other.covered;
        self.total += other.total;
    }

    #[expect(clippy::cast_precision_loss, reason = "a percentage is shown to one digit")]
    fn percent(&self) -> String {
        if self.total == 0 {
            "0 %".to_owned()
        } else {
            format!("{:.1} %", 100.0 * self.covered as f64 / self.total as f64)
        }
    }
}

fn removed(generated: &Generated, finished: &Finished) -> Removed {
    let out = &finished.taken_out;
    let unfit: usize = generated.unfit.values().sum();
    let failing: usize = out.tests.values().sum();
    let mut reasons: Vec<String> =
        generated.unfit.iter().map(|(reason, count)| format!("{count} sequences: {reason}")).collect();
    reasons.extend(out.tests.iter().map(|(reason, count)| format!("{count} tests: {reason} in a fresh JVM")));
    if out.checks > 0 {
        reasons.push(format!("{} assertions that do not hold in a fresh JVM", out.checks));
    }
    if generated.not_reproduced > 0 {
        reasons.push(format!("{} sequences: do not reach the same in fresh state", generated.not_reproduced));
    }
    if out.uncompilable > 0 {
        let first = out.complaints.first().map_or("", String::as_str);
        reasons.push(format!("{} tests: do not compile, a bug in Jurat ({first})", out.uncompilable));
    }
    Removed {
        uncompilable: out.uncompilable,
        inexpressible: out.inexpressible,
        unstable: unfit + failing,
        assertions: out.checks,
        not_reproduced: generated.not_reproduced,
        reasons,
    }
}

/// The command that repeats the run.
fn replay(settings: &Settings) -> String {
    let mut line = "jurat generate".to_owned();
    if settings.place.module.is_none() {
        let _ = write!(line, " --classpath {}", settings.place.class_path);
    }
    for class in &settings.classes {
        let _ = write!(line, " --class '{class}'");
    }
    for strategy in &settings.strategies {
        let _ = write!(line, " --strategy {}", strategy.name());
    }
    match settings.asked {
        jurat_engine::Budget::Steps(steps) => {
            let _ = write!(line, " --steps {steps}");
        }
        jurat_engine::Budget::Time(time) => {
            let _ = write!(line, " --budget {}s", time.as_secs_f64());
        }
    }
    let _ = write!(line, " --seed {}", settings.seed.0);
    line
}
