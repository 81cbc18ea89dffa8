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

fn binary_name(file: &JavaFile) -> String {
    if file.package.is_empty() {
        file.class_name.clone()
    } else {
        format!("{}.{}", file.package, file.class_name)
    }
}
