//! The subject's clock: it starts at the same time in every sequence and stands still, except that waiting advances it
//! by what was asked for, when the wait ran out, and that many readings do, so that loops that wait for time to pass
//! come to an end. A few readings must not show: the JDK makes some when a class of its own is first used, which
//! depends on what ran before.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jlong, jobject};

use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Native, Ref};
use crate::jvm::Library;

/// How many readings move the clock, and how far.
const READINGS_PER_STEP: i64 = 1024;
const STEP_NANOS: i64 = 10_000_000;

/// What `System.nanoTime` starts at: a number nobody would take for a date.
const NANO_ORIGIN: i64 = 1_000_000_000_000;

static START_MILLIS: AtomicI64 = AtomicI64::new(0);
static SEQUENCE: AtomicU64 = AtomicU64::new(0);
static WAITED_NANOS: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// The sequence this thread last read the clock in, and how often it did so. Each thread has its own count, so
    /// that threads of the JDK do not disturb the subject's.
    static READINGS: Cell<(u64, i64)> = const { Cell::new((0, 0)) };
}

/// Sets the clock back: a sequence starts.
pub(crate) fn reset() {
    SEQUENCE.fetch_add(1, Ordering::Relaxed);
    WAITED_NANOS.store(0, Ordering::Relaxed);
}

/// Nanoseconds since the sequence started, as this thread sees it.
fn elapsed_nanos() -> i64 {
    let sequence = SEQUENCE.load(Ordering::Relaxed);
    let read = READINGS.get();
    let count = if read.0 == sequence { read.1 + 1 } else { 1 };
    READINGS.set((sequence, count));
    (count / READINGS_PER_STEP).wrapping_mul(STEP_NANOS).wrapping_add(WAITED_NANOS.load(Ordering::Relaxed))
}

/// A reading of the real clock, to measure waits with.
pub(crate) fn real_nanos() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec)
}

/// How long it is until the subject's clock shows this time.
pub(crate) fn nanos_until(deadline_millis: i64) -> i64 {
    let now = START_MILLIS.load(Ordering::Relaxed).wrapping_add(elapsed_nanos() / 1_000_000);
    deadline_millis.saturating_sub(now).saturating_mul(1_000_000)
}

/// Moves the subject's clock if a wait of `nanos` that began at `begun` ran out.
pub(crate) fn waited_since(begun: i64, nanos: i64) {
    if real_nanos().wrapping_sub(begun) >= nanos {
        WAITED_NANOS.fetch_add(nanos, Ordering::Relaxed);
    }
}

extern "system" fn current_time_millis(_env: *mut JNIEnv, _class: jclass) -> jlong {
    START_MILLIS.load(Ordering::Relaxed).wrapping_add(elapsed_nanos() / 1_000_000)
}

extern "system" fn nano_time(_env: *mut JNIEnv, _class: jclass) -> jlong {
    NANO_ORIGIN.wrapping_add(elapsed_nanos())
}

/// Nanoseconds since `offset` seconds after 1970: what `Instant.now` is made of. -1 when that is too far away.
extern "system" fn nano_time_adjustment(_env: *mut JNIEnv, _class: jclass, offset: jlong) -> jlong {
    let elapsed = i128::from(elapsed_nanos());
    let now = i128::from(START_MILLIS.load(Ordering::Relaxed)) * 1_000_000 + elapsed;
    let since = now - i128::from(offset) * 1_000_000_000;
    i64::try_from(since).unwrap_or(-1)
}

type SleepFn = unsafe extern "system" fn(*mut JNIEnv, jclass, jlong);
type WaitFn = unsafe extern "system" fn(*mut JNIEnv, jobject, jlong);

static SLEEP: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static WAIT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// `Thread.sleep` in JDK 17: milliseconds.
extern "system" fn sleep_millis(env: *mut JNIEnv, class: jclass, millis: jlong) {
    sleep(env, class, millis, millis.saturating_mul(1_000_000));
}

/// `Thread.sleepNanos0` in newer ones.
extern "system" fn sleep_nanos(env: *mut JNIEnv, class: jclass, nanos: jlong) {
    sleep(env, class, nanos, nanos);
}

fn sleep(env: *mut JNIEnv, class: jclass, argument: jlong, nanos: i64) {
    let begun = real_nanos();
    // SAFETY: `pin_waits` stored the JVM's own function of this signature before it installed this one.
    unsafe {
        std::mem::transmute::<*mut c_void, SleepFn>(SLEEP.load(Ordering::Relaxed))(env, class, argument);
    }
    waited_since(begun, nanos);
}

/// `Object.wait` with a time limit in milliseconds; zero is none.
extern "system" fn wait(env: *mut JNIEnv, object: jobject, millis: jlong) {
    let begun = real_nanos();
    // SAFETY: as in `sleep`.
    unsafe {
        std::mem::transmute::<*mut c_void, WaitFn>(WAIT.load(Ordering::Relaxed))(env, object, millis);
    }
    if millis > 0 {
        waited_since(begun, millis.saturating_mul(1_000_000));
    }
}

/// Puts our clock in place of the JVM's.
pub(crate) fn pin(env: Env, jdk: &Jdk, library: &Library, start_millis: i64) -> Result<(), WorkerError> {
    START_MILLIS.store(start_millis, Ordering::Relaxed);
    let system = [
        native(c"currentTimeMillis", c"()J", current_time_millis as *mut c_void),
        native(c"nanoTime", c"()J", nano_time as *mut c_void),
    ];
    bind(env, jdk, c"java/lang/System", &system)?;
    let vm = [native(c"getNanoTimeAdjustment", c"(J)J", nano_time_adjustment as *mut c_void)];
    bind(env, jdk, c"jdk/internal/misc/VM", &vm)?;
    pin_waits(env, jdk, library)
}

/// Makes waiting move the clock, where the JVM's own functions for it are known; they were renamed twice.
fn pin_waits(env: Env, jdk: &Jdk, library: &Library) -> Result<(), WorkerError> {
    let has_static = |class, name| {
        let found = env.find_class(class).and_then(|class| env.static_method(class, name, c"(J)V"));
        env.clear_exception();
        found.is_some()
    };
    let sleeps = [
        (c"sleepNanos0", c"JVM_SleepNanos", sleep_nanos as *mut c_void),
        (c"sleep", c"JVM_Sleep", sleep_millis as *mut c_void),
    ];
    for (name, symbol, ours) in sleeps {
        // In between, `JVM_Sleep` went with other methods and other units.
        if let Some(original) = library.symbol(symbol)
            && has_static(c"java/lang/Thread", name)
            && !has_static(c"java/lang/Thread", c"sleep0")
        {
            SLEEP.store(original, Ordering::Relaxed);
            bind(env, jdk, c"java/lang/Thread", &[native(name, c"(J)V", ours)])?;
            break;
        }
    }
    let Some(original) = library.symbol(c"JVM_MonitorWait") else { return Ok(()) };
    WAIT.store(original, Ordering::Relaxed);
    let object = env.find_class(c"java/lang/Object").unwrap_or(Ref::NULL);
    let renamed = env.method(object, c"wait0", c"(J)V").is_some();
    env.clear_exception();
    let name = if renamed { c"wait0" } else { c"wait" };
    bind(env, jdk, c"java/lang/Object", &[native(name, c"(J)V", wait as *mut c_void)])
}

fn native(name: &'static CStr, descriptor: &'static CStr, function: *mut c_void) -> Native {
    Native { name, descriptor, function }
}

fn bind(env: Env, jdk: &Jdk, class: &CStr, natives: &[Native]) -> Result<(), WorkerError> {
    let found = env.find_class(class);
    let found = jdk.checked(env, "the clock", found)?;
    let bound = found.is_some_and(|class| env.register_natives(class, natives));
    jdk.checked(env, "the clock", bound)?;
    if bound { Ok(()) } else { Err(WorkerError::new(format!("cannot pin the clock in {class:?}"))) }
}
