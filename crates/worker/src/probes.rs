//! The probes at run time: switched on for the statements of a sequence, and read afterwards.
//!
//! What the probes' own class does is told in `jurat_instrument::runtime`.

use std::ffi::{CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

use jurat_instrument::runtime::{self, distance, fields, header};
use jurat_protocol::shared::{self as layout, CoverageLayout};
use jurat_protocol::{Distance, ProbedBranches, Probes as Setup};
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass};

use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Native, Raw, Ref};
use crate::pins::FIRST_THREAD;
use crate::shared::{base, fuel, length};
use crate::{WorkerError, judge, patch, threads};

/// What an initializer that must not be cut gets when its fuel is spent, each time.
const GRACE: i64 = 1000;

/// The error that says that fuel is spent; a global reference.
static SPENT: OnceLock<Ref> = OnceLock::new();

/// Takes fuel for a call that code without probes may make for ever. Throws, and says so, if there is none left.
pub(crate) fn use_fuel(env: Env) -> bool {
    if !threads::is_own() || fuel().fetch_sub(1, Ordering::Relaxed) > 0 || patch::in_linking() {
        return false;
    }
    SPENT.get().is_some_and(|spent| {
        env.throw(*spent);
        true
    })
}

/// The probes' class and where its memory is.
pub(crate) struct Probes {
    class: Ref,
    epoch_field: Id,
    subject_field: Id,
    mutant_field: Id,
    /// `int[]`, the epoch in which a thread that the subject started hit each probe last.
    others: Ref,
    layout: CoverageLayout,
    epoch: i32,
    has_distances: bool,
    /// Whether the JDK's own classes have probes: then they count only while a statement runs.
    pub(crate) in_jdk: bool,
}

impl Probes {
    /// Defines the probes' class, with all probes switched off.
    pub(crate) fn define(env: Env, jdk: &Jdk) -> Result<Ref, WorkerError> {
        let mut defined = Ref::NULL;
        for (name, bytes) in runtime::classes() {
            let name = CString::new(name).expect("a literal without zero byte");
            let class = jdk.checked(env, "the probes", env.define_class(&name, Ref::NULL, &bytes))?;
            defined = class.ok_or_else(|| WorkerError::new("the probes cannot be defined"))?;
        }
        let class = env.new_global(defined);
        let open = member(fields::OPEN, |name, descriptor| env.static_method(class, name, descriptor));
        let open = jdk.checked(env, "the probes", open)?;
        let open = open.ok_or_else(|| WorkerError::new("the probes cannot be opened"))?;
        env.call_static(Kind::Void, class, open, &[]);
        jdk.checked(env, "the probes", ())?;
        let spent = env.get_static(Kind::Object, class, static_field(env, class, fields::SPENT)?).as_ref();
        SPENT.get_or_init(|| env.new_global(spent));
        let refuse = Native { name: c"refuse", descriptor: c"()Z", function: refuse as *mut c_void };
        let [weigh, weigh_unit] = judge::natives();
        env.register_natives(class, &[refuse, weigh, weigh_unit]);
        judge::open(env, jdk);
        jdk.checked(env, "the probes", class)
    }

    /// Gives the probes their memory.
    pub(crate) fn open(env: Env, jdk: &Jdk, class: Ref, setup: &Setup) -> Result<Self, WorkerError> {
        let layout = setup.layout();
        let has_distances = setup.branches == ProbedBranches::Distances;
        if layout.size() > length() {
            return Err(WorkerError::new("the shared memory is too small for the probes"));
        }
        let field = |what: (&'static str, &'static str)| static_field(env, class, what);
        let set = |what, kind, value| field(what).map(|field| env.set_static(kind, class, field, value));
        let array = || {
            let made = env.new_primitive_array(Kind::Int, setup.count as usize);
            jdk.checked(env, "room for probes", made)
        };
        let (cells, others) = (array()?, array()?);
        let in_jdk = any_in_jdk(env, jdk, setup);
        let distances = if has_distances { address(layout.distances) } else { 0 };
        set(fields::OTHERS, Kind::Object, Raw::object(others))?;
        set(fields::SYSTEM_TID, Kind::Long, Raw::long(FIRST_THREAD - 1))?;
        set(fields::HEADER, Kind::Long, Raw::long(address(layout.header)))?;
        set(fields::LIST, Kind::Long, Raw::long(address(layout.list)))?;
        set(fields::FUEL, Kind::Long, Raw::long(address(layout::FUEL)))?;
        set(fields::DISTANCES, Kind::Long, Raw::long(distances))?;
        set(fields::DISTANCE_LIST, Kind::Long, Raw::long(address(layout.distance_list)))?;
        set(fields::GUARD, Kind::Boolean, Raw::from_bits(u64::from(in_jdk)))?;
        set(fields::SUBJECT, Kind::Object, Raw::ZERO)?;
        set(fields::CELLS, Kind::Object, Raw::object(cells))?;
        Ok(Self {
            class,
            epoch_field: field(fields::EPOCH)?,
            subject_field: field(fields::SUBJECT)?,
            mutant_field: field(fields::MUTANT)?,
            others: env.new_global(others),
            layout,
            epoch: 0,
            has_distances,
            in_jdk,
        })
    }

    /// Begins to count for a sequence, with a full tank.
    pub(crate) fn begin(&mut self, env: Env, full: i64) {
        self.epoch += 1;
        fuel().store(full, Ordering::Relaxed);
        self.int(header::COUNT).store(0, Ordering::Relaxed);
        self.int(header::DISTANCE_COUNT).store(0, Ordering::Relaxed);
        self.int(header::SPENT).store(0, Ordering::Relaxed);
        self.others_fuel().store(full, Ordering::Relaxed);
        env.set_static(Kind::Int, self.class, self.epoch_field, Raw::int(self.epoch));
    }

    /// Switches the probes on for a thread; null switches them off.
    pub(crate) fn listen_to(&self, env: Env, thread: Ref) {
        env.set_static(Kind::Object, self.class, self.subject_field, Raw::object(thread));
    }

    /// Makes a mutant live, and all others not; zero is none.
    pub(crate) fn make_live(&self, env: Env, mutant: u32) {
        env.set_static(Kind::Int, self.class, self.mutant_field, Raw::int(mutant.cast_signed()));
    }

    /// Whether the fuel of the statements, or of threads they started, is spent.
    pub(crate) fn is_spent(&self) -> bool {
        fuel().load(Ordering::Relaxed) < 0 || self.others_spent()
    }

    /// Whether threads that statements started ran out of fuel.
    pub(crate) fn others_spent(&self) -> bool {
        self.others_fuel().load(Ordering::Relaxed) < 0
    }

    /// What the statements' thread hit since [`Probes::begin`]. A stack overflow at the wrong moment lists a hit twice.
    pub(crate) fn hits(&self, overflowed: bool) -> Vec<u32> {
        let mut own = self.list(header::COUNT, self.layout.list, self.layout.distances);
        if overflowed {
            let mut seen = jurat_base::FxHashSet::default();
            own.retain(|id| seen.insert(*id));
        }
        own
    }

    /// Appends what the statements' thread hit since [`Probes::begin`], without the first `from`; gives their number.
    pub(crate) fn hits_after(&self, from: usize, into: &mut Vec<u32>) -> usize {
        let room = (self.layout.distances - self.layout.list) / 4;
        let count = usize::try_from(self.int(header::COUNT).load(Ordering::Acquire)).unwrap_or(0).min(room);
        for position in from..count {
            // SAFETY: the position is inside the list, the list inside the mapping, and no statement runs now.
            into.push(unsafe { base().add(self.layout.list + 4 * position).cast::<u32>().read_unaligned() });
        }
        count
    }

    /// Fills the tank for another statement of the same sequence.
    pub(crate) fn refuel(&self, full: i64) {
        fuel().store(full, Ordering::Relaxed);
        self.int(header::SPENT).store(0, Ordering::Relaxed);
    }

    /// What threads hit that statements started, and the statements' own thread did not, in ascending order.
    pub(crate) fn hits_of_others(&self, env: Env, own: &[u32]) -> Vec<u32> {
        if self.int(header::OTHERS).load(Ordering::Acquire) != self.epoch {
            return Vec::new();
        }
        let mut known = own.to_vec();
        known.sort_unstable();
        let count = env.array_length(self.others);
        let mut epochs = vec![0_i32; count];
        let length = i32::try_from(count).expect("array lengths fit");
        env.region(Kind::Int, self.others, 0, length, epochs.as_mut_ptr().cast());
        let hit = (0..).zip(epochs).filter(|(_, epoch)| *epoch == self.epoch).map(|(id, _)| id);
        hit.filter(|id| known.binary_search(id).is_err()).collect()
    }

    /// How near branches came to edges they did not take since [`Probes::begin`].
    pub(crate) fn distances(&self) -> Vec<Distance> {
        if !self.has_distances {
            return Vec::new();
        }
        let edges = self.list(header::DISTANCE_COUNT, self.layout.distance_list, self.layout.end);
        let distance = |edge: u32| {
            let offset = self.layout.distances + edge as usize * distance::SIZE + distance::VALUE;
            // SAFETY: the list only holds ids below the number of probes, so the entry is inside the mapping.
            let distance = unsafe { base().add(offset).cast::<u64>().read_unaligned() };
            Distance { edge, distance }
        };
        let room = (self.layout.distance_list - self.layout.distances) / distance::SIZE;
        edges.into_iter().filter(|edge| (*edge as usize) < room).map(distance).collect()
    }

    /// A list of ids of which the header keeps the length.
    fn list(&self, count: usize, start: usize, end: usize) -> Vec<u32> {
        let count =
            usize::try_from(self.int(count).load(Ordering::Acquire)).unwrap_or(0).min((end - start) / 4);
        let mut ids = vec![0_u32; count];
        // SAFETY: the list lies inside the mapping, and statements do not run while it is read.
        unsafe {
            std::ptr::copy_nonoverlapping(base().add(start).cast(), ids.as_mut_ptr().cast::<u8>(), count * 4);
        };
        ids
    }

    #[expect(clippy::cast_ptr_alignment, reason = "the header begins at 64 bytes, and its parts are aligned")]
    fn int(&self, offset: usize) -> &'static AtomicI32 {
        // SAFETY: the header is inside the mapping, which lives as long as the process, and is accessed atomically.
        unsafe { &*base().add(self.layout.header + offset).cast::<AtomicI32>() }
    }

    #[expect(clippy::cast_ptr_alignment, reason = "the header begins at 64 bytes, and its parts are aligned")]
    fn others_fuel(&self) -> &'static AtomicI64 {
        // SAFETY: as in `int`.
        unsafe { &*base().add(self.layout.header + header::OTHERS_FUEL).cast::<AtomicI64>() }
    }
}

/// Whether a class under test is the JDK's own.
fn any_in_jdk(env: Env, jdk: &Jdk, setup: &Setup) -> bool {
    // The first will do: classes of the JDK are under test together, and no class path has one of their names.
    let Some((name, _)) = setup.classes.first() else { return false };
    let found = jdk.load(env, &name.replace('/', "."), Ref::NULL);
    found.is_ok()
}

fn address(offset: usize) -> i64 {
    i64::try_from(base().expose_provenance() + offset).expect("addresses are positive")
}

fn member<T>(
    (name, descriptor): (&str, &str),
    find: impl FnOnce(&std::ffi::CStr, &std::ffi::CStr) -> T,
) -> T {
    let text = |text| CString::new(text).expect("a literal without zero byte");
    find(&text(name), &text(descriptor))
}

fn static_field(env: Env, class: Ref, what: (&str, &str)) -> Result<Id, WorkerError> {
    let found = member(what, |name, descriptor| env.static_field(class, name, descriptor));
    env.clear_exception();
    found.ok_or_else(|| WorkerError::new(format!("the probes have no field {}", what.0)))
}

/// Whether the thread must not be cut now: an initializer of the JDK that is cut short never runs again.
extern "system" fn refuse(_env: *mut JNIEnv, _class: jclass) -> jboolean {
    let initializing = std::panic::catch_unwind(patch::in_linking).unwrap_or(true);
    if initializing {
        // To look through the stack at every probe from here on would take longer than the initializer itself.
        fuel().store(GRACE, Ordering::Relaxed);
    }
    jboolean::from(initializing)
}
