//! Measures generation on real libraries: `cargo xtask experiment random` and `search`, started by
//! `make experiment-random` and `make experiment-search`.
//!
//! Nothing here believes what Jurat says of itself. The emitted tests are compiled by javac, run by JUnit's own
//! launcher and measured by JaCoCo; Jurat's figures stand beside theirs.
//!
//! What to measure comes from the environment: `SUBJECTS` (names, separated by commas), `SEEDS` (`5` for 1 to 5,
//! or a list such as `3,7`), `MODES` (`directed`, `undirected`) and `BUDGET` (instead of each subject's own).

mod command;
mod coverage;
mod endurance;
mod figures;
mod memory;
mod pit;
mod plan;
mod record;
mod search;
mod statistics;
mod suite;
mod table;
mod trial;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use command::Command;
use plan::{Mode, Plan};
use trial::{Stage, Trial};

/// Runs what was asked for and prints a line for each run, then the table.
pub(crate) fn run(name: Option<&str>, root: &Path) -> Result<ExitCode> {
    match name {
        Some("random") => random(root),
        Some("search") => search::run(root),
        other => bail!("{} is no experiment; there are: random, search", other.unwrap_or("nothing")),
    }
}

#[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
fn random(root: &Path) -> Result<ExitCode> {
    let plan = Plan::from_environment()?;
    let stage = Stage::set(root, "random")?;
    let (mut rows, mut is_clean) = (Vec::new(), true);
    for subject in &plan.subjects {
        if subject.endures {
            is_clean &= endurance::run(&stage, subject, plan.budget.as_deref(), plan.seeds[0])?;
            continue;
        }
        for mode in &plan.modes {
            let mut runs = Vec::new();
            for seed in &plan.seeds {
                let budget = plan.budget.as_deref().unwrap_or(subject.budget);
                let blind: &[&str] = if *mode == Mode::Undirected { &["--no-feedback"] } else { &[] };
                let flags = ["--strategy", "random"].iter().chain(blind);
                let figures = stage.measure(&Trial {
                    folder: format!("{}-{}-{seed}", subject.name, mode.name()),
                    flags: flags.map(|flag| (*flag).to_owned()).collect(),
                    ..subject.trial(&stage.jars, budget, *seed)
                })?;
                println!("{:<28} {:<10} seed {seed}: {}", subject.name, mode.name(), figures.line());
                runs.push(figures);
            }
            let (subject, mode) = (subject.name.to_owned(), mode.name().to_owned());
            rows.push(table::Row { subject, mode, runs });
        }
    }
    if !rows.is_empty() {
        println!("\n{}", table::render(&rows));
        println!("{}", floor(root).unwrap_or_else(|error| format!("No floor: {error}")));
    }
    is_clean &= !rows.iter().any(table::Row::is_faulty);
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How fast a bare JNI loop calls on this machine now: the floor below all steps.
fn floor(root: &Path) -> Result<String> {
    let mut command = Command::new(Path::new("cargo"));
    command.args(["bench", "--quiet", "-p", "jurat-cli", "--bench", "workers", "--", "calls"]).folder(root);
    let run = command.run(Duration::from_secs(900))?;
    let line = run.stdout.lines().find_map(|line| line.trim().strip_prefix("calls per second:"));
    let line = line.with_context(|| format!("the floor could not be measured: {}", run.stderr))?;
    Ok(format!("Floor, one worker, calls per second:{line}."))
}
