//! Notes on what validation refused, in the scratch folder: for whoever keeps that to mend Jurat.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use jurat_emit::{EmittedTest, JavaFile};
use jurat_validate::{Diagnostic, Ended, TestResult};

use super::workshop::Placed;

/// The notes in a scratch folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notes<'a>(pub(super) &'a Path);

impl Notes<'_> {
    /// Why tests cannot be written in Java.
    pub(super) fn left_out(self, why: impl Iterator<Item = impl Display>) {
        self.append("left-out.txt", why.map(|why| format!("{why}\n")));
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
    let lines = lines.take(test.lines.1 + 1 - test.lines.0);
    lines.map(|line| format!("{line}\n")).collect()
}
