//! Finds the sources of classes, to show what a mutant changes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use jurat_classpath::{ClassPath, Source};

/// Folders with sources, and the files read from them.
pub(crate) struct Sources {
    folders: Vec<PathBuf>,
    read: RefCell<BTreeMap<String, Option<Rc<Vec<String>>>>>,
}

impl Sources {
    /// Looks in the folders of a source path, or where sources usually are.
    pub(crate) fn new(path: Option<&str>, classes: &ClassPath) -> Self {
        let folders = match path {
            Some(path) => path.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect(),
            None => classes.sources().filter_map(folder).flat_map(beside).collect(),
        };
        Self { folders, read: RefCell::default() }
    }

    /// The lines of the file that a class (with dots) is written in.
    pub(crate) fn lines(&self, class: &str) -> Option<Rc<Vec<String>>> {
        let outer = class.split('$').next().unwrap_or(class);
        let mut read = self.read.borrow_mut();
        if let Some(known) = read.get(outer) {
            return known.clone();
        }
        let file = format!("{}.java", outer.replace('.', "/"));
        let bytes = self.folders.iter().find_map(|folder| std::fs::read(folder.join(&file)).ok());
        let lines =
            bytes.map(|bytes| Rc::new(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()));
        read.insert(outer.to_owned(), lines.clone());
        lines
    }

    /// The statement that begins in a line, as far as its first few lines.
    pub(crate) fn statement(&self, class: &str, line: u16) -> Option<String> {
        const MOST: usize = 8;
        let lines = self.lines(class)?;
        let at = usize::from(line).checked_sub(1).filter(|at| *at < lines.len())?;
        let mut statement = String::new();
        for line in lines[at..].iter().take(MOST) {
            statement.push_str(line.trim());
            if line.contains([';', '{', '}']) {
                break;
            }
            statement.push(' ');
        }
        Some(statement)
    }

    /// A line with its neighbors, each with its number, the line itself marked.
    pub(crate) fn excerpt(&self, class: &str, line: u16) -> Option<Vec<String>> {
        let lines = self.lines(class)?;
        let at = usize::from(line).checked_sub(1).filter(|at| *at < lines.len())?;
        let shown = at.saturating_sub(1)..(at + 2).min(lines.len());
        let numbered = |index: usize| {
            let mark = if index == at { '>' } else { ' ' };
            format!("  {mark} {:>5} | {}", index + 1, lines[index].trim_end())
        };
        Some(shown.map(numbered).collect())
    }
}

fn folder(source: &Source) -> Option<&Path> {
    match source {
        Source::Folder(path) | Source::Jar(path) => Some(path),
        Source::Module(_) => None,
    }
}

/// Where the sources of a class folder or jar may be: in it, or in the project that it was built in.
fn beside(entry: &Path) -> Vec<PathBuf> {
    let above = entry.ancestors().take(5).map(|folder| folder.join("src/main/java"));
    std::iter::once(entry.to_owned()).chain(above).chain([PathBuf::from("src/main/java")]).collect()
}
