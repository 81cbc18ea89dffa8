//! What the search adds: `make experiment-search`.
//!
//! `PARTS` chooses among `classes` (five classes of commons-lang3 by `auto`, at 60 s and 15 s), `needles` (which
//! technique reaches which hard branch), `open` (random against `auto` on the classes of which random leaves most open),
//! `private` (without private access and mocks against with, on classes drawn by a fixed seed) and `account` (either of
//! them alone, on a class that needs both). `SUBJECTS`, `SEEDS` and `BUDGET` narrow as for random; `MOST` is the number of
//! classes that `open` and `private` choose, `LIBRARIES` the jars that `open` looks at, `CLASSES` the classes it takes
//! without looking for the hardest. `JOBS=2` measures two runs at a time, each with one worker: half the machine for
//! each, in half the time. `PIT_SEEDS` are the seeds whose suites PIT looks at, which takes longest. `RECORD=FILE` keeps
//! figures, and takes those that it has.

mod account;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};

use super::command::{Command, Ended};
use super::coverage::{OpenMethod, branches};
use super::figures::Figures;
use super::plan::{each, seeds, subject, variable};
use super::record::Record;
use super::statistics::compare;
use super::suite::Bench;
use super::table::{Row, columns, median, render};
use super::trial::{Stage, Trial};
use crate::files::below;

/// The libraries of which calls at random leave much open.
const LIBRARIES: &str = "commons-lang3-3.12.0.jar,commons-validator-1.7.jar,commons-codec-1.15.jar,\
                         commons-text-1.10.0.jar,commons-configuration2-2.8.0.jar";
/// How the jars are called that these libraries may need, each other included.
const NEEDED: [&str; 2] = ["commons-", "xml-resolver-"];
/// The libraries from which classes are drawn to compare with and without private access and mocks.
const DRAWN_FROM: [&str; 2] = ["commons-lang3-3.12.0.jar", "commons-collections4-4.4.jar"];
/// How many methods are named that stay open.
const HARDEST: usize = 40;
/// What switches private access and mocks off.
const BASE: [&str; 2] = ["--no-private-access", "--no-mocks"];

/// Runs the parts that were asked for, and prints a table for each.
#[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let record = Record::open(variable("RECORD").map(PathBuf::from), root)?;
    let experiment = Experiment { stage: Stage::set(root, "search")?, record, root: root.to_owned() };
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
    println!("{}", experiment.record.builds());
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A class, the jar it is in, and by how much it was chosen.
type Chosen = (u64, PathBuf, String);

struct Experiment {
    stage: Stage,
    record: Record,
    root: PathBuf,
}

impl Experiment {
    /// Measures all, `JOBS` at a time; the figures come in the order of the trials.
    fn measure(&self, trials: &[Trial]) -> Result<Vec<Figures>> {
        let jobs =
            variable("JOBS").map_or(Ok(1), |jobs| jobs.parse().with_context(|| format!("JOBS: {jobs}")))?;
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut trial = trial.clone();
                if jobs > 1 {
                    trial.flags.extend(["--workers", "1"].map(str::to_owned));
                }
                let figures = self.measured(&trial)?;
                done.push((trial.folder, figures));
            }
            Ok(done)
        };
        let done: Vec<Result<Vec<(String, Figures)>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs).map(|_: usize| scope.spawn(work)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")))
                .collect()
        });
        let mut by_folder = BTreeMap::new();
        for some in done {
            by_folder.extend(some?);
        }
        Ok(trials.iter().filter_map(|trial| by_folder.remove(&trial.folder)).collect())
    }

    /// Measures classes in two modes, and gives the runs of each class in either. The modes take turns, seed by seed: what
    /// disturbs one disturbs the other, and whoever stops early has whole seeds.
    fn side_by_side(
        &self,
        classes: &[Chosen],
        modes: [&str; 2],
        seeds: &[u64],
        trial: impl Fn(&Chosen, &str, u64) -> Trial,
    ) -> Result<Vec<[Vec<Figures>; 2]>> {
        let trial = &trial;
        let of_seed = |seed: &u64| {
            let seed = *seed;
            classes.iter().flat_map(move |class| modes.map(|mode| trial(class, mode, seed)))
        };
        let trials: Vec<Trial> = seeds.iter().flat_map(of_seed).collect();
        let figures = self.measure(&trials)?;
        ensure!(figures.len() == trials.len(), "two of the classes have one name");
        let mut figures = figures.into_iter();
        let mut runs: Vec<[Vec<Figures>; 2]> = classes.iter().map(|_| Default::default()).collect();
        for _ in seeds {
            for modes in &mut runs {
                for runs in modes {
                    runs.extend(figures.next());
                }
            }
        }
        Ok(runs)
    }

    /// Measures one run, unless its figures are kept.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn measured(&self, trial: &Trial) -> Result<Figures> {
        if let Some(figures) = self.record.figures(trial) {
            return Ok(figures);
        }
        let figures = self.stage.measure(trial)?;
        println!("{}: {}", trial.folder, figures.line());
        self.record.keep(trial, &figures)?;
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
        let judged = variable("PIT_SEEDS").map_or_else(|| Self::seeds("5"), |chosen| seeds(&chosen))?;
        for budget in Self::budgets(&["60s", "15s"]) {
            for subject in each(&names, subject)? {
                let trial = |seed: u64| Trial {
                    folder: format!("{}-{budget}-{seed}", subject.name),
                    flags: strategy("auto"),
                    mutates: judged.contains(&seed),
                    ..subject.trial(&self.stage.jars, &budget, seed)
                };
                let runs = self.measure(&Self::seeds("5")?.into_iter().map(trial).collect::<Vec<_>>())?;
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
            let trial = |seed: &u64| Trial {
                folder: format!("needles-{technique}-{seed}"),
                class_path: classes.display().to_string(),
                flags: strategy(technique),
                budget: budget.clone(),
                seed: *seed,
                ..Trial::default()
            };
            let runs = self.measure(&seeds.iter().map(trial).collect::<Vec<_>>())?;
            is_clean &= !runs.iter().any(Figures::is_faulty);
            for class in runs.iter().flat_map(|run| &run.covered) {
                if let Some(counts) = reached.get_mut(class) {
                    counts[column] += 1;
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
        let seeds = Self::seeds("5")?;
        let trial = |(_, jar, class): &Chosen, technique: &str, seed: u64| {
            self.trial(jar, class, technique, &budget, seed)
        };
        let runs = self.side_by_side(&found, ["random", "auto"], &seeds, trial)?;
        for ((_, _, class), runs) in found.iter().zip(&runs) {
            is_clean &= !runs.iter().flatten().any(Figures::is_faulty);
            let open = runs.each_ref().map(|runs| median(runs.iter().map(open_branches)));
            sums = (sums.0 + open[0], sums.1 + open[1]);
            let figures = [total_branches(runs), open[0], open[1]].map(|figure| figure.to_string());
            lines.push([class.clone()].into_iter().chain(figures).collect());
        }
        lines.push(vec!["all".to_owned(), String::new(), sums.0.to_string(), sums.1.to_string()]);
        println!("\n{}", columns(&lines, 1));
        let first = runs.iter().filter_map(|[_, auto]| auto.first());
        let mut open: Vec<&OpenMethod> = first.flat_map(|run| &run.open).collect();
        open.sort_by(|one, other| other.open.cmp(&one.open).then(one.name.cmp(&other.name)));
        let head = ["left open by auto, first seed", "open", "branches"].map(str::to_owned).to_vec();
        let line = |method: &&OpenMethod| {
            vec![method.name.clone(), method.open.to_string(), method.total.to_string()]
        };
        let lines: Vec<Vec<String>> = [head].into_iter().chain(open.iter().take(HARDEST).map(line)).collect();
        println!("{}", columns(&lines, 1));
        Ok(is_clean)
    }

    /// The classes of which 30 s of calls at random leave most branches open, or those that `CLASSES` names: how many are
    /// open, the jar, the class. A class has no more open than it has; so the largest are looked at first, and no more
    /// once the next cannot be among the hardest.
    fn hardest(&self) -> Result<Vec<Chosen>> {
        let jars = variable("LIBRARIES").unwrap_or_else(|| LIBRARIES.to_owned());
        let named = variable("CLASSES").map(|names| each(&names, |name| Ok(name.to_owned()))).transpose()?;
        let mut found = Vec::new();
        for jar in each(&jars, |jar| Ok(self.stage.jars.join(jar)))? {
            found.extend(
                self.branches_of(&jar)?.into_iter().map(|(class, count)| (count, jar.clone(), class)),
            );
        }
        found.sort_by(|one, other| other.0.cmp(&one.0).then(one.2.cmp(&other.2)));
        let most = most(30)?;
        if let Some(named) = named {
            found.retain(|(_, _, class)| named.contains(class));
            return Ok(found);
        }
        let mut open: Vec<Chosen> = Vec::new();
        for some in found.chunks(8) {
            let least = open.get(most - 1).map_or(0, |(count, ..)| *count);
            if some[0].0 <= least {
                break;
            }
            let trial = |(_, jar, class): &Chosen| Trial {
                folder: format!("{class}-first"),
                // The suite is not looked at: there are two hundred of them.
                endures: true,
                ..self.trial(jar, class, "random", "30s", 1)
            };
            let figures = self.measure(&some.iter().map(trial).collect::<Vec<_>>())?;
            let opened = some.iter().zip(figures);
            open.extend(opened.map(|((count, jar, class), run)| {
                (open_branches(&run).min(*count), jar.clone(), class.clone())
            }));
            open.sort_by(|one, other| other.0.cmp(&one.0).then(one.2.cmp(&other.2)));
        }
        open.truncate(most);
        Ok(open)
    }

    /// How many branches the classes of a jar have.
    fn branches_of(&self, jar: &Path) -> Result<BTreeMap<String, u64>> {
        let class_path = jar.display().to_string();
        let Stage { jdk, jars, out, .. } = &self.stage;
        std::fs::create_dir_all(out)?;
        branches(&Bench { jdk, jars, class_path: &class_path, folder: out }, jar)
    }

    /// Without private access and mocks against with, on classes drawn by a fixed seed.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn private(&self) -> Result<bool> {
        let mut drawn = Vec::new();
        for jar in DRAWN_FROM.map(|jar| self.stage.jars.join(jar)) {
            // Of a class without branches no share can be covered.
            let classes = self.branches_of(&jar)?.into_iter().filter(|(_, branches)| *branches > 0);
            drawn.extend(classes.map(|(class, _)| (draw(&class), jar.clone(), class)));
        }
        drawn.sort();
        drawn.truncate(most(20)?);
        let budget = Self::budgets(&["10s"]).swap_remove(0);
        let head = ["class", "branches", "base", "PAFM", "p", "effect"].map(str::to_owned).to_vec();
        let (mut lines, mut is_clean) = (vec![head], true);
        let (mut all, mut branches): ([Vec<f64>; 2], u64) = ([Vec::new(), Vec::new()], 0);
        let seeds = Self::seeds("10")?;
        let trial = |(_, jar, class): &Chosen, mode: &str, seed: u64| {
            let mut trial = self.trial(jar, class, "auto", &budget, seed);
            trial.folder = format!("{}-{mode}", trial.folder);
            trial.flags.extend(BASE.iter().filter(|_| mode == "base").map(|flag| (*flag).to_owned()));
            trial
        };
        let runs = self.side_by_side(&drawn, ["base", "pafm"], &seeds, trial)?;
        for ((_, _, class), runs) in drawn.iter().zip(&runs) {
            is_clean &= !runs.iter().flatten().any(Figures::is_faulty);
            let total = total_branches(runs);
            let percent = |run: &Figures| run.jacoco.unwrap_or_default().branch.percent();
            let covered = runs.each_ref().map(|runs| runs.iter().map(percent).collect::<Vec<_>>());
            lines.push(compared_line(class, total, &covered));
            branches += total;
            all.iter_mut().zip(covered).for_each(|(all, covered)| all.extend(covered));
        }
        lines.push(compared_line("all", branches, &all));
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
            path != jar && NEEDED.iter().any(|needed| name.starts_with(needed))
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
            ..Trial::default()
        }
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

/// The branches of a class, by the runs of both modes.
fn total_branches(runs: &[Vec<Figures>; 2]) -> u64 {
    let measured = runs.iter().flatten().filter_map(|run| run.jacoco);
    measured.map(|measured| measured.branch.total).max().unwrap_or(0)
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
