//! The thread that answers for calls which the filter does not let through.
//!
//! It was started before the filter, so its own calls are not filtered; it is bound by the same Landlock
//! rules as the subject. It shares memory, descriptors and working folder with the threads it answers,
//! so a call performed here with the caller's arguments has the result it would have had there, and
//! nobody can swap a path between the check and the use.
//!
//! While it answers it allocates nothing and takes no lock, because a caller may hold any: the dynamic linker
//! opens libraries under its own, for one, and much of the standard library asks the linker for symbols.

use std::ffi::{c_int, c_long};
use std::os::fd::RawFd;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::{mem, thread};

use libc::{seccomp_notif, seccomp_notif_resp};

use crate::SandboxError;
use crate::attempts::{Attempts, Kind};
use crate::confine;
use crate::filter;
use crate::places::Places;
use crate::process;
use crate::syscalls::{self, Target, Treatment};

/// What the thread needs to know.
pub(crate) struct Supervisor {
    /// Which files belong to the run.
    pub(crate) places: Places,
    /// The cap on threads.
    pub(crate) threads: u64,
    /// The descriptor whose other end the engine holds, or -1.
    pub(crate) lifeline: RawFd,
    /// Where attempts are counted.
    pub(crate) attempts: &'static Attempts,
}

/// A call as its caller made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) number: c_long,
    pub(crate) arguments: [u64; 6],
}

/// What the caller gets back.
enum Answer {
    /// The kernel's result: a value, or an error as a negative number.
    Result(i64),
    /// The kernel goes on with the call as it was made.
    Proceed,
}

/// The exit status of a process whose engine is gone, or whose sandbox was tampered with.
const GAVE_UP: c_int = 79;

const REFUSED: fn(c_int) -> Answer = |error| Answer::Result(-i64::from(error));

/// Starts the thread, then filters the calling thread and all that it will start.
pub(crate) fn start(supervisor: Supervisor) -> Result<(), SandboxError> {
    let meeting = Arc::new((Mutex::new(Stage::Starting), Condvar::new()));
    let theirs = Arc::clone(&meeting);
    thread::Builder::new()
        .name("sandbox".into())
        .spawn(move || {
            block_signals();
            if let Some(listener) = meet(&theirs) {
                supervisor.serve(listener);
            }
        })
        .map_err(|source| SandboxError::System { action: "start its supervisor", source })?;
    let (stage, changed) = &*meeting;
    let stage = stage.lock().expect(NO_PANIC);
    let mut stage = changed.wait_while(stage, |stage| *stage == Stage::Starting).expect(NO_PANIC);
    // Made before and let go of after: once the filter is there, and until the thread listens, no system call may be
    // made that is asked about, and even freeing memory can make one.
    let mut code = filter::program(&syscalls::rules(std::process::id()));
    let installed = install_filter(&mut code);
    *stage = Stage::Filtered(*installed.as_ref().unwrap_or(&-1));
    changed.notify_one();
    drop(stage);
    drop(code);
    installed.map(|_| ())
}

/// How far the start has come. The thread is awaited before the filter exists, because to start a thread
/// means to take the lock of the dynamic linker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Starting,
    Started,
    /// The filter is there, with this listener; or could not be installed, and -1 stands for none.
    Filtered(RawFd),
}

const NO_PANIC: &str = "nobody panics while holding this lock";

/// The supervisor's half of the start.
fn meet((stage, changed): &(Mutex<Stage>, Condvar)) -> Option<RawFd> {
    let mut stage = stage.lock().expect(NO_PANIC);
    *stage = Stage::Started;
    changed.notify_one();
    let stage = changed.wait_while(stage, |stage| *stage == Stage::Started).expect(NO_PANIC);
    match *stage {
        Stage::Filtered(listener) if listener >= 0 => Some(listener),
        _ => None,
    }
}

/// The JVM's handlers must run on the JVM's threads.
fn block_signals() {
    // SAFETY: both calls work on a local set and on this thread's mask.
    unsafe {
        let mut all: libc::sigset_t = mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

/// Has caller and supervisor hand the processor to each other, which makes an answer several times faster.
/// Kernels before 6.6 do not know how, and are slower without harm.
fn wake_in_place(listener: RawFd) {
    const SYNC_WAKE_UP: u64 = 1;
    // SAFETY: the request takes a number.
    unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP) };
}

fn install_filter(code: &mut [libc::sock_filter]) -> Result<RawFd, SandboxError> {
    let length = u16::try_from(code.len()).expect("the kernel takes at most 4096 instructions");
    let program = libc::sock_fprog { len: length, filter: code.as_mut_ptr() };
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    // SAFETY: the program and its instructions live until the call returns; the kernel copies them.
    let listener =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    match RawFd::try_from(listener) {
        Ok(fd) if fd >= 0 => Ok(fd),
        _ => Err(SandboxError::last("install its system call filter")),
    }
}

impl Supervisor {
    /// Answers until the process ends. Should the subject close the listener, the process ends as well: without
    /// it the kernel refuses every call that would have been asked about, and whoever runs next would suffer.
    fn serve(&self, listener: RawFd) -> ! {
        wake_in_place(listener);
        loop {
            if !self.wait(listener) {
                continue;
            }
            // SAFETY: all bytes zero is a valid notification, and what the kernel asks for.
            let mut notice: seccomp_notif = unsafe { mem::zeroed() };
            // SAFETY: the request fills exactly this structure.
            if unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut notice) } != 0 {
                give_up_unless(&[libc::ENOENT, libc::EINTR]); // The caller was killed in between.
                continue;
            }
            let call = Call { number: c_long::from(notice.data.nr), arguments: notice.data.args };
            let mut reply = response(notice.id, &self.answer(&call));
            // SAFETY: the request reads exactly this structure.
            if unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut reply) } != 0 {
                give_up_unless(&[libc::ENOENT, libc::EINTR]);
            }
        }
    }

    /// Waits for a call to answer; ends the process when the engine or the listener is gone.
    fn wait(&self, listener: RawFd) -> bool {
        const GONE: i16 = libc::POLLHUP | libc::POLLERR | libc::POLLNVAL;
        let mut watched = [
            libc::pollfd { fd: listener, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: self.lifeline, events: 0, revents: 0 },
        ];
        // SAFETY: the array outlives the call, and its length is given.
        if unsafe { libc::poll(watched.as_mut_ptr(), 2, -1) } < 0 {
            return false;
        }
        if watched.iter().any(|entry| entry.revents & GONE != 0) {
            give_up();
        }
        watched[0].revents & libc::POLLIN != 0
    }

    fn answer(&self, call: &Call) -> Answer {
        match syscalls::treatment(call.number) {
            Treatment::Open(target, flags) => self.open(call, target, call.arguments[flags]),
            Treatment::Look(target) => self.look(call, target, Places::knows_of),
            Treatment::Follow(target) => self.follow(call, target),
            Treatment::Perform => Answer::Result(self.perform(call)),
            Treatment::Confine(target, kind) => {
                let result = confine::perform(call, target, &self.places);
                let kind = if kind == Kind::WriteOutside && result >= 0 { Kind::WriteInside } else { kind };
                self.record(kind, call);
                Answer::Result(result)
            }
            Treatment::Clone => self.clone_thread(call),
            Treatment::Exit => {
                self.record(Kind::Exit, call);
                Answer::Proceed
            }
            Treatment::Refuse(kind, error) => {
                self.record(kind, call);
                REFUSED(error)
            }
        }
    }

    /// Lets the caller read, and notes if what it reads is not the run's.
    fn look(&self, call: &Call, target: Target, known: fn(&Places, &Path) -> bool) -> Answer {
        if confine::place(call, target).is_some_and(|place| !known(&self.places, place.path())) {
            self.record(Kind::ReadOutside, call);
        }
        Answer::Proceed
    }

    /// Lets the caller read a link, and notes if it leads to scratch by its real name. The subject knows the folder
    /// by one that is the same in every worker, and the links it makes itself have that one.
    fn follow(&self, call: &Call, target: Target) -> Answer {
        if confine::link(call, target).is_some_and(|place| self.places.in_scratch(place.path())) {
            self.record(Kind::ReadOutside, call);
        }
        Answer::Proceed
    }

    /// Opens a file, unless that alone would do something.
    fn open(&self, call: &Call, target: Target, flags: u64) -> Answer {
        let reads = reads_only(flags);
        if confine::is_special(call, target) {
            self.record(if reads { Kind::ReadOutside } else { Kind::WriteOutside }, call);
            REFUSED(libc::EACCES)
        } else if reads {
            self.look(call, target, Places::knows_content)
        } else {
            Answer::Result(self.perform(call))
        }
    }

    /// Performs a call on files and notes what Landlock thought of it.
    fn perform(&self, call: &Call) -> i64 {
        let result = if truncates_while_reading(call) { -i64::from(libc::EACCES) } else { issue(call) };
        let refused = [libc::EACCES, libc::EPERM, libc::EXDEV, libc::EROFS];
        if refused.iter().any(|error| result == -i64::from(*error)) {
            self.record(Kind::WriteOutside, call);
        } else if !opened_device(call, result) {
            self.record(Kind::WriteInside, call);
        }
        result
    }

    fn clone_thread(&self, call: &Call) -> Answer {
        let flags = call.arguments[0];
        if flags & u64::from(libc::CLONE_THREAD.cast_unsigned()) == 0 {
            self.record(Kind::Spawn, call);
            return REFUSED(libc::EPERM);
        }
        if process::thread_count().is_some_and(|count| count < self.threads) {
            return Answer::Proceed;
        }
        self.record(Kind::Threads, call);
        REFUSED(libc::EAGAIN)
    }

    fn record(&self, kind: Kind, call: &Call) {
        self.attempts.record(kind, i32::try_from(call.number).unwrap_or(-1));
    }
}

/// Ends the process without running anything of the subject's.
fn give_up() -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(GAVE_UP) }
}

/// Ends the process if the call that just failed did so for any other reason.
fn give_up_unless(harmless: &[c_int]) {
    if !std::io::Error::last_os_error().raw_os_error().is_some_and(|error| harmless.contains(&error)) {
        give_up();
    }
}

/// Whether the call opened a device: only those that swallow what is written are open to the subject.
fn opened_device(call: &Call, result: i64) -> bool {
    let opens = [libc::SYS_open, libc::SYS_openat, libc::SYS_creat].contains(&call.number);
    let file_type = RawFd::try_from(result).ok().filter(|fd| opens && *fd >= 0).and_then(confine::file_type);
    file_type == Some(libc::S_IFCHR)
}

/// Whether a file is opened without any right to change it.
fn reads_only(flags: u64) -> bool {
    flags & u64::from(syscalls::CHANGES) == 0
}

/// The one way to shorten a file that an old Landlock takes for reading.
fn truncates_while_reading(call: &Call) -> bool {
    let Treatment::Open(_, flags) = syscalls::treatment(call.number) else { return false };
    let both = u64::from((libc::O_ACCMODE | libc::O_TRUNC).cast_unsigned());
    call.arguments[flags] & both == u64::from((libc::O_RDONLY | libc::O_TRUNC).cast_unsigned())
}

/// Issues a call and gives the kernel's raw answer.
pub(crate) fn issue(call: &Call) -> i64 {
    let [x0, x1, x2, x3, x4, x5] = call.arguments;
    // SAFETY: only calls on files come here. The kernel checks every pointer in them, so the worst that a
    // wild one of the caller's can do is to fail the call, as it would have done in the caller.
    let result = unsafe { libc::syscall(call.number, x0, x1, x2, x3, x4, x5) };
    if result >= 0 {
        result
    } else {
        -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EPERM))
    }
}

fn response(id: u64, answer: &Answer) -> seccomp_notif_resp {
    // SAFETY: plain numbers, for which zero is valid.
    let mut reply: seccomp_notif_resp = unsafe { mem::zeroed() };
    reply.id = id;
    match answer {
        Answer::Proceed => reply.flags = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap_or(1),
        Answer::Result(value) if *value >= 0 => reply.val = *value,
        Answer::Result(error) => reply.error = i32::try_from(*error).unwrap_or(-libc::EPERM),
    }
    reply
}
