//! The build that a folder belongs to: what is compiled there, what it needs, and where its tests live.
//!
//! Maven and Gradle know the class path; they are asked, offline first. Where classes and tests are is read from
//! the project's own files.

mod ask;
mod gradle;
mod layout;
mod maven;
mod pom;

use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// One module of a build: a folder of classes with tests of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) name: String,
    /// The folders of compiled classes; never empty.
    pub(crate) classes: Vec<PathBuf>,
    /// What the classes need to run, in the order of the class path.
    pub(crate) libraries: Vec<PathBuf>,
    /// What only tests need.
    pub(crate) test_libraries: Vec<PathBuf>,
    /// Where test sources live, whether or not there are any yet.
    pub(crate) tests: PathBuf,
}

/// A build with at least one compiled module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Project {
    pub(crate) modules: Vec<Module>,
    /// What the user should know: modules left out, and why.
    pub(crate) notes: Vec<String>,
}

/// The build in a folder, or none if there is no build file in it.
pub(crate) fn find(folder: &Path) -> Result<Option<Project>, Failure> {
    if folder.join("pom.xml").is_file() {
        return maven::project(folder).map(Some);
    }
    if gradle::FILES.iter().any(|file| folder.join(file).is_file()) {
        return gradle::project(folder).map(Some);
    }
    Ok(None)
}

/// A folder as people find it again: with its whole path. The empty path is the current folder.
fn shown(folder: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string()
}

/// The JUnit that libraries of a test class path bring, if any.
pub(crate) fn junit(libraries: &[PathBuf]) -> Option<jurat_emit::Junit> {
    let has = |prefix: &str| {
        libraries.iter().any(|library| {
            library.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                let version = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-'));
                version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
            })
        })
    };
    if has("junit-jupiter-api") {
        Some(jurat_emit::Junit::Five)
    } else if has("junit") {
        Some(jurat_emit::Junit::Four)
    } else {
        None
    }
}

/// The Java release that class files need: that of the newest below the folders.
pub(crate) fn release(classes: &[PathBuf]) -> Option<u32> {
    classes.iter().filter_map(|folder| layout::newest_release(folder)).max()
}

/// How many class files there are in the folders of a class path.
pub(crate) fn count(class_path: &str) -> usize {
    class_path.split(':').map(|folder| layout::count_classes(Path::new(folder))).sum()
}

#[cfg(test)]
mod tests {
    use jurat_emit::Junit;

    use super::*;

    #[test]
    fn junit_is_told_by_its_jars() {
        let jars = |names: &[&str]| -> Vec<PathBuf> {
            names.iter().map(|name| Path::new("/m2").join(name)).collect()
        };
        assert_eq!(junit(&jars(&["junit-4.13.2.jar", "hamcrest-core-1.3.jar"])), Some(Junit::Four));
        let both = ["junit-4.13.2.jar", "junit-jupiter-api-5.10.0.jar"];
        assert_eq!(junit(&jars(&both)), Some(Junit::Five), "the vintage engine brings JUnit 4 along");
        assert_eq!(junit(&jars(&["junit-platform-commons-1.13.4.jar", "guava-33.jar"])), None);
    }
}
