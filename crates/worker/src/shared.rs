//! The memory shared with the engine, mapped for the life of the process.

use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use jurat_protocol::{fd, shared as layout};

use crate::WorkerError;

static BASE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Maps the memory and closes its descriptor.
pub(crate) fn map() -> Result<(), WorkerError> {
    // SAFETY: plain system calls on a descriptor we own; the mapping is never removed.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        if libc::fstat(fd::SHARED, &raw mut status) != 0 {
            return Err(WorkerError::new("the shared memory is missing"));
        }
        let length = usize::try_from(status.st_size).unwrap_or(0);
        if length < layout::size(0) {
            return Err(WorkerError::new("the shared memory is too small"));
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, fd::SHARED, 0);
        if base == libc::MAP_FAILED {
            return Err(WorkerError::new("the shared memory cannot be mapped"));
        }
        libc::close(fd::SHARED);
        BASE.store(base.cast(), Ordering::Release);
        LENGTH.store(length, Ordering::Release);
    }
    Ok(())
}

/// Where the memory begins.
pub(crate) fn base() -> *mut u8 {
    BASE.load(Ordering::Acquire)
}

/// How long it is.
pub(crate) fn length() -> usize {
    LENGTH.load(Ordering::Acquire)
}

/// A header cell.
pub(crate) fn cell(offset: usize) -> &'static AtomicU64 {
    assert!(offset.is_multiple_of(8) && offset < layout::DRAFT, "cells are in the header");
    // SAFETY: the header is mapped for the life of the process (or the assertion in `map` failed and nobody gets
    // here), and cells are only ever accessed atomically.
    unsafe { &*base().add(offset).cast::<AtomicU64>() }
}

/// What is left of the fuel.
pub(crate) fn fuel() -> &'static AtomicI64 {
    // SAFETY: as in `cell`; the fuel cell is a signed one.
    unsafe { &*base().add(layout::FUEL).cast::<AtomicI64>() }
}

/// The draft of the running sequence's endings.
pub(crate) struct Draft {
    written: usize,
    count: u64,
}

impl Draft {
    /// Starts over.
    pub(crate) fn begin() -> Self {
        cell(layout::DRAFT_COUNT).store(0, Ordering::Relaxed);
        cell(layout::DRAFT_BYTES).store(0, Ordering::Relaxed);
        Self { written: 0, count: 0 }
    }

    /// Adds one encoded ending; one that does not fit, and all after it, are left out.
    pub(crate) fn push(&mut self, encoded: &[u8]) {
        if self.written + encoded.len() > layout::DRAFT_CAPACITY {
            self.written = layout::DRAFT_CAPACITY + 1;
            return;
        }
        // SAFETY: the draft area is mapped, the copy stays inside it, and only this thread writes it.
        unsafe {
            let target = base().add(layout::DRAFT + self.written);
            std::ptr::copy_nonoverlapping(encoded.as_ptr(), target, encoded.len());
        }
        self.written += encoded.len();
        self.count += 1;
        cell(layout::DRAFT_BYTES).store(self.written as u64, Ordering::Relaxed);
        cell(layout::DRAFT_COUNT).store(self.count, Ordering::Release);
    }
}
