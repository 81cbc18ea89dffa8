//! Randomness for the subject: seeds that the JDK draws from the clock and the kernel are set back to the same
//! values before every sequence.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Raw, Ref};

/// What all seeds are derived from.
static SEED: AtomicU64 = AtomicU64::new(0);

/// The state of what stands in for the kernel's random numbers.
static STREAM: AtomicU64 = AtomicU64::new(0);

/// The next byte of `SecureRandom`.
pub(crate) fn next_byte() -> u8 {
    let state = STREAM.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    mix(state).to_le_bytes()[0]
}

/// The finalizer of splitmix64.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Seeds inside the JDK.
pub(crate) struct Seeds {
    /// `AtomicLong`s whose value is a seed.
    atomics: Vec<Ref>,
    atomic_value: Option<Id>,
    /// Fields of the thread that runs statements.
    thread_fields: Vec<(Kind, Id)>,
}

/// Static fields that hold an `AtomicLong`.
const ATOMICS: [(&CStr, &CStr); 3] = [
    (c"java/util/Random", c"seedUniquifier"),
    (c"java/util/concurrent/ThreadLocalRandom", c"seeder"),
    (c"java/util/SplittableRandom", c"defaultGen"),
];

/// Fields of `Thread` that are zero in a new one: where `ThreadLocalRandom` keeps its state, and the interrupt.
const THREAD_FIELDS: [(&CStr, &CStr, Kind); 4] = [
    (c"interrupted", c"Z", Kind::Boolean),
    (c"threadLocalRandomSeed", c"J", Kind::Long),
    (c"threadLocalRandomProbe", c"I", Kind::Int),
    (c"threadLocalRandomSecondarySeed", c"I", Kind::Int),
];

impl Seeds {
    /// Finds the seeds of this JDK; what a JDK does not have needs no pinning.
    pub(crate) fn find(env: Env, jdk: &Jdk, seed: u64) -> Self {
        SEED.store(seed, Ordering::Relaxed);
        let mut atomics = Vec::new();
        for (class, field) in ATOMICS {
            atomics.extend(static_object(env, class, field, c"Ljava/util/concurrent/atomic/AtomicLong;"));
        }
        atomics.extend(math_random(env));
        let atomic = env.find_class(c"java/util/concurrent/atomic/AtomicLong");
        let atomic_value = atomic.and_then(|class| env.field(class, c"value", c"J"));
        let mut thread_fields = Vec::new();
        for (name, descriptor, kind) in THREAD_FIELDS {
            let found = env.field(jdk.thread_class(), name, descriptor);
            thread_fields.extend(found.map(|field| (kind, field)));
            env.clear_exception();
        }
        Self { atomics, atomic_value, thread_fields }
    }

    /// Sets all seeds back: a sequence starts on this thread.
    pub(crate) fn reset(&self, env: Env, thread: Ref) {
        let seed = SEED.load(Ordering::Relaxed);
        STREAM.store(mix(seed), Ordering::Relaxed);
        if let Some(value) = self.atomic_value {
            for (index, atomic) in self.atomics.iter().enumerate() {
                // `Random` keeps 48 bits of its seed and does not mind the others.
                let start = mix(seed.wrapping_add(index as u64 + 1)) & 0xffff_ffff_ffff;
                restore(env, Kind::Long, *atomic, value, start);
            }
        }
        for (kind, field) in &self.thread_fields {
            restore(env, *kind, thread, *field, 0);
        }
    }
}

/// Sets a field back. Most sequences leave it alone, and reading it is six times cheaper than writing it.
fn restore(env: Env, kind: Kind, object: Ref, field: Id, value: u64) {
    if env.get(kind, object, field).bits() != value {
        env.set(kind, object, field, Raw::from_bits(value));
    }
}

fn static_object(env: Env, class: &CStr, field: &CStr, descriptor: &CStr) -> Option<Ref> {
    let found = env.find_class(class).and_then(|class| {
        let field = env.static_field(class, field, descriptor)?;
        env.get_static(Kind::Object, class, field).as_ref().some()
    });
    env.clear_exception();
    found.map(|object| env.new_global(object))
}

/// The seed of the generator behind `Math.random`.
fn math_random(env: Env) -> Option<Ref> {
    let holder = c"java/lang/Math$RandomNumberGeneratorHolder";
    let generator = static_object(env, holder, c"randomNumberGenerator", c"Ljava/util/Random;")?;
    let class = env.class_of(generator);
    let seed = env.field(class, c"seed", c"Ljava/util/concurrent/atomic/AtomicLong;");
    env.clear_exception();
    let seed = env.get(Kind::Object, generator, seed?).as_ref().some()?;
    Some(env.new_global(seed))
}
