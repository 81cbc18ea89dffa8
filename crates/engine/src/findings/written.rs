//! Turns findings into failing tests, proves that they fail for the reason they give, and writes them down.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use jurat_emit::{EmitOptions, JavaFile, TestId as SuiteId, emit};
use jurat_model::{ClassId, ClassSuite, Subject, Suite, Test};
use jurat_oracle::contracts::Breach;
use jurat_validate::{Bench, Ended, Run, Severity, TestId};

use crate::error::RunError;
use crate::place::{place, write_file};

/// A broken contract, as users and scripts read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The contract's name.
    pub contract: &'static str,
    /// The class, as Java source names it.
    pub class: String,
    /// The method.
    pub method: String,
    /// Which law is broken, and how.
    pub sentence: String,
    /// The test that fails: class and method.
    pub test: String,
}

/// All findings of a run, worst first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Those whose test compiles and fails for the reason it gives.
    pub found: Vec<Finding>,
    /// How many had no such test.
    pub unproven: usize,
    /// The files they were written to.
    pub files: Vec<std::path::PathBuf>,
}

/// The page that lists the findings.
const PAGE: &str = "findings.md";

/// Emits a test for each breach, keeps those that fail as they say, and writes them below `folder`.
pub fn write_findings(
    subject: &Subject,
    breaches: &[Breach],
    options: &EmitOptions,
    bench: &Bench,
    folder: &Path,
) -> Result<Findings, RunError> {
    if breaches.is_empty() {
        return Ok(Findings::default());
    }
    let options = EmitOptions { infix: "Finding", ..*options };
    let mut proven = vec![true; breaches.len()];
    // What does not compile or fails otherwise is left out, and the rest is written anew.
    for attempt in 0..3 {
        let (suite, order) = suite(breaches, &proven);
        let emitted = emit(subject, &suite, &options);
        for (id, _) in &emitted.left_out {
            proven[order[id]] = false;
        }
        let scratch = bench.scratch.join(format!("findings-{attempt}"));
        let unproven = unproven(&emitted.files, breaches, &order, bench, &scratch)?;
        for at in &unproven {
            proven[*at] = false;
        }
        if unproven.is_empty() {
            let mut found = Findings { unproven: breaches.len() - count(&proven), ..Findings::default() };
            found.found = described(subject, breaches, &order, &emitted.files);
            if !found.found.is_empty() {
                found.files = place(&emitted.files, folder)?.into_iter().map(|file| file.path).collect();
                write_file(&folder.join(PAGE), &page(&found.found))?;
            }
            return Ok(found);
        }
    }
    Ok(Findings { unproven: breaches.len(), ..Findings::default() })
}

fn count(marks: &[bool]) -> usize {
    marks.iter().filter(|mark| **mark).count()
}

/// The breaches as a suite, and which test shows which breach.
fn suite(breaches: &[Breach], proven: &[bool]) -> (Suite, BTreeMap<SuiteId, usize>) {
    let mut by_class: BTreeMap<ClassId, Vec<usize>> = BTreeMap::new();
    for (at, breach) in breaches.iter().enumerate().filter(|(at, _)| proven[*at]) {
        by_class.entry(breach.class).or_default().push(at);
    }
    let mut order = BTreeMap::new();
    let mut suite = Suite::default();
    for (class, positions) in by_class {
        let tests = positions.iter().map(|at| test(&breaches[*at])).collect();
        for (test, at) in positions.iter().enumerate() {
            order.insert(SuiteId { class: suite.classes.len(), test }, *at);
        }
        suite.classes.push(ClassSuite { class, tests });
    }
    (suite, order)
}

fn test(breach: &Breach) -> Test {
    Test {
        sequence: breach.sequence.clone(),
        focus: breach.method,
        checks: breach.checks.clone(),
        thrown: None,
    }
}

/// The breaches whose test does not compile, or does not fail as it says.
fn unproven(
    files: &[JavaFile],
    breaches: &[Breach],
    order: &BTreeMap<SuiteId, usize>,
    bench: &Bench,
    scratch: &Path,
) -> Result<Vec<usize>, RunError> {
    let environment = |error: jurat_validate::ValidateError| RunError::Environment(error.to_string());
    let mut sources = Vec::new();
    for file in files {
        let path = scratch.join("src").join(&file.path);
        write_file(&path, &file.text)?;
        sources.push(path);
    }
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let classes = scratch.join("classes");
    let remarks = bench.compile(&sources, &classes).map_err(environment)?;
    let mut bad = Vec::new();
    for remark in remarks.iter().filter(|remark| remark.severity == Severity::Error) {
        let source = remark.file.as_ref().and_then(|file| sources.iter().position(|source| source == file));
        let tests = source.map(|at| &files[at].tests).into_iter().flatten();
        let hit = tests.filter(|test| (test.lines.0..=test.lines.1).contains(&remark.line));
        bad.extend(hit.filter_map(|test| order.get(&test.test).copied()));
    }
    if remarks.iter().any(|remark| remark.severity == Severity::Error) {
        // An error that no test holds leaves nothing to trust.
        return Ok(if bad.is_empty() { order.values().copied().collect() } else { bad });
    }
    let named: BTreeMap<TestId, usize> = files
        .iter()
        .flat_map(|file| file.tests.iter().map(move |test| (file, test)))
        .filter_map(|(file, test)| Some((id(file, &test.name), *order.get(&test.test)?)))
        .collect();
    let tests: Vec<TestId> = named.keys().cloned().collect();
    let results = bench.run(&tests, &classes, Run::Alone, None).map_err(environment)?;
    let fails = |test: &TestId, at: usize| {
        // Who asks to stop does not wait for all of them: one that was not run is not known to fail.
        let mut ends = results.iter().filter(|result| result.test == *test).peekable();
        ends.peek().is_some() && ends.all(|result| fails_as_told(&result.ended, &breaches[at]))
    };
    Ok(named.into_iter().filter(|(test, at)| !fails(test, *at)).map(|(_, at)| at).collect())
}

fn fails_as_told(ended: &Ended, breach: &Breach) -> bool {
    let Ended::Failed { exception, .. } = ended else { return false };
    match &breach.thrown {
        Some(thrown) => exception.replace('.', "/") == **thrown,
        None => exception.contains("Assertion") || exception.ends_with("ComparisonFailure"),
    }
}

fn id(file: &JavaFile, method: &str) -> TestId {
    let dot = if file.package.is_empty() { "" } else { "." };
    TestId { class: format!("{}{dot}{}", file.package, file.class_name), method: method.to_owned() }
}

/// The findings in the order of the breaches, which is worst first.
fn described(
    subject: &Subject,
    breaches: &[Breach],
    order: &BTreeMap<SuiteId, usize>,
    files: &[JavaFile],
) -> Vec<Finding> {
    let mut found: BTreeMap<usize, Finding> = BTreeMap::new();
    for file in files {
        for test in &file.tests {
            let Some(&at) = order.get(&test.test) else { continue };
            let breach = &breaches[at];
            let name = id(file, &test.name);
            let method = &subject[breach.method];
            let finding = Finding {
                contract: breach.contract.key(),
                class: subject[breach.class].source_name.to_string(),
                method: if method.is_constructor() { "<init>".to_owned() } else { method.name.to_string() },
                sentence: breach.sentence.to_string(),
                test: format!("{}.{}", name.class, name.method),
            };
            found.insert(at, finding);
        }
    }
    found.into_values().collect()
}

fn page(findings: &[Finding]) -> String {
    let mut text = String::from(
        "# Findings\n\nContracts that do not hold, worst first. Each test beside this page fails; one that you find to \
         be right as it is can be silenced in `jurat.toml`.\n\n",
    );
    for finding in findings {
        let Finding { contract, class, method, sentence, test } = finding;
        let _ = writeln!(text, "- **{class}.{method}** ({contract}): {sentence}.\n  `{test}`");
    }
    text
}
