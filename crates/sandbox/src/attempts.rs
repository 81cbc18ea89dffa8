//! Counters of what the subject tried, laid out for memory shared with the engine.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum Kind {
    /// A file was changed, created or removed, or would have been had it existed, and Landlock had no objection.
    WriteInside,
    /// Changing, creating or removing a file outside scratch was refused.
    WriteOutside,
    /// A socket was asked for, or a socket operation that reaches out.
    Connect,
    /// Another process or program was to be started.
    Spawn,
    /// A signal was meant for another process.
    Signal,
    /// The process was to end; also counted when the worker leaves by itself.
    Exit,
    /// Permissions, owner, times or extended attributes were to be changed, inside scratch or outside.
    Metadata,
    /// A file, or word of it, was had that is neither the run's nor the system's.
    ReadOutside,
    /// A variable of the environment was read; the worker counts these.
    Environment,
    /// A thread was refused because the cap was reached.
    Threads,
    /// Any other call that is not on the list of the harmless.
    Other,
}

impl Kind {
    /// Every kind, in the order of its slot.
    pub const ALL: [Self; 11] = [
        Self::WriteInside,
        Self::WriteOutside,
        Self::Connect,
        Self::Spawn,
        Self::Signal,
        Self::Exit,
        Self::Metadata,
        Self::ReadOutside,
        Self::Environment,
        Self::Threads,
        Self::Other,
    ];
}

/// How often each kind was tried, by slot of [`Kind::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u32; Kind::ALL.len()]);

impl Counts {
    /// How often this kind was tried.
    pub fn of(&self, kind: Kind) -> u32 {
        self.0[kind as usize]
    }

    /// The kinds tried more often than in `before`, with the difference.
    pub fn since(&self, before: &Self) -> impl Iterator<Item = (Kind, u32)> + use<> {
        let (now, before) = (*self, *before);
        Kind::ALL.into_iter().filter_map(move |kind| {
            let tried = now.of(kind).wrapping_sub(before.of(kind));
            (tried > 0).then_some((kind, tried))
        })
    }
}

/// The counters: plain atomics, valid when all bytes are zero, so that they can live in shared memory.
///
/// An attempt is counted before the call that made it returns, so a thread that reads the counters
/// after a call sees what the call tried.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Attempts {
    slots: [Slot; Kind::ALL.len()],
}

#[derive(Debug, Default)]
#[repr(C)]
struct Slot {
    count: AtomicU32,
    last_syscall: AtomicI32,
}

impl Attempts {
    /// Counters at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// The counters at an address, usually inside a shared mapping.
    ///
    /// # Safety
    /// `address` is aligned to 4, points to `size_of::<Attempts>()` bytes that were zeroed or written as
    /// `Attempts`, and the memory stays mapped for `'a` and is only accessed atomically.
    pub unsafe fn at<'a>(address: *mut c_void) -> &'a Self {
        // SAFETY: the caller's promise; every field is an atomic for which any bytes are valid.
        unsafe { &*address.cast::<Self>() }
    }

    /// Counts one attempt, made by this system call number (or -1 when there was none).
    pub fn record(&self, kind: Kind, syscall: i32) {
        let slot = &self.slots[kind as usize];
        slot.last_syscall.store(syscall, Ordering::Relaxed);
        slot.count.fetch_add(1, Ordering::Release);
    }

    /// The counts now.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (count, slot) in counts.0.iter_mut().zip(&self.slots) {
            *count = slot.count.load(Ordering::Acquire);
        }
        counts
    }

    /// The kinds tried since the counters were last cleared. How often a kind was tried can depend on what
    /// the JVM has yet to load, so it is no part of an outcome.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        self.counts().since(&Counts::default()).map(|(kind, _)| kind)
    }

    /// The number of the last system call counted under this kind.
    pub fn last_syscall(&self, kind: Kind) -> Option<i32> {
        let slot = &self.slots[kind as usize];
        (slot.count.load(Ordering::Acquire) > 0).then(|| slot.last_syscall.load(Ordering::Relaxed))
    }

    /// Sets every counter to zero, for instance once the JVM has started.
    pub fn clear(&self) {
        for slot in &self.slots {
            slot.count.store(0, Ordering::Release);
        }
    }
}
