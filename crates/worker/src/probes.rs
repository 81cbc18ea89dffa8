//! Probes at work: the runtime class defined into the JDK, subject classes instrumented as they are loaded, and
//! what each sequence hit and used up.

use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jurat_base::{FxHashMap, FxHashSet};
use jurat_classfile::ClassFile;
use jurat_instrument::runtime::{self, fields, header};
use jurat_instrument::{Branches, ProbeId, ProbePlan, instrument};
use jurat_protocol::{Coverage, ProbedBranches, Probes as Setup, shared as layout};

use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::shared::{base, cell};

/// Room before the list of hits.
const LIST: usize = layout::COVERAGE + 64;
const _: () = assert!(header::SIZE <= 64, "the header fits before the list");

/// What the class hook knows: it is called on any thread that loads a class.
static PLANNED: Mutex<Option<Planned>> = Mutex::new(None);

struct Planned {
    plan: ProbePlan,
    /// The first probe of each class, by binary name.
    first: FxHashMap<String, u32>,
    /// Instrumented classes, by name and hash of what they were made from: every epoch loads them anew.
    made: FxHashMap<(String, u64), Option<Arc<[u8]>>>,
}

/// The probe runtime, ready to count.
pub(crate) struct Probes {
    class: Ref,
    epoch_field: Id,
    subject_field: Id,
    others: Ref,
    count: usize,
    epoch: i32,
}

impl Probes {
    /// Defines the runtime class and plans the instrumentation of what will be loaded; classes of the JDK that are
    /// loaded already are changed now.
    pub(crate) fn install(env: Env, jdk: &Jdk, setup: &Setup) -> Result<Self, WorkerError> {
        let class = define_runtime(env, jdk)?;
        let call = |name: &str, descriptor: &str| {
            env.static_method(class, &c_string(name), &c_string(descriptor))
                .ok_or_else(|| WorkerError::new(format!("the probe runtime has no {name}")))
        };
        env.call_static(Kind::Void, class, call(fields::OPEN.0, fields::OPEN.1)?, &[]);
        jdk.checked(env, "opening the probe runtime", ())?;
        let field = |(name, descriptor): (&str, &str)| {
            env.static_field(class, &c_string(name), &c_string(descriptor))
                .ok_or_else(|| WorkerError::new(format!("the probe runtime has no {name}")))
        };
        let count = setup.count as usize;
        let cells = env.new_global(env.new_primitive_array(Kind::Int, count));
        let others = env.new_global(env.new_primitive_array(Kind::Int, count));
        jdk.checked(env, "memory for the probes", ())?;
        let address = |offset: usize| Raw::long(base().wrapping_add(offset) as i64);
        env.set_static(Kind::Object, class, field(fields::CELLS)?, Raw::object(cells));
        env.set_static(Kind::Object, class, field(fields::OTHERS)?, Raw::object(others));
        env.set_static(Kind::Long, class, field(fields::HEADER)?, address(layout::COVERAGE));
        env.set_static(Kind::Long, class, field(fields::LIST)?, address(LIST));
        env.set_static(Kind::Long, class, field(fields::FUEL)?, address(layout::FUEL));
        env.set_static(Kind::Long, class, field(fields::SYSTEM_TID)?, Raw::long(own_thread_id(env, jdk)?));
        let (epoch_field, subject_field) = (field(fields::EPOCH)?, field(fields::SUBJECT)?);
        *lock() = Some(Planned::new(setup));
        retransform(jdk, setup)?;
        Ok(Self { class, epoch_field, subject_field, others, count, epoch: 0 })
    }

    /// From now on this thread runs the statements.
    pub(crate) fn set_subject(&self, env: Env, thread: Ref) {
        env.set_static(Kind::Object, self.class, self.subject_field, Raw::object(thread));
    }

    /// A sequence begins.
    pub(crate) fn begin(&mut self, env: Env, fuel: u64) {
        let fuel = i64::try_from(fuel).unwrap_or(i64::MAX);
        // Zero means off, and a number must not come back while cells may still hold it.
        self.epoch = self.epoch.checked_add(1).unwrap_or(1);
        word(header::COUNT).store(0, Ordering::Relaxed);
        word(header::SPENT).store(0, Ordering::Relaxed);
        others_fuel().store(fuel, Ordering::Relaxed);
        cell(layout::FUEL).store(fuel.cast_unsigned(), Ordering::Relaxed);
        env.set_static(Kind::Int, self.class, self.epoch_field, Raw::int(self.epoch));
    }

    /// Whether the statements' thread ran out of fuel.
    pub(crate) fn is_spent() -> bool {
        word(header::SPENT).load(Ordering::Relaxed) != 0
    }

    /// Fuel that was used since the sequence began.
    pub(crate) fn used(limit: u64) -> u64 {
        let left = cell(layout::FUEL).load(Ordering::Relaxed).cast_signed();
        limit.saturating_sub(u64::try_from(left).unwrap_or(0))
    }

    /// What was hit since the sequence began.
    pub(crate) fn coverage(&self, env: Env) -> Coverage {
        let count = usize::try_from(word(header::COUNT).load(Ordering::Acquire)).unwrap_or(0).min(self.count);
        let own = (0..count).map(list_entry).collect();
        Coverage { own, others: self.others_hit(env) }
    }

    /// Hits of threads that statements started; looked for only if there are any.
    fn others_hit(&self, env: Env) -> Vec<u32> {
        if word(header::OTHERS).load(Ordering::Acquire) != self.epoch {
            return Vec::new();
        }
        let mut cells = vec![0_i32; self.count];
        let length = i32::try_from(self.count).unwrap_or(i32::MAX);
        env.region(Kind::Int, self.others, 0, length, cells.as_mut_ptr().cast());
        let hit = cells.iter().enumerate().filter(|(_, epoch)| **epoch == self.epoch);
        hit.filter_map(|(id, _)| u32::try_from(id).ok()).collect()
    }
}

impl Planned {
    fn new(setup: &Setup) -> Self {
        let branches = match setup.branches {
            ProbedBranches::None => Branches::None,
            ProbedBranches::Edges => Branches::Edges,
            ProbedBranches::Distances => Branches::Distances,
        };
        let plan = ProbePlan {
            entries: setup.entries,
            lines: setup.lines,
            branches,
            fuel: setup.fuel,
            ..ProbePlan::default()
        };
        let first = setup.classes.iter().cloned().collect();
        Self { plan, first, made: FxHashMap::default() }
    }

    fn make(&mut self, name: &str, bytes: &[u8]) -> Option<Arc<[u8]>> {
        let first = *self.first.get(name)?;
        let hash = xxhash_rust::xxh3::xxh3_64(bytes);
        let plan = &self.plan;
        let made = self.made.entry((name.to_owned(), hash)).or_insert_with(|| {
            let class = ClassFile::read(bytes).ok()?;
            let made = instrument(&class, plan, ProbeId(first)).class.write().ok()?;
            Some(made.into())
        });
        made.clone()
    }
}

/// A class that is being loaded, with its probes, if it is to have any.
pub(crate) fn instrumented(name: &str, bytes: &[u8]) -> Option<Arc<[u8]>> {
    lock().as_mut()?.make(name, bytes)
}

/// The number of this thread: it was attached last, so it is the largest there is.
fn own_thread_id(env: Env, jdk: &Jdk) -> Result<i64, WorkerError> {
    let thread = env.find_class(c"java/lang/Thread");
    let field = thread.and_then(|class| env.field(class, c"tid", c"J"));
    let field = jdk.checked(env, "Thread.tid", field)?.ok_or_else(|| WorkerError::new("no Thread.tid"))?;
    Ok(env.get(Kind::Long, jdk.current_thread(env), field).bits().cast_signed())
}

fn define_runtime(env: Env, jdk: &Jdk) -> Result<Ref, WorkerError> {
    let mut last = None;
    for (name, bytes) in runtime::classes() {
        let name = c_string(name);
        // A second session of the same worker finds it defined.
        let known = env.find_class(&name);
        if known.is_none() {
            env.clear_exception();
        }
        let class = known.or_else(|| env.define_class(&name, Ref::NULL, &bytes));
        let class = jdk.checked(env, "the probe runtime", class)?;
        last = class.map(|class| env.new_global(class));
    }
    last.ok_or_else(|| WorkerError::new("the probe runtime could not be defined"))
}

/// Changes classes of the JDK under test that are loaded already; the others pass the hook when they are.
fn retransform(jdk: &Jdk, setup: &Setup) -> Result<(), WorkerError> {
    let wanted: FxHashSet<&str> = setup.classes.iter().map(|(name, _)| name.as_str()).collect();
    let loaded = jdk.jvmti.loaded_classes(&|name| wanted.contains(name))?;
    if loaded.is_empty() { Ok(()) } else { jdk.jvmti.retransform(&loaded) }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Planned>> {
    PLANNED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|_| CStr::to_owned(c"?"))
}

/// A word of the probes' header.
#[expect(
    clippy::cast_ptr_alignment,
    reason = "the area begins at a page, and the offsets are multiples of four"
)]
fn word(offset: usize) -> &'static AtomicI32 {
    // SAFETY: the area is mapped for the life of the process, and both sides treat its words as atomic or read them
    // while no statement runs.
    unsafe { &*base().add(layout::COVERAGE + offset).cast::<AtomicI32>() }
}

#[expect(
    clippy::cast_ptr_alignment,
    reason = "the area begins at a page, and the offset is a multiple of eight"
)]
fn others_fuel() -> &'static AtomicI64 {
    // SAFETY: as for `word`.
    unsafe { &*base().add(layout::COVERAGE + header::OTHERS_FUEL).cast::<AtomicI64>() }
}

/// One entry of the list of hits.
#[expect(clippy::cast_ptr_alignment, reason = "the list begins at a multiple of four")]
fn list_entry(at: usize) -> u32 {
    // SAFETY: the list has a word for each probe, and `at` is below the number of probes.
    unsafe { &*base().add(LIST + 4 * at).cast::<AtomicI32>() }.load(Ordering::Relaxed).cast_unsigned()
}
