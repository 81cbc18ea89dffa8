//! The scratch folder in which emitted files are compiled, each anew only if its text changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jurat_emit::{Emitted, EmittedTest, JavaFile};
use jurat_validate::{Bench, Diagnostic, Severity, TestId};

use super::environment;
use crate::error::RunError;

/// Sources and class files of the suite as it was compiled last.
pub(super) struct Workshop {
    folder: PathBuf,
    /// The texts whose class files are there, by path.
    compiled: BTreeMap<String, String>,
}

/// Emitted files in the workshop.
pub(super) struct Placed<'a> {
    /// Those whose text is new.
    pub(super) files: Vec<&'a JavaFile>,
    /// Where they are.
    pub(super) sources: Vec<PathBuf>,
    /// Where each test is, by the name the validating JVM gives it.
    pub(super) by_name: BTreeMap<TestId, &'a EmittedTest>,
}

impl Workshop {
    pub(super) fn new(scratch: &Path) -> Self {
        Self { folder: scratch.join("suite"), compiled: BTreeMap::new() }
    }

    pub(super) fn classes(&self) -> PathBuf {
        self.folder.join("classes")
    }

    /// Writes what is new.
    pub(super) fn place<'a>(&self, emitted: &'a Emitted) -> Result<Placed<'a>, RunError> {
        let is_new = |file: &&JavaFile| self.compiled.get(&file.path) != Some(&file.text);
        let files: Vec<&JavaFile> = emitted.files.iter().filter(is_new).collect();
        let mut sources = Vec::new();
        for file in &files {
            let path = self.folder.join("src").join(&file.path);
            crate::place::write_file(&path, &file.text)?;
            sources.push(path);
        }
        let mut by_name = BTreeMap::new();
        for file in &emitted.files {
            let class = binary_name(file);
            let id = |test: &EmittedTest| TestId { class: class.clone(), method: test.name.clone() };
            by_name.extend(file.tests.iter().map(|test| (id(test), test)));
        }
        Ok(Placed { files, sources, by_name })
    }

    /// Compiles what is new; what the compiler refuses is new the next time as well.
    pub(super) fn compile(
        &mut self,
        placed: &Placed<'_>,
        bench: &Bench,
    ) -> Result<Vec<Diagnostic>, RunError> {
        if placed.files.is_empty() {
            return Ok(Vec::new());
        }
        for file in &placed.files {
            forget(&self.classes().join(&file.path))?;
        }
        let remarks = bench.compile(&placed.sources, &self.classes()).map_err(|error| environment(&error))?;
        let refused = remarks.iter().any(|remark| remark.severity == Severity::Error);
        for file in &placed.files {
            if refused {
                self.compiled.remove(&file.path);
            } else {
                self.compiled.insert(file.path.clone(), file.text.clone());
            }
        }
        Ok(remarks)
    }
}

/// Deletes the class files of a source: those of an earlier text must never be run in place of this one's.
fn forget(source: &Path) -> Result<(), RunError> {
    let (Some(folder), Some(name)) = (source.parent(), source.file_stem().and_then(|name| name.to_str()))
    else {
        return Ok(());
    };
    let nested = format!("{name}$");
    let is_its = |file: &str| {
        let class = file.strip_suffix(".class");
        class.is_some_and(|class| class == name || class.starts_with(&nested))
    };
    // What cannot be listed is not there yet.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_its)) {
        let path = entry.path();
        std::fs::remove_file(&path)
            .map_err(|error| RunError::Environment(format!("cannot delete {}: {error}", path.display())))?;
    }
    Ok(())
}

fn binary_name(file: &JavaFile) -> String {
    if file.package.is_empty() {
        file.class_name.clone()
    } else {
        format!("{}.{}", file.package, file.class_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_files_of_a_former_text_go_and_those_of_others_stay() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        for name in ["ATest.class", "ATest$1.class", "ATestB.class", "B.class"] {
            std::fs::write(folder.path().join(name), "").expect("it is writable");
        }
        forget(&folder.path().join("ATest.java")).expect("they can be deleted");
        let left = |name: &str| folder.path().join(name).exists();
        assert_eq!(
            ["ATest.class", "ATest$1.class", "ATestB.class", "B.class"].map(left),
            [false, false, true, true]
        );
        forget(&folder.path().join("nowhere/ATest.java")).expect("there is nothing to delete");
    }
}
