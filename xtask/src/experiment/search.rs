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
mod needles;
mod open;
mod private;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};

use super::command::{Command, Ended};
use super::coverage::branches;
use super::figures::{Faults, Figures};
use super::plan::{each, seeds, subject, variable};
use super::record::Record;
use super::suite::Bench;
use super::table::{Row, render};
use super::trial::{Stage, Trial};
use crate::files::below;

/// How the jars are called that a library may need.
const NEEDED: [&str; 2] = ["commons-", "xml-resolver-"];

/// Runs the parts that were asked for, and prints a table for each.
#[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let stage = Stage::set(root, "search")?;
    let jobs =
        variable("JOBS").map_or(Ok(1), |jobs| jobs.parse().with_context(|| format!("JOBS: {jobs}")))?;
    let conditions = format!("on JDK {}, {jobs} at a time", stage.release()?);
    let record = Record::open(variable("RECORD").map(PathBuf::from), root, conditions)?;
    let experiment = Experiment { stage, jobs, record, faults: Mutex::default(), root: root.to_owned() };
    let parts = variable("PARTS").unwrap_or_else(|| "classes,needles,open,private,account".to_owned());
    for part in parts.split(',').map(str::trim) {
        match part {
            "classes" => experiment.classes()?,
            "needles" => experiment.needles()?,
            "open" => experiment.open()?,
            "private" => experiment.private()?,
            "account" => experiment.account()?,
            other => bail!("PARTS: {other} is none of classes, needles, open, private, account"),
        }
    }
    let faults = experiment.faults.lock().unwrap_or_else(PoisonError::into_inner);
    println!("{faults}\n{}", experiment.record.builds());
    Ok(if faults.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A class, the jar it is in, and by how much it was chosen.
type Chosen = (u64, PathBuf, String);

struct Experiment {
    stage: Stage,
    /// How many runs are measured at a time.
    jobs: usize,
    record: Record,
    /// What must not happen, in all runs.
    faults: Mutex<Faults>,
    root: PathBuf,
}

impl Experiment {
    /// Measures all, `JOBS` at a time; the figures come in the order of the trials.
    fn measure(&self, trials: &[Trial]) -> Result<Vec<Figures>> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut trial = trial.clone();
                if self.jobs > 1 {
                    trial.flags.extend(["--workers", "1"].map(str::to_owned));
                }
                let figures = self.measured(&trial)?;
                done.push((trial.folder, figures));
            }
            Ok(done)
        };
        let done: Vec<Result<Vec<(String, Figures)>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.jobs).map(|_| scope.spawn(work)).collect();
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
    fn measured(&self, trial: &Trial) -> Result<Figures> {
        let known = self.record.figures(trial);
        let figures = known.map_or_else(|| self.measured_anew(trial), Ok)?;
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).add(&trial.folder, &figures);
        Ok(figures)
    }

    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    fn measured_anew(&self, trial: &Trial) -> Result<Figures> {
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
    fn classes(&self) -> Result<()> {
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
        Ok(())
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

    /// How many branches the classes of a jar have.
    fn branches_of(&self, jar: &Path) -> Result<BTreeMap<String, u64>> {
        let class_path = jar.display().to_string();
        let Stage { jdk, jars, out, .. } = &self.stage;
        std::fs::create_dir_all(out)?;
        branches(&Bench { jdk, jars, class_path: &class_path, folder: out }, jar)
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

/// The branches of a class, by the runs of both modes.
fn total_branches(runs: &[Vec<Figures>; 2]) -> u64 {
    let measured = runs.iter().flatten().filter_map(|run| run.jacoco);
    measured.map(|measured| measured.branch.total).max().unwrap_or(0)
}
