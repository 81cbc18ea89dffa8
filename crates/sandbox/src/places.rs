//! Which files belong to a run: its scratch folder, its JDK and class path, and what every process needs.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that are read on behalf of the JVM and the C library, sometimes by threads of their own. What the
/// subject reads there goes unnoticed.
const SYSTEM: [&str; 9] = [
    "/proc",
    "/sys",
    "/dev",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
];

/// Folders of a JDK in which distributions put links that lead out of it, to files under `/etc`.
const LINKED: [&str; 2] = ["conf", "lib/security"];

/// The places of one run, free of links.
pub(crate) struct Places {
    scratch: PathBuf,
    known: Vec<PathBuf>,
}

impl Places {
    /// Scratch, already free of links, and what else is known to the run.
    pub(crate) fn new(scratch: PathBuf, readable: &[PathBuf]) -> Self {
        let mut known: Vec<PathBuf> = vec![scratch.clone()];
        for path in SYSTEM.iter().map(Path::new).chain(readable.iter().map(PathBuf::as_path)) {
            known.extend(path.canonicalize());
        }
        for folder in readable.iter().flat_map(|path| LINKED.map(|linked| path.join(linked))) {
            collect_links(&folder, &mut known);
        }
        known.sort();
        known.dedup_by(|later, earlier| later.starts_with(earlier));
        Self { scratch, known }
    }

    /// Whether the path is the scratch folder or below it.
    pub(crate) fn in_scratch(&self, path: &Path) -> bool {
        path.starts_with(&self.scratch)
    }

    /// Whether what the file holds belongs to the run.
    pub(crate) fn knows_content(&self, path: &Path) -> bool {
        self.known.iter().any(|known| path.starts_with(known))
    }

    /// Whether the run knows that the file is there: its own files, and the folders on the way to them.
    pub(crate) fn knows_of(&self, path: &Path) -> bool {
        self.knows_content(path) || self.known.iter().any(|known| known.starts_with(path))
    }
}

/// Adds where the links in a folder and the folders below it lead.
fn collect_links(folder: &Path, known: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(found) if found.is_symlink() => known.extend(path.canonicalize()),
            Ok(found) if found.is_dir() => collect_links(&path, known),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(readable: &Path) -> (tempfile::TempDir, Places) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let scratch = folder.path().canonicalize().expect("it exists");
        let places = Places::new(scratch, &[readable.to_owned()]);
        (folder, places)
    }

    #[test]
    fn a_folder_beside_scratch_with_the_same_beginning_is_outside() {
        let (folder, places) = places(Path::new("/nowhere"));
        assert!(places.in_scratch(&folder.path().join("a")));
        assert!(!places.in_scratch(&folder.path().with_file_name("other")));
        let mut longer = folder.path().as_os_str().to_owned();
        longer.push("2");
        assert!(!places.in_scratch(Path::new(&longer)));
    }

    #[test]
    fn links_out_of_a_jdk_lead_to_known_files() {
        let jdk = tempfile::tempdir().expect("a temporary folder can be made");
        let elsewhere = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir_all(jdk.path().join("conf/deep")).expect("made");
        fs::write(elsewhere.path().join("policy"), "").expect("written");
        let link = jdk.path().join("conf/deep/policy");
        std::os::unix::fs::symlink(elsewhere.path().join("policy"), link).expect("linked");
        let (_folder, places) = places(jdk.path());
        assert!(places.knows_content(&elsewhere.path().join("policy")));
        assert!(!places.knows_content(&elsewhere.path().join("other")));
        assert!(places.knows_of(elsewhere.path()));
    }
}
