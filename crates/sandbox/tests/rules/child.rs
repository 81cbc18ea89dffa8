//! Runs a piece of a test in a forked, sealed process.

use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jurat_sandbox::{Attempts, Counts, Features, Kind, Policy, apply_with, detect};
use tempfile::TempDir;

/// A scratch folder, a folder beside it with a file that must stay as it is, and the counters.
pub(crate) struct Scene {
    folder: TempDir,
    pub(crate) attempts: &'static Attempts,
    pub(crate) features: Features,
    unprivileged: bool,
    pub(crate) policy: Policy,
}

/// How the process ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    Killed(i32),
}

const CONTENT: &str = "precious";

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let scratch = folder.path().join("scratch");
        fs::create_dir(&scratch).expect("scratch can be made");
        fs::create_dir(folder.path().join("outside")).expect("outside can be made");
        fs::write(folder.path().join("outside/file"), CONTENT).expect("outside can be written");
        let policy = Policy::new(scratch);
        Self { folder, attempts: shared_attempts(), features: detect(), unprivileged: false, policy }
    }

    /// A scene whose child runs without root, even if the tests do not.
    pub(crate) fn without_root() -> Self {
        let scene = Self { unprivileged: is_root(), ..Self::new() };
        if scene.unprivileged {
            give_to_nobody(scene.folder.path());
        }
        scene
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    /// The file that must not change.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside/file")
    }

    /// Forks; seals the child; runs `body` in it. A panic in `body` is a panic here.
    pub(crate) fn run(&self, body: impl FnOnce(&Self)) -> End {
        self.run_unsealed(|scene| {
            if scene.unprivileged {
                become_nobody();
            }
            apply_with(&scene.policy, scene.attempts, &scene.features).expect("the sandbox can be put up");
            body(scene);
        })
    }

    /// Runs `body` in a child without the sandbox and expects a normal end.
    pub(crate) fn check_unsealed(&self, body: impl FnOnce(&Self)) {
        assert_eq!(self.run_unsealed(body), End::Exited(0));
    }

    fn run_unsealed(&self, body: impl FnOnce(&Self)) -> End {
        let (mut reader, writer) = io::pipe().expect("a pipe can be made");
        let writer_fd = writer.into_raw_fd();
        // SAFETY: the child only runs `body` and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "fork failed");
        if child == 0 {
            drop(reader);
            // SAFETY: the child owns its copy of the descriptor.
            let complaint = unsafe { fs::File::from_raw_fd(writer_fd) };
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                std::panic::set_hook(Box::new(move |info| drop(write!(&complaint, "{info}"))));
                body(self);
            }));
            // SAFETY: nothing of the parent's is to be cleaned up here.
            unsafe { libc::_exit(i32::from(result.is_err()) * 101) };
        }
        // SAFETY: the parent's copy, no longer needed.
        unsafe { libc::close(writer_fd) };
        let mut complaint = String::new();
        reader.read_to_string(&mut complaint).expect("the pipe can be read");
        let end = wait(child);
        assert!(complaint.is_empty(), "in the child: {complaint}");
        end
    }

    /// Runs `body` sealed, expects a normal end and an unchanged file outside, and gives the counts.
    pub(crate) fn counts(&self, body: impl FnOnce(&Self)) -> Counts {
        let before = fingerprint(&self.outside());
        assert_eq!(self.run(body), End::Exited(0));
        assert_eq!(fingerprint(&self.outside()), before, "the file outside changed");
        let names: Vec<_> = fs::read_dir(self.folder.path().join("outside")).expect("readable").collect();
        assert_eq!(names.len(), 1, "something was made outside: {names:?}");
        self.attempts.counts()
    }
}

/// Asserts how often each kind was tried; kinds not named were not, and leaving at the end is taken for granted.
#[track_caller]
pub(crate) fn assert_counts(counts: &Counts, expected: &[(Kind, u32)]) {
    let tried: Vec<_> = counts.since(&Counts::default()).filter(|(kind, _)| *kind != Kind::Exit).collect();
    assert_eq!(tried, expected);
}

pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("no zero bytes in paths")
}

/// The error of a raw call, or 0.
pub(crate) fn errno(result: i64) -> i32 {
    if result >= 0 { 0 } else { io::Error::last_os_error().raw_os_error().unwrap_or(-1) }
}

/// The error number of a failed operation, or 0.
pub(crate) fn error_of<T>(result: io::Result<T>) -> i32 {
    result.err().map_or(0, |error| error.raw_os_error().unwrap_or(-1))
}

pub(crate) fn wait(child: i32) -> End {
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    if libc::WIFEXITED(status) {
        End::Exited(libc::WEXITSTATUS(status))
    } else {
        End::Killed(libc::WTERMSIG(status))
    }
}

/// Everything about the file that the subject could have changed.
fn fingerprint(path: &Path) -> (Vec<u8>, u32, u32, i64, i64, u64) {
    use std::os::unix::fs::MetadataExt;
    let status = fs::metadata(path).expect("the file outside is there");
    let content = fs::read(path).expect("the file outside is readable");
    (content, status.mode(), status.uid(), status.mtime(), status.mtime_nsec(), status.nlink())
}

fn shared_attempts() -> &'static Attempts {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a fresh zeroed mapping that is never unmapped.
    unsafe {
        let address = libc::mmap(std::ptr::null_mut(), size_of::<Attempts>(), access, kind, -1, 0);
        assert_ne!(address, libc::MAP_FAILED);
        Attempts::at(address)
    }
}

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    // SAFETY: asks for a number.
    unsafe { libc::geteuid() == 0 }
}

fn give_to_nobody(folder: &Path) {
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("root may");
    for name in ["scratch", "outside", "outside/file"] {
        std::os::unix::fs::chown(folder.join(name), Some(NOBODY), Some(NOBODY)).expect("root may");
    }
}

fn become_nobody() {
    // SAFETY: changes only the identity of this forked child; groups go first, since they need the privilege.
    unsafe {
        assert_eq!(libc::setgroups(0, std::ptr::null()), 0);
        assert_eq!(libc::setgid(NOBODY), 0);
        assert_eq!(libc::setuid(NOBODY), 0);
    }
}
