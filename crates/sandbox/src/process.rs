//! What surrounds a worker process: its descriptors, its environment, its parent.

use std::ffi::OsString;
use std::mem;
use std::os::fd::RawFd;
use std::path::Path;

use crate::SandboxError;

/// The whole environment of a worker: nothing of the user's, and the same on every machine but for the
/// scratch folder.
pub fn environment(scratch: &Path) -> Vec<(OsString, OsString)> {
    let fixed = [
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PATH", "/usr/bin:/bin"),
        ("USER", "jurat"),
    ];
    let scratch = ["HOME", "TMPDIR"].map(|name| (name.into(), scratch.as_os_str().to_owned()));
    fixed.map(|(name, value)| (name.into(), value.into())).into_iter().chain(scratch).collect()
}

/// Replaces the environment of this process by [`environment`]. The start-up copy in `/proc/self/environ`
/// remains, so whoever starts a worker gives it that environment in the first place.
pub fn scrub_environment(scratch: &Path) -> Result<(), SandboxError> {
    ensure_single_threaded()?;
    let names: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
    for name in names {
        // SAFETY: no other thread exists that could read the environment meanwhile.
        unsafe { std::env::remove_var(name) };
    }
    for (name, value) in environment(scratch) {
        // SAFETY: as above.
        unsafe { std::env::set_var(name, value) };
    }
    Ok(())
}

/// Closes every descriptor except those in `keep`.
///
/// # Safety
/// No value of this process may still own one of the closed descriptors.
pub unsafe fn close_inherited_fds(keep: &[RawFd]) -> Result<(), SandboxError> {
    let mut kept: Vec<u32> = keep.iter().filter_map(|fd| u32::try_from(*fd).ok()).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut first = 0;
    for fd in kept {
        if fd > first {
            close_range(first, fd - 1)?;
        }
        first = fd + 1;
    }
    close_range(first, u32::MAX)
}

fn close_range(first: u32, last: u32) -> Result<(), SandboxError> {
    // SAFETY: the caller of `close_inherited_fds` promised that nobody owns these descriptors.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } != 0 {
        return Err(SandboxError::last("close inherited descriptors"));
    }
    Ok(())
}

/// Puts this process into a session of its own, away from the terminal, and has the kernel kill it when
/// its parent ends; `parent` is the process that started it, in case that ended already.
///
/// The kernel means the parent's *thread* that started this process, so the pool must start workers from
/// a thread that lives as long as they do. [`crate::Policy::lifeline`] has no such catch.
pub fn die_with_parent(parent: u32) -> Result<(), SandboxError> {
    // SAFETY: changes only attributes of this process; a failed `setsid` means that it leads a group already.
    unsafe {
        libc::setsid();
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(SandboxError::last("ask to end with its parent"));
        }
        if libc::getppid().cast_unsigned() != parent {
            libc::_exit(0);
        }
    }
    Ok(())
}

/// The number of threads in this process. The link count of the task folder is two more than that.
pub(crate) fn thread_count() -> Option<u64> {
    // SAFETY: plain numbers, for which zero is valid.
    let mut status: libc::stat = unsafe { mem::zeroed() };
    // SAFETY: the path is a literal, and the kernel fills the local structure.
    let found = unsafe { libc::stat(c"/proc/self/task".as_ptr(), &raw mut status) } == 0;
    found.then(|| status.st_nlink.saturating_sub(2))
}

pub(crate) fn ensure_single_threaded() -> Result<(), SandboxError> {
    match thread_count() {
        Some(1) => Ok(()),
        Some(count) => Err(SandboxError::NotSingleThreaded(count)),
        None => Err(SandboxError::last("count its threads in /proc/self/task")),
    }
}
