//! What the search adds: `make experiment-search`.
//!
//! `PARTS` chooses among `classes` (five classes of commons-lang3 by `auto`, at 60 s and 15 s), `needles` (which
//! technique reaches which hard branch), `open` (random against `auto` on the classes of which random leaves most open),
//! `private` (without private access and mocks against with, on classes drawn by a fixed seed) and `account` (either of
//! them alone, on a class that needs both). `SUBJECTS`, `SEEDS` and `BUDGET` narrow as for random; `MOST` is the number of
//! classes that `open` and `private` choose, `LIBRARIES` the jars that `open` looks at, `CLASSES` the classes it takes
//! without looking for the hardest.

mod account;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use super::command::{Command, Ended};
use super::coverage::covered_classes;
use super::figures::Figures;
use super::plan::{each, seeds, subject, variable};
use super::statistics::compare;
use super::table::{Row, columns, median, render};
use super::trial::{Stage, Trial};
use crate::files::below;

/// The libraries of which calls at random leave much open.
const LIBRARIES: &str = "commons-lang3-3.12.0.jar,commons-validator-1.7.jar,commons-codec-1.15.jar,\
                         commons-text-1.10.0.jar,commons-configuration2-2.8.0.jar";
/// The libraries from which classes are drawn to compare with and without private access and mocks.
const DRAWN_FROM: [&str; 2] = ["commons-lang3-3.12.0.jar", "commons-collections4-4.4.jar"];
/// What switches private access and mocks off.
const BASE: [&str; 2] = ["--no-private-access", "--no-mocks"];

/// Runs the parts that were asked for, and prints a table for each.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let experiment = Experiment { stage: Stage::set(root, "search")?, root: root.to_owned() };
    let parts = variable("PARTS").unwrap_or_else(|| "classes,needles,open,private,account".to_owned());
    let mut is_clean = true;
    for part in parts.split(',').map(str::trim) {
        is_clean &= match part {
            "classes" => experiment.classes()?,
            "needles" => experiment.needles()?,
            "open" => experiment.open()?,
            "private" => experiment.private()?,
            "account" => experiment.account()?,
            other => bail!("PARTS: {other} is none of classes, needles, open, private, account"),
        };
    }
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Experiment {
    stage: Stage,
    root: PathBuf,
}

impl Experiment {
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn measure(&self, trial: &Trial) -> Result<Figures> {
        let figures = self.stage.measure(trial)?;
        println!("{}: {}", trial.folder, figures.line());
        Ok(figures)
    }

    fn budgets(usual: &[&str]) -> Vec<String> {
        match variable("BUDGET") {
            Some(budget) => vec![budget],
            None => usual.iter().map(|budget| (*budget).to_owned()).collect(),
        }
    }

    fn seeds(usual: &str) -> Result<Vec<u64>> {
        seeds(variable("SEEDS").as_deref().unwrap_or(usual))
    }

    /// Five classes by `auto`.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn classes(&self) -> Result<bool> {
        let names = variable("SUBJECTS")
            .unwrap_or_else(|| "Fraction,BooleanUtils,CharRange,StrBuilder,FastDateParser".to_owned());
        let mut rows = Vec::new();
        for budget in Self::budgets(&["60s", "15s"]) {
            for subject in each(&names, subject)? {
                let mut runs = Vec::new();
                for seed in Self::seeds("5")? {
                    let trial = subject.trial(&self.stage.jars, &budget, seed);
                    let folder = format!("{}-{budget}-{seed}", subject.name);
                    runs.push(self.measure(&Trial { folder, flags: strategy("auto"), ..trial })?);
                }
                rows.push(Row { subject: subject.name.to_owned(), mode: format!("auto {budget}"), runs });
            }
        }
        println!("\n{}", render(&rows));
        Ok(!rows.iter().any(Row::is_faulty))
    }

    /// Which technique reaches which needle: in how many of the runs.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn needles(&self) -> Result<bool> {
        const TECHNIQUES: [&str; 3] = ["random", "search", "auto"];
        let classes = self.compiled("needles")?;
        let seeds = Self::seeds("5")?;
        let budget = Self::budgets(&["30s"]).swap_remove(0);
        let mut reached: BTreeMap<String, [usize; 3]> =
            needle_names(&self.root)?.into_iter().map(|name| (name, [0; 3])).collect();
        let mut is_clean = true;
        for (column, technique) in TECHNIQUES.into_iter().enumerate() {
            for seed in &seeds {
                let folder = format!("needles-{technique}-{seed}");
                let figures = self.measure(&Trial {
                    folder: folder.clone(),
                    class_path: classes.display().to_string(),
                    flags: strategy(technique),
                    budget: budget.clone(),
                    seed: *seed,
                    ..Trial::default()
                })?;
                is_clean &= !figures.is_faulty();
                for class in covered_classes(&self.stage.out.join(&folder)) {
                    if let Some(counts) = reached.get_mut(&class) {
                        counts[column] += 1;
                    }
                }
            }
        }
        println!("\n{}", needle_table(&reached, &TECHNIQUES, seeds.len()));
        Ok(is_clean)
    }

    /// The classes of one of our own subjects.
    fn compiled(&self, subject: &str) -> Result<PathBuf> {
        let classes = self.stage.out.join(format!("{subject}-classes"));
        std::fs::create_dir_all(&classes)?;
        let mut command = Command::new(&self.stage.jdk.join("bin/javac"));
        command.arg("-d").arg(&classes).args(below(&self.root.join(format!("subjects/{subject}/src")))?);
        let run = command.run(std::time::Duration::from_secs(120))?;
        ensure!(run.ended == Ended::Code(0), "{subject} does not compile: {}", run.stderr);
        Ok(classes)
    }

    /// Random against `auto` on the classes of which random leaves most open.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn open(&self) -> Result<bool> {
        let found = self.hardest()?;
        let budget = Self::budgets(&["60s"]).swap_remove(0);
        let mut lines = vec![["class", "branches", "open: random", "open: auto"].map(str::to_owned).to_vec()];
        let (mut sums, mut is_clean) = ((0, 0), true);
        for (_, jar, class) in &found {
            let mut open = Vec::new();
            let mut total = 0;
            for technique in ["random", "auto"] {
                let mut runs = Vec::new();
                for seed in Self::seeds("5")? {
                    let figures = self.measure(&self.trial(jar, class, technique, &budget, seed))?;
                    is_clean &= !figures.is_faulty();
                    total = total.max(figures.jacoco.map_or(0, |measured| measured.branch.total));
                    runs.push(open_branches(&figures));
                }
                open.push(median(runs.into_iter()));
            }
            sums = (sums.0 + open[0], sums.1 + open[1]);
            lines.push(vec![class.clone(), total.to_string(), open[0].to_string(), open[1].to_string()]);
        }
        lines.push(vec!["all".to_owned(), String::new(), sums.0.to_string(), sums.1.to_string()]);
        println!("\n{}", columns(&lines, 1));
        Ok(is_clean)
    }

    /// The classes of which 30 s of calls at random leave most branches open, or those that `CLASSES` names: how many are
    /// open, the jar, the class.
    fn hardest(&self) -> Result<Vec<(u64, PathBuf, String)>> {
        let jars = variable("LIBRARIES").unwrap_or_else(|| LIBRARIES.to_owned());
        let named = variable("CLASSES").map(|names| each(&names, |name| Ok(name.to_owned()))).transpose()?;
        let mut found = Vec::new();
        for jar in each(&jars, |jar| Ok(self.stage.jars.join(jar)))? {
            for class in self.classes_of(&jar)? {
                let open = match &named {
                    Some(named) if !named.contains(&class) => continue,
                    Some(_) => 0,
                    None => {
                        open_branches(&self.stage.measure(&self.trial(&jar, &class, "random", "30s", 1))?)
                    }
                };
                found.push((open, jar.clone(), class));
            }
        }
        found.sort_by(|one, other| other.0.cmp(&one.0).then(one.2.cmp(&other.2)));
        found.truncate(most(30)?);
        Ok(found)
    }

    /// Without private access and mocks against with, on classes drawn by a fixed seed.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn private(&self) -> Result<bool> {
        let mut drawn = Vec::new();
        for jar in DRAWN_FROM.map(|jar| self.stage.jars.join(jar)) {
            let classes = self.classes_of(&jar)?.into_iter().map(|class| (draw(&class), jar.clone(), class));
            drawn.extend(classes);
        }
        drawn.sort();
        drawn.truncate(most(20)?);
        let budget = Self::budgets(&["10s"]).swap_remove(0);
        let head = ["class", "branches", "base", "PAFM", "p", "effect"].map(str::to_owned).to_vec();
        let (mut lines, mut is_clean) = (vec![head], true);
        let mut all: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        for (_, jar, class) in &drawn {
            let mut covered: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
            let mut total = 0;
            for (which, flags) in [&BASE[..], &[]].into_iter().enumerate() {
                for seed in Self::seeds("10")? {
                    let mut trial = self.trial(jar, class, "auto", &budget, seed);
                    trial.folder = format!("{}-{}", trial.folder, ["base", "pafm"][which]);
                    trial.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
                    let figures = self.measure(&trial)?;
                    is_clean &= !figures.is_faulty();
                    let branch = figures.jacoco.unwrap_or_default().branch;
                    total = total.max(branch.total);
                    covered[which].push(branch.percent());
                }
            }
            lines.push(compared_line(class, total, &covered));
            all.iter_mut().zip(covered).for_each(|(all, covered)| all.extend(covered));
        }
        lines.push(compared_line("all", 0, &all));
        println!(
            "\n{}\neffect: how often a run with private access and mocks covers more.",
            columns(&lines, 1)
        );
        Ok(is_clean)
    }

    fn trial(&self, jar: &Path, class: &str, technique: &str, budget: &str, seed: u64) -> Trial {
        let others =
            std::fs::read_dir(&self.stage.jars).into_iter().flatten().flatten().map(|entry| entry.path());
        let others = others.filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path != jar && name.starts_with("commons-")
        });
        let mut others: Vec<String> = others.map(|path| path.display().to_string()).collect();
        others.sort();
        Trial {
            folder: format!("{class}-{technique}-{seed}"),
            class_path: jar.display().to_string(),
            libraries: others.join(":"),
            classes: vec![class.to_owned()],
            flags: strategy(technique),
            budget: budget.to_owned(),
            seed,
        }
    }

    /// The top-level classes of a jar that have code in a class of their own.
    fn classes_of(&self, jar: &Path) -> Result<Vec<String>> {
        let mut command = Command::new(&self.stage.jdk.join("bin/jar"));
        let run = command.arg("tf").arg(jar).run(std::time::Duration::from_secs(120))?;
        ensure!(run.ended == Ended::Code(0), "cannot list {}: {}", jar.display(), run.stderr);
        let names = run.stdout.lines().filter_map(|entry| entry.strip_suffix(".class"));
        let names = names.filter(|name| !name.contains('$') && !name.ends_with("-info"));
        let mut names: Vec<String> =
            names.filter(|name| !name.starts_with("META-INF")).map(|name| name.replace('/', ".")).collect();
        names.sort();
        Ok(names)
    }
}

fn strategy(name: &str) -> Vec<String> {
    vec!["--strategy".to_owned(), name.to_owned()]
}

fn most(usual: usize) -> Result<usize> {
    variable("MOST").map_or(Ok(usual), |most| most.parse().with_context(|| format!("MOST: {most}")))
}

/// Branches that the suite of a run leaves open.
fn open_branches(figures: &Figures) -> u64 {
    match (figures.jacoco, &figures.own) {
        (Some(measured), _) => measured.branch.total - measured.branch.covered,
        (None, Some(own)) => own.branch().total - own.branch().covered,
        (None, None) => 0,
    }
}

/// A number that is drawn for a name, the same every time.
fn draw(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The classes that hide a branch each: all but the helpers.
fn needle_names(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in below(&root.join("subjects/needles/src"))? {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let classes = text.lines().filter_map(|line| line.strip_prefix("class "));
        names.extend(classes.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned));
    }
    Ok(names)
}

fn needle_table(reached: &BTreeMap<String, [usize; 3]>, techniques: &[&str; 3], runs: usize) -> String {
    let mut lines = vec![vec!["needle".to_owned()]];
    lines[0].extend(techniques.map(str::to_owned));
    for (name, counts) in reached {
        let mut line = vec![name.clone()];
        line.extend(counts.map(|count| format!("{count}/{runs}")));
        lines.push(line);
    }
    // Reached in the median run means reached in more than half of them.
    let sum = |column: usize| reached.values().filter(|counts| counts[column] * 2 > runs).count();
    let mut line = vec!["in most runs".to_owned()];
    line.extend((0..3).map(|column| format!("{} of {}", sum(column), reached.len())));
    lines.push(line);
    columns(&lines, 1)
}

fn compared_line(name: &str, total: u64, covered: &[Vec<f64>; 2]) -> Vec<String> {
    let [base, with] = covered;
    let compared = compare(base, with);
    vec![
        name.to_owned(),
        total.to_string(),
        format!("{:.1} %", median(base.iter().copied())),
        format!("{:.1} %", median(with.iter().copied())),
        format!("{:.3}", compared.p),
        format!("{:.2}", compared.effect),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_counts_if_most_runs_reach_it() {
        let reached = BTreeMap::from([("A".to_owned(), [0, 3, 5]), ("B".to_owned(), [2, 1, 5])]);
        let table = needle_table(&reached, &["random", "search", "auto"], 5);
        assert!(table.ends_with("in most runs  0 of 2  1 of 2  2 of 2\n"), "{table}");
    }
}
