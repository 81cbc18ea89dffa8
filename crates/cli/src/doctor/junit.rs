//! Which JUnit there is, for projects whose own class path has none.

use std::path::{Path, PathBuf};

use jurat_validate::{JUnitSearch, Version};
use serde::Serialize;

use super::Lack;
use super::jdks::text;

/// A JUnit that tests can be compiled against and run with.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) name: &'static str,
    /// As the main jar's name says.
    pub(super) version: String,
    /// The folder of the main jar.
    pub(super) folder: String,
    /// The main jar first.
    pub(super) jars: Vec<String>,
}

/// The name people know, and Maven's coordinates of one to fetch.
const WANTED: &[(Version, &str, &str)] = &[
    (Version::Five, "JUnit 5", "org.junit.platform:junit-platform-console-standalone:1.13.4"),
    (Version::Four, "JUnit 4", "junit:junit:4.13.2"),
];

pub(super) fn find(search: &JUnitSearch, optional: &mut Vec<Lack>) -> Vec<Found> {
    let mut found = Vec::new();
    for &(version, name, coordinates) in WANTED {
        match search.find(version) {
            Ok(junit) => found.push(Found::new(name, &junit.jars)),
            Err(_) => optional.push(Lack::new(
                name,
                "neither in the local Maven repository nor in .jurat/jars",
                format!(
                    "needed only if your class path has none; to fetch it: \
                     mvn dependency:get -Dartifact={coordinates}"
                ),
            )),
        }
    }
    found
}

impl Found {
    fn new(name: &'static str, jars: &[PathBuf]) -> Self {
        let main = jars.first().map_or(Path::new(""), PathBuf::as_path);
        let stem = main.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let version = stem.split_once(|c: char| c.is_ascii_digit()).map_or(0, |(before, _)| before.len());
        Self {
            name,
            version: stem[version..].to_owned(),
            folder: main.parent().map(text).unwrap_or_default(),
            jars: jars.iter().map(|jar| text(jar)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_shown_and_what_is_not_comes_with_a_remedy() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        std::fs::write(folder.path().join("junit-platform-console-standalone-1.10.2.jar"), "")
            .expect("written");
        let search = JUnitSearch { folders: vec![folder.path().to_owned()], ..JUnitSearch::default() };
        let mut optional = Vec::new();
        let found = find(&search, &mut optional);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].name, found[0].version.as_str()), ("JUnit 5", "1.10.2"));
        assert_eq!(optional.iter().map(|lack| lack.topic).collect::<Vec<_>>(), ["JUnit 4"]);
    }
}
