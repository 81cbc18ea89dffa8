//! What is in a folder of class files.

use std::fs;
use std::io::Read;
use std::path::Path;

/// True if there is a class file in the folder or below it.
pub(crate) fn has_classes(folder: &Path) -> bool {
    count_classes(folder) > 0
}

/// How many class files there are in the folder and below it.
pub(crate) fn count_classes(folder: &Path) -> usize {
    let mut count = 0;
    each_class(folder, &mut |_| count += 1);
    count
}

/// The newest Java release that a class file in the folder or below it needs.
pub(crate) fn newest_release(folder: &Path) -> Option<u32> {
    let mut newest = None;
    each_class(folder, &mut |file| newest = newest.max(release_of(file)));
    newest
}

fn each_class(folder: &Path, look: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        // Links are followed to files but not to folders: a loop of them would never end.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            each_class(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "class") {
            look(&path);
        }
    }
}

/// Major version 52 is Java 8, and so on. A module's description says nothing about its classes.
fn release_of(file: &Path) -> Option<u32> {
    if file.file_name().is_some_and(|name| name == "module-info.class") {
        return None;
    }
    let mut head = [0; 8];
    fs::File::open(file).ok()?.read_exact(&mut head).ok()?;
    let [0xca, 0xfe, 0xba, 0xbe, _, _, high, low] = head else { return None };
    u32::from(u16::from_be_bytes([high, low])).checked_sub(44)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_class_decides_the_release() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        fs::create_dir(folder.path().join("a")).expect("made");
        let class = |name: &str, major: u8| {
            fs::write(folder.path().join(name), [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, major]).expect("written");
        };
        assert!(!has_classes(folder.path()));
        class("A.class", 52);
        class("a/B.class", 55);
        class("module-info.class", 65);
        assert_eq!((newest_release(folder.path()), count_classes(folder.path())), (Some(11), 3));
        fs::write(folder.path().join("C.class"), "text").expect("written");
        assert_eq!(newest_release(folder.path()), Some(11));
    }
}
