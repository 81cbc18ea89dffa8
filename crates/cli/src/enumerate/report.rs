//! What a search found, as text or JSON.

use std::fmt::Write as _;

use jurat_engine::{Enumerated, Target};
use jurat_exhaustive::{Space, Structure};
use serde_json::{Value, json};

use super::trial::Tried;
use crate::exit::Failure;
use crate::output::{Format, print, print_json};

pub(super) struct Report<'a> {
    pub(super) target: &'a Target,
    pub(super) space: &'a Space,
    pub(super) found: &'a Enumerated,
    pub(super) tried: Option<&'a Tried>,
    pub(super) seconds: f64,
}

impl Report<'_> {
    pub(super) fn print(&self, format: Format) -> Result<(), Failure> {
        match format {
            Format::Human => print(&self.text()),
            Format::Json => print_json(&self.json()),
        }
    }

    fn structure(&self, vector: &[u32]) -> String {
        Structure::from_choices(self.space, vector).to_string()
    }

    fn text(&self) -> String {
        let (found, mut text) = (self.found, String::new());
        if self.tried.is_none() {
            self.list_structures(&mut text);
        }
        let _ = writeln!(
            text,
            "{}.{}: {} explored, {} valid, of 2^{:.1} vectors of {} fields, in {:.2} s",
            self.target.shape.root,
            self.target.predicate,
            found.tally.explored,
            found.tally.valid,
            self.space.log2_size(),
            self.space.len(),
            self.seconds
        );
        if found.tally.failed > 0 {
            let count = match found.tally.failed {
                1 => "1 candidate counts".to_owned(),
                failed => format!("{failed} candidates count"),
            };
            let _ = writeln!(text, "{count} as invalid because the predicate did not end well:");
            for failure in &found.failures {
                let _ =
                    writeln!(text, "  {}\n    first on {}", failure.reason, self.structure(&failure.vector));
            }
        }
        if let Some(tried) = self.tried {
            if tried.on < found.tally.valid && tried.trial.runs > 0 {
                let _ = writeln!(text, "the method was run on the first {} of them", tried.on);
            }
            describe(tried, &mut text);
        }
        if let Some(rest) = &found.rest {
            let _ = writeln!(text, "interrupted; go on with --from {rest}");
        }
        text
    }

    fn list_structures(&self, text: &mut String) {
        let found = self.found;
        for (number, vector) in found.kept.iter().enumerate() {
            let _ = writeln!(text, "{:>6}  {}", number + 1, self.structure(vector));
        }
        let hidden = found.tally.valid.saturating_sub(found.kept.len() as u64);
        if hidden > 0 && !found.kept.is_empty() {
            let _ = writeln!(text, "        and {hidden} more; --limit shows more of them");
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    fn json(&self) -> Value {
        let found = self.found;
        let failures = found
            .failures
            .iter()
            .map(|failure| json!({ "reason": failure.reason, "structure": self.structure(&failure.vector) }));
        let mut document = json!({
            "class": self.target.shape.root,
            "predicate": self.target.predicate,
            "fields": self.space.len(),
            "log2_space": (self.space.log2_size() * 10.0).round() / 10.0,
            "explored": found.tally.explored,
            "valid": found.tally.valid,
            "failed": found.tally.failed,
            "failures": failures.collect::<Vec<_>>(),
            "structures": found.kept.iter().map(|vector| self.structure(vector)).collect::<Vec<_>>(),
            "complete": found.rest.is_none(),
            "from": found.rest.as_ref().map(ToString::to_string),
            "seconds": self.seconds,
            "explored_per_second": found.tally.explored as f64 / self.seconds.max(1e-9),
        });
        if let (Some(tried), Some(fields)) = (self.tried, document.as_object_mut()) {
            let trial = &tried.trial;
            let failing: usize = trial.failing.iter().map(|file| file.tests.len()).sum();
            let findings = trial.findings.iter().map(|finding| {
                json!({
                    "contract": finding.contract,
                    "class": self.target.shape.root,
                    "method": finding.method,
                    "on": finding.on,
                    "runs": finding.runs,
                    "test": finding.test,
                })
            });
            let files = tried.passing.iter().chain(&tried.failing);
            let files: Vec<String> = files.map(|written| written.path.display().to_string()).collect();
            fields.insert("runs".to_owned(), json!(trial.runs));
            fields.insert("tests".to_owned(), json!({ "regression": trial.rows, "failing": failing }));
            fields.insert("findings".to_owned(), findings.collect());
            fields.insert("files".to_owned(), json!(files));
        }
        document
    }
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// What running the method showed, and where the tests are.
fn describe(tried: &Tried, text: &mut String) {
    let trial = &tried.trial;
    if trial.runs > 0 {
        let findings = counted(trial.findings.len() as u64, "finding");
        let _ = writeln!(text, "{} of the method, {findings}", counted(trial.runs, "run"));
    }
    for finding in &trial.findings {
        let times = if finding.runs == 1 { String::new() } else { format!(", in {} runs", finding.runs) };
        let _ = writeln!(text, "  broken: {}{times}\n    smallest: {}", finding.contract, finding.on);
    }
    if trial.not_made > 0 {
        let _ = writeln!(text, "{} runs left out: the structure could not be made again", trial.not_made);
    }
    if trial.rows > 0 {
        let (all, by_operations) = (trial.structures, trial.by_operations);
        let _ = writeln!(
            text,
            "{} on {}, {by_operations} of them made by public operations",
            counted(trial.rows as u64, "case"),
            counted(all as u64, "structure")
        );
    }
    if trial.cut_off > 0 {
        let _ = writeln!(
            text,
            "{} more not written: a test has 400 rows at most",
            counted(trial.cut_off as u64, "case")
        );
    }
    if trial.left_out > 0 {
        let _ = writeln!(text, "{} cases left out: tests could not repeat them", trial.left_out);
    }
    for written in tried.passing.iter().chain(&tried.failing) {
        let _ = writeln!(text, "wrote {}", written.path.display());
        if let Some(beside) = &written.beside {
            let _ = writeln!(text, "  beside {}, which was edited", beside.display());
        }
    }
}
