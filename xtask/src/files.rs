//! What every source file must have: a purpose in its first line, a telling name, a readable length.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Longer files need a reason: a line among the first that says `tidy: long because …`.
const MOST_LINES: usize = 800;
const REASON: &str = "tidy: long because";

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] =
    &["utils", "util", "helpers", "helper", "manager", "handler", "common", "impl", "misc"];

/// Folders that hold nothing people wrote.
const SKIPPED: &[&str] = &["target", ".git", ".jurat"];

pub(crate) fn breaches(root: &Path) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for path in below(root)? {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if is_source(&name, "rs") || is_source(&name, "java") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            breaches.extend(file_breaches(&name, &text));
        }
    }
    Ok(breaches)
}

/// Every file below a folder, in order of path.
pub(crate) fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            found.push(entry.path());
        } else if !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
            found.extend(below(&entry.path())?);
        }
    }
    found.sort();
    Ok(found)
}

fn is_source(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

fn file_breaches(name: &str, text: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES && !text.lines().take(20).any(|line| line.contains(REASON)) {
        breaches.push(format!(
            "{name}: {lines} lines, more than {MOST_LINES}; split it, or say `{REASON} …` at its top"
        ));
    }
    if is_source(name, "rs") && !text.starts_with("//!") {
        breaches.push(format!("{name}: does not open with a `//!` line that says what it is for"));
    }
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if EMPTY_NAMES.contains(&stem) {
        breaches.push(format!("{name}: a file is named for the one noun or verb it owns"));
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: &[&str]) {
        let breaches = file_breaches(name, text);
        let matches = breaches.iter().zip(expected).all(|(breach, part)| breach.contains(part));
        assert!(breaches.len() == expected.len() && matches, "{breaches:?}");
    }

    #[test]
    fn a_file_with_a_purpose_is_fine() {
        check("a/parse.rs", "//! Parses.\n", &[]);
    }

    #[test]
    fn a_file_without_a_purpose_is_a_breach() {
        check("a/parse.rs", "fn parse() {}\n", &["does not open with"]);
    }

    #[test]
    fn a_long_file_needs_a_reason() {
        let body = "\n".repeat(MOST_LINES);
        check("a/parse.rs", &format!("//! Parses.\n{body}"), &["801 lines"]);
        check("a/parse.rs", &format!("//! Parses.\n// tidy: long because generated.\n{body}"), &[]);
    }

    #[test]
    fn a_name_that_says_nothing_is_a_breach() {
        check("a/utils.rs", "//! Things.\n", &["named for"]);
    }
}
