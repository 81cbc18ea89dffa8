//! Random against `auto`, with the same time, on the classes of which random leaves most branches open.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::super::figures::Figures;
use super::super::plan::{each, variable};
use super::super::table::{columns, median, plain};
use super::super::trial::Trial;
use super::{Chosen, Experiment, most, total_branches};

/// The libraries of which calls at random leave much open.
const LIBRARIES: &str = "commons-lang3-3.12.0.jar,commons-validator-1.7.jar,commons-codec-1.15.jar,\
                         commons-text-1.10.0.jar,commons-configuration2-2.8.0.jar";
/// How many methods are named that stay open.
const HARDEST: usize = 40;

impl Experiment {
    #[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
    pub(super) fn open(&self) -> Result<()> {
        let found = self.hardest()?;
        let budget = Self::budgets(&["60s"]).swap_remove(0);
        let seeds = Self::seeds("5")?;
        let trial = |(_, jar, class): &Chosen, technique: &str, seed: u64| {
            self.trial(jar, class, technique, &budget, seed)
        };
        let runs = self.side_by_side(&found, ["random", "auto"], &seeds, trial)?;
        let classes: Vec<&str> = found.iter().map(|(_, _, class)| class.as_str()).collect();
        println!("\n{}", verdict(&classes, &runs));
        println!("{}", left_open(runs.iter().map(|[_, auto]| auto.as_slice())));
        Ok(())
    }

    /// The classes of which 30 s of calls at random leave most branches open, or those that `CLASSES` names: how many are
    /// open, the jar, the class. A class has no more open than it has; so the largest are looked at first, and no more
    /// once the next cannot be among the hardest.
    fn hardest(&self) -> Result<Vec<Chosen>> {
        let jars = variable("LIBRARIES").unwrap_or_else(|| LIBRARIES.to_owned());
        let mut found = Vec::new();
        for jar in each(&jars, |jar| Ok(self.stage.jars.join(jar)))? {
            found.extend(
                self.branches_of(&jar)?.into_iter().map(|(class, count)| (count, jar.clone(), class)),
            );
        }
        found.sort_by(harder);
        if let Some(named) = variable("CLASSES") {
            let named = each(&named, |name| Ok(name.to_owned()))?;
            for name in &named {
                ensure!(
                    found.iter().any(|(_, _, class)| class == name),
                    "CLASSES: {name} is in none of {jars}"
                );
            }
            found.retain(|(_, _, class)| named.contains(class));
            return Ok(found);
        }
        let most = most(30)?;
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
                // By its own count; of a run without any, nothing is known to be closed.
                let open = run.own.map_or(*count, |own| own.branch().total - own.branch().covered);
                (open.min(*count), jar.clone(), class.clone())
            }));
            open.sort_by(harder);
        }
        open.truncate(most);
        Ok(open)
    }
}

fn harder(one: &Chosen, other: &Chosen) -> Ordering {
    other.0.cmp(&one.0).then(one.2.cmp(&other.2))
}

/// Branches that the suite of a run leaves open; all of them if there is no suite.
fn open_branches(figures: &Figures, total: u64) -> u64 {
    figures.jacoco.map_or(total, |measured| measured.branch.total - measured.branch.covered)
}

/// Medians for each class, and what they come to.
fn verdict(classes: &[&str], runs: &[[Vec<Figures>; 2]]) -> String {
    let head = ["class", "branches", "open: random", "auto", "", "wall s: random", "auto"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let (mut sums, mut counts) = ([0.0; 2], [0; 3]);
    for (class, runs) in classes.iter().zip(runs) {
        let total = total_branches(runs);
        let open = runs.each_ref().map(|runs| median(runs.iter().map(|run| open_branches(run, total))));
        let wall = runs.each_ref().map(|runs| median(runs.iter().map(|run| run.wall)));
        sums.iter_mut().zip(open).for_each(|(sum, open)| *sum += open);
        let (kind, word) = match open[1].total_cmp(&open[0]) {
            Ordering::Less => (0, ""),
            Ordering::Equal => (1, "equal"),
            Ordering::Greater => (2, "WORSE"),
        };
        counts[kind] += 1;
        lines.push(vec![
            (*class).to_owned(),
            total.to_string(),
            plain(open[0]),
            plain(open[1]),
            word.to_owned(),
            format!("{:.0}", wall[0]),
            format!("{:.0}", wall[1]),
        ]);
    }
    lines.push(vec!["all".to_owned(), String::new(), plain(sums[0]), plain(sums[1])]);
    let closed = if sums[0] > 0.0 { 100.0 * (sums[0] - sums[1]) / sums[0] } else { 0.0 };
    format!(
        "{}\nauto is better on {} classes, equal on {}, worse on {}, and closes {closed:.1} % of what random leaves open.\n\
         Medians over the runs, by JaCoCo. wall: with compiling and running the tests, which is not in the budget.\n",
        columns(&lines, 1),
        counts[0],
        counts[1],
        counts[2]
    )
}

/// The methods of which `auto` leaves most open in the median run of their class.
fn left_open<'a>(classes: impl Iterator<Item = &'a [Figures]>) -> String {
    let mut hardest: Vec<(f64, u64, String)> = Vec::new();
    for runs in classes {
        let mut methods: BTreeMap<&str, (Vec<u64>, u64)> = BTreeMap::new();
        for (number, run) in runs.iter().enumerate() {
            // Methods of one name are one here.
            let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
            for method in &run.open {
                *totals.entry(&method.name).or_default() += method.total;
                let (open, total) = methods.entry(&method.name).or_insert_with(|| (vec![0; runs.len()], 0));
                open[number] += method.open;
                *total = (*total).max(totals[method.name.as_str()]);
            }
        }
        let medians = methods.into_iter();
        hardest
            .extend(medians.map(|(name, (open, total))| (median(open.into_iter()), total, name.to_owned())));
    }
    hardest.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.cmp(&other.2)));
    let head = ["left open by auto", "open", "branches"].map(str::to_owned).to_vec();
    let line = |(open, total, name): &(f64, u64, String)| vec![name.clone(), plain(*open), total.to_string()];
    let lines: Vec<Vec<String>> = [head].into_iter().chain(hardest.iter().take(HARDEST).map(line)).collect();
    columns(&lines, 1)
}

#[cfg(test)]
mod tests {
    use super::super::super::coverage::{Measured, OpenMethod, Share};
    use super::*;

    fn covering(covered: u64) -> Figures {
        let branch = Share { covered, total: 10 };
        Figures { jacoco: Some(Measured { branch, ..Measured::default() }), ..Figures::default() }
    }

    #[test]
    fn a_run_without_a_suite_leaves_everything_open() {
        let broken = || Figures { trouble: Some("ended badly".to_owned()), ..Figures::default() };
        let runs = [[vec![covering(4)], vec![broken()]], [vec![covering(2)], vec![covering(8)]]];
        let said = verdict(&["A", "B"], &runs);
        assert!(said.contains("better on 1 classes, equal on 0, worse on 1, and closes 14.3 %"), "{said}");
    }

    #[test]
    fn methods_are_compared_by_their_median_run_and_overloads_are_one() {
        let run = |open: &[(&str, u64)]| Figures {
            open: open
                .iter()
                .map(|(name, open)| OpenMethod { name: (*name).to_owned(), open: *open, total: 4 })
                .collect(),
            ..Figures::default()
        };
        let runs = [run(&[("f", 1), ("f", 2), ("g", 1)]), run(&[("f", 3)]), run(&[("g", 4)])];
        let said = left_open([runs.as_slice()].into_iter());
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["f", "3", "8"]);
        assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["g", "1", "4"]);
    }
}
