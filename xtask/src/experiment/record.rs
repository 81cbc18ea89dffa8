//! Figures that were measured before. `RECORD=FILE` keeps those of each run as a line of JSON and does not measure the run
//! again: an experiment of many hours can be cut into pieces, and what a table rests on can be read. A run that broke is
//! kept as well; who deletes its line has it measured anew.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command::Command;
use super::figures::Figures;
use super::trial::Trial;

/// Where figures are kept, and those that are.
pub(crate) struct Record {
    file: Option<PathBuf>,
    /// What a run's figures depend on beside the run.
    conditions: String,
    /// The commit that is measured.
    build: String,
    entries: BTreeMap<String, Entry>,
    /// The runs whose figures were asked for or kept, with their commits.
    used: Mutex<BTreeMap<String, String>>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    run: String,
    build: String,
    figures: Figures,
}

impl Record {
    /// What a file keeps; one that does not exist keeps nothing yet. Without a file nothing is kept.
    pub(crate) fn open(file: Option<PathBuf>, root: &Path, conditions: String) -> Result<Self> {
        let mut entries = BTreeMap::new();
        if let Some(file) = file.as_deref().filter(|file| file.exists()) {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            for (number, line) in text.lines().enumerate() {
                let read = serde_json::from_str(line);
                let entry: Entry = read.with_context(|| format!("{}:{}", file.display(), number + 1))?;
                entries.insert(entry.run.clone(), entry);
            }
        }
        Ok(Self { file, conditions, build: build(root), entries, used: Mutex::default() })
    }

    /// The figures of a run that was measured before.
    pub(crate) fn figures(&self, trial: &Trial) -> Option<Figures> {
        let entry = self.entries.get(&self.name(trial))?;
        self.use_of(&entry.run, &entry.build);
        Some(entry.figures.clone())
    }

    /// Keeps the figures of a run.
    pub(crate) fn keep(&self, trial: &Trial, figures: &Figures) -> Result<()> {
        let mut figures = figures.clone();
        // How many there are is enough.
        figures.own.iter_mut().flat_map(|own| &mut own.findings).for_each(|finding| *finding = Value::Null);
        let entry = Entry { run: self.name(trial), build: self.build.clone(), figures };
        self.use_of(&entry.run, &entry.build);
        if let Some(file) = &self.file {
            let line = serde_json::to_string(&entry)? + "\n";
            let appended = std::fs::OpenOptions::new().create(true).append(true).open(file);
            appended
                .and_then(|mut file| file.write_all(line.as_bytes()))
                .with_context(|| file.display().to_string())?;
        }
        Ok(())
    }

    /// What tells runs apart, wherever the jars are.
    fn name(&self, trial: &Trial) -> String {
        let judged = if trial.mutates { " PIT" } else { "" };
        let Trial { folder, budget, flags, .. } = trial;
        format!("{folder} {budget} {}{judged}, {}", flags.join(" "), self.conditions)
    }

    fn use_of(&self, run: &str, build: &str) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(run.to_owned(), build.to_owned());
    }

    /// Which commits the figures are of that were asked for or kept.
    pub(crate) fn builds(&self) -> String {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for build in used.values() {
            *counts.entry(build).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(build, count)| format!("{count} of {build}")).collect();
        format!("Runs: {}.", counts.join(", "))
    }
}

/// The last commit that changed what is measured, and whether there are changes since.
fn build(root: &Path) -> String {
    let git = |args: &[&str]| {
        let mut command = Command::new(Path::new("git"));
        command.args(args).args(["--", "crates", ":(exclude)crates/*/tests/*", "Cargo.lock"]).folder(root);
        let run = command.run(std::time::Duration::from_secs(60));
        run.map(|run| run.stdout.trim().to_owned()).unwrap_or_default()
    };
    let commit = git(&["log", "-1", "--format=%h"]);
    match (commit.is_empty(), git(&["status", "--porcelain"]).is_empty()) {
        (true, _) => "an unknown commit".to_owned(),
        (false, true) => commit,
        (false, false) => format!("{commit} and changes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_remembered_by_its_seed_flags_budget_and_conditions() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Some(folder.path().join("record"));
        let trial = |budget: &str| Trial {
            folder: "A-auto-1".to_owned(),
            budget: budget.to_owned(),
            flags: vec!["--x".to_owned()],
            ..Trial::default()
        };
        let open = |on: &str| Record::open(file.clone(), folder.path(), on.to_owned());
        let record = open("on JDK 17").expect("a new record");
        record.keep(&trial("60s"), &Figures { wall: 9.0, ..Figures::default() }).expect("it is written");

        let again = open("on JDK 17").expect("a record");
        assert_eq!(
            again.figures(&trial("60s")).map(|figures| figures.wall.to_bits()),
            Some(9.0_f64.to_bits())
        );
        assert!(again.figures(&trial("15s")).is_none());
        assert!(open("on JDK 25").expect("a record").figures(&trial("60s")).is_none());
        assert_eq!(again.builds(), "Runs: 1 of an unknown commit.");

        std::fs::write(folder.path().join("record"), "{\n").expect("it is written");
        let refused = open("on JDK 17").err().map(|error| error.to_string());
        assert!(refused.is_some_and(|said| said.ends_with("record:1")));
    }
}
