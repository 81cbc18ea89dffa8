//! What statements use up: threads that come and go, and memory that runs out.

#![expect(clippy::disallowed_methods, reason = "a deadline for threads that may never end")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Whether the JVM ran out of memory or threads, even if nobody outside the subject's code heard of it.
pub(crate) static EXHAUSTED: AtomicBool = AtomicBool::new(false);

static STARTED: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);

/// A Java thread began; called on that thread.
pub(crate) fn began() {
    STARTED.fetch_add(1, Ordering::AcqRel);
}

/// A Java thread ends; called on that thread.
pub(crate) fn ended() {
    ENDED.fetch_add(1, Ordering::AcqRel);
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
