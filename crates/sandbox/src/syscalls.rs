//! What becomes of each system call: the list of the harmless, and the treatment of the others.

use std::ffi::{c_int, c_long};

use libc as sys;

use crate::attempts::Kind;
use crate::filter::{Rule, Test};

/// How the supervisor answers a call that the filter handed to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// Performed by the supervisor, on the caller's behalf; Landlock says whether it may.
    Perform,
    /// Opens a file; the flags are at this index. Performed if it may change something, and otherwise as `Look`.
    Open(Target, usize),
    /// Goes ahead; reading what does not belong to the run is written down.
    Look(Target),
    /// Goes ahead; learning the real place of scratch is written down.
    Follow(Target),
    /// Performed only if the file it means lies in scratch; Landlock does not know such calls, or not on every kernel.
    Confine(Target, Kind),
    /// A thread goes ahead while there are few; a process is refused.
    Clone,
    /// The process ends, and that is written down.
    Exit,
    /// Counted and refused with this error.
    Refuse(Kind, c_int),
}

/// Which argument of a call names the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The first is a path; links are followed.
    Path,
    /// The first is a path; a link is meant itself.
    Link,
    /// The first two are a folder and a path below it (or null, for the folder itself); flags may be at this index.
    Below(Option<usize>),
    /// The first two are a folder and a path below it; a link is meant itself.
    LinkBelow,
    /// The first is a descriptor.
    Descriptor,
}

/// Calls younger than the constants of the C library.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;
/// The newest call this list was written for; younger ones do not exist for the subject.
const NEWEST: c_long = 470;

/// What the supervisor does about a call.
pub(crate) fn treatment(number: c_long) -> Treatment {
    use Treatment::{Clone, Confine, Exit, Follow, Look, Open, Perform, Refuse};
    match number {
        sys::SYS_open => Open(Target::Path, 1),
        sys::SYS_openat => Open(Target::Below(None), 2),
        sys::SYS_stat | sys::SYS_access | sys::SYS_statfs => Look(Target::Path),
        sys::SYS_lstat => Look(Target::Link),
        sys::SYS_readlink => Follow(Target::Link),
        sys::SYS_readlinkat => Follow(Target::LinkBelow),
        sys::SYS_faccessat => Look(Target::Below(None)),
        sys::SYS_statx => Look(Target::Below(Some(2))),
        sys::SYS_newfstatat | sys::SYS_faccessat2 => Look(Target::Below(Some(3))),
        sys::SYS_creat
        | sys::SYS_unlink
        | sys::SYS_unlinkat
        | sys::SYS_rename
        | sys::SYS_renameat
        | sys::SYS_renameat2
        | sys::SYS_mkdir
        | sys::SYS_mkdirat
        | sys::SYS_rmdir
        | sys::SYS_link
        | sys::SYS_linkat
        | sys::SYS_symlink
        | sys::SYS_symlinkat
        | sys::SYS_mknod
        | sys::SYS_mknodat => Perform,
        sys::SYS_truncate => Confine(Target::Path, Kind::WriteOutside),
        sys::SYS_chmod
        | sys::SYS_chown
        | sys::SYS_utime
        | sys::SYS_utimes
        | sys::SYS_setxattr
        | sys::SYS_removexattr => Confine(Target::Path, Kind::Metadata),
        sys::SYS_lchown | sys::SYS_lsetxattr | sys::SYS_lremovexattr => Confine(Target::Link, Kind::Metadata),
        sys::SYS_fchmod | sys::SYS_fchown | sys::SYS_fsetxattr | sys::SYS_fremovexattr => {
            Confine(Target::Descriptor, Kind::Metadata)
        }
        sys::SYS_fchmodat | sys::SYS_futimesat => Confine(Target::Below(None), Kind::Metadata),
        sys::SYS_fchmodat2 | sys::SYS_utimensat => Confine(Target::Below(Some(3)), Kind::Metadata),
        sys::SYS_fchownat => Confine(Target::Below(Some(4)), Kind::Metadata),
        SETXATTRAT | REMOVEXATTRAT | FILE_SETATTR => Refuse(Kind::Metadata, sys::EPERM),
        sys::SYS_clone => Clone,
        sys::SYS_exit_group => Exit,
        sys::SYS_fork | sys::SYS_vfork | sys::SYS_execve | sys::SYS_execveat => {
            Refuse(Kind::Spawn, sys::EPERM)
        }
        sys::SYS_kill
        | sys::SYS_tkill
        | sys::SYS_tgkill
        | sys::SYS_rt_sigqueueinfo
        | sys::SYS_rt_tgsigqueueinfo
        | sys::SYS_pidfd_open
        | sys::SYS_pidfd_send_signal => Refuse(Kind::Signal, sys::EPERM),
        sys::SYS_socket
        | sys::SYS_socketpair
        | sys::SYS_connect
        | sys::SYS_bind
        | sys::SYS_listen
        | sys::SYS_accept
        | sys::SYS_accept4
        | sys::SYS_sendto
        | sys::SYS_sendmsg
        | sys::SYS_sendmmsg => Refuse(Kind::Connect, sys::EPERM),
        younger if younger > NEWEST => Refuse(Kind::Other, sys::ENOSYS),
        _ => Refuse(Kind::Other, sys::EPERM),
    }
}

/// The rules of the filter; what they do not name goes to the supervisor.
pub(crate) fn rules(own_process: u32) -> Vec<(c_long, Rule)> {
    let mut rules: Vec<(c_long, Rule)> = HARMLESS.iter().map(|number| (*number, Rule::Allow)).collect();
    // glibc falls back to `clone` and `openat`, whose arguments lie in registers and not in memory.
    rules.extend([sys::SYS_clone3, sys::SYS_openat2].map(|number| (number, Rule::Fail(sys::ENOSYS))));
    let one_of =
        |argument, values: &[u32]| Rule::AllowIf(vec![Test::OneOf { argument, values: values.to_vec() }]);
    rules.extend([
        (sys::SYS_newfstatat, on_descriptor(3)),
        (sys::SYS_statx, on_descriptor(2)),
        (sys::SYS_kill, one_of(0, &[own_process])),
        (sys::SYS_tgkill, one_of(0, &[own_process])),
        (sys::SYS_prlimit64, one_of(0, &[0, own_process])),
        (sys::SYS_personality, one_of(0, &[u32::MAX])),
        (sys::SYS_prctl, one_of(0, PRCTL)),
        (sys::SYS_ioctl, one_of(1, IOCTL)),
        (sys::SYS_fcntl, one_of(1, FCNTL)),
        (sys::SYS_socketpair, stream_pair()),
    ]);
    rules
}

/// With this flag the call is usually about an open descriptor, and opening it was seen already.
fn on_descriptor(argument: u32) -> Rule {
    let flag = sys::AT_EMPTY_PATH.cast_unsigned();
    Rule::AllowIf(vec![Test::Masked { argument, mask: flag, value: flag }])
}

/// The JDK keeps one end of such a pair to close other descriptors with. A connected stream reaches nobody else.
fn stream_pair() -> Rule {
    const TYPE: u32 = 0xf;
    Rule::AllowIf(vec![
        Test::OneOf { argument: 0, values: vec![sys::AF_UNIX.cast_unsigned()] },
        Test::Masked { argument: 1, mask: TYPE, value: sys::SOCK_STREAM.cast_unsigned() },
    ])
}

/// Flags of `open` that may change something; a temporary file needs one of the write modes as well.
pub(crate) const CHANGES: u32 = (sys::O_ACCMODE | sys::O_CREAT | sys::O_TRUNC).cast_unsigned();

const PRCTL: &[u32] = &[
    sys::PR_SET_NAME.cast_unsigned(),
    sys::PR_GET_NAME.cast_unsigned(),
    sys::PR_SET_VMA.cast_unsigned(),
    sys::PR_GET_DUMPABLE.cast_unsigned(),
    sys::PR_GET_SECCOMP.cast_unsigned(),
    sys::PR_GET_NO_NEW_PRIVS.cast_unsigned(),
    sys::PR_CAPBSET_READ.cast_unsigned(),
    sys::PR_SET_TIMERSLACK.cast_unsigned(),
    sys::PR_GET_TIMERSLACK.cast_unsigned(),
];

/// Questions about a descriptor. Everything else, such as typing into a terminal (`TIOCSTI`) or changing
/// the flags of a file, which needs no right to write, goes to the supervisor.
#[expect(clippy::cast_possible_truncation, reason = "request numbers have 32 bits")]
const IOCTL: &[u32] = &[
    sys::TCGETS as u32,
    sys::TIOCGWINSZ as u32,
    sys::FIONREAD as u32,
    sys::FIONBIO as u32,
    sys::FIOCLEX as u32,
    sys::FIONCLEX as u32,
];

/// Not among them: `F_SETOWN` and `F_SETSIG`, which make the kernel send signals.
const FCNTL: &[u32] = &[
    sys::F_DUPFD.cast_unsigned(),
    sys::F_DUPFD_CLOEXEC.cast_unsigned(),
    sys::F_GETFD.cast_unsigned(),
    sys::F_SETFD.cast_unsigned(),
    sys::F_GETFL.cast_unsigned(),
    sys::F_SETFL.cast_unsigned(),
    sys::F_GETLK.cast_unsigned(),
    sys::F_SETLK.cast_unsigned(),
    sys::F_SETLKW.cast_unsigned(),
    sys::F_OFD_GETLK.cast_unsigned(),
    sys::F_OFD_SETLK.cast_unsigned(),
    sys::F_OFD_SETLKW.cast_unsigned(),
    sys::F_GETPIPE_SZ.cast_unsigned(),
    sys::F_SETPIPE_SZ.cast_unsigned(),
];

/// Calls that touch only this process, its memory and descriptors it already has, or that only read.
const HARMLESS: &[c_long] = &[
    // Descriptors.
    sys::SYS_read,
    sys::SYS_write,
    sys::SYS_close,
    sys::SYS_close_range,
    sys::SYS_lseek,
    sys::SYS_pread64,
    sys::SYS_pwrite64,
    sys::SYS_readv,
    sys::SYS_writev,
    sys::SYS_preadv,
    sys::SYS_pwritev,
    sys::SYS_preadv2,
    sys::SYS_pwritev2,
    sys::SYS_dup,
    sys::SYS_dup2,
    sys::SYS_dup3,
    sys::SYS_pipe,
    sys::SYS_pipe2,
    sys::SYS_poll,
    sys::SYS_ppoll,
    sys::SYS_select,
    sys::SYS_pselect6,
    sys::SYS_epoll_create,
    sys::SYS_epoll_create1,
    sys::SYS_epoll_ctl,
    sys::SYS_epoll_wait,
    sys::SYS_epoll_pwait,
    sys::SYS_epoll_pwait2,
    sys::SYS_eventfd,
    sys::SYS_eventfd2,
    sys::SYS_signalfd,
    sys::SYS_signalfd4,
    sys::SYS_timerfd_create,
    sys::SYS_timerfd_settime,
    sys::SYS_timerfd_gettime,
    sys::SYS_sendfile,
    sys::SYS_splice,
    sys::SYS_tee,
    sys::SYS_vmsplice,
    sys::SYS_copy_file_range,
    sys::SYS_fsync,
    sys::SYS_fdatasync,
    sys::SYS_sync_file_range,
    sys::SYS_syncfs,
    sys::SYS_sync,
    sys::SYS_ftruncate,
    sys::SYS_fallocate,
    sys::SYS_fadvise64,
    sys::SYS_readahead,
    sys::SYS_flock,
    sys::SYS_getsockopt,
    sys::SYS_setsockopt,
    sys::SYS_getsockname,
    sys::SYS_getpeername,
    sys::SYS_shutdown,
    sys::SYS_recvfrom,
    sys::SYS_recvmsg,
    sys::SYS_recvmmsg,
    sys::SYS_inotify_init,
    sys::SYS_inotify_init1,
    sys::SYS_inotify_add_watch,
    sys::SYS_inotify_rm_watch,
    // Reading about files.
    sys::SYS_fstat,
    sys::SYS_fstatfs,
    sys::SYS_getdents,
    sys::SYS_getdents64,
    sys::SYS_getcwd,
    sys::SYS_chdir,
    sys::SYS_fchdir,
    sys::SYS_umask,
    sys::SYS_getxattr,
    sys::SYS_lgetxattr,
    sys::SYS_fgetxattr,
    sys::SYS_listxattr,
    sys::SYS_llistxattr,
    sys::SYS_flistxattr,
    // Memory.
    sys::SYS_mmap,
    sys::SYS_mprotect,
    sys::SYS_munmap,
    sys::SYS_mremap,
    sys::SYS_brk,
    sys::SYS_msync,
    sys::SYS_mincore,
    sys::SYS_madvise,
    sys::SYS_mlock,
    sys::SYS_mlock2,
    sys::SYS_munlock,
    sys::SYS_mlockall,
    sys::SYS_munlockall,
    sys::SYS_mbind,
    sys::SYS_get_mempolicy,
    sys::SYS_set_mempolicy,
    sys::SYS_membarrier,
    sys::SYS_pkey_mprotect,
    sys::SYS_pkey_alloc,
    sys::SYS_pkey_free,
    sys::SYS_arch_prctl,
    // Threads, signals to oneself, time.
    sys::SYS_exit,
    sys::SYS_futex,
    sys::SYS_futex_waitv,
    sys::SYS_set_robust_list,
    sys::SYS_get_robust_list,
    sys::SYS_set_tid_address,
    sys::SYS_rseq,
    sys::SYS_sched_yield,
    sys::SYS_sched_getaffinity,
    sys::SYS_sched_getparam,
    sys::SYS_sched_getscheduler,
    sys::SYS_sched_getattr,
    sys::SYS_sched_get_priority_max,
    sys::SYS_sched_get_priority_min,
    sys::SYS_sched_rr_get_interval,
    sys::SYS_getpriority,
    sys::SYS_getcpu,
    sys::SYS_rt_sigaction,
    sys::SYS_rt_sigprocmask,
    sys::SYS_rt_sigreturn,
    sys::SYS_rt_sigpending,
    sys::SYS_rt_sigtimedwait,
    sys::SYS_rt_sigsuspend,
    sys::SYS_sigaltstack,
    sys::SYS_pause,
    sys::SYS_restart_syscall,
    sys::SYS_nanosleep,
    sys::SYS_clock_nanosleep,
    sys::SYS_clock_gettime,
    sys::SYS_clock_getres,
    sys::SYS_gettimeofday,
    sys::SYS_time,
    sys::SYS_times,
    sys::SYS_alarm,
    sys::SYS_getitimer,
    sys::SYS_setitimer,
    sys::SYS_timer_create,
    sys::SYS_timer_settime,
    sys::SYS_timer_gettime,
    sys::SYS_timer_getoverrun,
    sys::SYS_timer_delete,
    // Questions about the process and the system.
    sys::SYS_getpid,
    sys::SYS_gettid,
    sys::SYS_getppid,
    sys::SYS_getpgrp,
    sys::SYS_getpgid,
    sys::SYS_getsid,
    sys::SYS_getuid,
    sys::SYS_geteuid,
    sys::SYS_getgid,
    sys::SYS_getegid,
    sys::SYS_getresuid,
    sys::SYS_getresgid,
    sys::SYS_getgroups,
    sys::SYS_capget,
    sys::SYS_getrlimit,
    sys::SYS_setrlimit,
    sys::SYS_getrusage,
    sys::SYS_sysinfo,
    sys::SYS_uname,
    sys::SYS_getrandom,
    sys::SYS_wait4,
    sys::SYS_waitid,
];
