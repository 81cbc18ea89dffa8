//! Which technique reaches which of the hard branches in `subjects/needles`.

use std::path::Path;

use anyhow::{Context, Result};

use super::super::table::{columns, median, plain};
use super::super::trial::Trial;
use super::{Experiment, strategy};
use crate::files::below;

const TECHNIQUES: [&str; 3] = ["random", "search", "auto"];

/// Which needles each run of a technique reached.
type Reached = Vec<Vec<String>>;

impl Experiment {
    /// Which technique reaches which needle: in how many of the runs.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    pub(super) fn needles(&self) -> Result<()> {
        let classes = self.compiled("needles")?;
        let seeds = Self::seeds("5")?;
        let budget = Self::budgets(&["30s"]).swap_remove(0);
        let mut reached: [Reached; 3] = Default::default();
        for (technique, reached) in TECHNIQUES.into_iter().zip(&mut reached) {
            let trial = |seed: &u64| Trial {
                folder: format!("needles-{technique}-{seed}"),
                class_path: classes.display().to_string(),
                flags: strategy(technique),
                budget: budget.clone(),
                seed: *seed,
                ..Trial::default()
            };
            let runs = self.measure(&seeds.iter().map(trial).collect::<Vec<_>>())?;
            reached.extend(runs.into_iter().map(|run| run.covered));
        }
        println!("\n{}", table(&names(&self.root)?, &reached));
        Ok(())
    }
}

/// The classes that hide a branch each: all but the helpers.
fn names(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in below(&root.join("subjects/needles/src"))? {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let classes = text.lines().filter_map(|line| line.strip_prefix("class "));
        names.extend(classes.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn table(names: &[String], reached: &[Reached; 3]) -> String {
    let mut lines = vec![vec!["needle".to_owned()]];
    lines[0].extend(TECHNIQUES.map(str::to_owned));
    let line = |title: &str, cell: &dyn Fn(&Reached) -> String| {
        [title.to_owned()].into_iter().chain(reached.iter().map(cell)).collect()
    };
    let count = |runs: &Reached, name: &String| runs.iter().filter(|run| run.contains(name)).count();
    for name in names {
        lines.push(line(name, &|runs| format!("{}/{}", count(runs, name), runs.len())));
    }
    let of = |found: String| format!("{found} of {}", names.len());
    let in_most = |runs: &Reached| names.iter().filter(|name| count(runs, name) * 2 > runs.len()).count();
    lines.push(line("in most runs", &|runs| of(in_most(runs).to_string())));
    let found = |runs: &Reached| -> Vec<usize> {
        runs.iter().map(|run| names.iter().filter(|name| run.contains(name)).count()).collect()
    };
    lines.push(line("by the median run", &|runs| of(plain(median(found(runs).into_iter())))));
    lines.push(line("by the worst run", &|runs| of(found(runs).iter().min().unwrap_or(&0).to_string())));
    columns(&lines, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_counts_if_most_runs_reach_it() {
        let names = ["A", "B"].map(str::to_owned);
        let run = |found: &[&str]| found.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let search = vec![run(&["A", "B", "Helper"]), run(&["A"]), run(&["A"])];
        let table = table(&names, &[vec![run(&[])], search, vec![run(&["A", "B"])]]);
        let last: Vec<&str> = table.lines().skip(3).map(str::trim_end).collect();
        assert_eq!(
            last,
            [
                "in most runs       0 of 2  1 of 2  2 of 2",
                "by the median run  0 of 2  1 of 2  2 of 2",
                "by the worst run   0 of 2  1 of 2  2 of 2",
            ]
        );
    }
}
