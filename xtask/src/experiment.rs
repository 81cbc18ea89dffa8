//! Measures generation on real libraries: `cargo xtask experiment random`, started by `make experiment-random`.
//!
//! Nothing here believes what Jurat says of itself. The emitted tests are compiled by javac, run by JUnit's own
//! launcher and measured by JaCoCo; Jurat's figures stand beside theirs.
//!
//! What to measure comes from the environment: `SUBJECTS` (names, separated by commas), `SEEDS` (`5` for 1 to 5,
//! or a list such as `3,7`), `MODES` (`directed`, `undirected`) and `BUDGET` (instead of each subject's own).

mod command;
mod coverage;
mod figures;
mod memory;
mod plan;
mod suite;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use command::{Command, Ended};
use coverage::Measured;
use figures::Figures;
use plan::{Mode, Plan, Subject};
use suite::Bench;

/// Runs what was asked for and prints a line for each run, then the table.
#[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
pub(crate) fn run(name: Option<&str>, root: &Path) -> Result<ExitCode> {
    ensure!(name == Some("random"), "{} is no experiment; there is: random", name.unwrap_or("nothing"));
    let plan = Plan::from_environment()?;
    let stage = Stage::set(root)?;
    let mut rows = Vec::new();
    for subject in &plan.subjects {
        for mode in &plan.modes {
            let mut runs = Vec::new();
            for seed in &plan.seeds {
                let budget = plan.budget.as_deref().unwrap_or(subject.budget);
                let figures = stage.measure(subject, *mode, *seed, budget)?;
                println!("{:<28} {:<10} seed {seed}: {}", subject.name, mode.name(), figures.line());
                runs.push(figures);
            }
            rows.push(table::Row { subject: subject.name, mode: mode.name(), runs });
        }
    }
    println!("\n{}", table::render(&rows));
    Ok(if rows.iter().any(table::Row::is_faulty) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Where everything is that a measurement needs.
struct Stage {
    jurat: PathBuf,
    jars: PathBuf,
    jdk: PathBuf,
    /// Below it, one folder for each measurement: the tests, the report, what was said.
    out: PathBuf,
}

impl Stage {
    fn set(root: &Path) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let jars = std::env::var_os("JURAT_JARS").map_or_else(|| root.join(".jurat/jars"), PathBuf::from);
        let jurat = target.join("release/jurat");
        ensure!(jurat.exists(), "{} is missing: run `make build`", jurat.display());
        ensure!(jars.is_dir(), "{} is missing: run `make setup`", jars.display());
        let whole = |path: PathBuf| std::path::absolute(&path).with_context(|| path.display().to_string());
        let out = whole(target.join("experiment/random"))?;
        Ok(Self { jurat: whole(jurat)?, jars: whole(jars)?, jdk: jdk(root)?, out })
    }

    /// One run of Jurat, and everything that can be known of what it wrote.
    fn measure(&self, subject: &Subject, mode: Mode, seed: u64, budget: &str) -> Result<Figures> {
        let folder = self.out.join(format!("{}-{}-{seed}", subject.name, mode.name()));
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let class_path = subject.class_path(&self.jars);
        let tests = folder.join("tests");
        let mut command = Command::new(&self.jurat);
        command.args(["generate", "--strategy", "random", "--format", "json", "--classpath", &class_path]);
        command.args(subject.classes.iter().flat_map(|class| ["--class", class]));
        command.args(["--budget", budget, "--seed", &seed.to_string(), "--out"]).arg(&tests);
        if mode == Mode::Undirected {
            command.args(["--no-feedback"]);
        }
        command.folder(&folder).log_to(&folder.join("jurat.log"));
        let run = command.run_watched(LONGEST)?;
        std::fs::write(folder.join("report.json"), &run.stdout)?;
        let mut figures = match run.ended {
            Ended::Code(2) if mode == Mode::Undirected => {
                return Ok(Figures::unavailable("no --no-feedback"));
            }
            Ended::Code(0 | 1) => Figures::reported(&run)?,
            ended => Figures::broken(ended, &run),
        };
        let bench = Bench { jdk: &self.jdk, jars: &self.jars, class_path: &class_path, folder: &folder };
        figures.suite = bench.examine(&tests)?;
        if subject.is_measurable() && figures.suite.tests > 0 {
            figures.jacoco = Some(Measured::of(subject, &bench, seed)?);
        }
        Ok(figures)
    }
}

/// Nothing that is measured takes longer, unless it hangs.
const LONGEST: Duration = Duration::from_secs(1200);

fn jdk(root: &Path) -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let run = Command::new(&root.join("scripts/jdk-home")).run(LONGEST)?;
    if run.ended != Ended::Code(0) {
        bail!("no JDK 17 or newer found: run `make setup`");
    }
    Ok(run.stdout.trim().into())
}
