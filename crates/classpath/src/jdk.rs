//! Finds JDKs and says what each can do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The oldest Java feature release Jurat runs on.
pub const OLDEST: u32 = 17;

/// A usable JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its home folder, links resolved.
    pub home: PathBuf,
    /// Feature release: 17, 25, …
    pub feature: u32,
    /// Full version, `17.0.15`.
    pub version: String,
    /// The JVM as a shared library.
    pub libjvm: PathBuf,
    /// The compiler, which a JRE lacks.
    pub javac: Option<PathBuf>,
}

/// Why a folder is not a JDK that Jurat can use.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum JdkError {
    /// There is no such folder.
    #[error("no such folder: {}; name the home of a JDK {OLDEST} or newer", .0.display())]
    Missing(PathBuf),
    /// The folder is something else.
    #[error("{}: not the home of a JDK ({reason}); name the folder that holds bin/java and lib/modules", home.display())]
    NotAJdk {
        /// The folder.
        home: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// Too old.
    #[error("{}: this is Java {version}; Jurat needs {OLDEST} or newer (on Debian: apt-get install openjdk-17-jdk-headless)", home.display())]
    TooOld {
        /// The folder.
        home: PathBuf,
        /// Its version.
        version: String,
    },
    /// No `libjvm.so`.
    #[error("{}: no lib/server/libjvm.so; install the full JDK, not a part of it", .0.display())]
    NoLibjvm(PathBuf),
    /// Nothing found anywhere.
    #[error(
        "no JDK {OLDEST} or newer found; looked at {looked}. Install one (on Debian: apt-get install openjdk-17-jdk-headless), or name one with --jdk or JAVA_HOME"
    )]
    NoneFound {
        /// Where the search went.
        looked: String,
    },
}

impl Jdk {
    /// Checks the JDK at `home`.
    pub fn at(home: &Path) -> Result<Self, JdkError> {
        let resolved = home.canonicalize().map_err(|_| JdkError::Missing(home.to_owned()))?;
        let not_a_jdk = |reason: &str| JdkError::NotAJdk { home: home.to_owned(), reason: reason.to_owned() };
        let release = std::fs::read_to_string(resolved.join("release")).unwrap_or_default();
        let version = release_value(&release, "JAVA_VERSION")
            .ok_or_else(|| not_a_jdk("no release file with a JAVA_VERSION"))?;
        let feature =
            feature(version).ok_or_else(|| not_a_jdk("its release file names no version number"))?;
        if feature < OLDEST {
            return Err(JdkError::TooOld { home: home.to_owned(), version: version.to_owned() });
        }
        let libjvm = resolved.join("lib/server/libjvm.so");
        if !libjvm.is_file() {
            return Err(JdkError::NoLibjvm(home.to_owned()));
        }
        if !resolved.join("lib/modules").is_file() {
            return Err(not_a_jdk("no lib/modules"));
        }
        let javac = Some(resolved.join("bin/javac")).filter(|path| path.is_file());
        Ok(Self { home: resolved, feature, version: version.to_owned(), libjvm, javac })
    }
}

/// Where to look for JDKs: what the environment says, as data.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// `JAVA_HOME`.
    pub java_home: Option<OsString>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// `HOME`, for the folders that version managers use.
    pub home: Option<OsString>,
    /// Folders whose children may be JDKs, such as `/usr/lib/jvm`.
    pub folders: Vec<PathBuf>,
}

impl Search {
    /// The search the user's environment asks for.
    pub fn from_env() -> Self {
        Self {
            java_home: std::env::var_os("JAVA_HOME").filter(|value| !value.is_empty()),
            path: std::env::var_os("PATH"),
            home: std::env::var_os("HOME"),
            folders: ["/usr/lib/jvm", "/usr/java", "/opt"].map(PathBuf::from).to_vec(),
        }
    }

    /// The JDK to use: the one asked for, else `JAVA_HOME`, else the one on `PATH`, else the newest found.
    ///
    /// A JDK that was named but cannot be used is an error, never silently replaced.
    pub fn choose(&self, asked: Option<&Path>) -> Result<Jdk, JdkError> {
        if let Some(home) = asked {
            return Jdk::at(home);
        }
        if let Some(home) = &self.java_home {
            return Jdk::at(Path::new(home));
        }
        if let Some(jdk) = self.on_path().and_then(|home| Jdk::at(&home).ok()) {
            return Ok(jdk);
        }
        self.all()
            .into_iter()
            .max_by_key(|jdk| jdk.feature)
            .ok_or_else(|| JdkError::NoneFound { looked: self.looked() })
    }

    /// Every usable JDK, each once, oldest feature release first.
    pub fn all(&self) -> Vec<Jdk> {
        self.candidates().iter().filter_map(|home| Jdk::at(home).ok()).collect::<Vec<_>>().into_sorted()
    }

    /// Every folder that looks like a JDK but cannot be used, with the reason.
    pub fn unusable(&self) -> Vec<JdkError> {
        let mut seen = Vec::new();
        let mut errors = Vec::new();
        for home in self.candidates() {
            let Ok(resolved) = home.canonicalize() else { continue };
            if !seen.contains(&resolved) && resolved.join("bin/java").exists() {
                errors.extend(Jdk::at(&home).err());
                seen.push(resolved);
            }
        }
        errors
    }

    fn candidates(&self) -> Vec<PathBuf> {
        let mut homes: Vec<PathBuf> = self.java_home.iter().map(PathBuf::from).collect();
        homes.extend(self.on_path());
        for folder in self.all_folders() {
            let Ok(listing) = std::fs::read_dir(&folder) else { continue };
            let mut children: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
            children.sort();
            homes.extend(children);
        }
        homes
    }

    fn all_folders(&self) -> Vec<PathBuf> {
        let mut folders = self.folders.clone();
        if let Some(home) = &self.home {
            folders.extend(
                [".sdkman/candidates/java", ".jdks", ".asdf/installs/java"]
                    .map(|tail| Path::new(home).join(tail)),
            );
        }
        folders
    }

    /// The home of the `java` on `PATH`: links resolved, `bin/java` taken off.
    fn on_path(&self) -> Option<PathBuf> {
        let path = self.path.as_ref()?;
        let java =
            std::env::split_paths(path).map(|folder| folder.join("java")).find(|java| java.is_file())?;
        Some(java.canonicalize().ok()?.parent()?.parent()?.to_owned())
    }

    fn looked(&self) -> String {
        let mut places = vec!["JAVA_HOME".to_owned(), "PATH".to_owned()];
        places.extend(self.all_folders().iter().map(|folder| folder.display().to_string()));
        places.join(", ")
    }
}

trait IntoSorted {
    fn into_sorted(self) -> Self;
}

impl IntoSorted for Vec<Jdk> {
    fn into_sorted(mut self) -> Self {
        self.sort_by(|left, right| (left.feature, &left.home).cmp(&(right.feature, &right.home)));
        self.dedup_by(|left, right| left.home == right.home);
        self
    }
}

/// Every usable JDK that the environment leads to, oldest first.
pub fn find_all() -> Vec<Jdk> {
    Search::from_env().all()
}

/// The value of `KEY="value"` in a `release` file.
fn release_value<'a>(release: &'a str, key: &str) -> Option<&'a str> {
    release
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        .map(|value| value.trim().trim_matches('"'))
}

/// `1.8.0_392` is 8, `17.0.15` is 17, `25-ea` is 25.
fn feature(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    let first: u32 = numbers.next()?.parse().ok()?;
    if first == 1 { numbers.next()?.parse().ok() } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_feature_releases() {
        assert_eq!(feature("1.8.0_392"), Some(8));
        assert_eq!(feature("17.0.15"), Some(17));
        assert_eq!(feature("25-ea"), Some(25));
        assert_eq!(feature("x"), None);
    }

    #[test]
    fn a_named_home_that_is_missing_is_an_error_though_others_exist() {
        let search = Search::from_env();
        let error = search.choose(Some(Path::new("/no/jdk/here"))).expect_err("it does not exist");
        assert_eq!(error, JdkError::Missing("/no/jdk/here".into()));
    }

    #[test]
    fn without_any_place_to_look_the_error_says_what_to_do() {
        let error = Search::default().choose(None).expect_err("nowhere to look");
        assert!(error.to_string().contains("apt-get install"), "{error}");
    }
}
