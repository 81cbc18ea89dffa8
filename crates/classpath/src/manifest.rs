//! A jar's manifest: folded lines, `Multi-Release`, `Class-Path`, and which packages are sealed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Manifest {
    pub(crate) multi_release: bool,
    pub(crate) class_path: Vec<String>,
    /// Whether a JVM can start with it as an agent.
    pub(crate) is_agent: bool,
    /// Whether packages are sealed of which nothing else is said.
    sealed: bool,
    /// What is said of single packages, by their names with slashes.
    sealed_packages: BTreeMap<String, bool>,
}

impl Manifest {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
        // A line that begins with a space goes on where the one before it stopped.
        let text = text.replace("\n ", "");
        let mut manifest = Self::default();
        for (number, section) in text.split("\n\n").enumerate() {
            if number == 0 {
                manifest.main(section);
            } else {
                manifest.entry(section);
            }
        }
        manifest
    }

    fn main(&mut self, section: &str) {
        for (name, value) in attributes(section) {
            if name.eq_ignore_ascii_case("Multi-Release") {
                self.multi_release = is_true(value);
            } else if name.eq_ignore_ascii_case("Class-Path") {
                self.class_path = value.split_whitespace().map(str::to_owned).collect();
            } else if name.eq_ignore_ascii_case("Premain-Class") {
                self.is_agent = true;
            } else if name.eq_ignore_ascii_case("Sealed") {
                self.sealed = is_true(value);
            }
        }
    }

    /// A section about a file or, if its name ends with a slash, a package.
    fn entry(&mut self, section: &str) {
        let value = |wanted: &str| {
            let mut named = attributes(section).filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            named.next().map(|(_, value)| value)
        };
        if let Some(package) = value("Name").and_then(|name| name.strip_suffix('/'))
            && let Some(sealed) = value("Sealed")
        {
            self.sealed_packages.insert(package.to_owned(), is_true(sealed));
        }
    }

    /// Whether all classes of a package, its name with slashes, must be in this jar.
    pub(crate) fn seals(&self, package: &str) -> bool {
        self.sealed_packages.get(package).copied().unwrap_or(self.sealed)
    }
}

fn attributes(section: &str) -> impl Iterator<Item = (&str, &str)> {
    section.lines().filter_map(|line| line.split_once(": "))
}

fn is_true(value: &str) -> bool {
    value.trim().eq_ignore_ascii_case("true")
}

/// A `Class-Path` element as a file: relative to the jar's folder, or a `file:` URL.
pub(crate) fn resolve(jar: &Path, element: &str) -> Option<PathBuf> {
    let plain = match element.strip_prefix("file:") {
        Some(rest) => rest.strip_prefix("//").filter(|rest| rest.starts_with('/')).unwrap_or(rest),
        None if element.contains("://") => return None,
        None => element,
    };
    let decoded = percent_decoded(plain)?;
    Some(jar.parent().unwrap_or(Path::new("")).join(decoded))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' && tail.len() >= 2 {
            let hex = std::str::from_utf8(&tail[..2]).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_lines_are_joined() {
        let manifest = Manifest::parse(b"Manifest-Version: 1.0\r\nClass-Path: lib/a.jar li\r\n b/b.jar\r\nmulti-release: TRUE\r\n\r\nName: x\r\nClass-Path: no.jar\r\n");
        assert!(manifest.multi_release);
        assert_eq!(manifest.class_path, ["lib/a.jar", "lib/b.jar"]);
    }

    #[test]
    fn what_is_said_of_a_package_counts_more_than_what_is_said_of_all() {
        let seals = |text: &str| {
            let manifest = Manifest::parse(text.as_bytes());
            ["a/b", "c"].map(|package| manifest.seals(package))
        };
        assert_eq!(seals("Manifest-Version: 1.0\n\n"), [false, false]);
        assert_eq!(seals("Sealed: true\r\n\r\n"), [true, true]);
        assert_eq!(seals("Sealed: TRUE\n\nName: a/b/\nSealed: false\n"), [false, true]);
        assert_eq!(
            seals("Main-Class: X\n\n\nName: a/\n b/\nSealed: true\n\nName: c/D.class\nSealed: true\n"),
            [true, false]
        );
    }

    #[test]
    fn elements_are_relative_to_the_jar() {
        let jar = Path::new("/opt/app/main.jar");
        assert_eq!(resolve(jar, "lib/my%20lib.jar"), Some("/opt/app/lib/my lib.jar".into()));
        assert_eq!(resolve(jar, "file:///usr/x.jar"), Some("/usr/x.jar".into()));
        assert_eq!(resolve(jar, "file:/usr/x.jar"), Some("/usr/x.jar".into()));
        assert_eq!(resolve(jar, "http://host/x.jar"), None);
    }
}
