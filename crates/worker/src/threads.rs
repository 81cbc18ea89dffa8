//! What statements use up: threads that come and go, and memory that runs out.

#![expect(clippy::disallowed_methods, reason = "a deadline for threads that may never end")]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::{JNIEnv, jobject};

use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Native};
use crate::jvm::Library;

/// Whether the JVM ran out of memory or threads, even if nobody outside the subject's code heard of it.
pub(crate) static EXHAUSTED: AtomicBool = AtomicBool::new(false);

static STARTED: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether this is a thread of the worker's own, which Java code did not start.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// The current thread is about to become a Java thread without Java code having started it.
pub(crate) fn mark_own() {
    OWN.set(true);
}

/// Whether the current thread is one of the worker's own: in Java code, the one that runs statements.
pub(crate) fn is_own() -> bool {
    OWN.get()
}

/// A Java thread ends; called on that thread.
pub(crate) fn ended() {
    if !OWN.get() {
        ENDED.fetch_add(1, Ordering::AcqRel);
    }
}

static START: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

type StartFn = unsafe extern "system" fn(*mut JNIEnv, jobject);

/// `Thread.start0`: counts before the new thread runs, so that no thread is overlooked because it has yet to begin.
extern "system" fn start(env: *mut JNIEnv, thread: jobject) {
    STARTED.fetch_add(1, Ordering::AcqRel);
    // SAFETY: `count_starts` stored the JVM's own function of this signature before it installed this one.
    unsafe { std::mem::transmute::<*mut c_void, StartFn>(START.load(Ordering::Relaxed))(env, thread) };
    if Env::from_raw(env).threw() {
        ENDED.fetch_add(1, Ordering::AcqRel);
    }
}

/// Counts the threads that Java code starts from now on.
pub(crate) fn count_starts(env: Env, jdk: &Jdk, library: Library) -> Result<(), WorkerError> {
    let original = library.symbol(c"JVM_StartThread");
    let original = original.ok_or_else(|| WorkerError::new("the JVM has no JVM_StartThread"))?;
    START.store(original, Ordering::Relaxed);
    let native = Native { name: c"start0", descriptor: c"()V", function: start as *mut c_void };
    let bound = env.register_natives(jdk.thread_class(), &[native]);
    jdk.checked(env, "Thread.start0", bound)?;
    if bound { Ok(()) } else { Err(WorkerError::new("threads cannot be counted")) }
}

/// The threads there are at some moment.
#[derive(Clone, Copy)]
pub(crate) struct Census {
    started: u64,
    ended: u64,
}

impl Census {
    pub(crate) fn now() -> Self {
        Self { started: STARTED.load(Ordering::Acquire), ended: ENDED.load(Ordering::Acquire) }
    }

    /// Whether any thread began since.
    pub(crate) fn has_news(self) -> bool {
        STARTED.load(Ordering::Acquire) != self.started
    }

    /// How many more threads are alive than then.
    fn more(self) -> u64 {
        let started = STARTED.load(Ordering::Acquire) - self.started;
        started.saturating_sub(ENDED.load(Ordering::Acquire) - self.ended)
    }

    /// Waits for the threads that began since to end, and says whether any did not.
    pub(crate) fn any_left_after(self, patience: Duration) -> bool {
        let begun = Instant::now();
        loop {
            let more = self.more();
            if more == 0 || begun.elapsed() > patience {
                return more > 0;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}
