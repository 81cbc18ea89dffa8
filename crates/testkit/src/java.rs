//! Runs Java: writes classes into folders, starts JVMs, and asks HotSpot's verifier for its opinion.

use std::path::Path;
use std::process::Command;

use jurat_classpath::jdk::Jdk;
use tempfile::TempDir;

use crate::machine;

/// Writes a class file into a folder of classes, by its binary name with slashes.
///
/// # Panics
/// If the folder cannot be written.
pub fn save(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(format!("{name}.class"));
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder is writable");
    std::fs::write(path, bytes).expect("the folder is writable");
}

/// A JVM to be started.
#[expect(clippy::disallowed_methods, reason = "tests start JVMs here and nowhere else")]
pub fn java(jdk: &Jdk) -> Command {
    let mut java = Command::new(jdk.home.join("bin/java"));
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"]);
    java
}

/// Runs a program to its end and returns what it printed.
///
/// # Panics
/// If it fails.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}\n{errors}", output.status);
    text
}

/// What links classes: a small Java program.
#[derive(Debug)]
pub struct Linker<'j> {
    jdk: &'j Jdk,
    harness: TempDir,
}

impl<'j> Linker<'j> {
    /// A linker that runs on `jdk`.
    ///
    /// # Panics
    /// If the program does not compile.
    pub fn new(jdk: &'j Jdk) -> Self {
        Self { jdk, harness: machine::compile(jdk, &machine::repository("subjects/link/src"), &[]) }
    }

    /// Links the named classes (with dots) in a JVM that verifies also classes of the boot loader, some of which
    /// come from `patch`. They are taken from `path`, or are the JDK's own if that is empty. Returns the lines that
    /// tell of those that did not link.
    ///
    /// # Panics
    /// If the JVM does not get to the end of the list.
    pub fn link(&self, names: &[String], patch: &Path, path: &[&Path]) -> Vec<String> {
        let list = self.harness.path().join("names.txt");
        std::fs::write(&list, names.join("\n")).expect("the folder is writable");
        let mut java = java(self.jdk);
        java.args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"]);
        java.arg("--patch-module").arg(format!("java.base={}", patch.display()));
        let text = run(java.arg("-cp").arg(self.harness.path()).arg("Link").arg(list).args(path));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let last = lines.pop().expect("the last line tells how many");
        assert_eq!(last, format!("linked {} of {}", names.len() - lines.len(), names.len()));
        lines
    }
}
