//! Puts emitted files where they belong without touching what a person wrote.

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
    for file in files {
        match place_file(file, folder) {
            Ok(done) => written.push(done),
            Err(error) => {
                let (done, all) = (written.len(), files.len());
                return Err(RunError::Environment(format!("{error}; {done} of {all} files are written")));
            }
        }
    }
    Ok(written)
}

fn place_file(file: &JavaFile, folder: &Path) -> Result<Written, RunError> {
    let wanted = folder.join(&file.path);
    if is_free(&wanted) {
        write_file(&wanted, &file.text)?;
        return Ok(Written { path: wanted, beside: None });
    }
    for number in 2.. {
        let name = format!("{}{number}", file.class_name);
        let path = wanted.with_file_name(format!("{name}.java"));
        if is_free(&path) {
            write_file(&path, &jurat_emit::stamp(&renamed(&file.text, &file.class_name, &name)))?;
            return Ok(Written { path, beside: Some(wanted) });
        }
    }
    unreachable!("there are more numbers than files")
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
    use super::renamed;

    #[test]
    fn only_whole_words_are_renamed() {
        assert_eq!(
            renamed("class ATest { ATest(ATestX x, BATest y) }", "ATest", "ATest2"),
            "class ATest2 { ATest2(ATestX x, BATest y) }"
        );
    }
}
