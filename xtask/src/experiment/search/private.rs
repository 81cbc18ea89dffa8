//! Without private access and mocks against with, on classes drawn by a fixed seed.

use anyhow::Result;

use super::super::figures::Figures;
use super::super::statistics::compare;
use super::super::table::{columns, median};
use super::{Chosen, Experiment, most, total_branches};

/// The libraries from which classes are drawn.
const DRAWN_FROM: [&str; 2] = ["commons-lang3-3.12.0.jar", "commons-collections4-4.4.jar"];
/// What switches private access and mocks off.
const BASE: [&str; 2] = ["--no-private-access", "--no-mocks"];
/// A difference that chance gives less often than this is one.
const SIGNIFICANT: f64 = 0.05;

impl Experiment {
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    pub(super) fn private(&self) -> Result<()> {
        let mut drawn = Vec::new();
        for jar in DRAWN_FROM.map(|jar| self.stage.jars.join(jar)) {
            // Of a class without branches no share can be covered.
            let classes = self.branches_of(&jar)?.into_iter().filter(|(_, branches)| *branches > 0);
            drawn.extend(classes.map(|(class, _)| (draw(&class), jar.clone(), class)));
        }
        drawn.sort();
        drawn.truncate(most(20)?);
        let budget = Self::budgets(&["10s"]).swap_remove(0);
        let seeds = Self::seeds("10")?;
        let trial = |(_, jar, class): &Chosen, mode: &str, seed: u64| {
            let mut trial = self.trial(jar, class, "auto", &budget, seed);
            trial.folder = format!("{}-{mode}", trial.folder);
            trial.flags.extend(BASE.iter().filter(|_| mode == "base").map(|flag| (*flag).to_owned()));
            trial
        };
        let runs = self.side_by_side(&drawn, ["base", "pafm"], &seeds, trial)?;
        let classes: Vec<&str> = drawn.iter().map(|(_, _, class)| class.as_str()).collect();
        println!("\n{}", verdict(&classes, &runs, seeds.len()));
        Ok(())
    }
}

/// One line for each class, one for all of them together, and what they come to.
fn verdict(classes: &[&str], runs: &[[Vec<Figures>; 2]], seeds: usize) -> String {
    let head = ["class", "branches", "base", "PAFM", "p", "effect"].map(str::to_owned).to_vec();
    let mut lines = vec![head];
    // What the suites of one seed cover of all classes: classes differ far more than runs do.
    let mut sums = [vec![0; seeds], vec![0; seeds]];
    let (mut branches, mut better, mut worse) = (0, 0, 0);
    for (class, runs) in classes.iter().zip(runs) {
        let total = total_branches(runs);
        let covered = runs.each_ref().map(|runs| runs.iter().map(covered).collect::<Vec<_>>());
        let (line, effect) = compared(class, total, &covered);
        lines.push(line);
        better += u32::from(effect.is_some_and(|effect| effect > 0.5));
        worse += u32::from(effect.is_some_and(|effect| effect < 0.5));
        branches += total;
        for (sums, covered) in sums.iter_mut().zip(covered) {
            sums.iter_mut().zip(covered).for_each(|(sum, covered)| *sum += covered);
        }
    }
    lines.push(compared("all", branches, &sums).0);
    format!(
        "{}\nPAFM is better on {better} classes and worse on {worse} (p < {SIGNIFICANT}). Medians over the runs, by JaCoCo.\n\
         p: Mann-Whitney. effect: how often a run with private access and mocks covers more; ties count half.\n",
        columns(&lines, 1)
    )
}

/// Branches that the suite of a run covers; none if there is no suite.
fn covered(run: &Figures) -> u64 {
    run.jacoco.unwrap_or_default().branch.covered
}

/// The line of a class, and the effect if it is significant.
#[expect(clippy::cast_precision_loss, reason = "counts of branches are small")]
fn compared(name: &str, total: u64, covered: &[Vec<u64>; 2]) -> (Vec<String>, Option<f64>) {
    let percent = |covered: &u64| if total == 0 { 0.0 } else { 100.0 * *covered as f64 / total as f64 };
    let [base, with] = covered.each_ref().map(|covered| covered.iter().map(percent).collect::<Vec<_>>());
    let compared = compare(&base, &with);
    let line = vec![
        name.to_owned(),
        total.to_string(),
        format!("{:.1} %", median(base.into_iter())),
        format!("{:.1} %", median(with.into_iter())),
        format!("{:.3}", compared.p),
        format!("{:.2}", compared.effect),
    ];
    (line, (compared.p < SIGNIFICANT).then_some(compared.effect))
}

/// A number that is drawn for a name, the same every time.
fn draw(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::super::super::coverage::{Measured, Share};
    use super::*;

    #[test]
    fn classes_that_differ_do_not_hide_that_each_run_is_worse() {
        let runs = |covered: u64| -> Vec<Figures> {
            let branch = Share { covered, total: 100 };
            let jacoco = Some(Measured { branch, ..Measured::default() });
            (0..10).map(|_| Figures { jacoco, ..Figures::default() }).collect()
        };
        let runs = [[runs(90), runs(89)], [runs(10), runs(9)]];
        let said = verdict(&["A", "B"], &runs, 10);
        assert!(said.contains("better on 0 classes and worse on 2"), "{said}");
        let all: Vec<&str> = said
            .lines()
            .find(|line| line.starts_with("all"))
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        assert_eq!(all[all.len() - 2..], ["0.000", "0.00"]);
    }
}
