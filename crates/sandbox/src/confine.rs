//! Calls that Landlock does not confine, performed only on files below scratch.
//!
//! The file is pinned by a descriptor first, the pinned file's place is checked, and the call is then made
//! on the pinned file, so that no link or rename can lead it elsewhere.

use std::ffi::OsStr;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::places::Places;
use crate::supervisor::{Call, issue};
use crate::syscalls::Target;

/// The current folder, in the form of a descriptor argument.
const HERE: u64 = (libc::AT_FDCWD as i64).cast_unsigned();

/// Performs the call if its file lies below scratch; otherwise answers that it is not permitted.
pub(crate) fn perform(call: &Call, target: Target, places: &Places) -> i64 {
    let pinned = match pin(call, target) {
        Ok(pinned) => pinned,
        Err(error) => return error,
    };
    // A link itself, as opposed to what it leads to, cannot be reached through `/proc`.
    let reachable = file_type(pinned.as_raw_fd()).is_some_and(|found| found != libc::S_IFLNK);
    let inside = place_of(&pinned).is_some_and(|place| places.in_scratch(place.path()));
    if !reachable || !inside {
        return -i64::from(libc::EPERM);
    }
    let handle = handle(&pinned);
    let mut redirected = *call;
    let path = handle.as_ptr() as u64;
    match target {
        Target::Path => redirected.arguments[0] = path,
        Target::Link => {
            redirected.number = following(call.number);
            redirected.arguments[0] = path;
        }
        Target::LinkBelow => return -i64::from(libc::EPERM),
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
        Target::LinkBelow => open_path(first, second, libc::O_NOFOLLOW),
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

/// The path through which the kernel reaches the very file behind a descriptor, ending in zeros.
fn handle(pinned: &OwnedFd) -> [u8; 32] {
    let mut handle = [0; 32];
    let written = write!(&mut handle[..31], "/proc/self/fd/{}", pinned.as_raw_fd());
    debug_assert!(written.is_ok(), "a number has at most ten digits");
    handle
}

/// A path on the stack.
pub(crate) struct Place {
    bytes: [u8; libc::PATH_MAX as usize],
    length: usize,
}

impl Place {
    /// The path.
    pub(crate) fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.bytes[..self.length]))
    }
}

/// Where the file behind a descriptor lies, free of links.
fn place_of(pinned: &OwnedFd) -> Option<Place> {
    read_link(libc::AT_FDCWD, &handle(pinned))
}

/// Where the link that the call means leads, if it is one.
pub(crate) fn link(call: &Call, target: Target) -> Option<Place> {
    read_link(pin(call, target).ok()?.as_raw_fd(), &[0])
}

/// `path` ends in zero; if there is nothing before, the link is the descriptor's own file.
fn read_link(folder: RawFd, path: &[u8]) -> Option<Place> {
    let mut bytes = [0; libc::PATH_MAX as usize];
    // SAFETY: the path ends in zero, and the length of the buffer is given.
    let length =
        unsafe { libc::readlinkat(folder, path.as_ptr().cast(), bytes.as_mut_ptr().cast(), bytes.len()) };
    Some(Place { bytes, length: usize::try_from(length).ok()? })
}

/// Where the file that the call means lies, if it exists.
pub(crate) fn place(call: &Call, target: Target) -> Option<Place> {
    place_of(&pin(call, target).ok()?)
}

/// Whether the call means a file that acts when it is opened or read: a pipe, which makes whoever opens it wait,
/// and whose data is gone once it is read, or a device other than those that every program uses.
pub(crate) fn is_special(call: &Call, target: Target) -> bool {
    let Some(status) = pin(call, target).ok().and_then(|pinned| status(pinned.as_raw_fd())) else {
        return false;
    };
    match status.st_mode & libc::S_IFMT {
        libc::S_IFIFO | libc::S_IFSOCK | libc::S_IFBLK => true,
        libc::S_IFCHR => {
            !HARMLESS_DEVICES.contains(&(libc::major(status.st_rdev), libc::minor(status.st_rdev)))
        }
        _ => false,
    }
}

/// `null`, `zero`, `full`, `random` and `urandom`, by their numbers.
const HARMLESS_DEVICES: [(u32, u32); 5] = [(1, 3), (1, 5), (1, 7), (1, 8), (1, 9)];

/// The type bits of the file behind a descriptor.
pub(crate) fn file_type(fd: RawFd) -> Option<libc::mode_t> {
    status(fd).map(|status| status.st_mode & libc::S_IFMT)
}

fn status(fd: RawFd) -> Option<libc::stat> {
    // SAFETY: plain numbers, for which zero is valid.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the local structure.
    let failed = unsafe { libc::fstat(fd, &raw mut status) } != 0;
    (!failed).then_some(status)
}
