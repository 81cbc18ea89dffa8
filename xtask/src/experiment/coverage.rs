//! What JaCoCo says an emitted suite covers of the classes under test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::command::{Command, Ended};
use super::suite::{BRIEF, Bench, is_complete};
use super::trial::Trial;
use crate::files::below;

/// Covered and total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Share {
    pub(crate) covered: u64,
    pub(crate) total: u64,
}

/// JaCoCo's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) line: Share,
    pub(crate) branch: Share,
}

const LONGEST: Duration = Duration::from_secs(600);

/// The report that tells methods apart.
const METHODS: &str = "jacoco.xml";

impl Measured {
    /// Runs the compiled suite once more, with JaCoCo's agent.
    pub(crate) fn of(trial: &Trial, bench: &Bench<'_>) -> Result<Self> {
        let data = bench.folder.join("jacoco.exec");
        let agent = bench.jar("org.jacoco.agent-")?;
        let flag = format!("-javaagent:{}=destfile={}", agent.display(), data.display());
        let launched = bench.launch(&[flag, BRIEF[1].to_owned()], trial.seed)?;
        std::fs::write(bench.folder.join("jacoco-run.log"), &launched)?;
        ensure!(
            data.exists() && is_complete(&launched),
            "the suite did not run to its end with JaCoCo's agent"
        );
        let counted = bench.folder.join("counted");
        extract(trial, bench, &counted)?;
        let table = bench.folder.join("jacoco.csv");
        let mut command = Command::new(&bench.jdk.join("bin/java"));
        command.args(BRIEF).arg("-jar").arg(bench.jar("org.jacoco.cli-")?).arg("report").arg(&data);
        command.arg("--classfiles").arg(&counted).arg("--csv").arg(&table).arg("--quiet");
        command.arg("--xml").arg(bench.folder.join(METHODS));
        let run = command.run(LONGEST)?;
        ensure!(run.ended == Ended::Code(0), "JaCoCo: {}", run.stderr);
        let text = std::fs::read_to_string(&table).with_context(|| table.display().to_string())?;
        Self::parse(&text).with_context(|| format!("{} is not as expected", table.display()))
    }

    fn parse(table: &str) -> Option<Self> {
        let mut lines = table.lines();
        let header: Vec<&str> = lines.next()?.split(',').collect();
        let column = |name: &str| header.iter().position(|found| *found == name);
        let columns = [
            column("LINE_COVERED")?,
            column("LINE_MISSED")?,
            column("BRANCH_COVERED")?,
            column("BRANCH_MISSED")?,
        ];
        let mut sums = [0_u64; 4];
        for line in lines {
            // Names have no commas; figures come after them.
            let cells: Vec<&str> = line.split(',').collect();
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum += cells.get(column)?.parse::<u64>().ok()?;
            }
        }
        let [line_covered, line_missed, branch_covered, branch_missed] = sums;
        Some(Self {
            line: Share { covered: line_covered, total: line_covered + line_missed },
            branch: Share { covered: branch_covered, total: branch_covered + branch_missed },
        })
    }
}

/// Unpacks the classes under test, and only those, so that nothing else is counted.
fn extract(trial: &Trial, bench: &Bench<'_>, counted: &Path) -> Result<()> {
    if Path::new(&trial.class_path).is_dir() {
        return copy(trial, Path::new(&trial.class_path), counted);
    }
    let whole: PathBuf = bench.folder.join("unpacked");
    std::fs::create_dir_all(&whole)?;
    let mut command = Command::new(&bench.jdk.join("bin/jar"));
    let run = command.args(["xf", &trial.class_path]).folder(&whole).run(LONGEST)?;
    ensure!(run.ended == Ended::Code(0), "cannot unpack {}: {}", trial.class_path, run.stderr);
    copy(trial, &whole, counted)?;
    std::fs::remove_dir_all(&whole)?;
    Ok(())
}

/// Copies the classes under test from a folder.
fn copy(trial: &Trial, whole: &Path, counted: &Path) -> Result<()> {
    for file in below(whole)? {
        let entry = file.strip_prefix(whole).unwrap_or(&file).to_string_lossy().into_owned();
        if trial.counts(&entry) {
            let copy = counted.join(&entry);
            if let Some(folder) = copy.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::copy(&file, &copy)?;
        }
    }
    Ok(())
}

/// How many branches the classes of a jar have, by top-level class: nothing needs to run for that.
pub(crate) fn branches(bench: &Bench<'_>, jar: &Path) -> Result<BTreeMap<String, u64>> {
    let table = bench.folder.join("branches.csv");
    let mut command = Command::new(&bench.jdk.join("bin/java"));
    command.arg("-jar").arg(bench.jar("org.jacoco.cli-")?).arg("report");
    command.arg("--classfiles").arg(jar).arg("--csv").arg(&table).arg("--quiet");
    let run = command.run(LONGEST)?;
    ensure!(run.ended == Ended::Code(0), "JaCoCo: {}", run.stderr);
    let text = std::fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|found| *found == name);
    let columns = [column("PACKAGE"), column("CLASS"), column("BRANCH_MISSED")];
    let [Some(package), Some(class), Some(missed)] = columns else { return Ok(BTreeMap::new()) };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for cells in lines.map(|line| line.split(',').collect::<Vec<_>>()) {
        // Nested classes are behind a dot.
        let outer = cells[class].split('.').next().unwrap_or_default();
        let count = counts.entry(format!("{}.{outer}", cells[package])).or_default();
        *count += cells[missed].parse::<u64>().unwrap_or(0);
    }
    Ok(counts)
}

/// The classes of which the report in a folder says that every branch is covered.
pub(crate) fn covered_classes(folder: &Path) -> Vec<String> {
    let table = std::fs::read_to_string(folder.join("jacoco.csv")).unwrap_or_default();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|found| *found == name);
    let (Some(class), Some(missed)) = (column("CLASS"), column("BRANCH_MISSED")) else { return Vec::new() };
    let rows = lines.map(|line| line.split(',').collect::<Vec<_>>());
    rows.filter(|cells| cells.get(missed) == Some(&"0"))
        .filter_map(|cells| cells.get(class).map(|class| (*class).to_owned()))
        .collect()
}

/// A method with branches that a suite leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenMethod {
    pub(crate) name: String,
    pub(crate) open: u64,
    pub(crate) total: u64,
}

/// The methods of which the report in a folder says that branches are open.
pub(crate) fn open_methods(folder: &Path) -> Vec<OpenMethod> {
    open_in(&std::fs::read_to_string(folder.join(METHODS)).unwrap_or_default())
}

fn open_in(report: &str) -> Vec<OpenMethod> {
    let value = |tag: &str, name: &str| {
        let start = tag.find(&format!("{name}=\""))? + name.len() + 2;
        tag[start..].split('"').next().map(str::to_owned)
    };
    let number = |tag: &str, name: &str| value(tag, name)?.parse::<u64>().ok();
    let (mut class, mut method) = (String::new(), None);
    let mut found = Vec::new();
    for tag in report.split('<') {
        if tag.starts_with("class ") {
            class = value(tag, "name").unwrap_or_default().replace('/', ".");
        } else if tag.starts_with("method ") {
            method = value(tag, "name");
        } else if tag.starts_with("/method") {
            method = None;
        } else if tag.starts_with("counter type=\"BRANCH\"")
            && let (Some(method), Some(open), Some(covered)) =
                (&method, number(tag, "missed"), number(tag, "covered"))
            && open > 0
        {
            found.push(OpenMethod { name: format!("{class}.{method}"), open, total: open + covered });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_with_open_branches_are_found_and_classes_are_not_taken_for_methods() {
        let report = "<class name=\"p/A\" sourcefilename=\"A.java\"><method name=\"go\" desc=\"()V\" line=\"3\">\
                      <counter type=\"LINE\" missed=\"9\" covered=\"0\"/>\
                      <counter type=\"BRANCH\" missed=\"2\" covered=\"6\"/></method>\
                      <counter type=\"BRANCH\" missed=\"7\" covered=\"6\"/></class>";
        assert_eq!(open_in(report), [OpenMethod { name: "p.A.go".to_owned(), open: 2, total: 8 }]);
    }

    #[test]
    fn the_classes_of_a_report_are_added_up() {
        let table = "GROUP,PACKAGE,CLASS,BRANCH_MISSED,BRANCH_COVERED,LINE_MISSED,LINE_COVERED\n\
                     g,p,A,1,2,3,4\ng,p,A.new B() {...},10,20,30,40\n";
        let measured = Measured::parse(table).expect("all columns are there");
        assert_eq!(measured.branch, Share { covered: 22, total: 33 });
        assert_eq!(measured.line, Share { covered: 44, total: 77 });
    }
}
