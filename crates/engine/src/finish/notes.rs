//! Notes on what validation refused, in the scratch folder: for whoever keeps that to mend Jurat.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use jurat_emit::{EmittedTest, JavaFile, TestId};
use jurat_model::{Obstacle, Subject, Suite};
use jurat_validate::{Diagnostic, Ended, TestResult};

use super::workshop::Placed;

/// The notes in a scratch folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notes<'a>(pub(super) &'a Path);

impl Notes<'_> {
    /// Which tests cannot be written in Java, what they call, and why.
    pub(super) fn left_out(self, subject: &Subject, suite: &Suite, left_out: &[(TestId, Obstacle)]) {
        let entries = left_out.iter().map(|(test, why)| {
            let class = &suite.classes[test.class];
            let calls = class.tests[test.test].sequence.calls();
            let calls: Vec<Arc<str>> = calls.map(|(_, op, _)| subject.member_name(&subject[op])).collect();
            format!("{}: {why}\n    {}\n", subject[class.class].source_name, calls.join(", "))
        });
        self.append("left-out.txt", entries);
    }

    /// What the compiler said, and of what.
    pub(super) fn remarks(self, placed: &Placed<'_>, remarks: &[Diagnostic]) {
        let entries = remarks.iter().map(|remark| {
            let at = placed.sources.iter().position(|source| Some(source) == remark.file.as_ref());
            let file = at.map(|at| placed.files[at]);
            let test = file.and_then(|file| {
                file.tests.iter().find(|test| (test.lines.0..=test.lines.1).contains(&remark.line))
            });
            let path = file.map(|file| file.path.clone()).unwrap_or_default();
            let text = file.zip(test).map(|(file, test)| text(file, test)).unwrap_or_default();
            format!("{:?} {path}:{}: {}\n{text}\n", remark.severity, remark.line, remark.message)
        });
        self.append("compiler.txt", entries);
    }

    /// Which tests failed, and how.
    pub(super) fn failed<'r>(self, placed: &Placed<'_>, results: impl Iterator<Item = &'r TestResult>) {
        let entries = results.filter(|result| result.ended != Ended::Passed).map(|result| {
            let emitted = placed.by_name.get(&result.test);
            let holds = |file: &&&JavaFile| {
                emitted.is_some_and(|emitted| file.tests.iter().any(|test| test.test == emitted.test))
            };
            let file = placed.files.iter().find(holds);
            let text = file.zip(emitted).map(|(file, test)| text(file, test)).unwrap_or_default();
            format!("{}.{} {:?}\n{text}\n", result.test.class, result.test.method, result.ended)
        });
        self.append("failed.txt", entries);
    }

    /// Nothing depends on notes: one that cannot be written is none.
    fn append(self, name: &str, entries: impl Iterator<Item = String>) {
        let text: String = entries.collect();
        if text.is_empty() {
            return;
        }
        let _ = std::fs::create_dir_all(self.0);
        if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(self.0.join(name)) {
            let _ = file.write_all(text.as_bytes());
        }
    }
}

/// The lines of a test.
fn text(file: &JavaFile, test: &EmittedTest) -> String {
    let lines = file.text.lines().skip(test.lines.0.saturating_sub(1));
    let lines: Vec<&str> = lines.take(test.lines.1 + 1 - test.lines.0).collect();
    lines.join("\n") + "\n"
}
