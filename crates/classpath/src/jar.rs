//! A jar: a zip of class files, seen as one Java release sees it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;

use crate::manifest::{self, Manifest};
use crate::{ClassPathError, unreadable};

#[derive(Debug)]
pub(crate) struct Jar {
    path: PathBuf,
    archive: ZipArchive<Cursor<Arc<[u8]>>>,
    /// Class name and the number of its zip entry, sorted by name.
    classes: Vec<(String, usize)>,
    class_path: Vec<PathBuf>,
    manifest: Manifest,
    is_signed: bool,
}

/// No class file is larger: the constant pool, 65,535 methods of 64 KiB and attributes could be, but no
/// compiler writes one, and a zip entry that claims more is an attack or damage.
const MAX_CLASS: u64 = 256 << 20;

const VERSIONS: &str = "META-INF/versions/";

impl Jar {
    pub(crate) fn open(path: &Path, release: u32) -> Result<Self, ClassPathError> {
        let bytes: Arc<[u8]> = std::fs::read(path).map_err(|error| unreadable(path, error))?.into();
        let begins_like_a_zip = bytes.starts_with(b"PK");
        let empty = bytes.is_empty();
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
            let path = path.to_owned();
            if begins_like_a_zip {
                ClassPathError::DamagedJar { path, reason: error.to_string() }
            } else {
                let reason = if empty { "the file is empty" } else { "it does not begin like a zip file" };
                ClassPathError::NotAJar { path, reason: reason.to_owned() }
            }
        })?;
        let mut jar = Self {
            path: path.to_owned(),
            archive,
            classes: Vec::new(),
            class_path: Vec::new(),
            manifest: Manifest::default(),
            is_signed: false,
        };
        jar.manifest = jar.read_manifest()?;
        let class_path = jar.manifest.class_path.iter();
        jar.class_path = class_path.filter_map(|text| manifest::resolve(path, text)).collect();
        jar.classes = jar.list(if jar.manifest.multi_release { release } else { 8 });
        jar.is_signed = jar.has_signature();
        Ok(jar)
    }

    /// Whether a JVM can start with it as an agent.
    pub(crate) fn is_agent(&self) -> bool {
        self.manifest.is_agent
    }

    /// Whether the JVM refuses classes of other places in a package, its name with slashes.
    pub(crate) fn closes(&self, package: &str) -> bool {
        self.is_signed || self.manifest.seals(package)
    }

    /// Whether there are a signature file and a block that proves it.
    fn has_signature(&self) -> bool {
        let has = |endings: &[&str]| {
            (0..self.archive.len()).filter_map(|number| self.entry_name(number)).any(|name| {
                let name = name.to_ascii_uppercase();
                let file = name.strip_prefix("META-INF/").filter(|file| !file.contains('/'));
                file.is_some_and(|file| endings.iter().any(|ending| file.ends_with(ending)))
            })
        };
        has(&[".SF"]) && has(&[".RSA", ".DSA", ".EC"])
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn class_path(&self) -> &[PathBuf] {
        &self.class_path
    }

    pub(crate) fn read(&self, number: usize) -> Result<Vec<u8>, ClassPathError> {
        self.read_entry(self.classes[number].1)
    }

    fn read_manifest(&self) -> Result<Manifest, ClassPathError> {
        // The JVM ignores the case of this one name.
        let number = (0..self.archive.len()).find(|&number| {
            self.entry_name(number).is_some_and(|name| name.eq_ignore_ascii_case("META-INF/MANIFEST.MF"))
        });
        Ok(match number {
            Some(number) => Manifest::parse(&self.read_entry(number)?),
            None => Manifest::default(),
        })
    }

    /// Picks, for each class, the entry of the highest version folder not above `release`.
    fn list(&self, release: u32) -> Vec<(String, usize)> {
        let mut best: BTreeMap<String, (u32, usize)> = BTreeMap::new();
        for number in 0..self.archive.len() {
            let Some(name) = self.entry_name(number) else { continue };
            let Some((version, name)) = versioned(&name) else { continue };
            let Some(name) = name.strip_suffix(".class") else { continue };
            if version <= release && best.get(name).is_none_or(|&(known, _)| known <= version) {
                best.insert(name.to_owned(), (version, number));
            }
        }
        best.into_iter().map(|(name, (_, number))| (name, number)).collect()
    }

    /// The name of an entry; none if it is not UTF-8, which no class name in a jar is.
    fn entry_name(&self, number: usize) -> Option<Cow<'_, str>> {
        self.archive.name_for_index(number)?.ok()
    }

    fn read_entry(&self, number: usize) -> Result<Vec<u8>, ClassPathError> {
        let damaged = |reason: String| ClassPathError::DamagedJar { path: self.path.clone(), reason };
        // A clone shares the bytes and the directory, and makes reading possible behind `&self`.
        let mut archive = self.archive.clone();
        let file = archive.by_index(number).map_err(|error| damaged(error.to_string()))?;
        let name = self.entry_name(number).unwrap_or_default();
        if file.size() > MAX_CLASS {
            return Err(damaged(format!("{name} claims to be {} bytes long", file.size())));
        }
        let mut bytes = Vec::new();
        file.take(MAX_CLASS).read_to_end(&mut bytes).map_err(|error| damaged(format!("{name}: {error}")))?;
        Ok(bytes)
    }
}

/// The version folder an entry lies in (8 for the base) and its name without it; none for other `META-INF` files.
fn versioned(name: &str) -> Option<(u32, &str)> {
    if let Some(rest) = name.strip_prefix(VERSIONS) {
        let (version, name) = rest.split_once('/')?;
        let version: u32 = version.parse().ok()?;
        return (version >= 9).then_some((version, name));
    }
    (!name.starts_with("META-INF/")).then_some((8, name))
}
