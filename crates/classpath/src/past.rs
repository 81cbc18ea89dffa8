//! What the classes of the JDK declared in older releases: `lib/ct.sym`, from which `javac --release` compiles.
//!
//! It is a zip of class files without code. The folder that one is in names the releases it is of, a letter each: `8`,
//! `9`, then `A` for 10 and so on. Only what the JDK's modules export is there, and what that needs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

use zip::ZipArchive;

use crate::jdk::Jdk;

/// The classes of an older release.
#[derive(Debug)]
pub struct Past {
    archive: Mutex<ZipArchive<File>>,
    /// The number of each class's entry, by its name with slashes.
    entries: BTreeMap<String, usize>,
}

/// No class file of the JDK is larger.
const MAX_CLASS: u64 = 16 << 20;

impl Past {
    /// What a JDK knows of a release; none if it is not older than the JDK, or nothing is known.
    pub fn open(jdk: &Jdk, release: u32) -> Option<Self> {
        let letter = char::from_digit(release, 36)?.to_ascii_uppercase();
        if release >= jdk.feature {
            return None;
        }
        let archive = ZipArchive::new(File::open(jdk.home.join("lib/ct.sym")).ok()?).ok()?;
        let mut entries = BTreeMap::new();
        for number in 0..archive.len() {
            let Some(Ok(entry)) = archive.name_for_index(number) else { continue };
            let Some((releases, rest)) = entry.split_once('/') else { continue };
            let class = rest.split_once('/').and_then(|(_, class)| class.strip_suffix(".sig"));
            if let Some(class) = class.filter(|_| releases.contains(letter)) {
                entries.insert(class.to_owned(), number);
            }
        }
        (!entries.is_empty()).then(|| Self { archive: Mutex::new(archive), entries })
    }

    /// The class of this name, with slashes, as a class file; none if there was none then.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let number = *self.entries.get(name)?;
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        archive.by_index(number).ok()?.take(MAX_CLASS).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jdk::find_all;

    #[test]
    fn classes_are_there_from_the_release_on_that_had_them() {
        let jdk = find_all().into_iter().find(|jdk| jdk.javac.is_some()).expect("a JDK: run `make setup`");
        let has = |release: u32, class: &str| {
            Past::open(&jdk, release)
                .expect("it is older")
                .read(class)
                .is_some_and(|bytes| bytes.starts_with(b"\xca\xfe\xba\xbe"))
        };
        assert!(has(8, "java/util/List") && has(16, "java/util/List"));
        assert!(!has(11, "java/lang/constant/Constable") && has(12, "java/lang/constant/Constable"));
        assert!(!has(8, "java/util/concurrent/Flow") && has(10, "java/util/concurrent/Flow$Subscriber"));
        assert!(Past::open(&jdk, jdk.feature).is_none() && Past::open(&jdk, 7_000).is_none());
    }
}
