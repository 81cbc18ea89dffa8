//! Where JUnit is, for projects whose own class path has none.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::jdks::text;
use super::{Lack, Surroundings};

/// A JUnit that tests can be compiled against and run with.
#[derive(Debug, Serialize)]
pub(super) struct Jar {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) path: String,
    /// The collection it was found in.
    pub(super) source: String,
}

/// What to look for.
struct Wanted {
    /// The name people know.
    name: &'static str,
    group: &'static str,
    artifact: &'static str,
    /// One to fetch if there is none.
    version: &'static str,
}

const WANTED: &[Wanted] = &[
    Wanted {
        name: "JUnit 5",
        group: "org.junit.platform",
        artifact: "junit-platform-console-standalone",
        version: "1.13.4",
    },
    Wanted { name: "JUnit 4", group: "junit", artifact: "junit", version: "4.13.2" },
];

/// Where jars may be.
enum Source {
    /// A Maven repository: `group/artifact/version/artifact-version.jar`.
    Repository(PathBuf),
    /// A folder of `artifact-version.jar`.
    Folder(PathBuf),
}

pub(super) fn find(surroundings: &Surroundings, optional: &mut Vec<Lack>) -> Vec<Jar> {
    let sources = sources(surroundings);
    let mut found = Vec::new();
    for wanted in WANTED {
        match sources.iter().find_map(|source| source.newest(wanted)) {
            Some(jar) => found.push(jar),
            None => optional.push(wanted.lack()),
        }
    }
    found
}

/// The user's Maven repository, then the folder that `JURAT_JARS` names, then those `make setup` fills.
fn sources(surroundings: &Surroundings) -> Vec<Source> {
    let home = surroundings.search.home.iter().map(Path::new);
    let repositories = home.map(|home| Source::Repository(home.join(".m2/repository")));
    let named = surroundings.jars.iter().map(PathBuf::from);
    let set_up = surroundings.projects.iter().map(|project| project.join(".jurat/jars"));
    repositories.chain(named.chain(set_up).map(Source::Folder)).collect()
}

impl Wanted {
    fn lack(&self) -> Lack {
        let Self { name, group, artifact, version } = self;
        Lack::new(
            name,
            format!("no {artifact} in the local Maven repository or .jurat/jars"),
            format!(
                "needed only if your class path has none; to fetch it: \
                 mvn dependency:get -Dartifact={group}:{artifact}:{version}"
            ),
        )
    }
}

impl Source {
    fn newest(&self, wanted: &Wanted) -> Option<Jar> {
        let (source, listed) = match self {
            Self::Repository(root) => (root, root.join(wanted.group.replace('.', "/")).join(wanted.artifact)),
            Self::Folder(folder) => (folder, folder.clone()),
        };
        let names =
            fs::read_dir(&listed).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let versions = names.filter_map(|name| Some((self.version(&name, wanted)?, name)));
        let jars = versions.filter_map(|(version, name)| {
            let path = match self {
                Self::Repository(_) => listed.join(&name).join(format!("{}-{version}.jar", wanted.artifact)),
                Self::Folder(_) => listed.join(&name),
            };
            path.is_file().then_some((version, path))
        });
        let (version, path) = jars.max_by_key(|(version, _)| numbers(version))?;
        Some(Jar { name: wanted.name, version, path: text(&path), source: text(source) })
    }

    /// The version that an entry of the listing stands for.
    fn version(&self, name: &str, wanted: &Wanted) -> Option<String> {
        let version = match self {
            Self::Repository(_) => name,
            Self::Folder(_) => name.strip_prefix(wanted.artifact)?.strip_prefix('-')?.strip_suffix(".jar")?,
        };
        // `junit-platform-….jar` is not a version of `junit`.
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
    }
}

/// The version's numbers, so that 4.13 is newer than 4.9; a `1.0-M1` comes before its `1.0`.
fn numbers(version: &str) -> (Vec<u32>, bool, String) {
    let (plain, suffix) = version.split_once('-').unwrap_or((version, ""));
    let numbers = plain.split('.').map(|part| part.parse().unwrap_or(0)).collect();
    (numbers, suffix.is_empty(), suffix.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jurat_classpath::jdk::Search;

    fn surroundings(home: &Path, project: &Path) -> Surroundings {
        Surroundings {
            asked: None,
            search: Search { home: Some(home.into()), ..Search::default() },
            projects: vec![project.to_owned()],
            jars: None,
        }
    }

    fn touch(path: &Path) {
        fs::create_dir_all(path.parent().expect("below a folder")).expect("made");
        fs::write(path, "").expect("written");
    }

    #[test]
    fn the_newest_whole_version_of_the_local_repository_wins() {
        let home = tempfile::tempdir().expect("a scratch folder");
        let junit = home.path().join(".m2/repository/junit/junit");
        for version in ["4.9", "4.13", "4.13-beta-1"] {
            touch(&junit.join(version).join(format!("junit-{version}.jar")));
        }
        fs::create_dir_all(junit.join("4.99")).expect("made");
        let found = find(&surroundings(home.path(), home.path()), &mut Vec::new());
        assert_eq!(found.iter().map(|jar| jar.version.as_str()).collect::<Vec<_>>(), ["4.13"]);
    }

    #[test]
    fn the_folder_of_make_setup_comes_second() {
        let root = tempfile::tempdir().expect("a scratch folder");
        let jar = root.path().join(".jurat/jars/junit-platform-console-standalone-1.10.2.jar");
        touch(&jar);
        let mut optional = Vec::new();
        let found = find(&surroundings(root.path(), root.path()), &mut optional);
        assert_eq!(found.iter().map(|jar| &jar.path).collect::<Vec<_>>(), [&text(&jar)]);
        assert_eq!(optional.iter().map(|lack| lack.topic).collect::<Vec<_>>(), ["JUnit 4"]);
    }
}
