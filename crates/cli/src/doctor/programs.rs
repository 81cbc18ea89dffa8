//! Programs that Jurat can make use of: solvers and Maven.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;

use super::Lack;
use super::jdks::text;

/// Those that `jurat verify` can talk to, the preferred one first.
const SOLVERS: &[&str] = &["z3", "bitwuzla", "cvc5"];

/// A program on `PATH`.
#[derive(Debug, Serialize)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) path: String,
    /// `None` if it would not say.
    pub(super) version: Option<String>,
}

pub(super) fn solvers(path: Option<&OsString>, optional: &mut Vec<Lack>) -> Vec<Program> {
    let found: Vec<Program> = SOLVERS
        .iter()
        .filter_map(|&name| {
            let path = on_path(path, name)?;
            let version = ask_version(&path);
            Some(Program { name, path: text(&path), version })
        })
        .collect();
    if found.is_empty() {
        optional.push(Lack::new(
            "solver",
            format!("none of {} on PATH", SOLVERS.join(", ")),
            "needed by `jurat verify` only; on Debian: apt-get install z3",
        ));
    }
    found
}

pub(super) fn maven(path: Option<&OsString>, optional: &mut Vec<Lack>) -> Option<Program> {
    let Some(path) = on_path(path, "mvn") else {
        optional.push(Lack::new(
            "Maven",
            "mvn is not on PATH",
            "needed for Maven projects only; on Debian: apt-get install maven",
        ));
        return None;
    };
    let version = ask_version(&path);
    Some(Program { name: "mvn", path: text(&path), version })
}

fn on_path(path: Option<&OsString>, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path?).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The first word of `PROGRAM --version` that looks like a version. A program that does not end within
/// five seconds is ended.
#[expect(clippy::disallowed_methods, reason = "only the program itself knows its version")]
fn ask_version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    for _ in 0..500 {
        if child.try_wait().ok()?.is_some() {
            let mut said = Vec::new();
            child.stdout.take()?.take(4096).read_to_end(&mut said).ok()?;
            return version_in(&String::from_utf8_lossy(&said));
        }
        sleep(Duration::from_millis(10));
    }
    // It may have ended in the meantime, and then there is nothing to do.
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// Only what belongs to the version: `mvn` puts terminal codes behind it.
fn version_in(text: &str) -> Option<String> {
    let versions = text.split_whitespace().map(|word| {
        word.split(|c: char| !c.is_ascii_alphanumeric() && !"._+-".contains(c)).next().unwrap_or_default()
    });
    versions
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        assert_eq!(version_in("Z3 version 4.8.12 - 64 bit\n").as_deref(), Some("4.8.12"));
        assert_eq!(version_in("0.4.0\n").as_deref(), Some("0.4.0"));
        assert_eq!(version_in("This is cvc5 version 1.1.2 [git x]\n").as_deref(), Some("1.1.2"));
        assert_eq!(
            version_in("Apache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven\n").as_deref(),
            Some("3.8.7")
        );
        assert_eq!(version_in("no idea"), None);
    }

    #[test]
    fn a_solver_is_found_and_asked_and_a_file_that_cannot_run_is_not() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let script = folder.path().join("cvc5");
        fs::write(&script, "#!/bin/sh\necho This is cvc5 version 1.2.3\n").expect("written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("made executable");
        fs::write(folder.path().join("z3"), "text").expect("written");
        let mut optional = Vec::new();
        let found = solvers(Some(&folder.path().into()), &mut optional);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].name, found[0].version.as_deref()), ("cvc5", Some("1.2.3")));
        assert!(optional.is_empty(), "{optional:?}");
    }

    #[test]
    fn a_machine_without_solvers_is_told_how_to_get_one() {
        let mut optional = Vec::new();
        assert!(solvers(None, &mut optional).is_empty());
        assert!(optional[0].remedy.contains("apt-get install z3"), "{optional:?}");
    }
}
