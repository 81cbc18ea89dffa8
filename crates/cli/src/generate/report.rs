//! What a run tells its user: one screen, the most important line first.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use jurat_engine::{Coverage, Findings, Finished, Generated, Strength, Written};
use jurat_model::{ClassId, Origin, Subject, Suite};
use serde::Serialize;

use super::explored::Explored;
use super::progress::count;
use super::remarks::remarks;
use super::settings::Settings;
use crate::exit::Failure;
use crate::output::{Format, Paint, print, print_json};

/// What a run took.
pub(crate) struct Spent {
    /// Time to generate, minimize and choose assertions.
    pub(crate) generation: Duration,
    /// Time to compile, run and write the tests.
    pub(crate) validation: Duration,
    /// What became of the workers.
    pub(crate) workers: jurat_pool::Tally,
}

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
    /// Seconds spent on contracts, after generation.
    #[serde(rename = "contract_seconds")]
    contracts: f64,
    /// Their share of the time that the whole run took.
    contract_share: f64,
    coverage: Covered,
    mutants: Mutants,
    workers: Workers,
    goals: std::collections::BTreeMap<&'static str, usize>,
    removed: Removed,
    files: Vec<String>,
    kept: Vec<String>,
    explored: Explored,
    seed: u64,
    #[serde(skip)]
    replay: String,
    /// Why there is little or nothing, if so.
    #[serde(skip)]
    excuses: Vec<String>,
    #[serde(skip)]
    validation: f64,
    /// Whether there are mutants of the classes: of the JDK's there are none.
    #[serde(skip)]
    may_change: bool,
}

#[derive(Debug, Serialize)]
struct Workers {
    started: usize,
    crashed: usize,
    timed_out: usize,
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
    /// Which law is broken, and how.
    sentence: String,
}

impl From<jurat_engine::Finding> for Finding {
    fn from(finding: jurat_engine::Finding) -> Self {
        let jurat_engine::Finding { contract, class, method, sentence, test } = finding;
        Self { contract: contract.to_owned(), class, method, test, sentence }
    }
}

#[derive(Debug, Serialize)]
struct Covered {
    line: Share,
    branch: Share,
}

/// How strong the suite is, and what choosing its assertions took away.
#[derive(Debug, Default, Serialize)]
struct Mutants {
    killed: usize,
    total: usize,
    assertions_before: usize,
    assertions: usize,
    tests_dropped: usize,
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

/// The classes that tests are about; those of a nested one may be among the tests of the class around it.
fn tested(subject: &Subject, suite: &Suite) -> Vec<ClassId> {
    let is_own = |class: &ClassId| subject[*class].under_test;
    let about = suite.classes.iter().flat_map(|of_class| {
        let owners = of_class.tests.iter().map(|test| subject[test.focus].owner);
        owners.map(move |owner| Some(owner).filter(is_own).unwrap_or(of_class.class))
    });
    about.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Report {
    pub(crate) fn new(
        settings: &Settings,
        subject: &Subject,
        generated: &Generated,
        explored: Explored,
        finished: &Finished,
        written: &[Written],
        spent: &Spent,
    ) -> Self {
        let seconds = spent.generation.as_secs_f64();
        let Coverage { lines, branches } = finished.coverage;
        let tested = tested(subject, &finished.suite);
        Self {
            steps: generated.steps,
            seconds,
            #[expect(clippy::cast_precision_loss, reason = "a rate is shown to a few digits")]
            steps_per_second: generated.steps as f64 / seconds.max(0.001),
            classes: subject.under_test().count(),
            operations: subject.operations_under_test().count(),
            tests: Tests { regression: finished.suite.len(), failing: 0 },
            findings: Vec::new(),
            contracts: 0.0,
            contract_share: 0.0,
            coverage: Covered {
                line: Share { covered: lines.0, total: lines.1 },
                branch: Share { covered: branches.0, total: branches.1 },
            },
            mutants: Mutants::default(),
            workers: Workers {
                started: spent.workers.started,
                crashed: spent.workers.crashed,
                timed_out: spent.workers.timed_out,
            },
            goals: by_technique(generated),
            removed: removed(generated, finished),
            files: written.iter().map(|file| file.path.display().to_string()).collect(),
            kept: written
                .iter()
                .filter_map(|file| Some(file.beside.as_ref()?.display().to_string()))
                .collect(),
            explored,
            seed: settings.seed.0,
            replay: settings.replay.clone(),
            excuses: remarks(subject, &generated.conduct, &settings.patterns(), &tested),
            validation: spent.validation.as_secs_f64(),
            may_change: subject.under_test().any(|class| subject[class].origin != Origin::Jdk),
        }
    }

    /// Adds what breaks a contract.
    pub(crate) fn with_findings(mut self, findings: Findings, spent: Duration) -> Self {
        self.contracts = spent.as_secs_f64();
        self.share_time();
        self.tests.failing = findings.found.len();
        self.findings = findings.found.into_iter().map(Finding::from).collect();
        if findings.unproven > 0 {
            let unproven = count(findings.unproven, "finding");
            self.removed.reasons.push(format!("{unproven}: no test could be written that fails as it says"));
        }
        self.files.extend(findings.files.iter().map(|file| file.display().to_string()));
        self
    }

    fn share_time(&mut self) {
        let whole = self.seconds + self.contracts + self.validation;
        self.contract_share = self.contracts / whole.max(0.001);
    }

    /// Says why there are no mocks, although they would help.
    pub(crate) fn without_mocks(mut self, why: &str) -> Self {
        self.removed.reasons.push(format!("mocks: {why}"));
        self
    }

    /// Adds how many mutants the suite kills.
    pub(crate) fn with_strength(mut self, strength: &Strength, suite: &Suite, assertions_stay: bool) -> Self {
        let assertions = suite.classes.iter().flat_map(|class| &class.tests).map(|test| test.checks.len());
        self.mutants = Mutants {
            killed: strength.killed(suite),
            total: strength.total,
            assertions_before: strength.checks.0,
            assertions: assertions.sum(),
            tests_dropped: if assertions_stay { 0 } else { strength.tests.0 - strength.tests.1 },
        };
        self
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
        self.contracts += other.contracts;
        self.findings.extend(other.findings);
        self.coverage.line.add(&other.coverage.line);
        self.coverage.branch.add(&other.coverage.branch);
        self.mutants.killed += other.mutants.killed;
        self.mutants.total += other.mutants.total;
        self.mutants.assertions_before += other.mutants.assertions_before;
        self.mutants.assertions += other.mutants.assertions;
        self.mutants.tests_dropped += other.mutants.tests_dropped;
        self.validation += other.validation;
        self.may_change |= other.may_change;
        self.share_time();
        self.workers.started += other.workers.started;
        self.workers.crashed += other.workers.crashed;
        self.workers.timed_out += other.workers.timed_out;
        self.excuses.extend(other.excuses);
        for (technique, count) in other.goals {
            *self.goals.entry(technique).or_default() += count;
        }
        self.removed.add(other.removed);
        self.files.extend(other.files);
        self.kept.extend(other.kept);
        self.explored.absorb(other.explored);
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
        let mut lines = vec![self.headline(paint), String::new()];
        let mut say = |word: &str, text: String| lines.push(format!("  {word:<10} {text}"));
        let Covered { line, branch } = &self.coverage;
        say("branches", format!("{} of {} ({})", branch.covered, branch.total, branch.percent()));
        say("lines", format!("{} of {} ({})", line.covered, line.total, line.percent()));
        if self.mutants.total > 0 {
            let Mutants { killed, total, assertions, assertions_before, .. } = &self.mutants;
            let share = Share { covered: *killed, total: *total }.percent();
            say("mutants", format!("{killed} of {total} killed ({share})"));
            say(
                "asserting",
                format!("{assertions} of {assertions_before} facts: what no mutant needs is left out"),
            );
        } else if self.tests.regression > 0 && self.may_change {
            say(
                "asserting",
                "all facts: there was no time to find out which of them mutants need".to_owned(),
            );
        }
        say("subject", format!("{}, {}", count(self.classes, "class"), count(self.operations, "operation")));
        say("search", format!("{} steps, {:.0} a second", self.steps, self.steps_per_second));
        if !self.goals.is_empty() {
            let by: Vec<String> = self.goals.iter().map(|(name, goals)| format!("{goals} {name}")).collect();
            say("goals", format!("reached by technique: {}", by.join(", ")));
        }
        say(
            "time",
            format!(
                "{:.1} s, then {:.1} s ({:.1} %) for contracts and {:.1} s to compile and run the tests",
                self.seconds,
                self.contracts,
                100.0 * self.contract_share,
                self.validation
            ),
        );
        self.explored.say(&mut say);
        if self.workers.crashed + self.workers.timed_out > 0 {
            let Workers { started, crashed, timed_out } = &self.workers;
            say("workers", format!("{started} started, {crashed} crashed, {timed_out} timed out"));
        }
        for finding in self.findings.iter().take(SHOWN) {
            say("finding", format!("{}.{}: {}", finding.class, finding.method, finding.sentence));
        }
        for (word, texts) in [("left out", &self.removed.reasons), ("because", &self.excuses)] {
            for text in shorten(texts) {
                say(word, text);
            }
        }
        for kept in shorten(&self.kept) {
            say("kept", format!("{kept}, which you edited; the new tests are beside it"));
        }
        for file in shorten(&self.files) {
            say("wrote", file);
        }
        let width = crate::output::width();
        let lines = lines.iter().map(|line| width.map_or_else(|| line.clone(), |width| cut(line, width)));
        let mut text = lines.collect::<Vec<_>>().join("\n");
        // Never cut: it is there to be copied.
        let _ = writeln!(text, "\n\nreplay: {}", self.replay);
        text
    }

    fn headline(&self, paint: Paint) -> String {
        let tests = self.tests.regression;
        if tests == 0 {
            return paint.bad("no tests");
        }
        let wrote = format!("{} in {}", count(tests, "test"), count(self.files.len(), "file"));
        let found = match self.tests.failing {
            0 => String::new(),
            failing => paint.bad(&format!(", {}", count(failing, "finding"))),
        };
        paint.good(&wrote) + &found
    }
}

/// How many lines of a kind are shown.
const SHOWN: usize = 6;

/// The first few lines, and how many more there are.
fn shorten(lines: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = lines.iter().take(SHOWN).cloned().collect();
    if lines.len() > SHOWN {
        shown.push(format!("… and {} more", lines.len() - SHOWN));
    }
    shown
}

/// A line no wider than the terminal: of a path the end tells most.
fn cut(line: &str, width: usize) -> String {
    let length = line.chars().filter(|letter| !letter.is_control()).count();
    if length <= width || line.contains('\x1b') {
        return line.to_owned();
    }
    let head: String = line.chars().take(13).collect();
    let tail: Vec<char> = line.chars().skip(13).collect();
    let room = width.saturating_sub(14);
    let end: String = tail[tail.len().saturating_sub(room)..].iter().collect();
    if line.contains('/') {
        format!("{head}…{end}")
    } else {
        line.chars().take(width - 1).chain(['…']).collect()
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
    let mut reasons: Vec<String> = generated
        .unfit
        .iter()
        .map(|(reason, number)| format!("{}: {reason}", count(*number, "sequence")))
        .collect();
    reasons.extend(out.tests.iter().map(|(reason, number)| format!("{}: {reason}", count(*number, "test"))));
    if out.checks > 0 {
        reasons.push(format!("{} that did not hold in a fresh JVM", count(out.checks, "assertion")));
    }
    if generated.not_reproduced > 0 {
        let number = count(generated.not_reproduced, "sequence");
        reasons.push(format!("{number}: reached something new only in the order of the search"));
    }
    if out.inexpressible > 0 {
        reasons.push(format!("{}: cannot be written in Java", count(out.inexpressible, "test")));
    }
    if out.uncompilable > 0 {
        let first = out.complaints.first().map_or("", String::as_str);
        let number = count(out.uncompilable, "test");
        reasons.push(format!("{number}: did not compile, which is a bug in Jurat ({first})"));
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

/// How many goals each technique reached. Those that took part and reached nothing are not named.
fn by_technique(generated: &Generated) -> std::collections::BTreeMap<&'static str, usize> {
    let mut goals = std::collections::BTreeMap::new();
    for technique in generated.explored.values() {
        *goals.entry(technique.name()).or_default() += 1;
    }
    goals
}
