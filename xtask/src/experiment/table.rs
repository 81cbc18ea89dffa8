//! The table at the end: medians over the seeds; what must be zero is added up.

use std::fmt::Write as _;

use super::coverage::{Measured, Share};
use super::figures::{Figures, Own};

/// A subject in one mode, with all its runs.
pub(crate) struct Row {
    pub(crate) subject: String,
    pub(crate) mode: String,
    pub(crate) runs: Vec<Figures>,
}

impl Row {
    pub(crate) fn is_faulty(&self) -> bool {
        self.runs.iter().any(Figures::is_faulty)
    }
}

const HEAD: [&str; 20] = [
    "subject",
    "mode",
    "runs",
    "steps/s",
    "tests",
    "files",
    "lines",
    "longest",
    "length",
    "refused",
    "errors",
    "warnings",
    "failed",
    "line (JaCoCo)",
    "branch (JaCoCo)",
    "line (own)",
    "branch (own)",
    "PIT",
    "MB",
    "wall s",
];

/// Columns of equal width, two spaces apart. The first so many are names and read from the left, figures from the right.
pub(crate) fn columns(lines: &[Vec<String>], names: usize) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            let _ = if column < names {
                write!(text, "{cell:<width$}  ")
            } else {
                write!(text, "{cell:>width$}  ")
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// One line for each row, and what the columns mean below.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![HEAD.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(cells));
    let mut text = columns(&lines, 2);
    for row in rows {
        for trouble in row.runs.iter().filter_map(|run| run.trouble.as_ref()) {
            let _ = writeln!(text, "{} {}: {trouble}", row.subject, row.mode);
        }
    }
    text.push_str(
        "\nMedians over the runs. refused: tests that the compiler refused before the suite was written; errors,\n\
         warnings: of javac -Xlint:all on what was; all runs added up. failed: tests that failed in five shuffled\n\
         fresh JVMs under other zones, locales and hash modes, all runs added up. longest: lines of the longest\n\
         file. length: lines of a test. PIT: mutants noticed; none where it cannot read classes of the JDK yet. MB:\n\
         peak of engine and workers; with the JVMs that validate in brackets.\n",
    );
    text
}

fn cells(row: &Row) -> Vec<String> {
    let runs = &row.runs;
    let number = |of: fn(&Figures) -> usize| plain(median(runs.iter().map(of)));
    let sum = |of: fn(&Figures) -> usize| runs.iter().map(of).sum::<usize>().to_string();
    let own = |of: fn(&Own) -> Share| share(runs.iter().filter_map(|run| run.own.as_ref()).map(of));
    // Where any suite could be measured, one that could not covers nothing.
    let is_measured = runs.iter().any(|run| run.jacoco.is_some());
    let jacoco = |of: fn(Measured) -> Share| {
        let measured = runs.iter().filter(|_| is_measured).map(|run| run.jacoco.unwrap_or_default());
        share(measured.map(of))
    };
    let speed = median(runs.iter().filter_map(|run| run.own.as_ref()).map(|own| own.steps_per_second));
    let lengths = runs.iter().flat_map(|run| run.suite.lengths.iter().copied());
    vec![
        row.subject.clone(),
        row.mode.clone(),
        runs.iter().filter(|run| run.own.is_some()).count().to_string(),
        format!("{speed:.0}"),
        number(|run| run.suite.tests),
        number(|run| run.suite.files),
        number(|run| run.suite.lines),
        number(|run| run.suite.longest_file),
        plain(median(lengths)),
        sum(Figures::refused),
        sum(|run| run.suite.errors),
        sum(|run| run.suite.warnings),
        sum(|run| run.suite.failed.iter().sum()),
        jacoco(|measured| measured.line),
        jacoco(|measured| measured.branch),
        own(Own::line),
        own(Own::branch),
        share(runs.iter().filter_map(|run| run.pit)),
        format!(
            "{} ({})",
            plain(median(runs.iter().map(|run| run.memory >> 20))),
            plain(median(runs.iter().map(|run| run.memory_all >> 20)))
        ),
        format!("{:.0}", median(runs.iter().map(|run| run.wall))),
    ]
}

/// The median share, as a fraction and in percent; a dash without any.
fn share(shares: impl Iterator<Item = Share>) -> String {
    let all: Vec<Share> = shares.collect();
    let Some(total) = all.iter().map(|share| share.total).max() else { return "-".to_owned() };
    let covered = median(all.iter().map(|share| share.covered));
    let percent = if total == 0 { 0.0 } else { 100.0 * covered / total.value() };
    format!("{}/{total} {percent:.1} %", plain(covered))
}

/// Something that has a median.
pub(crate) trait Number {
    fn value(self) -> f64;
}

impl Number for f64 {
    fn value(self) -> f64 {
        self
    }
}

impl Number for u64 {
    #[expect(clippy::cast_precision_loss, reason = "figures are far below 2^52")]
    fn value(self) -> f64 {
        self as f64
    }
}

impl Number for usize {
    fn value(self) -> f64 {
        (self as u64).value()
    }
}

/// The middle one, or half-way between the two in the middle.
pub(crate) fn median(values: impl Iterator<Item = impl Number>) -> f64 {
    let mut values: Vec<f64> = values.map(Number::value).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    values.get(low).zip(values.get(high)).map_or(0.0, |(low, high)| f64::midpoint(*low, *high))
}

/// A median of whole numbers: with half of one, if need be.
pub(crate) fn plain(median: f64) -> String {
    if median.fract() == 0.0 { format!("{median:.0}") } else { format!("{median:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_without_runs_still_has_a_line() {
        let runs = vec![Figures { trouble: Some("no such flag".to_owned()), ..Figures::default() }];
        let row = Row { subject: "nothing".to_owned(), mode: "directed".to_owned(), runs };
        assert!(!row.is_faulty());
        let text = render(&[row]);
        assert!(text.contains("nothing  directed") && text.contains("no such flag"), "{text}");
    }

    #[test]
    fn the_median_is_the_middle_one() {
        let plain_median = |values: &[usize]| plain(median(values.iter().copied()));
        assert_eq!(plain_median(&[9, 1, 5]), "5");
        assert_eq!(plain_median(&[8, 1, 5, 9]), "6.5");
        assert_eq!(plain_median(&[]), "0");
    }
}
