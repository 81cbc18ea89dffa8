//! Private access and mocks one by one, on a class that needs both: `subjects/account`.

use anyhow::Result;

use super::super::table::{columns, median};
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
    pub(super) fn account(&self) -> Result<bool> {
        let classes = self.compiled("account")?;
        let budget = Self::budgets(&["10s"]).swap_remove(0);
        let head = ["account", "runs", "branches", "least", "median", "most", "tests"];
        let (mut lines, mut is_clean) = (vec![head.map(str::to_owned).to_vec()], true);
        for (mode, flags) in MODES {
            let (mut covered, mut tests, mut total) = (Vec::new(), Vec::new(), 0);
            for seed in Self::seeds("10")? {
                let mut trial = Trial {
                    folder: format!("account-{mode}-{seed}"),
                    class_path: classes.display().to_string(),
                    flags: strategy("auto"),
                    budget: budget.clone(),
                    seed,
                    ..Trial::default()
                };
                trial.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
                let figures = self.measure(&trial)?;
                is_clean &= !figures.is_faulty();
                let branch = figures.jacoco.unwrap_or_default().branch;
                total = total.max(branch.total);
                covered.push(branch.covered);
                tests.push(figures.suite.tests as u64);
            }
            let bound = |bound: Option<&u64>| bound.copied().unwrap_or_default().to_string();
            lines.push(vec![
                mode.to_owned(),
                covered.len().to_string(),
                total.to_string(),
                bound(covered.iter().min()),
                median(covered.iter().copied()).to_string(),
                bound(covered.iter().max()),
                median(tests.into_iter()).to_string(),
            ]);
        }
        println!("\n{}", columns(&lines, 1));
        Ok(is_clean)
    }
}
