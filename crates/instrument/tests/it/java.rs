//! Runs Java: reads classes, writes instrumented ones, starts JVMs.

use std::path::Path;

use jurat_classfile::ClassFile;
use jurat_classpath::ClassPath;
use jurat_classpath::jdk::Jdk;
use jurat_instrument::runtime;
pub(crate) use jurat_testkit::java::{Linker, java, run, save};
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

/// Writes the classes that probes call into a folder, for `--patch-module`.
pub(crate) fn save_runtime(folder: &Path) {
    for (name, bytes) in runtime::classes() {
        save(folder, name, &bytes);
    }
}

/// Tells whoever reads the test's output a figure.
#[expect(clippy::print_stdout, reason = "figures are part of what these tests show")]
pub(crate) fn report(text: &str) {
    println!("{text}");
}
