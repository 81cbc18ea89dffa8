//! Real classes to test and measure with: the modules of every JDK found, and well-known jars.

use std::path::PathBuf;

use jurat_classpath::jdk::{self, Jdk};
use jurat_classpath::{ClassPath, Source};

/// The jar with this name, less its version.
pub(crate) fn jar(artifact: &str) -> ClassPath {
    let folder = std::env::var_os("JURAT_JARS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.jurat/jars")),
        PathBuf::from,
    );
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let version = name.strip_prefix(artifact).and_then(|rest| rest.strip_prefix('-'));
        version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let listing = std::fs::read_dir(&folder).into_iter().flatten();
    let mut found: Vec<PathBuf> =
        listing.filter_map(|entry| Some(entry.ok()?.path())).filter(is_it).collect();
    found.sort();
    let path =
        found.pop().unwrap_or_else(|| panic!("no {artifact} jar in {}: run `make setup`", folder.display()));
    ClassPath::open(&path.to_string_lossy(), 17, None).unwrap_or_else(|error| panic!("{error}"))
}

/// Every JDK of this machine, oldest first.
pub(crate) fn jdks() -> Vec<Jdk> {
    let jdks = jdk::find_all();
    assert!(!jdks.is_empty(), "no JDK found: run `make setup`");
    jdks
}

/// `java.base` of a JDK.
pub(crate) fn java_base(jdk: &Jdk) -> ClassPath {
    ClassPath::open("jrt:/java.base", jdk.feature, Some(jdk)).unwrap_or_else(|error| panic!("{error}"))
}

/// Binary name and bytes of every class of the path's first entry.
pub(crate) fn classes(path: &ClassPath) -> impl Iterator<Item = (&str, Vec<u8>)> {
    let own: Option<&Source> = path.sources().next();
    path.names().filter(move |name| path.source(name) == own).map(|name| {
        let bytes = path.read(name).unwrap_or_else(|error| panic!("{error}"));
        (name, bytes.expect("a name that the class path listed"))
    })
}
