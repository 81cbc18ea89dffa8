//! The main section of a jar's manifest: folded lines, `Multi-Release` and `Class-Path`.

use std::path::{Path, PathBuf};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Manifest {
    pub(crate) multi_release: bool,
    pub(crate) class_path: Vec<String>,
}

impl Manifest {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
        // A line that begins with a space goes on where the one before it stopped.
        let text = text.replace("\n ", "");
        let mut manifest = Self::default();
        for line in text.lines().take_while(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(": ") else { continue };
            if name.eq_ignore_ascii_case("Multi-Release") {
                manifest.multi_release = value.trim().eq_ignore_ascii_case("true");
            } else if name.eq_ignore_ascii_case("Class-Path") {
                manifest.class_path = value.split_whitespace().map(str::to_owned).collect();
            }
        }
        manifest
    }
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
        assert_eq!(
            manifest,
            Manifest { multi_release: true, class_path: vec!["lib/a.jar".into(), "lib/b.jar".into()] }
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
