//! What tests use of the machine: its JDKs, the jars that `make setup` fetched, and the Java compiler.
//!
//! Whatever is missing fails the test and says what to do: a test that needs it must not pass without.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use jurat_classpath::jdk::{Jdk, find_all};
use tempfile::TempDir;

/// Every JDK found, the oldest first; at least one.
///
/// # Panics
/// If there is none.
pub fn jdks() -> Vec<Jdk> {
    let found = find_all();
    assert!(!found.is_empty(), "no JDK 17 or newer found: run `make setup`");
    found
}

/// A file or folder of this repository, by its path from the root.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A jar that `make setup` fetched, by its name without `.jar`: `commons-lang3-3.12.0`.
///
/// # Panics
/// If it is not there.
pub fn jar(name: &str) -> PathBuf {
    let folder = std::env::var_os("JURAT_JARS").map_or_else(|| repository(".jurat/jars"), PathBuf::from);
    let path = folder.join(format!("{name}.jar"));
    assert!(path.is_file(), "{} is missing: run `make setup`", path.display());
    path
}

/// Compiles all Java sources below a folder with a JDK's compiler and further options.
///
/// # Panics
/// If the JDK has no compiler, there are no sources, or they do not compile.
pub fn compile(jdk: &Jdk, sources: &Path, options: &[&str]) -> TempDir {
    let classes = tempfile::tempdir().expect("a temporary folder can be made");
    compile_to(jdk, sources, options, classes.path());
    classes
}

/// The bundled subject of this name, compiled once for each JDK and process, below `folder`.
///
/// # Panics
/// As [`compile`].
pub fn compile_once(jdk: &Jdk, subject: &str, folder: &Path) -> PathBuf {
    static COMPILED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let classes = folder.join(format!("{subject}-{}", jdk.version));
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if !compiled.contains(&classes) {
        compile_to(jdk, &repository(&format!("subjects/{subject}/src")), &[], &classes);
        compiled.insert(classes.clone());
    }
    classes
}

#[expect(clippy::disallowed_methods, reason = "tests start the compiler here and nowhere else")]
fn compile_to(jdk: &Jdk, sources: &Path, options: &[&str], classes: &Path) {
    let javac = jdk.javac.as_ref().expect("a JDK with javac: run `make setup`");
    let files = sources_below(sources);
    assert!(!files.is_empty(), "no Java sources below {}", sources.display());
    let output = Command::new(javac)
        // File names are not always ASCII, whatever the locale of the user.
        .env("LC_ALL", "C.UTF-8")
        .args(["-encoding", "UTF-8", "-g", "-d"])
        .arg(classes)
        .args(options)
        .args(files)
        .output()
        .expect("javac starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} does not compile:\n{said}", sources.display());
}

fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in listing {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            found.extend(sources_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "java") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_library_compiles_without_a_warning_on_every_jdk() {
        for jdk in jdks() {
            let options = ["--release", "17", "-Xlint:all", "-Werror"];
            let classes = compile(&jdk, &repository("examples/shop/src/main/java"), &options);
            assert!(classes.path().join("shop/money/Money.class").is_file());
        }
    }

    #[test]
    #[should_panic(expected = "run `make setup`")]
    fn a_jar_that_is_missing_fails_the_test_with_advice() {
        jar("no-such-library-1.0");
    }
}
