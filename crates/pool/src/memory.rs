//! The memory shared with one worker, as the engine sees it.

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use jurat_protocol::shared::CoverageLayout;
use jurat_protocol::{Attempt, Ending, frame, shared as layout};
use jurat_sandbox::{Attempts, Kind};
use memmap2::MmapRaw;

/// One worker's memory. It outlives the worker, so that its death can be explained.
pub(crate) struct Memory {
    map: MmapRaw,
    file: File,
    coverage: CoverageLayout,
}

/// A file that lives in memory only, and is not inherited.
pub(crate) fn anonymous_file() -> io::Result<File> {
    // SAFETY: a system call with a literal name; the descriptor it returns is ours alone.
    unsafe {
        let descriptor = libc::memfd_create(c"jurat".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(descriptor))
    }
}

impl Memory {
    /// Memory for the coverage of so many probes, all zero.
    pub(crate) fn new(coverage: CoverageLayout) -> io::Result<Self> {
        let file = anonymous_file()?;
        file.set_len(coverage.size() as u64)?;
        Ok(Self { map: MmapRaw::map_raw(&file)?, file, coverage })
    }

    /// The descriptor that the worker inherits.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// A header cell.
    #[expect(clippy::cast_ptr_alignment, reason = "the mapping begins at a page, and the offset is checked")]
    pub(crate) fn cell(&self, offset: usize) -> u64 {
        assert!(offset.is_multiple_of(8) && offset < layout::DRAFT, "cells are in the header");
        // SAFETY: the offset is inside the mapping and aligned, and both sides access cells atomically only.
        unsafe { (*self.map.as_ptr().add(offset).cast::<AtomicU64>()).load(Ordering::Acquire) }
    }

    /// Which statement the worker runs, or ran last: chunk, sequence, statement.
    pub(crate) fn now(&self) -> (u32, usize, usize) {
        layout::unpack(self.cell(layout::NOW))
    }

    /// The endings of the running sequence that were known, and the classes they mention. Only to be read when the
    /// worker is dead. What the subject scribbled over is left out.
    pub(crate) fn draft(&self) -> (Vec<Ending>, Vec<String>) {
        let count = usize::try_from(self.cell(layout::DRAFT_COUNT)).unwrap_or(0);
        let mut endings =
            frame::decode_all(&self.copy(layout::DRAFT, layout::DRAFT_CAPACITY, layout::DRAFT_BYTES));
        endings.truncate(count);
        (endings, frame::decode_all(&self.copy(layout::NAMES, layout::NAMES_CAPACITY, layout::NAMES_BYTES)))
    }

    /// What the running sequence tried. A worker that left by itself, to report what happened, is one more exit.
    pub(crate) fn attempts(&self, left_by_itself: bool) -> Vec<Attempt> {
        // SAFETY: the worker's counters are in this area of the mapping, which is zeroed at first and aligned; both
        // sides access it atomically only.
        let attempts = unsafe { Attempts::at(self.map.as_mut_ptr().add(layout::ATTEMPTS).cast()) };
        let own = left_by_itself && attempts.counts().of(Kind::Exit) == 1;
        let kinds = attempts.kinds().filter(|kind| !(own && *kind == Kind::Exit));
        kinds.map(|kind| Attempt::ALL[kind as usize]).collect()
    }

    /// The probes that the running sequence hit. Only to be read when the worker is dead.
    pub(crate) fn hits(&self) -> Vec<u32> {
        let CoverageLayout { header, list, distances, .. } = self.coverage;
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        let count = word(&self.bytes(header, 4)) as usize;
        let hits: Vec<u32> =
            self.bytes(list, (4 * count).min(distances - list)).chunks_exact(4).map(word).collect();
        let room = u32::try_from((distances - list) / 4).unwrap_or(u32::MAX);
        hits.into_iter().filter(|&id| id < room).collect()
    }

    fn copy(&self, area: usize, capacity: usize, length: usize) -> Vec<u8> {
        self.bytes(area, usize::try_from(self.cell(length)).unwrap_or(0).min(capacity))
    }

    fn bytes(&self, area: usize, length: usize) -> Vec<u8> {
        assert!(area + length <= self.map.len(), "the area is inside the mapping");
        let mut copy = vec![0_u8; length];
        // SAFETY: the area lies inside the mapping; the worker is dead, and a copy is made in any case.
        unsafe {
            let source = self.map.as_ptr().add(area);
            std::ptr::copy_nonoverlapping(source, copy.as_mut_ptr(), length);
        }
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_has_the_sandboxs_kinds_of_attempts_in_the_same_order() {
        let ours = Attempt::ALL.map(|attempt| format!("{attempt:?}"));
        assert_eq!(ours, Kind::ALL.map(|kind| format!("{kind:?}")));
    }

    #[test]
    fn a_worker_that_left_to_report_did_not_try_to_exit() {
        let memory = Memory::new(CoverageLayout::new(0, false)).expect("memory can be had");
        // SAFETY: the area is the counters', aligned, and only accessed atomically.
        let attempts = unsafe { Attempts::at(memory.map.as_mut_ptr().add(layout::ATTEMPTS).cast()) };
        attempts.record(Kind::Exit, 231);
        assert_eq!((memory.attempts(false), memory.attempts(true)), (vec![Attempt::Exit], vec![]));
        attempts.record(Kind::Exit, -1);
        assert_eq!(memory.attempts(true), [Attempt::Exit]);
    }
}
