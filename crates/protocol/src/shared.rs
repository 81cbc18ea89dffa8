//! The memory that engine and worker share: what is known about a worker at any moment, also after its death.
//!
//! ```text
//! 0     header: cells of eight bytes, see the constants
//! 4096  draft: the endings of the running sequence, encoded one after the other
//! …     names: the classes that the chunk's endings mention, encoded one after the other
//! …     coverage: counters, the list of hits, distances; see [`CoverageLayout`]
//! ```
//! All cells are written by the worker (its code, the probes, its signal handlers) and read by the pool. A subject
//! that scribbles over memory can change them, so the reader believes nothing it cannot check.

/// Which statement runs: chunk (32 bits), sequence (16 bits), statement (16 bits); see [`pack`].
pub const NOW: usize = 0;
/// What is left of the running sequence's fuel, signed.
pub const FUEL: usize = 8;
/// How many endings of the running sequence the draft holds.
pub const DRAFT_COUNT: usize = 16;
/// How many bytes of the draft are written.
pub const DRAFT_BYTES: usize = 24;
/// Set by the worker's watchdog before it ends the process because a statement could not be stopped.
pub const STALLED: usize = 32;
/// Signal number of a crash, written by the worker's signal handler.
pub const CRASH_SIGNAL: usize = 40;
/// `si_code` of that signal: positive when the kernel raised it, not another process.
pub const CRASH_CODE: usize = 48;
/// The process that sent that signal, when one did.
pub const CRASH_SENDER: usize = 56;
/// Status the process is about to exit with, plus 2^32, when the JVM itself decided to exit.
pub const EXIT_STATUS: usize = 64;
/// Statements started since the worker began: the pool's sign of life.
pub const PROGRESS: usize = 72;
/// How many bytes of class names are written.
pub const NAMES_BYTES: usize = 80;
/// The operation that a roaming session calls, plus one.
pub const OPERATION: usize = 88;
/// Attempts seen by the sandbox, one counter per kind.
pub const ATTEMPTS: usize = 1024;
/// Bytes kept for the attempt counters.
pub const ATTEMPTS_BYTES: usize = 1024;

/// Where the draft begins.
pub const DRAFT: usize = 4096;
/// How long the draft can be; endings that do not fit are lost if the worker dies.
pub const DRAFT_CAPACITY: usize = 256 * 1024;
/// Where the class names begin.
pub const NAMES: usize = DRAFT + DRAFT_CAPACITY;
/// How long the class names can be; those that do not fit are not known if the worker dies.
pub const NAMES_CAPACITY: usize = 128 * 1024;
/// Where the coverage begins.
pub const COVERAGE: usize = NAMES + NAMES_CAPACITY;

/// The exit status of a worker whose watchdog gave up on a statement.
pub const EXIT_STALLED: i32 = 77;
/// The exit status of a worker that crashed in native code.
pub const EXIT_CRASHED: i32 = 78;

/// Where the parts of the coverage are, for some number of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageLayout {
    /// Counters; see the probes' own documentation.
    pub header: usize,
    /// The probes hit by the statements' thread, four bytes each, in order.
    pub list: usize,
    /// Distances, sixteen bytes for each probe; empty if there are none.
    pub distances: usize,
    /// The probes that have a distance, four bytes each.
    pub distance_list: usize,
    /// Where it all ends.
    pub end: usize,
}

impl CoverageLayout {
    /// The layout for some number of probes.
    pub fn new(probes: u32, with_distances: bool) -> Self {
        let probes = probes as usize;
        let list = COVERAGE + 64;
        let distances = (list + 4 * probes).next_multiple_of(64);
        let distance_list = if with_distances { distances + 16 * probes } else { distances };
        let end = if with_distances { distance_list + 4 * probes } else { distance_list };
        Self { header: COVERAGE, list, distances, distance_list, end }
    }

    /// How large the memory must be.
    pub fn size(self) -> usize {
        self.end.next_multiple_of(4096)
    }
}

/// The statement that runs, as one number.
pub fn pack(chunk: u32, sequence: usize, statement: usize) -> u64 {
    u64::from(chunk) << 32 | (sequence as u64 & 0xffff) << 16 | (statement as u64 & 0xffff)
}

/// The other way: chunk, sequence, statement.
pub fn unpack(now: u64) -> (u32, usize, usize) {
    let part = |shift: u32| usize::try_from(now >> shift & 0xffff).expect("sixteen bits");
    (u32::try_from(now >> 32).expect("32 bits"), part(16), part(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_undone_by_unpacking() {
        assert_eq!(unpack(pack(0xdead_beef, 12, 65_535)), (0xdead_beef, 12, 65_535));
    }
}
