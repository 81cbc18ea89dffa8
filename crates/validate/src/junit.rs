//! Finds JUnit and Mockito: on the user's class path, in the local Maven repository, or where `make setup` puts them.

use std::path::{Path, PathBuf};

use crate::ValidateError;

/// Which JUnit tests are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// JUnit 5.
    Five,
    /// JUnit 4.
    Four,
}

/// JUnit as found: what to add to the class path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JUnit {
    /// The jars; none if the class path has it already.
    pub jars: Vec<PathBuf>,
}

/// Where to look for JUnit.
#[derive(Clone, Debug, Default)]
pub struct JUnitSearch {
    /// True if the user's class path holds it.
    pub on_class_path: bool,
    /// Local Maven repositories, `~/.m2/repository`.
    pub repositories: Vec<PathBuf>,
    /// Folders of jars, `.jurat/jars`.
    pub folders: Vec<PathBuf>,
}

impl JUnitSearch {
    /// Finds JUnit or says where it was looked for.
    pub fn find(&self, version: Version) -> Result<JUnit, ValidateError> {
        if self.on_class_path {
            return Ok(JUnit { jars: Vec::new() });
        }
        let in_folder = self.folders.iter().find_map(|folder| in_folder(folder, version));
        let in_repository =
            || self.repositories.iter().find_map(|repository| in_repository(repository, version));
        in_folder.or_else(in_repository).map(|jars| JUnit { jars }).ok_or_else(|| ValidateError::NoJUnit {
            version: match version {
                Version::Five => "5",
                Version::Four => "4",
            },
            looked: self.looked(),
        })
    }

    /// The jars of Mockito beyond those of the class path, which may hold it already; none if it is nowhere.
    pub fn find_mockito(&self, on_class_path: bool) -> Option<Vec<PathBuf>> {
        if on_class_path {
            return Some(Vec::new());
        }
        let in_folder = |folder: &PathBuf| MOCKITO.iter().map(|(_, name)| newest_jar(folder, name)).collect();
        let in_repository = |repository: &PathBuf| {
            MOCKITO.iter().map(|(group, name)| artifact(repository, group, name)).collect()
        };
        let found = self.folders.iter().find_map(in_folder);
        found.or_else(|| self.repositories.iter().find_map(in_repository))
    }

    /// Everywhere that was looked, in words.
    pub fn looked(&self) -> String {
        let places = self.repositories.iter().chain(&self.folders).map(|place| place.display().to_string());
        std::iter::once("the class path".to_owned()).chain(places).collect::<Vec<_>>().join(", ")
    }
}

/// Artifacts that JUnit's assertions need, by group path and name.
fn artifacts(version: Version) -> &'static [(&'static str, &'static str)] {
    match version {
        Version::Five => &[
            ("org/junit/jupiter", "junit-jupiter-api"),
            ("org/junit/platform", "junit-platform-commons"),
            ("org/opentest4j", "opentest4j"),
            ("org/apiguardian", "apiguardian-api"),
        ],
        Version::Four => &[("junit", "junit"), ("org/hamcrest", "hamcrest-core")],
    }
}

/// Artifacts that mocks need, by group path and name.
const MOCKITO: [(&str, &str); 4] = [
    ("org/mockito", "mockito-core"),
    ("net/bytebuddy", "byte-buddy"),
    ("net/bytebuddy", "byte-buddy-agent"),
    ("org/objenesis", "objenesis"),
];

/// True for the jar of Mockito itself: what it needs others need as well.
pub fn is_mockito(jar: &Path) -> bool {
    let file = jar.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    version_of(file, "mockito-core").is_some()
}

/// True for a jar that mocks need.
pub fn is_of_mockito(jar: &Path) -> bool {
    let file = jar.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    MOCKITO.iter().any(|(_, name)| version_of(file, name).is_some())
}

/// What only parameterized tests need; taken along where it is found.
const PARAMS: (&str, &str) = ("org/junit/jupiter", "junit-jupiter-params");

/// A jar that holds all of JUnit 5.
const STANDALONE: &str = "junit-platform-console-standalone";

fn in_folder(folder: &Path, version: Version) -> Option<Vec<PathBuf>> {
    if version == Version::Five
        && let Some(jar) = newest_jar(folder, STANDALONE)
    {
        return Some(vec![jar]);
    }
    let mut jars: Vec<PathBuf> =
        artifacts(version).iter().map(|(_, name)| newest_jar(folder, name)).collect::<Option<_>>()?;
    jars.extend(newest_jar(folder, PARAMS.1).filter(|_| version == Version::Five));
    Some(jars)
}

fn in_repository(repository: &Path, version: Version) -> Option<Vec<PathBuf>> {
    let artifact = |group: &str, name: &str| artifact(repository, group, name);
    if version == Version::Five
        && let Some(jar) = artifact("org/junit/platform", STANDALONE)
    {
        return Some(vec![jar]);
    }
    let mut jars: Vec<PathBuf> =
        artifacts(version).iter().map(|(group, name)| artifact(group, name)).collect::<Option<_>>()?;
    jars.extend(artifact(PARAMS.0, PARAMS.1).filter(|_| version == Version::Five));
    Some(jars)
}

/// The newest jar of an artifact in a local Maven repository.
fn artifact(repository: &Path, group: &str, name: &str) -> Option<PathBuf> {
    let versions = repository.join(group).join(name);
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(versions).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort_by_key(|folder| numbers(&folder.display().to_string()));
    folders.iter().rev().find_map(|folder| newest_jar(folder, name))
}

/// The version in `name-VERSION.jar`.
fn version_of<'f>(file: &'f str, name: &str) -> Option<&'f str> {
    let version = file.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".jar")?;
    // `junit-platform-…` begins with `junit-` too; `-sources` and `-javadoc` jars end in a word.
    let is_version = version.starts_with(|c: char| c.is_ascii_digit())
        && !version.ends_with("-sources")
        && !version.ends_with("-javadoc");
    is_version.then_some(version)
}

/// The newest `name-VERSION.jar` in a folder.
fn newest_jar(folder: &Path, name: &str) -> Option<PathBuf> {
    let versioned = |path: &PathBuf| version_of(path.file_name()?.to_str()?, name).map(numbers);
    std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((versioned(&path)?, path)))
        .max()
        .map(|(_, path)| path)
}

fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}
