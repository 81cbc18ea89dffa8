//! The diagnosis as one screen for people: the verdict first, then a row for each thing looked at.

use std::fmt::Write;

use super::{Diagnosis, Lack};
use crate::output::Paint;

/// Lines are broken to fit into this many columns where words allow.
const WIDTH: usize = 80;
/// Where the text of a row starts.
const INDENT: usize = 16;

#[derive(Clone, Copy)]
enum Mark {
    Good,
    /// Missing, and needed.
    Bad,
    /// Missing, and not needed for most things.
    Open,
}

struct Page {
    text: String,
    /// Of the latest row: the next one does not repeat it.
    topic: String,
    paint: Paint,
}

pub(super) fn render(diagnosis: &Diagnosis, paint: Paint) -> String {
    let mut page = Page { text: String::new(), topic: String::new(), paint };
    page.verdict(diagnosis);
    page.jdks(diagnosis);
    page.sandbox(diagnosis);
    page.tools(diagnosis);
    page.text
}

impl Page {
    fn verdict(&mut self, diagnosis: &Diagnosis) {
        let version = diagnosis.version;
        let verdict = if diagnosis.ready { self.paint.good("ready") } else { self.paint.bad("not ready") };
        let _ = match diagnosis.problems.len() {
            0 => writeln!(self.text, "{verdict}: jurat {version} can run here\n"),
            1 => writeln!(self.text, "{verdict}: jurat {version} lacks one thing it needs\n"),
            count => writeln!(self.text, "{verdict}: jurat {version} lacks {count} things it needs\n"),
        };
    }

    fn jdks(&mut self, diagnosis: &Diagnosis) {
        self.lacks(Mark::Bad, "JDK", &diagnosis.problems);
        let chosen = diagnosis.jdk.chosen.as_ref();
        let mut jdks: Vec<_> = diagnosis.jdk.usable.iter().collect();
        jdks.sort_by_key(|jdk| chosen.is_none_or(|chosen| chosen.home != jdk.home));
        for jdk in jdks {
            let used = chosen.filter(|chosen| chosen.home == jdk.home);
            let note = match used.map(|chosen| chosen.by) {
                Some("newest") => "  (used: newest found)".to_owned(),
                Some(by) => format!("  (used: {by})"),
                None => String::new(),
            };
            self.row(Mark::Good, "JDK", &format!("{:<9} {}{note}", jdk.version, jdk.home), "");
        }
        for reason in &diagnosis.jdk.unusable {
            self.row(Mark::Open, "JDK", reason, "");
        }
    }

    fn sandbox(&mut self, diagnosis: &Diagnosis) {
        self.lacks(Mark::Bad, "sandbox", &diagnosis.problems);
        if let Some(abi) = diagnosis.sandbox.landlock_abi {
            self.row(Mark::Good, "Landlock", &format!("ABI {abi}"), "");
        }
        if diagnosis.sandbox.seccomp {
            self.row(Mark::Good, "seccomp", "filters with user notification", "");
        }
    }

    fn tools(&mut self, diagnosis: &Diagnosis) {
        for solver in &diagnosis.solvers {
            self.program("solver", solver.name, solver.version.as_deref(), &solver.path);
        }
        self.lacks(Mark::Open, "solver", &diagnosis.optional);
        for junit in &diagnosis.junit {
            self.row(Mark::Good, junit.name, &format!("{:<9} {}", junit.version, junit.folder), "");
        }
        self.lacks(Mark::Open, "JUnit 5", &diagnosis.optional);
        self.lacks(Mark::Open, "JUnit 4", &diagnosis.optional);
        if let Some(maven) = &diagnosis.maven {
            self.program("Maven", "", maven.version.as_deref(), &maven.path);
        }
        self.lacks(Mark::Open, "Maven", &diagnosis.optional);
    }

    fn program(&mut self, topic: &str, name: &str, version: Option<&str>, path: &str) {
        let title = format!("{name} {}", version.unwrap_or("version ?"));
        self.row(Mark::Good, topic, &format!("{:<9} {}", title.trim(), path), "");
    }

    fn lacks(&mut self, mark: Mark, topic: &str, lacks: &[Lack]) {
        for lack in lacks.iter().filter(|lack| lack.topic == topic) {
            self.row(mark, topic, &lack.what, &lack.remedy);
        }
    }

    fn row(&mut self, mark: Mark, topic: &str, what: &str, remedy: &str) {
        let (sign, needed) = match mark {
            Mark::Good => (self.paint.good("ok"), true),
            Mark::Bad => (self.paint.bad("NO"), true),
            Mark::Open => (self.paint.faint("--"), false),
        };
        let shown = if self.topic == topic { "" } else { topic };
        for (index, line) in wrapped(what, WIDTH - INDENT).iter().enumerate() {
            let _ = match index {
                0 => writeln!(self.text, "  {sign}  {shown:<10}{line}"),
                _ => writeln!(self.text, "{:INDENT$}{line}", ""),
            };
        }
        for line in wrapped(remedy, WIDTH - INDENT) {
            let line = if needed { line } else { self.paint.faint(&line) };
            let _ = writeln!(self.text, "{:INDENT$}{line}", "");
        }
        topic.clone_into(&mut self.topic);
    }
}

/// Breaks text at single blanks so that no line is longer than `width`, unless one word is.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_blanks_and_long_words_stay_whole() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a /very/long/path b", 5), ["a", "/very/long/path", "b"]);
        assert!(wrapped("", 5).is_empty());
    }
}
