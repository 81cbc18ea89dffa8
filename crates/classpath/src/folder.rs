//! A folder of class files.

use std::path::{Path, PathBuf};

use crate::{ClassPathError, unreadable};

#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    names: Vec<String>,
}

/// Deeper than any package, shallow enough to end on a link that points back up.
const MAX_DEPTH: usize = 64;

impl Folder {
    pub(crate) fn open(root: &Path) -> Result<Self, ClassPathError> {
        let mut folder = Self { root: root.to_owned(), names: Vec::new() };
        folder.scan(root, "", 0)?;
        folder.names.sort();
        Ok(folder)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(crate) fn read(&self, number: usize) -> Result<Vec<u8>, ClassPathError> {
        let path = self.root.join(format!("{}.class", self.names[number]));
        std::fs::read(&path).map_err(|error| unreadable(&path, error))
    }

    fn scan(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), ClassPathError> {
        let listing = std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
        for entry in listing {
            let entry = entry.map_err(|error| unreadable(folder, error))?;
            // A name that is not UTF-8 cannot be a class name the JVM would find on Linux.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = entry.path();
            if path.is_dir() {
                if depth < MAX_DEPTH && name != "META-INF" {
                    self.scan(&path, &format!("{prefix}{name}/"), depth + 1)?;
                }
            } else if let Some(stem) = name.strip_suffix(".class") {
                self.names.push(format!("{prefix}{stem}"));
            }
        }
        Ok(())
    }
}
