//! One run of `jurat generate` and everything that can be known of what it wrote.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::command::{Command, Ended};
use super::coverage::{Measured, covered_classes, open_methods};
use super::figures::Figures;
use super::pit;
use super::suite::Bench;

/// What is run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trial {
    /// The folder below the stage's in which everything is kept.
    pub(crate) folder: String,
    /// What `--classpath` is given.
    pub(crate) class_path: String,
    /// What `--libraries` is given; nothing if empty.
    pub(crate) libraries: String,
    /// The classes under test; all of the class path if empty.
    pub(crate) classes: Vec<String>,
    /// Any other arguments.
    pub(crate) flags: Vec<String>,
    pub(crate) budget: String,
    pub(crate) seed: u64,
    /// Whether PIT judges the suite.
    pub(crate) mutates: bool,
    /// Whether the suite is left alone: the run is what counts.
    pub(crate) endures: bool,
}

impl Trial {
    /// JaCoCo cannot see classes of the JDK.
    fn is_measurable(&self) -> bool {
        !self.class_path.starts_with("jrt:")
    }

    /// True if a class file, named by its entry, is a class under test.
    pub(crate) fn counts(&self, entry: &str) -> bool {
        let Some(name) = entry.strip_suffix(".class") else { return false };
        let is_of = |class: &String| {
            let class = class.replace('.', "/");
            name.strip_prefix(&class).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        self.classes.is_empty() || self.classes.iter().any(is_of)
    }
}

/// Where everything is that a measurement needs.
pub(crate) struct Stage {
    pub(crate) jurat: PathBuf,
    pub(crate) jars: PathBuf,
    pub(crate) jdk: PathBuf,
    /// Below it, one folder for each measurement: the tests, the report, what was said.
    pub(crate) out: PathBuf,
}

/// Nothing that is measured takes longer, unless it hangs.
const LONGEST: Duration = Duration::from_secs(1200);

impl Stage {
    /// The stage of an experiment; what it leaves behind is kept in a folder of that name.
    pub(crate) fn set(root: &Path, experiment: &str) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let jars = std::env::var_os("JURAT_JARS").map_or_else(|| root.join(".jurat/jars"), PathBuf::from);
        let jurat = target.join("release/jurat");
        ensure!(jurat.exists(), "{} is missing: run `make build`", jurat.display());
        ensure!(jars.is_dir(), "{} is missing: run `make setup`", jars.display());
        let whole = |path: PathBuf| std::path::absolute(&path).with_context(|| path.display().to_string());
        let out = whole(target.join("experiment").join(experiment))?;
        Ok(Self { jurat: whole(jurat)?, jars: whole(jars)?, jdk: jdk(root)?, out })
    }

    /// The release of the JDK, such as 17.
    pub(crate) fn release(&self) -> Result<String> {
        let file = self.jdk.join("release");
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
        let release = version.and_then(|version| version.split(['.', '"', '-', '+']).next());
        Ok(release.with_context(|| format!("{} names no version", file.display()))?.to_owned())
    }

    /// Runs Jurat, then compiles, runs and measures what it wrote.
    pub(crate) fn measure(&self, trial: &Trial) -> Result<Figures> {
        let folder = self.out.join(&trial.folder);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let tests = folder.join("tests");
        let mut command = Command::new(&self.jurat);
        command.args(["generate", "--format", "json", "--classpath", &trial.class_path]);
        if !trial.libraries.is_empty() {
            command.args(["--libraries", &trial.libraries]);
        }
        command.args(trial.classes.iter().flat_map(|class| ["--class", class]));
        command.args(["--budget", &trial.budget, "--seed", &trial.seed.to_string()]);
        command.args(&trial.flags).arg("--out").arg(&tests);
        command.folder(&folder).log_to(&folder.join("jurat.log"));
        let run = command.run_watched(LONGEST)?;
        std::fs::write(folder.join("report.json"), &run.stdout)?;
        let mut figures = match run.ended {
            Ended::Code(0 | 1) => Figures::reported(&run)?,
            ended => Figures::broken(ended, &run),
        };
        if trial.endures {
            return Ok(figures);
        }
        let class_path = [&trial.class_path, &trial.libraries].map(String::as_str).join(":");
        let bench = Bench { jdk: &self.jdk, jars: &self.jars, class_path: &class_path, folder: &folder };
        figures.suite = bench.examine(&tests)?;
        if trial.is_measurable()
            && figures.suite.tests > 0
            && let Err(error) = judge(trial, &bench, &mut figures)
        {
            figures.trouble = Some(format!("{error:#}"));
        }
        Ok(figures)
    }
}

/// What JaCoCo and PIT say of the suite.
fn judge(trial: &Trial, bench: &Bench<'_>, figures: &mut Figures) -> Result<()> {
    figures.jacoco = Some(Measured::of(trial, bench)?);
    (figures.covered, figures.open) = (covered_classes(bench.folder), open_methods(bench.folder));
    if trial.mutates {
        figures.pit = pit::score(trial, bench)?;
    }
    Ok(())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_counts_with_those_nested_in_it_and_without_its_namesakes() {
        let trial = Trial { classes: vec!["a.CharRange".to_owned()], ..Trial::default() };
        assert!(trial.counts("a/CharRange.class"));
        assert!(trial.counts("a/CharRange$CharacterIterator.class"));
        assert!(!trial.counts("a/CharRangeX.class"));
        assert!(!trial.counts("META-INF/MANIFEST.MF"));
    }
}
