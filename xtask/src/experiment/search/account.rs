//! Private access and mocks one by one, on a class that needs both: `subjects/account`.

use anyhow::Result;

use super::super::figures::Figures;
use super::super::table::{columns, median, plain};
use super::super::trial::Trial;
use super::{Experiment, strategy};

/// What is left out in each column of the paper's comparison.
const MODES: [(&str, &[&str]); 4] = [
    ("base", &["--no-private-access", "--no-mocks"]),
    ("PA", &["--no-mocks"]),
    ("FM", &["--no-private-access"]),
    ("PAFM", &[]),
];

impl Experiment {
    /// Branches of an account that are covered without and with either.
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    pub(super) fn account(&self) -> Result<()> {
        let classes = self.compiled("account")?;
        let budget = Self::budgets(&["10s"]).swap_remove(0);
        let head = ["account", "runs", "branches", "least", "median", "most", "tests"];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        for (mode, flags) in MODES {
            let trial = |seed: u64| Trial {
                folder: format!("account-{mode}-{seed}"),
                class_path: classes.display().to_string(),
                flags: [strategy("auto"), flags.iter().map(|flag| (*flag).to_owned()).collect()].concat(),
                budget: budget.clone(),
                seed,
                ..Trial::default()
            };
            let runs = self.measure(&Self::seeds("10")?.into_iter().map(trial).collect::<Vec<_>>())?;
            let branch = |run: &Figures| run.jacoco.unwrap_or_default().branch;
            let total = runs.iter().map(|run| branch(run).total).max().unwrap_or(0);
            let covered: Vec<u64> = runs.iter().map(|run| branch(run).covered).collect();
            let tests = runs.iter().map(|run| run.suite.tests as u64);
            let bound = |bound: Option<&u64>| bound.copied().unwrap_or_default().to_string();
            lines.push(vec![
                mode.to_owned(),
                covered.len().to_string(),
                total.to_string(),
                bound(covered.iter().min()),
                plain(median(covered.iter().copied())),
                bound(covered.iter().max()),
                plain(median(tests)),
            ]);
        }
        println!("\n{}", columns(&lines, 1));
        Ok(())
    }
}
