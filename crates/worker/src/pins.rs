//! State of the JDK that lives as long as the JVM, set back to what it was before every epoch: the locale, the zone,
//! system properties, the standard streams, how threads are named and numbered.

use std::ffi::CStr;

use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Raw, Ref};

/// The first number that a thread of the subject gets: beyond all of the JVM's own.
pub(crate) const FIRST_THREAD: i64 = 10_000;

/// What is set back.
pub(crate) struct Pins {
    /// Static fields and what they held; global references.
    statics: Vec<Static>,
    /// The same for what counts threads.
    counters: Vec<Static>,
    properties: Properties,
    streams: Streams,
    threads: Threads,
}

struct Static {
    class: Ref,
    field: Id,
    kind: Kind,
    value: Raw,
}

/// `System.props`, and a copy of it that nobody else sees.
struct Properties {
    system: Ref,
    field: Id,
    pristine: Ref,
    clone: Id,
}

struct Streams {
    system: Ref,
    /// Field of `System`, its `FileDescriptor` and that one's number, the classes to make the stream of.
    all: Vec<Stream>,
    descriptor_number: Id,
}

struct Stream {
    field: Id,
    descriptor: Ref,
    number: i32,
    inner: Ref,
    new_inner: Id,
    outer: Ref,
    new_outer: Id,
}

struct Threads {
    id: Id,
    /// Where the JVM keeps the next thread's number, if it is not a field.
    next: Option<*mut i64>,
}

// SAFETY: the address belongs to the JVM and is used by one thread at a time.
unsafe impl Send for Pins {}

impl Pins {
    /// Notes the state of a new JVM, and gives the immutable collections the order that `seed` says.
    pub(crate) fn find(env: Env, jdk: &Jdk, seed: u64) -> Result<Self, WorkerError> {
        set_salt(env, seed)?;
        let mut statics = Vec::new();
        let locale = c"Ljava/util/Locale;";
        for (class, field, descriptor, kind) in [
            (c"java/util/Locale", c"defaultLocale", locale, Kind::Object),
            (c"java/util/Locale", c"defaultDisplayLocale", locale, Kind::Object),
            (c"java/util/Locale", c"defaultFormatLocale", locale, Kind::Object),
            (c"java/util/TimeZone", c"defaultTimeZone", c"Ljava/util/TimeZone;", Kind::Object),
            (
                c"java/lang/Thread",
                c"defaultUncaughtExceptionHandler",
                c"Ljava/lang/Thread$UncaughtExceptionHandler;",
                Kind::Object,
            ),
        ] {
            statics.push(Static::of(env, class, field, descriptor, kind)?);
        }
        let pins = Self {
            statics,
            counters: thread_counters(env),
            properties: Properties::find(env, jdk)?,
            streams: Streams::find(env)?,
            threads: Threads::find(env, jdk)?,
        };
        Ok(pins)
    }

    /// Sets everything back; an epoch begins on this thread.
    pub(crate) fn reset(&self, env: Env, jdk: &Jdk, thread: Ref) -> Result<(), WorkerError> {
        for pinned in &self.statics {
            env.set_static(pinned.kind, pinned.class, pinned.field, pinned.value);
        }
        let properties = &self.properties;
        let copy = env.call(Kind::Object, properties.pristine, properties.clone, &[]);
        let copy = jdk.checked(env, "system properties", copy)?;
        env.set_static(Kind::Object, properties.system, properties.field, copy);
        self.streams.reset(env, jdk)?;
        // The main thread of a Java program has the number 1.
        env.set(Kind::Long, thread, self.threads.id, Raw::long(1));
        Ok(())
    }

    /// Starts counting threads anew: a sequence begins.
    pub(crate) fn reset_threads(&self, env: Env) {
        for counter in &self.counters {
            env.set_static(counter.kind, counter.class, counter.field, counter.value);
        }
        if let Some(next) = self.threads.next {
            // SAFETY: the JVM gave this address for the JDK to write to. No thread of a subject is alive when a
            // sequence begins, so no number is used twice at a time.
            unsafe { next.write_volatile(FIRST_THREAD) };
        }
    }
}

fn find_class(env: Env, name: &CStr) -> Result<Ref, WorkerError> {
    let found = env.find_class(name).map(|class| env.new_global(class));
    env.clear_exception();
    found.ok_or_else(|| WorkerError::new(format!("this JDK has no {name:?}")))
}

fn found<T>(env: Env, what: &CStr, found: Option<T>) -> Result<T, WorkerError> {
    env.clear_exception();
    found.ok_or_else(|| WorkerError::new(format!("this JDK has no {what:?}")))
}

impl Static {
    /// A static field and its value now.
    fn of(env: Env, class: &CStr, name: &CStr, descriptor: &CStr, kind: Kind) -> Result<Self, WorkerError> {
        let class = find_class(env, class)?;
        let field = found(env, name, env.static_field(class, name, descriptor))?;
        let mut value = env.get_static(kind, class, field);
        if kind == Kind::Object {
            value = Raw::object(env.new_global(value.as_ref()));
        }
        Ok(Self { class, field, kind, value })
    }
}

/// The counters behind `Thread-0` and thread numbers, as far as they are fields.
fn thread_counters(env: Env) -> Vec<Static> {
    let candidates = [
        (c"java/lang/Thread", c"threadInitNumber", c"I", Kind::Int, Raw::ZERO),
        (c"java/lang/Thread$ThreadNumbering", c"next", c"I", Kind::Int, Raw::ZERO),
        (c"java/lang/Thread", c"threadSeqNumber", c"J", Kind::Long, Raw::long(FIRST_THREAD)),
    ];
    let mut counters = Vec::new();
    for (class, name, descriptor, kind, value) in candidates {
        // Each JDK has some of them.
        let counter = Static::of(env, class, name, descriptor, kind);
        counters.extend(counter.ok().map(|counter| Static { value, ..counter }));
    }
    counters
}

/// Decides in which order `Set.of` and its like show their elements. An even seed turns the order of the odd one before it
/// round: whatever depends on the order of any two elements then differs.
fn set_salt(env: Env, seed: u64) -> Result<(), WorkerError> {
    let class = find_class(env, c"java/util/ImmutableCollections")?;
    let salt = found(env, c"SALT32L", env.static_field(class, c"SALT32L", c"J"))?;
    let reverse = found(env, c"REVERSE", env.static_field(class, c"REVERSE", c"Z"))?;
    let value = (seed.div_ceil(2).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) & 0xffff_ffff;
    env.set_static(Kind::Long, class, salt, Raw::long(value.cast_signed()));
    env.set_static(Kind::Boolean, class, reverse, Raw::from_bits(seed & 1));
    Ok(())
}

impl Properties {
    fn find(env: Env, jdk: &Jdk) -> Result<Self, WorkerError> {
        let system = find_class(env, c"java/lang/System")?;
        let field = env.static_field(system, c"props", c"Ljava/util/Properties;");
        let field = found(env, c"System.props", field)?;
        let class = find_class(env, c"java/util/Properties")?;
        let clone = found(env, c"Properties.clone", env.method(class, c"clone", c"()Ljava/lang/Object;"))?;
        let current = env.get_static(Kind::Object, system, field).as_ref();
        let copy = jdk.checked(env, "system properties", env.call(Kind::Object, current, clone, &[]))?;
        Ok(Self { system, field, pristine: env.new_global(copy.as_ref()), clone })
    }
}

impl Streams {
    fn find(env: Env) -> Result<Self, WorkerError> {
        let system = find_class(env, c"java/lang/System")?;
        let descriptor = find_class(env, c"java/io/FileDescriptor")?;
        let number = found(env, c"FileDescriptor.fd", env.field(descriptor, c"fd", c"I"))?;
        let mut streams = Vec::new();
        for (name, number) in (0..).zip([c"in", c"out", c"err"]).map(|(number, name)| (name, number)) {
            let output = number > 0;
            let classes = if output {
                [c"java/io/FileOutputStream", c"java/io/PrintStream"]
            } else {
                [c"java/io/FileInputStream", c"java/io/BufferedInputStream"]
            };
            let (ty, makes) = if output {
                (c"Ljava/io/PrintStream;", c"(Ljava/io/OutputStream;)V")
            } else {
                (c"Ljava/io/InputStream;", c"(Ljava/io/InputStream;)V")
            };
            let field = found(env, name, env.static_field(system, name, ty))?;
            let standard = env.static_field(descriptor, name, c"Ljava/io/FileDescriptor;");
            let standard = env.get_static(Kind::Object, descriptor, found(env, name, standard)?).as_ref();
            let (inner, outer) = (find_class(env, classes[0])?, find_class(env, classes[1])?);
            let new_inner = env.method(inner, c"<init>", c"(Ljava/io/FileDescriptor;)V");
            let new_outer = env.method(outer, c"<init>", makes);
            streams.push(Stream {
                field,
                descriptor: env.new_global(standard),
                number,
                new_inner: found(env, classes[0], new_inner)?,
                inner,
                new_outer: found(env, classes[1], new_outer)?,
                outer,
            });
        }
        Ok(Self { system, all: streams, descriptor_number: number })
    }

    /// New streams over the process's own: whoever closed the old ones closed only those.
    fn reset(&self, env: Env, jdk: &Jdk) -> Result<(), WorkerError> {
        for stream in &self.all {
            env.set(Kind::Int, stream.descriptor, self.descriptor_number, Raw::int(stream.number));
            let inner = env.new_object(stream.inner, stream.new_inner, &[Raw::object(stream.descriptor)]);
            let inner = jdk.checked(env, "a standard stream", inner)?;
            let outer = env.new_object(stream.outer, stream.new_outer, &[Raw::object(inner)]);
            let outer = jdk.checked(env, "a standard stream", outer)?;
            env.set_static(Kind::Object, self.system, stream.field, Raw::object(outer));
            env.delete_local(inner);
            env.delete_local(outer);
        }
        Ok(())
    }
}

impl Threads {
    fn find(env: Env, jdk: &Jdk) -> Result<Self, WorkerError> {
        let class = jdk.thread_class();
        let id = found(env, c"Thread.tid", env.field(class, c"tid", c"J"))?;
        let offset = env.static_method(class, c"getNextThreadIdOffset", c"()J");
        env.clear_exception();
        let next = offset.map(|method| -> *mut i64 {
            let address = env.call_static(Kind::Long, class, method, &[]).bits();
            std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap_or(0))
        });
        Ok(Self { id, next: next.filter(|next| !next.is_null()) })
    }
}
