//! The one folder the subject may write to, emptied whenever its classes are loaded anew.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::start;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Goes to the folder; there is no way back.
pub(crate) fn enter(folder: &str) -> io::Result<()> {
    std::env::set_current_dir(folder)?;
    FOLDER.get_or_init(|| PathBuf::from(folder));
    Ok(())
}

/// Removes all that is in the folder. A worker that cannot do so is of no more use: no statement has begun yet, so the
/// pool takes another one.
pub(crate) fn empty() {
    if FOLDER.get().is_some_and(|folder| remove_content(folder).is_err()) {
        start::leave(start::EXIT_FAILED);
    }
}

fn remove_content(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            // The subject may have locked itself out.
            fs::set_permissions(&path, Permissions::from_mode(0o700))?;
            remove_content(&path)?;
            fs::remove_dir(&path)?;
        } else {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_goes_and_nothing_behind_a_link() {
        let scratch = tempfile::tempdir().expect("a temporary folder can be made");
        let outside = tempfile::tempdir().expect("a temporary folder can be made");
        fs::write(outside.path().join("kept"), "").expect("written");
        let deep = scratch.path().join("a/b");
        fs::create_dir_all(&deep).expect("made");
        fs::write(deep.join("file"), "").expect("written");
        std::os::unix::fs::symlink(outside.path(), scratch.path().join("link")).expect("linked");
        fs::set_permissions(scratch.path().join("a"), Permissions::from_mode(0o000)).expect("changed");
        remove_content(scratch.path()).expect("removed");
        assert_eq!(fs::read_dir(scratch.path()).expect("listable").count(), 0);
        assert!(outside.path().join("kept").exists());
    }
}
