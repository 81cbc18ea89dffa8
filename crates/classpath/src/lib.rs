//! Finds classes in folders, jars and the JDK's own module image.
//!
//! A [`ClassPath`] is opened once, lists the binary names it holds, and reads a class on demand. It follows
//! the rules of the JVM: the first entry that holds a name wins, a jar's `Class-Path` entries come right after
//! the jar, and a multi-release jar shows the classes of the asked-for release.
//!
//! ```no_run
//! use jurat_classpath::{ClassPath, jdk};
//! let jdk = jdk::find_all().remove(0);
//! let path = ClassPath::open("lib/a.jar:classes:jrt:/java.base", jdk.feature, Some(&jdk))?;
//! for name in path.names() {
//!     println!("{name}: {} bytes", path.read(name)?.map_or(0, |bytes| bytes.len()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod folder;
mod image;
mod jar;
pub mod jdk;
mod manifest;
mod past;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use image::Image;
pub use past::Past;

use folder::Folder;
use jar::Jar;
use jdk::Jdk;

/// An opened class path.
#[derive(Debug)]
pub struct ClassPath {
    entries: Vec<Entry>,
    /// Where each class lives: the entry and the entry's own number for it.
    index: BTreeMap<String, (usize, usize)>,
}

/// One folder, jar or module of a class path.
#[derive(Debug)]
pub struct Entry {
    source: Source,
    kind: Kind,
    /// False for libraries and for what a jar's manifest brought in.
    named: bool,
}

/// Where an entry's classes come from, as the user would name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A folder of class files.
    Folder(PathBuf),
    /// A jar named on the class path, or by another jar's manifest.
    Jar(PathBuf),
    /// A module of the JDK.
    Module(String),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(path) | Self::Jar(path) => write!(f, "{}", path.display()),
            Self::Module(module) => write!(f, "jrt:/{module}"),
        }
    }
}

#[derive(Debug)]
enum Kind {
    Folder(Folder),
    Jar(Jar),
    Module(image::Module),
}

/// Why a class path could not be opened or read. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    /// The path does not exist.
    #[error("no such file or folder on the class path: {}", .0.display())]
    Missing(PathBuf),
    /// The file exists but is not a jar.
    #[error("{}: not a jar ({reason}); a class path takes class folders, jars and jrt:/MODULE", path.display())]
    NotAJar {
        /// The file.
        path: PathBuf,
        /// What its bytes are instead.
        reason: String,
    },
    /// The file begins like a jar but its directory is missing or damaged.
    #[error("{}: truncated or damaged jar ({reason}); fetch or build it again", path.display())]
    DamagedJar {
        /// The file.
        path: PathBuf,
        /// What the reader stumbled over.
        reason: String,
    },
    /// The operating system refused.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Its reason.
        error: std::io::Error,
    },
    /// `jrt:/…` was asked for without a JDK.
    #[error("jrt:/{0} needs a JDK; name one with --jdk or JAVA_HOME")]
    NoJdk(String),
    /// The JDK has no such module.
    #[error("the JDK at {} has no module {module}{}", jdk.display(), suggest(near))]
    NoSuchModule {
        /// What was asked for.
        module: String,
        /// Where it was looked for.
        jdk: PathBuf,
        /// Modules with a like name.
        near: Vec<String>,
    },
    /// The JDK's module image is in a form this reader does not know.
    #[error("cannot read the module image {}: {reason}", path.display())]
    BadImage {
        /// The image file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The class path names nothing.
    #[error("the class path is empty")]
    Empty,
}

fn suggest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; it has {}", near.join(", ")) }
}

impl ClassPath {
    /// Opens a class path as the `java` command would write it, plus `jrt:/MODULE` entries.
    ///
    /// `release` is the Java feature release whose view of multi-release jars is wanted.
    pub fn open(text: &str, release: u32, jdk: Option<&Jdk>) -> Result<Self, ClassPathError> {
        let mut class_path = Self { entries: Vec::new(), index: BTreeMap::new() };
        let mut seen = Vec::new();
        let parts = split(text);
        if parts.is_empty() {
            return Err(ClassPathError::Empty);
        }
        for part in parts {
            match part {
                Part::Module(module) => class_path.open_module(&module, jdk)?,
                Part::File(path) => class_path.open_file(&path, release, true, &mut seen)?,
            }
        }
        Ok(class_path)
    }

    /// As [`ClassPath::open`], with folders and jars behind it that the classes need and nobody asked for by name.
    pub fn open_with(
        text: &str,
        libraries: &[PathBuf],
        release: u32,
        jdk: Option<&Jdk>,
    ) -> Result<Self, ClassPathError> {
        let mut class_path = Self::open(text, release, jdk)?;
        let mut seen = class_path.files();
        for library in libraries {
            class_path.open_file(library, release, false, &mut seen)?;
        }
        Ok(class_path)
    }

    /// The folders and jars, as the file system calls them.
    fn files(&self) -> Vec<PathBuf> {
        let path = |entry: &Entry| match &entry.source {
            Source::Folder(path) | Source::Jar(path) => path.canonicalize().ok(),
            Source::Module(_) => None,
        };
        self.entries.iter().filter_map(path).collect()
    }

    /// All modules of a JDK as one class path.
    pub fn of_jdk(jdk: &Jdk) -> Result<Self, ClassPathError> {
        let mut class_path = Self { entries: Vec::new(), index: BTreeMap::new() };
        for (module, classes) in Image::open(&jdk.home)?.all_modules()? {
            class_path.push(Source::Module(module), Kind::Module(classes), true);
        }
        Ok(class_path)
    }

    /// The binary names (`java/util/Map$Entry`) of all classes, sorted, each once. `module-info` included.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no class at all.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Whether the class path holds this binary name.
    pub fn contains(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// The bytes of a class, or `None` if the class path has no such class.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ClassPathError> {
        let Some(&(entry, number)) = self.index.get(name) else { return Ok(None) };
        match &self.entries[entry].kind {
            Kind::Folder(folder) => folder.read(number).map(Some),
            Kind::Jar(jar) => jar.read(number).map(Some),
            Kind::Module(module) => module.read(number).map(Some),
        }
    }

    /// Where a class comes from.
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.index.get(name).map(|&(entry, _)| &self.entries[entry].source)
    }

    /// Whether the user named the entry this class comes from; false for libraries and for what a jar's manifest
    /// brought in.
    pub fn is_named(&self, name: &str) -> bool {
        self.index.get(name).is_some_and(|&(entry, _)| self.entries[entry].named)
    }

    /// Whether the JVM keeps the package of a class closed to classes of other places: that of a module, of a signed jar
    /// or of a jar that seals it.
    pub fn is_closed(&self, name: &str) -> bool {
        let Some(&(entry, _)) = self.index.get(name) else { return false };
        match &self.entries[entry].kind {
            Kind::Folder(_) => false,
            Kind::Jar(jar) => jar.closes(name.rsplit_once('/').map_or("", |(package, _)| package)),
            Kind::Module(_) => true,
        }
    }

    /// The jar that a class comes from, if a JVM can start with it as an agent.
    pub fn agent(&self, name: &str) -> Option<&Path> {
        let &(entry, _) = self.index.get(name)?;
        match &self.entries[entry] {
            Entry { source: Source::Jar(path), kind: Kind::Jar(jar), .. } if jar.is_agent() => Some(path),
            _ => None,
        }
    }

    /// The entries in order, jars named by manifests included.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.entries.iter().map(|entry| &entry.source)
    }

    fn open_module(&mut self, module: &str, jdk: Option<&Jdk>) -> Result<(), ClassPathError> {
        let jdk = jdk.ok_or_else(|| ClassPathError::NoJdk(module.to_owned()))?;
        let opened = Image::open(&jdk.home)?.module(module)?;
        self.push(Source::Module(module.to_owned()), Kind::Module(opened), true);
        Ok(())
    }

    /// Opens a folder, or a jar and then the jars its manifest names; `seen` breaks cycles among those.
    fn open_file(
        &mut self,
        path: &Path,
        release: u32,
        named: bool,
        seen: &mut Vec<PathBuf>,
    ) -> Result<(), ClassPathError> {
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
        let canonical = path.canonicalize().map_err(|error| unreadable(path, error))?;
        if seen.contains(&canonical) {
            return Ok(());
        }
        seen.push(canonical);
        if metadata.is_dir() {
            let folder = Folder::open(path)?;
            self.push(Source::Folder(path.to_owned()), Kind::Folder(folder), named);
            return Ok(());
        }
        let jar = Jar::open(path, release)?;
        let more = jar.class_path().to_vec();
        self.push(Source::Jar(path.to_owned()), Kind::Jar(jar), named);
        // As the JVM does, manifest entries that do not exist are passed over.
        for next in more.iter().filter(|next| next.exists()) {
            self.open_file(next, release, false, seen)?;
        }
        Ok(())
    }

    fn push(&mut self, source: Source, kind: Kind, named: bool) {
        let entry = self.entries.len();
        let names: Box<dyn Iterator<Item = &str>> = match &kind {
            Kind::Folder(folder) => Box::new(folder.names()),
            Kind::Jar(jar) => Box::new(jar.names()),
            Kind::Module(module) => Box::new(module.names()),
        };
        for (number, name) in names.enumerate() {
            self.index.entry(name.to_owned()).or_insert((entry, number));
        }
        self.entries.push(Entry { source, kind, named });
    }
}

fn unreadable(path: &Path, error: std::io::Error) -> ClassPathError {
    if error.kind() == std::io::ErrorKind::NotFound {
        ClassPathError::Missing(path.to_owned())
    } else {
        ClassPathError::Unreadable { path: path.to_owned(), error }
    }
}

#[derive(Debug, PartialEq)]
enum Part {
    File(PathBuf),
    Module(String),
}

/// Splits at colons, except the one inside `jrt:/`. `dir/*` means every jar of `dir`, as for the JVM.
fn split(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut pieces = text.split(':').peekable();
    while let Some(piece) = pieces.next() {
        if piece == "jrt"
            && let Some(module) = pieces.next_if(|next| next.starts_with('/'))
        {
            parts.push(Part::Module(module.trim_matches('/').to_owned()));
        } else if let Some(folder) = piece.strip_suffix("/*").or_else(|| (piece == "*").then_some(".")) {
            parts.extend(
                jars_in(Path::new(if folder.is_empty() { "/" } else { folder })).into_iter().map(Part::File),
            );
        } else if !piece.is_empty() {
            parts.push(Part::File(PathBuf::from(piece)));
        }
    }
    parts
}

/// The jars right inside a folder, sorted; the JVM leaves their order open, we may not.
fn jars_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(folder) else { return vec![folder.join("*")] };
    let mut jars: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar")))
        .collect();
    jars.sort();
    jars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_not_split_at_its_colon() {
        assert_eq!(
            split("a.jar::jrt:/java.base:b"),
            [Part::File("a.jar".into()), Part::Module("java.base".into()), Part::File("b".into())]
        );
    }

    #[test]
    fn a_file_called_jrt_is_a_file() {
        assert_eq!(split("jrt:b"), [Part::File("jrt".into()), Part::File("b".into())]);
    }

    #[test]
    fn nothing_named_is_an_error() {
        assert!(matches!(ClassPath::open("::", 17, None), Err(ClassPathError::Empty)));
    }

    #[test]
    fn a_module_without_a_jdk_is_an_error() {
        assert!(matches!(ClassPath::open("jrt:/java.base", 17, None), Err(ClassPathError::NoJdk(_))));
    }

    #[test]
    fn a_library_is_found_but_not_named() {
        let [own, library] = [(); 2].map(|()| tempfile::tempdir().expect("a scratch folder"));
        std::fs::write(own.path().join("A.class"), []).expect("written");
        std::fs::write(library.path().join("A.class"), []).expect("written");
        std::fs::write(library.path().join("B.class"), []).expect("written");
        let text = own.path().display().to_string();
        let libraries = [library.path().to_owned(), own.path().to_owned()];
        let path = ClassPath::open_with(&text, &libraries, 17, None).expect("both exist");
        assert_eq!(path.sources().count(), 2, "nothing is opened twice");
        assert!(path.is_named("A") && path.contains("B") && !path.is_named("B"));
    }

    #[test]
    fn a_missing_path_is_named() {
        let error = ClassPath::open("/no/such/thing.jar", 17, None).expect_err("it does not exist");
        assert!(error.to_string().contains("/no/such/thing.jar"), "{error}");
    }
}
