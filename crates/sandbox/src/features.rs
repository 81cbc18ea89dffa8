//! What the kernel offers for a sandbox, and what is missing.

use std::ffi::{c_long, c_uint};
use std::ptr;

use crate::SandboxError;

/// The oldest Landlock that will do: Linux 5.19, whose seccomp also keeps a call that the supervisor has
/// taken up from being restarted by a signal. Truncation, TCP and signals, which later versions of
/// Landlock cover, are guarded by the supervisor on every kernel.
pub const LANDLOCK_NEEDED: u32 = 2;

/// The first Landlock that confines signals and abstract unix sockets.
const LANDLOCK_SCOPES: u32 = 6;

/// What this kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// The version of Landlock's interface; `None` when it is absent or switched off.
    pub landlock: Option<u32>,
    /// Whether seccomp filters can hand calls to a supervisor.
    pub seccomp_notify: bool,
    /// Whether a process can give up gaining privileges.
    pub no_new_privs: bool,
}

/// A lacking feature, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What is missing.
    pub what: String,
    /// What the user can do about it.
    pub remedy: &'static str,
}

/// Asks the kernel.
pub fn detect() -> Features {
    Features {
        landlock: landlock_version(),
        seccomp_notify: notification_available(),
        no_new_privs: no_new_privs_available(),
    }
}

impl Features {
    /// Whether Landlock itself keeps signals inside the sandbox. Where it does not, seccomp does it alone.
    pub fn scopes_signals(&self) -> bool {
        self.landlock.is_some_and(|version| version >= LANDLOCK_SCOPES)
    }

    /// What the sandbox needs and this kernel lacks; empty when a worker can be sealed.
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        match self.landlock {
            None => missing.push(Missing {
                what: "Landlock is not available".into(),
                remedy: "Boot a kernel of 5.19 or newer built with CONFIG_SECURITY_LANDLOCK and with landlock in its \
                         lsm= list, or let the container runtime pass the landlock system calls",
            }),
            Some(version) if version < LANDLOCK_NEEDED => missing.push(Missing {
                what: format!("Landlock has version {version} and version {LANDLOCK_NEEDED} is needed"),
                remedy: "Boot Linux 5.19 or newer",
            }),
            Some(_) => {}
        }
        if !self.seccomp_notify {
            missing.push(Missing {
                what: "seccomp filters with user notification are not available".into(),
                remedy: "Boot a kernel built with CONFIG_SECCOMP_FILTER, or let the container runtime pass the \
                         seccomp system call",
            });
        }
        if !self.no_new_privs {
            missing.push(Missing {
                what: "no_new_privs is not available".into(),
                remedy: "Boot Linux 5.19 or newer",
            });
        }
        missing
    }

    /// Nothing missing, or the error that names the first lacking feature.
    pub fn ensure(&self) -> Result<(), SandboxError> {
        self.missing().into_iter().next().map_or(Ok(()), |missing| Err(SandboxError::Missing(missing)))
    }
}

fn landlock_version() -> Option<u32> {
    const VERSION: c_uint = 1;
    // SAFETY: with this flag the call takes no memory and only answers a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<u8>(), 0_usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

fn notification_available() -> bool {
    let action: c_uint = libc::SECCOMP_RET_USER_NOTIF;
    // SAFETY: the kernel reads four bytes behind the pointer, which live until the call returns.
    let answer: c_long =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) };
    answer == 0
}

fn no_new_privs_available() -> bool {
    // SAFETY: reads one bit of this thread.
    unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Features = Features { landlock: Some(7), seccomp_notify: true, no_new_privs: true };

    #[test]
    fn a_kernel_without_landlock_is_refused_by_name() {
        let error = Features { landlock: None, ..GOOD }.ensure().expect_err("no Landlock");
        let text = error.to_string();
        assert!(text.contains("Landlock is not available") && text.contains("--no-sandbox"), "{text}");
    }

    #[test]
    fn an_old_landlock_is_refused_with_both_versions() {
        let text = Features { landlock: Some(1), ..GOOD }.ensure().expect_err("too old").to_string();
        assert!(text.contains("version 1") && text.contains("version 2 is needed"), "{text}");
    }

    #[test]
    fn a_kernel_without_seccomp_is_refused_by_name() {
        let text = Features { seccomp_notify: false, ..GOOD }.ensure().expect_err("no seccomp").to_string();
        assert!(text.contains("seccomp") && text.contains("--no-sandbox"), "{text}");
    }

    #[test]
    fn signals_are_scoped_from_version_six_on() {
        assert!(Features { landlock: Some(6), ..GOOD }.scopes_signals());
        assert!(!Features { landlock: Some(5), ..GOOD }.scopes_signals());
    }

    #[test]
    fn nothing_is_missing_from_a_good_kernel() {
        assert_eq!(GOOD.missing(), []);
    }
}
