//! Cuts statements that fuel does not: those that wait, or compute where no probe counts.
//!
//! Time is measured so that a busy machine does not look like a stuck statement: computing is counted in processor
//! time, waiting only while neither the statement's thread nor the rest of the JVM gets anything done.

#![expect(clippy::disallowed_methods, reason = "the clock is what a watchdog watches")]

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jurat_protocol::{Limits, shared as layout};

use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Ref};
use crate::jvm::Jvm;
use crate::shared::cell;
use crate::start::leave;

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(10);

/// How long a thread may take to stop once it was told to.
const STOPPING: Duration = Duration::from_millis(700);

/// How much more the whole process may compute than the statement's own thread: collectors, started threads.
const PROCESS_SHARE: u32 = 4;

static WATCHED: Watched = Watched {
    running: AtomicBool::new(false),
    thread_clock: AtomicI32::new(0),
    thread_id: AtomicI32::new(0),
    compute_millis: AtomicU64::new(u64::MAX),
    wait_millis: AtomicU64::new(u64::MAX),
    cut: AtomicU64::new(0),
    waited: AtomicBool::new(false),
    ordered: AtomicU64::new(0),
    served: AtomicU64::new(0),
    thread: Mutex::new(Ref::NULL),
};

/// What the watchdog knows about the thread that runs statements.
struct Watched {
    running: AtomicBool,
    thread_clock: AtomicI32,
    thread_id: AtomicI32,
    compute_millis: AtomicU64,
    wait_millis: AtomicU64,
    /// The statement that was cut, plus one; zero if none was.
    cut: AtomicU64,
    /// Whether that statement waited, rather than computed.
    waited: AtomicBool,
    /// How many stops were ordered, and how many of them are done.
    ordered: AtomicU64,
    served: AtomicU64,
    /// A global reference to the Java thread; null while none may be stopped.
    thread: Mutex<Ref>,
}

/// Declares the current thread the one that runs statements.
pub(crate) fn watch(thread: Ref, limits: Limits) {
    let mut clock = 0;
    // SAFETY: queries about the current thread; the pointer is to a local.
    let id = unsafe {
        libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock);
        libc::gettid()
    };
    WATCHED.thread_clock.store(clock, Ordering::Relaxed);
    WATCHED.thread_id.store(id, Ordering::Relaxed);
    WATCHED.compute_millis.store(u64::from(limits.compute_millis), Ordering::Relaxed);
    WATCHED.wait_millis.store(u64::from(limits.wait_millis), Ordering::Relaxed);
    WATCHED.cut.store(0, Ordering::Relaxed);
    *WATCHED.thread.lock().unwrap_or_else(PoisonError::into_inner) = thread;
}

/// Starts or stops the measuring: statements run, or we do. Stopping waits for a cut that is under way.
pub(crate) fn set_running(running: bool) {
    WATCHED.running.store(running, Ordering::Release);
}

/// No thread runs statements any more.
pub(crate) fn unwatch() {
    set_running(false);
    *WATCHED.thread.lock().unwrap_or_else(PoisonError::into_inner) = Ref::NULL;
}

/// Whether the watchdog cut a statement of this chunk.
pub(crate) fn was_cut() -> bool {
    WATCHED.cut.load(Ordering::Acquire) != 0
}

/// Whether the statement that was cut last waited for something.
pub(crate) fn has_waited() -> bool {
    WATCHED.waited.load(Ordering::Acquire)
}

/// Forgets a cut, so that the thread that was cut can be used again; false if it may still be hit by the stop.
pub(crate) fn forgive(env: Env, jdk: &Jdk) -> bool {
    let begun = Instant::now();
    while WATCHED.served.load(Ordering::Acquire) != WATCHED.ordered.load(Ordering::Acquire) {
        if begun.elapsed() > STOPPING {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // A stop that came when its statement was over already hits the next call into Java: this one.
    jdk.class_name(env, jdk.class);
    env.clear_exception();
    WATCHED.cut.store(0, Ordering::Release);
    true
}

/// Makes threads stop. Runs on a Java thread of its own, because only those may ask the JVM for it, and asking may
/// take forever.
pub(crate) fn serve_stops(
    jvm: Jvm,
    jdk: &Jdk,
    orders: &Receiver<()>,
    ready: &Sender<()>,
) -> Result<(), WorkerError> {
    let env = jvm.attach(c"jurat-stopper", true)?;
    let error = env.new_global(jdk.make_stop(env)?);
    // Whoever waits for this gives up if we never get here.
    let _ = ready.send(());
    for () in orders {
        // Held while stopping, so that the thread cannot end and its reference be deleted meanwhile.
        let thread = WATCHED.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if !thread.is_null() {
            // A thread that cannot be stopped is noticed by the watchdog.
            let _ = jvm.jvmti.stop_thread(*thread, error);
        }
        WATCHED.served.fetch_add(1, Ordering::Release);
    }
    Ok(())
}

/// Watches until the process ends.
pub(crate) fn watch_forever(stop: &Sender<()>, ended: &dyn Fn() -> bool) {
    let mut watch = Stopwatch::start();
    while !ended() {
        std::thread::sleep(TICK);
        if !WATCHED.running.load(Ordering::Acquire) {
            watch = Stopwatch::start();
            continue;
        }
        let now = cell(layout::NOW).load(Ordering::Relaxed);
        if now != watch.statement {
            watch = Stopwatch::start();
            continue;
        }
        if let Some(over) = watch.over() {
            WATCHED.waited.store(over == Over::Waiting, Ordering::Release);
            WATCHED.cut.store(now + 1, Ordering::Release);
            WATCHED.ordered.fetch_add(1, Ordering::Release);
            // The receiver lives as long as the process.
            let _ = stop.send(());
            if !stopped_within(STOPPING, now) {
                cell(layout::STALLED).store(now + 1, Ordering::Release);
                leave(layout::EXIT_STALLED);
            }
            watch = Stopwatch::start();
        }
    }
}

fn stopped_within(patience: Duration, statement: u64) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < patience {
        let gone = cell(layout::NOW).load(Ordering::Relaxed) != statement;
        if gone || !WATCHED.running.load(Ordering::Acquire) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// What a statement did for too long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Waiting,
    Computing,
}

/// The time one statement has taken.
struct Stopwatch {
    statement: u64,
    thread_start: Duration,
    process_start: Duration,
    process_last: Duration,
    idle_since: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        let process = processor_time(libc::CLOCK_PROCESS_CPUTIME_ID);
        Self {
            statement: cell(layout::NOW).load(Ordering::Relaxed),
            thread_start: thread_time(),
            process_start: process,
            process_last: process,
            idle_since: Instant::now(),
        }
    }

    /// Why the statement should be cut, if so.
    fn over(&mut self) -> Option<Over> {
        let process = processor_time(libc::CLOCK_PROCESS_CPUTIME_ID);
        // The watchdog itself takes some microseconds per tick.
        let busy = process.saturating_sub(self.process_last) > TICK / 10;
        self.process_last = process;
        if busy || is_runnable() {
            self.idle_since = Instant::now();
        }
        let compute = Duration::from_millis(WATCHED.compute_millis.load(Ordering::Relaxed));
        let wait = Duration::from_millis(WATCHED.wait_millis.load(Ordering::Relaxed));
        if self.idle_since.elapsed() > wait {
            return Some(Over::Waiting);
        }
        let is_long = thread_time().saturating_sub(self.thread_start) > compute
            || process.saturating_sub(self.process_start) > compute * PROCESS_SHARE;
        is_long.then_some(Over::Computing)
    }
}

fn thread_time() -> Duration {
    processor_time(WATCHED.thread_clock.load(Ordering::Relaxed))
}

/// How long the current thread has computed.
pub(crate) fn own_time() -> Duration {
    processor_time(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The time on a processor clock; zero if the clock is gone together with its thread.
fn processor_time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return Duration::ZERO;
    }
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Whether the statement's thread would run if it got a processor.
fn is_runnable() -> bool {
    let id = WATCHED.thread_id.load(Ordering::Relaxed);
    let Ok(line) = std::fs::read_to_string(format!("/proc/self/task/{id}/stat")) else { return false };
    // The name before the state is in parentheses and may hold anything.
    let state = line.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state == Some('R')
}
