//! Caps on what a worker may use: resource limits, capabilities, and its place in the queue for the OOM killer.

use std::io;

use crate::SandboxError;

/// Caps on a worker. Heap, metaspace and direct memory are capped by the JVM's own flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads alive at once, the JVM's own and the supervisor included; a further one is refused as if
    /// the system had run out of them.
    pub threads: u64,
    /// Bytes in one file.
    pub file_size: u64,
    /// Open descriptors.
    pub descriptors: u64,
    /// Bytes of memory that belong to the process alone and that it may write: heap, stacks, what `malloc` and
    /// `Unsafe` hand out. Address space that is only reserved does not count. `None` leaves it open.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { threads: 512, file_size: 64 << 20, descriptors: 1024, memory: None }
    }
}

impl Limits {
    /// Sets the limits for this process, never above what it already has.
    pub(crate) fn apply(&self) -> Result<(), SandboxError> {
        lower(libc::RLIMIT_CORE, 0)?;
        lower(libc::RLIMIT_FSIZE, self.file_size)?;
        lower(libc::RLIMIT_NOFILE, self.descriptors)?;
        self.memory.map_or(Ok(()), |bytes| lower(libc::RLIMIT_DATA, bytes))
    }
}

fn lower(resource: libc::__rlimit_resource_t, wanted: u64) -> Result<(), SandboxError> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a local that the kernel fills.
    if unsafe { libc::getrlimit(resource, &raw mut limit) } != 0 {
        return Err(SandboxError::last("read a resource limit"));
    }
    let cap = wanted.min(limit.rlim_max);
    let limit = libc::rlimit { rlim_cur: cap, rlim_max: cap };
    // SAFETY: the pointer is to a local that the kernel reads.
    if unsafe { libc::setrlimit(resource, &raw const limit) } != 0 {
        return Err(SandboxError::last("set a resource limit"));
    }
    Ok(())
}

/// Keeps this process from holding more and more memory in a long run. By default each thread has a heap of its own, and
/// what one gave back the others cannot have; and what lies free between things in use stays with the process. To be
/// called before threads are started; other C libraries than GNU's do as they like.
pub fn keep_memory_low() {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: it sets a number inside the allocator, under the allocator's own lock.
        let is_set = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        debug_assert_eq!(is_set, 1, "the allocator knows the setting");
        let give_back = || loop {
            std::thread::sleep(std::time::Duration::from_secs(5));
            // SAFETY: it touches free memory only, under the allocator's own lock.
            unsafe { libc::malloc_trim(0) };
        };
        // A run without this thread holds more memory, and is no worse otherwise.
        drop(std::thread::Builder::new().name("jurat-memory".to_owned()).spawn(give_back));
    }
}

/// Asks the kernel to end this process before any other when memory runs out. It is a kindness to the
/// rest of the machine, so failing to ask is no error.
pub(crate) fn offer_to_oom_killer() {
    let asked: io::Result<()> = std::fs::write("/proc/self/oom_score_adj", "1000");
    drop(asked);
}

/// Gives up every capability except reading and writing where file modes would forbid it, which a run as
/// root needs to read its own inputs; Landlock still confines the writes.
pub(crate) fn drop_capabilities() -> Result<(), SandboxError> {
    const VERSION_3: u32 = 0x2008_0522;
    const DAC_OVERRIDE: u32 = 1 << 1;
    const DAC_READ_SEARCH: u32 = 1 << 2;
    let header = [VERSION_3, 0];
    let mut sets = [[0_u32; 3]; 2];
    // SAFETY: version 3 reads the two words of `header` and fills two triples.
    if unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) } != 0 {
        return Err(SandboxError::last("read its capabilities"));
    }
    let [low, high] = &mut sets;
    *low = low.map(|set| set & (DAC_OVERRIDE | DAC_READ_SEARCH));
    *high = [0; 3];
    // SAFETY: version 3 reads the two words of `header` and two triples.
    if unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) } != 0 {
        return Err(SandboxError::last("give up capabilities"));
    }
    Ok(())
}
