//! Puts emitted files where they belong without touching what a person wrote.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use jurat_emit::{JavaFile, Touch, touch};

use crate::error::RunError;

/// What became of one emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// The file a person edited, which it stands beside.
    pub beside: Option<PathBuf>,
}

/// Finds out before the work begins whether files can be written below a folder that need not exist yet.
pub fn check_place(folder: &Path) -> Result<(), RunError> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let existing = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&folder);
    let cannot = |why: &str| {
        let (folder, existing) = (folder.display(), existing.display());
        let place =
            if folder.to_string() == existing.to_string() { String::new() } else { format!(" ({existing})") };
        RunError::Environment(format!(
            "cannot write tests to {folder}{place}: {why}; choose another folder with --out"
        ))
    };
    if !existing.is_dir() {
        return Err(cannot("it is not a folder"));
    }
    tempfile::NamedTempFile::new_in(existing).map(drop).map_err(|error| cannot(&reason(&error)))
}

/// What the system says, without the path and the number it adds.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::StorageFull => "no space is left on the disk".to_owned(),
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => error.to_string(),
    }
}

/// Writes all files below `folder`. A file of the same name that a person wrote or edited is kept, and the new one
/// is written beside it under the next free name.
pub fn place(files: &[JavaFile], folder: &Path) -> Result<Vec<Written>, RunError> {
    let mut written = Vec::new();
    // A class may have several files, whose names look like those of files that stand beside others.
    let mut taken: BTreeSet<PathBuf> = files.iter().map(|file| folder.join(&file.path)).collect();
    for file in files {
        match place_file(file, folder, &taken) {
            Ok(done) => {
                taken.insert(done.path.clone());
                written.push(done);
            }
            Err(error) => {
                let (done, all) = (written.len(), files.len());
                return Err(RunError::Environment(format!("{error}; {done} of {all} files are written")));
            }
        }
    }
    Ok(written)
}

fn place_file(file: &JavaFile, folder: &Path, taken: &BTreeSet<PathBuf>) -> Result<Written, RunError> {
    let wanted = folder.join(&file.path);
    if is_free(&wanted) {
        write_file(&wanted, &file.text)?;
        return Ok(Written { path: wanted, beside: None });
    }
    for number in 2.. {
        let name = numbered(&file.class_name, number);
        let path = wanted.with_file_name(format!("{name}.java"));
        if !taken.contains(&path) && is_free(&path) {
            write_file(&path, &jurat_emit::stamp(&renamed(&file.text, &file.class_name, &name)))?;
            return Ok(Written { path, beside: Some(wanted) });
        }
    }
    unreachable!("there are more numbers than files")
}

/// `FooJurat2Test` for `FooJuratTest`: build tools run what ends in `Test`.
fn numbered(class: &str, number: usize) -> String {
    match class.strip_suffix("Test") {
        Some(stem) => format!("{stem}{number}Test"),
        None => format!("{class}{number}"),
    }
}

/// True if nothing is there, or only a file of ours that nobody touched.
fn is_free(path: &Path) -> bool {
    match std::fs::read(path) {
        Ok(bytes) => std::str::from_utf8(&bytes).is_ok_and(|text| touch(text) == Touch::Untouched),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// The text with the class under its new name, wherever the old one stands as a word.
fn renamed(text: &str, old: &str, new: &str) -> String {
    let mut result = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let part_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let before = rest[..at].chars().next_back().is_some_and(part_of_word);
        let after = rest[at + old.len()..].chars().next().is_some_and(part_of_word);
        result.push_str(&rest[..at]);
        result.push_str(if before || after { old } else { new });
        rest = &rest[at + old.len()..];
    }
    result + rest
}

/// Writes a file whole or not at all, making its folders.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), RunError> {
    let failed = |error: std::io::Error| {
        RunError::Environment(format!("cannot write {}: {}", path.display(), reason(&error)))
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.flush().map_err(failed)?;
    // Readable like any other source file, not only by its owner as temporary files are.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> JavaFile {
        let text = jurat_emit::stamp(&format!("class {name} {{}}\n"));
        JavaFile {
            path: format!("{name}.java"),
            package: String::new(),
            class_name: name.to_owned(),
            text,
            tests: Vec::new(),
        }
    }

    #[test]
    fn what_stands_beside_an_edited_file_is_run_by_build_tools_and_takes_no_other_file_s_name() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        for edited in ["AJuratTest", "AJurat2Test"] {
            std::fs::write(folder.path().join(format!("{edited}.java")), "// mine").expect("it is writable");
        }
        let files = ["AJuratTest", "AJurat2Test", "AJurat3Test"].map(file);
        // The second time it is our own that stand there.
        for _ in 0..2 {
            let written = place(&files, folder.path()).expect("it is writable");
            let names = written.iter().map(|one| one.path.file_stem().and_then(|name| name.to_str()));
            let names: Vec<&str> = names.flatten().collect();
            assert_eq!(names, ["AJurat4Test", "AJurat22Test", "AJurat3Test"]);
        }
        let text = std::fs::read_to_string(folder.path().join("AJurat4Test.java")).expect("it was written");
        assert!(text.contains("class AJurat4Test {}"), "{text}");
    }

    #[test]
    fn only_whole_words_are_renamed() {
        assert_eq!(
            renamed("class ATest { ATest(ATestX x, BATest y) }", "ATest", "ATest2"),
            "class ATest2 { ATest2(ATestX x, BATest y) }"
        );
    }
}
