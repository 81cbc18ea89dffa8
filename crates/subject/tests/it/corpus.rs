//! Subjects to test with: of well-known jars, of a JDK, of our own sources.

use jurat_classpath::ClassPath;
use jurat_classpath::jdk::Jdk;
use jurat_model::Subject;
use jurat_subject::{LoadError, Pattern, Request};
use jurat_testkit::machine;

/// The oldest JDK of this machine.
pub(crate) fn jdk() -> Jdk {
    machine::jdks().remove(0)
}

/// The class path of jars that `make setup` fetches.
pub(crate) fn jars(names: &[&str]) -> String {
    names.iter().map(|name| machine::jar(name).display().to_string()).collect::<Vec<_>>().join(":")
}

/// The subject of a class path; patterns restrict what is under test.
pub(crate) fn load(class_path: &str, jdk: &Jdk, patterns: &[&str]) -> Subject {
    try_load(class_path, jdk, patterns).unwrap_or_else(|error| panic!("{error}"))
}

/// The subject of a class path, or why there is none.
pub(crate) fn try_load(class_path: &str, jdk: &Jdk, patterns: &[&str]) -> Result<Subject, LoadError> {
    let class_path = ClassPath::open(class_path, jdk.feature, Some(jdk))?;
    let patterns: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text)).collect();
    jurat_subject::load(&Request { class_path: &class_path, jdk, patterns: &patterns })
}
