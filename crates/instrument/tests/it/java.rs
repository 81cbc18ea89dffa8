//! Runs Java: reads classes, writes instrumented ones, starts JVMs.

use std::path::Path;
use std::process::Command;

use jurat_classfile::ClassFile;
use jurat_classpath::ClassPath;
use jurat_classpath::jdk::Jdk;
use jurat_instrument::runtime;
use tempfile::TempDir;

/// A class path of one entry.
pub(crate) fn class_path(text: &str, jdk: &Jdk) -> ClassPath {
    ClassPath::open(text, jdk.feature, Some(jdk)).unwrap_or_else(|error| panic!("{error}"))
}

/// Binary names and contents of all classes of a class path, less module descriptors.
pub(crate) fn classes(path: &ClassPath) -> impl Iterator<Item = (String, ClassFile)> {
    path.names().filter(|name| !name.ends_with("module-info")).map(|name| {
        let bytes = path.read(name).unwrap_or_else(|error| panic!("{error}"));
        let class = ClassFile::read(&bytes.expect("the class path lists it"));
        (name.to_owned(), class.unwrap_or_else(|error| panic!("{error}")))
    })
}

/// A folder that goes away with the test.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("scratch is writable")
}

/// Writes a class file into a folder of classes.
pub(crate) fn save(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(format!("{name}.class"));
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("scratch is writable");
    std::fs::write(path, bytes).expect("scratch is writable");
}

/// Writes the classes that probes call into a folder, for `--patch-module`.
pub(crate) fn save_runtime(folder: &Path) {
    for (name, bytes) in runtime::classes() {
        save(folder, name, &bytes);
    }
}

/// A JVM to be started.
#[expect(clippy::disallowed_methods, reason = "tests start JVMs here and nowhere else")]
pub(crate) fn java(jdk: &Jdk) -> Command {
    let mut java = Command::new(jdk.home.join("bin/java"));
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"]);
    java
}

/// Runs a program to its end and returns what it printed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}\n{errors}", output.status);
    text
}

/// Tells whoever reads the test's output a figure.
#[expect(clippy::print_stdout, reason = "figures are part of what these tests show")]
pub(crate) fn report(text: &str) {
    println!("{text}");
}
