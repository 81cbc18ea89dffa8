//! Calls that Landlock does not confine, performed only on files below scratch.
//!
//! The file is pinned by a descriptor first, the pinned file's place is checked, and the call is then made
//! on the pinned file, so that no link or rename can lead it elsewhere.

use std::ffi::OsStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::supervisor::{Call, issue};
use crate::syscalls::Target;

/// The current folder, in the form of a descriptor argument.
const HERE: u64 = (libc::AT_FDCWD as i64).cast_unsigned();

/// Performs the call if its file lies below scratch; otherwise answers that it is not permitted.
pub(crate) fn perform(call: &Call, target: Target, scratch: &OsStr) -> i64 {
    let pinned = match pin(call, target) {
        Ok(pinned) => pinned,
        Err(error) => return error,
    };
    // A link itself, as opposed to what it leads to, cannot be reached through `/proc`.
    let reachable = file_type(pinned.as_raw_fd()).is_some_and(|found| found != libc::S_IFLNK);
    if !reachable || !lies_below(pinned.as_raw_fd(), scratch) {
        return -i64::from(libc::EPERM);
    }
    let place = place_of(pinned.as_raw_fd());
    let mut redirected = *call;
    let path = place.as_ptr() as u64;
    match target {
        Target::Path => redirected.arguments[0] = path,
        Target::Link => {
            redirected.number = following(call.number);
            redirected.arguments[0] = path;
        }
        Target::Below(flags) => {
            redirected.arguments[..2].copy_from_slice(&[HERE, path]);
            if let Some(flags) = flags {
                redirected.arguments[flags] &=
                    !u64::from((libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH).cast_unsigned());
            }
        }
        Target::Descriptor => redirected.arguments[0] = u64::from(pinned.as_raw_fd().cast_unsigned()),
    }
    issue(&redirected)
}

/// The call that follows links, which is what a pinned file is reached through.
fn following(number: i64) -> i64 {
    match number {
        libc::SYS_lchown => libc::SYS_chown,
        libc::SYS_lsetxattr => libc::SYS_setxattr,
        _ => libc::SYS_removexattr,
    }
}

/// A descriptor for the file that the call means, or the error that naming it made.
fn pin(call: &Call, target: Target) -> Result<OwnedFd, i64> {
    let [first, second, ..] = call.arguments;
    match target {
        Target::Path => open_path(HERE, first, 0),
        Target::Link => open_path(HERE, first, libc::O_NOFOLLOW),
        Target::Descriptor => duplicate(first),
        Target::Below(_) if second == 0 => duplicate(first),
        Target::Below(flags) => {
            let flags = flags.map_or(0, |index| call.arguments[index]);
            let given = |flag: i32| flags & u64::from(flag.cast_unsigned()) != 0;
            let follow = if given(libc::AT_SYMLINK_NOFOLLOW) { libc::O_NOFOLLOW } else { 0 };
            match open_path(first, second, follow) {
                Err(error) if error == -i64::from(libc::ENOENT) && given(libc::AT_EMPTY_PATH) => {
                    duplicate(first)
                }
                pinned => pinned,
            }
        }
    }
}

fn open_path(folder: u64, path: u64, follow: i32) -> Result<OwnedFd, i64> {
    let flags = u64::from((libc::O_PATH | libc::O_CLOEXEC | follow).cast_unsigned());
    owned(issue(&Call { number: libc::SYS_openat, arguments: [folder, path, flags, 0, 0, 0] }))
}

fn duplicate(descriptor: u64) -> Result<OwnedFd, i64> {
    let command = u64::from(libc::F_DUPFD_CLOEXEC.cast_unsigned());
    owned(issue(&Call { number: libc::SYS_fcntl, arguments: [descriptor, command, 0, 0, 0, 0] }))
}

fn owned(result: i64) -> Result<OwnedFd, i64> {
    match RawFd::try_from(result) {
        // SAFETY: the kernel just made this descriptor for us.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(result),
    }
}

/// The path through which the kernel reaches the very file behind a descriptor.
fn place_of(fd: RawFd) -> Vec<u8> {
    format!("/proc/self/fd/{fd}\0").into_bytes()
}

fn lies_below(fd: RawFd, scratch: &OsStr) -> bool {
    let mut place = place_of(fd);
    place.pop();
    std::fs::read_link(PathBuf::from(std::ffi::OsString::from_vec(place))).is_ok_and(|path| {
        let rest = path.as_os_str().as_bytes().strip_prefix(scratch.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    })
}

/// The type bits of the file behind a descriptor.
pub(crate) fn file_type(fd: RawFd) -> Option<libc::mode_t> {
    // SAFETY: plain numbers, for which zero is valid.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the local structure.
    let failed = unsafe { libc::fstat(fd, &raw mut status) } != 0;
    (!failed).then_some(status.st_mode & libc::S_IFMT)
}
