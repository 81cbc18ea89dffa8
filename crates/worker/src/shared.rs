//! The memory shared with the engine, mapped for the life of the process.

use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use jurat_protocol::frame::Sink;
use jurat_protocol::{fd, shared as layout};
use jurat_sandbox::Attempts;

use crate::WorkerError;

static LENGTH: AtomicUsize = AtomicUsize::new(0);
static BASE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// Maps the memory and closes its descriptor.
pub(crate) fn map() -> Result<(), WorkerError> {
    let (base, length) = map_whole(fd::SHARED, libc::PROT_READ | libc::PROT_WRITE)
        .ok_or_else(|| WorkerError::new("the shared memory cannot be mapped"))?;
    if length < layout::CoverageLayout::new(0, false).size() {
        return Err(WorkerError::new("the shared memory is too small"));
    }
    BASE.store(base, Ordering::Release);
    LENGTH.store(length, Ordering::Release);
    Ok(())
}

/// Maps a file for the life of the process, and closes its descriptor.
pub(crate) fn map_whole(descriptor: i32, access: i32) -> Option<(*mut u8, usize)> {
    // SAFETY: plain system calls on a descriptor we own; the mapping is never removed.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        if libc::fstat(descriptor, &raw mut status) != 0 {
            return None;
        }
        let length = usize::try_from(status.st_size).ok()?;
        let base = libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, descriptor, 0);
        libc::close(descriptor);
        (base != libc::MAP_FAILED).then_some((base.cast(), length))
    }
}

/// How long it is.
pub(crate) fn length() -> usize {
    LENGTH.load(Ordering::Acquire)
}

/// What is left of the fuel.
#[expect(clippy::cast_ptr_alignment, reason = "the mapping begins at a page, and the offset is eight")]
pub(crate) fn fuel() -> &'static AtomicI64 {
    // SAFETY: as in `cell`; the fuel cell is a signed one.
    unsafe { &*base().add(layout::FUEL).cast::<AtomicI64>() }
}

/// Where the memory begins.
pub(crate) fn base() -> *mut u8 {
    BASE.load(Ordering::Acquire)
}

/// A header cell.
#[expect(clippy::cast_ptr_alignment, reason = "the mapping begins at a page, and the offset is checked")]
pub(crate) fn cell(offset: usize) -> &'static AtomicU64 {
    assert!(offset.is_multiple_of(8) && offset < layout::DRAFT, "cells are in the header");
    // SAFETY: the header is mapped for the life of the process (or the assertion in `map` failed and nobody gets
    // here), and cells are only ever accessed atomically.
    unsafe { &*base().add(offset).cast::<AtomicU64>() }
}

/// The sandbox's counters.
pub(crate) fn attempts() -> &'static Attempts {
    const { assert!(size_of::<Attempts>() <= layout::ATTEMPTS_BYTES, "the counters have their room") };
    // SAFETY: the area is zeroed when it is mapped, aligned, mapped for the life of the process, and both sides
    // access it atomically only.
    unsafe { Attempts::at(base().add(layout::ATTEMPTS).cast()) }
}

/// The endings of the running sequence, encoded one after the other in the shared memory, where the engine finds them
/// if we die. What does not fit there is known to us alone.
pub(crate) struct Draft {
    start: *mut u8,
    written: usize,
    spilled: Vec<u8>,
}

impl Draft {
    pub(crate) fn new() -> Self {
        // SAFETY: the draft's area is inside the mapping.
        Self { start: unsafe { base().add(layout::DRAFT) }, written: 0, spilled: Vec::new() }
    }

    /// A sequence begins.
    pub(crate) fn clear(&mut self) {
        cell(layout::DRAFT_COUNT).store(0, Ordering::Relaxed);
        cell(layout::DRAFT_BYTES).store(0, Ordering::Relaxed);
        self.written = 0;
        self.spilled.clear();
    }

    /// So many endings are complete.
    #[inline]
    pub(crate) fn complete(&self, count: usize) {
        if self.written <= layout::DRAFT_CAPACITY {
            cell(layout::DRAFT_BYTES).store(self.written as u64, Ordering::Release);
            cell(layout::DRAFT_COUNT).store(count as u64, Ordering::Release);
        }
    }

    /// Appends all of it.
    pub(crate) fn append_to(&self, buffer: &mut Vec<u8>) {
        let shared = self.written.min(layout::DRAFT_CAPACITY);
        // SAFETY: so many bytes of the draft's area were written, by this thread.
        buffer.extend_from_slice(unsafe { std::slice::from_raw_parts(self.start, shared) });
        buffer.extend_from_slice(&self.spilled);
    }
}

impl Sink for Draft {
    #[inline]
    fn push(&mut self, byte: u8) {
        if self.written < layout::DRAFT_CAPACITY {
            // SAFETY: inside the draft's area, which only the thread that runs the chunk writes.
            unsafe { self.start.add(self.written).write(byte) };
        } else {
            self.spilled.push(byte);
        }
        self.written += 1;
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        let (shared, spilled) =
            bytes.split_at(bytes.len().min(layout::DRAFT_CAPACITY.saturating_sub(self.written)));
        // SAFETY: as in `push`; what would not fit was cut off.
        unsafe {
            let target = self.start.add(self.written.min(layout::DRAFT_CAPACITY));
            std::ptr::copy_nonoverlapping(shared.as_ptr(), target, shared.len());
        }
        self.spilled.extend_from_slice(spilled);
        self.written += bytes.len();
    }
}

/// A run of encoded values in the shared memory, for a reader who comes after our death.
pub(crate) struct Record {
    area: usize,
    capacity: usize,
    length: usize,
    written: usize,
}

impl Record {
    /// The class names of the running chunk, from the start.
    pub(crate) fn names() -> Self {
        Self::begin(layout::NAMES, layout::NAMES_CAPACITY, layout::NAMES_BYTES)
    }

    fn begin(area: usize, capacity: usize, length: usize) -> Self {
        cell(length).store(0, Ordering::Relaxed);
        Self { area, capacity, length, written: 0 }
    }

    /// Adds one encoded value; one that does not fit, and all after it, are left out.
    pub(crate) fn push(&mut self, encoded: &[u8]) -> bool {
        if self.written + encoded.len() > self.capacity {
            self.written = self.capacity + 1;
            return false;
        }
        // SAFETY: the area is mapped, the copy stays inside it, and only the thread that runs the chunk writes it.
        unsafe {
            let target = base().add(self.area + self.written);
            std::ptr::copy_nonoverlapping(encoded.as_ptr(), target, encoded.len());
        }
        self.written += encoded.len();
        cell(self.length).store(self.written as u64, Ordering::Release);
        true
    }
}
