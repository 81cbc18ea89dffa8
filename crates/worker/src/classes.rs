//! What a worker knows about classes: the JDK's own that it uses, and every class a value was seen with.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_protocol::{Text, frame};
use xxhash_rust::xxh3::xxh3_64;

use crate::WorkerError;
use crate::fingerprint::{FieldSlot, Layout, is_left_out};
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::jvmti::Jvmti;
use crate::shared::Record;

/// Classes and members of the JDK that the worker itself uses; all references are global.
pub(crate) struct Jdk {
    pub(crate) class: Ref,
    for_name: Id,
    get_name: Id,
    /// A counter inside `Class` that invalidates reflection caches when it changes. Its value means nothing else,
    /// so it holds our number of the class: a field read is 30 times cheaper than a JVMTI tag.
    class_number: Id,
    pub(crate) string: Ref,
    pub(crate) intern: Id,
    pub(crate) enum_class: Ref,
    pub(crate) enum_name: Id,
    throwable: Ref,
    detail_message: Id,
    pub(crate) stack_overflow: Ref,
    pub(crate) out_of_memory: Ref,
    pub(crate) null_pointer: Ref,
    pub(crate) boxes: Vec<Boxed>,
    pub(crate) loader: LoaderParts,
    pub(crate) jvmti: Jvmti,
}

/// What makes class loaders.
pub(crate) struct LoaderParts {
    pub(crate) class: Ref,
    pub(crate) constructor: Id,
    pub(crate) name_and_id: Id,
    pub(crate) url: Ref,
    file: Ref,
    new_file: Id,
    to_uri: Id,
    to_url: Id,
    pub(crate) platform: Ref,
    pub(crate) close: Id,
    current_thread: Id,
    set_context: Id,
    thread: Ref,
}

/// `Integer` and its like.
pub(crate) struct Boxed {
    pub(crate) class: Ref,
    pub(crate) kind: Kind,
    pub(crate) value: Id,
    /// `Integer.TYPE`: the class of the primitive itself.
    pub(crate) primitive: Ref,
    value_of: Id,
}

/// Looks up members of one class, and fails with their names.
struct Lookup {
    env: Env,
    class: Ref,
    name: &'static CStr,
}

impl Lookup {
    fn of(env: Env, name: &'static CStr) -> Result<Self, WorkerError> {
        let class = env.find_class(name).ok_or_else(|| missing(env, name, c""))?;
        Ok(Self { env, class: env.new_global(class), name })
    }

    fn method(&self, name: &'static CStr, descriptor: &CStr) -> Result<Id, WorkerError> {
        self.env.method(self.class, name, descriptor).ok_or_else(|| missing(self.env, self.name, name))
    }

    fn static_method(&self, name: &'static CStr, descriptor: &CStr) -> Result<Id, WorkerError> {
        self.env.static_method(self.class, name, descriptor).ok_or_else(|| missing(self.env, self.name, name))
    }

    fn field(&self, name: &'static CStr, descriptor: &CStr) -> Result<Id, WorkerError> {
        self.env.field(self.class, name, descriptor).ok_or_else(|| missing(self.env, self.name, name))
    }

    fn static_object(&self, name: &'static CStr, descriptor: &CStr) -> Result<Ref, WorkerError> {
        let field = self.env.static_field(self.class, name, descriptor);
        let field = field.ok_or_else(|| missing(self.env, self.name, name))?;
        let value = self.env.get_static(Kind::Object, self.class, field).as_ref();
        Ok(self.env.new_global(value))
    }
}

fn missing(env: Env, class: &CStr, member: &CStr) -> WorkerError {
    env.clear_exception();
    WorkerError::new(format!(
        "this JDK has no {} {}; it may be newer than this jurat knows",
        class.to_string_lossy(),
        member.to_string_lossy()
    ))
}

impl Jdk {
    pub(crate) fn find(env: Env, jvmti: Jvmti) -> Result<Self, WorkerError> {
        let class = Lookup::of(env, c"java/lang/Class")?;
        let string = Lookup::of(env, c"java/lang/String")?;
        let enum_class = Lookup::of(env, c"java/lang/Enum")?;
        let throwable = Lookup::of(env, c"java/lang/Throwable")?;
        Ok(Self {
            for_name: class.static_method(
                c"forName",
                c"(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
            )?,
            get_name: class.method(c"getName", c"()Ljava/lang/String;")?,
            class_number: class.field(c"classRedefinedCount", c"I")?,
            class: class.class,
            intern: string.method(c"intern", c"()Ljava/lang/String;")?,
            string: string.class,
            enum_name: enum_class.field(c"name", c"Ljava/lang/String;")?,
            enum_class: enum_class.class,
            detail_message: throwable.field(c"detailMessage", c"Ljava/lang/String;")?,
            throwable: throwable.class,
            stack_overflow: Lookup::of(env, c"java/lang/StackOverflowError")?.class,
            out_of_memory: Lookup::of(env, c"java/lang/OutOfMemoryError")?.class,
            null_pointer: Lookup::of(env, c"java/lang/NullPointerException")?.class,
            boxes: BOXES.iter().map(|parts| Boxed::find(env, *parts)).collect::<Result<_, _>>()?,
            loader: LoaderParts::find(env)?,
            jvmti,
        })
    }

    /// Loads, but does not initialize, the class with a name as `Class.forName` takes it.
    pub(crate) fn load(&self, env: Env, name: &str, loader: Ref) -> Result<Ref, Ref> {
        self.load_as(env, name, loader, false)
    }

    /// Loads and initializes a class.
    pub(crate) fn load_initialized(&self, env: Env, name: &str, loader: Ref) -> Result<Ref, Ref> {
        self.load_as(env, name, loader, true)
    }

    fn load_as(&self, env: Env, name: &str, loader: Ref, initialize: bool) -> Result<Ref, Ref> {
        let units: Vec<u16> = name.encode_utf16().collect();
        let string = env.new_string(&units);
        let initialize = Raw::from_bits(u64::from(initialize));
        let arguments = [Raw::object(string), initialize, Raw::object(loader)];
        let class = env.call_static(Kind::Object, self.class, self.for_name, &arguments).as_ref();
        match env.take_exception() {
            Some(thrown) => Err(thrown),
            None => Ok(class),
        }
    }

    /// The name of a class as `Class.getName` gives it.
    pub(crate) fn class_name(&self, env: Env, class: Ref) -> String {
        let name = env.call(Kind::Object, class, self.get_name, &[]).as_ref();
        if env.take_exception().is_some() || name.is_null() {
            return "?".to_owned();
        }
        let text = text_of(env, name, usize::MAX);
        env.delete_local(name);
        text.as_str().unwrap_or("?").to_owned()
    }

    /// The message an exception was made with: the field, not what an overridden method may say.
    pub(crate) fn message(&self, env: Env, thrown: Ref, limit: usize) -> Option<Text> {
        let message = env.get(Kind::Object, thrown, self.detail_message).as_ref().some()?;
        let text = text_of(env, message, limit);
        env.delete_local(message);
        Some(text)
    }

    /// An exception as text, for our own errors.
    pub(crate) fn describe(&self, env: Env, thrown: Ref) -> String {
        let name = self.class_name(env, env.class_of(thrown));
        match self.message(env, thrown, 500) {
            Some(message) => format!("{name}: {message:?}"),
            None => name,
        }
    }

    /// Checks that local references are what fingerprints take them for: slots that hold an object's address.
    pub(crate) fn check_addresses(&self, env: Env) -> Result<(), WorkerError> {
        let (one, other) = (env.new_string(&[1]), env.new_string(&[2]));
        self.checked(env, "a string", ())?;
        let again = env.new_local(one);
        let understood = one.address() == again.address() && one.address() != other.address();
        for reference in [one, other, again] {
            env.delete_local(reference);
        }
        if understood { Ok(()) } else { Err(WorkerError::new("this JVM's references are not understood")) }
    }

    /// Checks that a call that throws gives zero, whatever was there before: who got something else need not ask.
    pub(crate) fn check_throwing_calls(env: Env) -> Result<(), WorkerError> {
        let integer = Lookup::of(env, c"java/lang/Integer")?;
        let parse = integer.static_method(c"parseInt", c"(Ljava/lang/String;)I")?;
        let decode = integer.static_method(c"decode", c"(Ljava/lang/String;)Ljava/lang/Integer;")?;
        let make = integer.method(c"<init>", c"(Ljava/lang/String;)V")?;
        let text = env.new_string(&['?' as u16]);
        let arguments = [Raw::object(text)];
        let int = env.call_static(Kind::Int, integer.class, parse, &arguments).bits();
        let threw = env.take_exception().is_some();
        let object = env.call_static(Kind::Object, integer.class, decode, &arguments).bits();
        let threw = env.take_exception().is_some() && threw;
        let made = env.new_object(integer.class, make, &arguments);
        let threw = env.take_exception().is_some() && threw;
        env.delete_global(integer.class);
        if threw && int == 0 && object == 0 && made.is_null() {
            Ok(())
        } else {
            Err(WorkerError::new("this JVM's calls are not understood"))
        }
    }

    /// The error that a stopped thread throws.
    pub(crate) fn make_stop(&self, env: Env) -> Result<Ref, WorkerError> {
        let class = Lookup::of(env, c"java/lang/Error")?;
        let constructor = class.method(c"<init>", c"()V")?;
        self.checked(env, "an error", env.new_object(class.class, constructor, &[]))
    }

    /// `Thread`.
    pub(crate) fn thread_class(&self) -> Ref {
        self.loader.thread
    }

    pub(crate) fn is_throwable(&self, env: Env, object: Ref) -> bool {
        env.instance_of(object, self.throwable)
    }

    /// The current thread, as an object.
    pub(crate) fn current_thread(&self, env: Env) -> Ref {
        env.call_static(Kind::Object, self.loader.thread, self.loader.current_thread, &[]).as_ref()
    }

    /// What a call of our own returned, unless it threw.
    pub(crate) fn checked<T>(&self, env: Env, what: &str, result: T) -> Result<T, WorkerError> {
        match env.take_exception() {
            None => Ok(result),
            Some(thrown) => Err(WorkerError::new(format!("{what}: {}", self.describe(env, thrown)))),
        }
    }
}

type BoxParts = (&'static CStr, Kind, &'static CStr);

const BOXES: [BoxParts; 8] = [
    (c"java/lang/Boolean", Kind::Boolean, c"Z"),
    (c"java/lang/Byte", Kind::Byte, c"B"),
    (c"java/lang/Character", Kind::Char, c"C"),
    (c"java/lang/Short", Kind::Short, c"S"),
    (c"java/lang/Integer", Kind::Int, c"I"),
    (c"java/lang/Long", Kind::Long, c"J"),
    (c"java/lang/Float", Kind::Float, c"F"),
    (c"java/lang/Double", Kind::Double, c"D"),
];

impl Boxed {
    fn find(env: Env, (name, kind, descriptor): BoxParts) -> Result<Self, WorkerError> {
        let class = Lookup::of(env, name)?;
        let own = name.to_string_lossy();
        let value_of = format!("({})L{own};", descriptor.to_string_lossy());
        let value_of = CString::new(value_of).expect("names hold no zero byte");
        Ok(Self {
            kind,
            value_of: class.static_method(c"valueOf", &value_of)?,
            value: class.field(c"value", descriptor)?,
            primitive: class.static_object(c"TYPE", c"Ljava/lang/Class;")?,
            class: class.class,
        })
    }
}

impl Boxed {
    /// The box of a value; null, with an exception pending, when there is no memory.
    pub(crate) fn wrap(&self, env: Env, value: Raw) -> Ref {
        env.call_static(Kind::Object, self.class, self.value_of, &[value]).as_ref()
    }
}

impl LoaderParts {
    fn find(env: Env) -> Result<Self, WorkerError> {
        let loader = Lookup::of(env, c"java/lang/ClassLoader")?;
        let url_loader = Lookup::of(env, c"java/net/URLClassLoader")?;
        let file = Lookup::of(env, c"java/io/File")?;
        let uri = Lookup::of(env, c"java/net/URI")?;
        let thread = Lookup::of(env, c"java/lang/Thread")?;
        let get_platform = loader.static_method(c"getPlatformClassLoader", c"()Ljava/lang/ClassLoader;")?;
        let platform = env.call_static(Kind::Object, loader.class, get_platform, &[]).as_ref();
        Ok(Self {
            constructor: url_loader
                .method(c"<init>", c"(Ljava/lang/String;[Ljava/net/URL;Ljava/lang/ClassLoader;)V")?,
            close: url_loader.method(c"close", c"()V")?,
            class: url_loader.class,
            name_and_id: loader.field(c"nameAndId", c"Ljava/lang/String;")?,
            url: Lookup::of(env, c"java/net/URL")?.class,
            new_file: file.method(c"<init>", c"(Ljava/lang/String;)V")?,
            to_uri: file.method(c"toURI", c"()Ljava/net/URI;")?,
            file: file.class,
            to_url: uri.method(c"toURL", c"()Ljava/net/URL;")?,
            platform: env.new_global(platform),
            current_thread: thread.static_method(c"currentThread", c"()Ljava/lang/Thread;")?,
            set_context: thread.method(c"setContextClassLoader", c"(Ljava/lang/ClassLoader;)V")?,
            thread: thread.class,
        })
    }

    /// The URL of a file or folder; null, with an exception pending, if it has none.
    pub(crate) fn url_of(&self, env: Env, path: &str) -> Ref {
        let units: Vec<u16> = path.encode_utf16().collect();
        let file = env.new_object(self.file, self.new_file, &[Raw::object(env.new_string(&units))]);
        if env.threw() {
            return Ref::NULL;
        }
        let uri = env.call(Kind::Object, file, self.to_uri, &[]).as_ref();
        if env.threw() {
            return Ref::NULL;
        }
        env.call(Kind::Object, uri, self.to_url, &[]).as_ref()
    }

    /// Gives the current thread its context class loader.
    pub(crate) fn set_context(&self, env: Env, loader: Ref) {
        let thread = env.call_static(Kind::Object, self.thread, self.current_thread, &[]).as_ref();
        env.call(Kind::Void, thread, self.set_context, &[Raw::object(loader)]);
    }
}

/// The first `limit` units of a string.
pub(crate) fn text_of(env: Env, string: Ref, limit: usize) -> Text {
    let length = env.string_length(string).min(limit);
    let mut short = [0_u16; 256];
    if let Some(units) = short.get_mut(..length) {
        env.string_region(string, 0, units);
        return Text::from_units(units);
    }
    let mut units = vec![0; length];
    env.string_region(string, 0, &mut units);
    Text::from_units(&units)
}

/// One class that a value was seen with.
pub(crate) struct ClassInfo {
    pub(crate) class: Ref,
    pub(crate) name: String,
    pub(crate) sort: Sort,
    pub(crate) name_hash: u64,
    layout: Option<Layout>,
    /// Whether the class lives as long as the JVM.
    boot: bool,
    /// Position in the running chunk's table of names, and the chunk it belongs to.
    listed: (u32, u32),
}

/// What values of a class are to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Plain,
    Array(Kind),
    Boxed(Kind, Id),
    String,
    Class,
    Enum,
}

/// All classes seen. Numbers are never used twice in a worker's life.
pub(crate) struct Classes {
    infos: FxHashMap<u32, ClassInfo>,
    last: u32,
    chunk: u32,
    names: Vec<String>,
    record: Record,
}

/// The JVM itself adds one to the cell we keep our number in when a class is redefined, so the lowest bits are its.
const NUMBER_SHIFT: u32 = 8;

impl Classes {
    pub(crate) fn new() -> Self {
        let (infos, names) = (FxHashMap::default(), Vec::new());
        Self { infos, last: 0, chunk: 0, names, record: Record::names() }
    }

    /// Starts the table of names for a chunk.
    pub(crate) fn begin_chunk(&mut self) {
        self.chunk += 1;
        self.names.clear();
        self.record = Record::names();
    }

    /// The names listed for the chunk.
    pub(crate) fn take_names(&mut self) -> Vec<String> {
        std::mem::take(&mut self.names)
    }

    /// Forgets all classes but the JDK's, so that their loader can be collected.
    pub(crate) fn forget_subject(&mut self, env: Env) {
        self.infos.retain(|_, info| {
            if !info.boot {
                env.delete_global(info.class);
            }
            info.boot
        });
    }

    /// The number of a class.
    pub(crate) fn number(&mut self, env: Env, jdk: &Jdk, class: Ref) -> u32 {
        let cell = env.get(Kind::Int, class, jdk.class_number).bits();
        let number = u32::try_from(cell & 0xffff_ffff).expect("32 bits") >> NUMBER_SHIFT;
        if number != 0 && self.infos.contains_key(&number) {
            return number;
        }
        self.last += 1;
        let number = self.last;
        env.set(Kind::Int, class, jdk.class_number, Raw::int((number << NUMBER_SHIFT).cast_signed()));
        let info = ClassInfo::of(env, jdk, class);
        self.infos.insert(number, info);
        number
    }

    pub(crate) fn info(&self, number: u32) -> &ClassInfo {
        &self.infos[&number]
    }

    /// The instance fields of a class that make up a value's structure.
    pub(crate) fn layout(&mut self, env: Env, jdk: &Jdk, number: u32) -> Layout {
        let info = self.infos.get_mut(&number).expect("numbers come from `number`");
        let class = info.class;
        Arc::clone(info.layout.get_or_insert_with(|| layout(env, jdk, class)))
    }

    /// The name at a position of the chunk's table.
    pub(crate) fn name(&self, position: u32) -> &str {
        self.names.get(position as usize).map_or("?", String::as_str)
    }

    /// The position of a class in the chunk's table of names.
    pub(crate) fn position(&mut self, number: u32) -> u32 {
        let info = self.infos.get_mut(&number).expect("numbers come from `number`");
        if info.listed.0 != self.chunk {
            let position = u32::try_from(self.names.len()).expect("fewer than 2^32 classes");
            info.listed = (self.chunk, position);
            self.names.push(info.name.clone());
            let mut encoded = Vec::new();
            frame::append(&mut encoded, &info.name).expect("a vector takes everything");
            self.record.push(&encoded);
        }
        info.listed.1
    }
}

impl ClassInfo {
    fn of(env: Env, jdk: &Jdk, class: Ref) -> Self {
        let name = jdk.class_name(env, class);
        let sort = if let Some(element) = name.strip_prefix('[') {
            Sort::Array(Kind::of(element).unwrap_or(Kind::Object))
        } else if env.same(class, jdk.string) {
            Sort::String
        } else if env.same(class, jdk.class) {
            Sort::Class
        } else if let Some(boxed) = jdk.boxes.iter().find(|boxed| env.same(class, boxed.class)) {
            Sort::Boxed(boxed.kind, boxed.value)
        } else if env.assignable(class, jdk.enum_class) {
            Sort::Enum
        } else {
            Sort::Plain
        };
        let boot = jdk.jvmti.loader_of(class).is_null();
        let (class, name) = (env.new_global(class), stable_name(name));
        let name_hash = xxh3_64(name.as_bytes());
        Self { class, name, sort, name_hash, layout: None, boot, listed: (0, 0) }
    }
}

/// The fields of a class and its superclasses, without those that a structure leaves out.
fn layout(env: Env, jdk: &Jdk, class: Ref) -> Layout {
    const STATIC: i32 = 8;
    let mut levels = Vec::new();
    let mut next = Some(env.new_local(class));
    while let Some(class) = next {
        let name = jdk.class_name(env, class);
        let declared =
            jdk.jvmti.fields(class).into_iter().filter_map(|(id, field, descriptor, modifiers)| {
                let kind = Kind::of(&descriptor)?;
                let counts = modifiers & STATIC == 0 && !is_left_out(&name, &field);
                counts.then_some(FieldSlot { id, kind })
            });
        levels.push(declared.collect::<Vec<_>>());
        next = env.superclass(class);
        env.delete_local(class);
    }
    levels.into_iter().rev().flatten().collect()
}

/// A hash of a string: of all of it, or of the beginning and the length of a very long one.
pub(crate) fn hash_string(env: Env, string: Ref) -> u64 {
    const PIECE: usize = 16 * 1024;
    const MOST: usize = 64 * PIECE;
    let length = env.string_length(string);
    let mut units = vec![0_u16; PIECE.min(length)];
    let mut bytes = Vec::with_capacity(units.len() * 2);
    let mut hash = length as u64;
    let mut start = 0;
    while start < length.min(MOST) {
        let count = PIECE.min(length - start);
        env.string_region(string, start, &mut units[..count]);
        bytes.clear();
        bytes.extend(units[..count].iter().flat_map(|unit| unit.to_le_bytes()));
        hash = hash.rotate_left(17) ^ xxh3_64(&bytes);
        start += count;
    }
    hash
}

/// Takes off the parts of a synthesized class's name that differ from run to run.
fn stable_name(name: String) -> String {
    if let Some(at) = name.find("$$Lambda") {
        return format!("{}$$Lambda", &name[..at]);
    }
    if let Some(at) = name.find("$Proxy") {
        return format!("{}$Proxy", &name[..at]);
    }
    match name.split_once('/') {
        Some((hidden, _address)) => hidden.to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_differs_from_run_to_run() {
        for (name, stable) in [
            ("p.C$$Lambda$14/0x00007f0001000a00", "p.C$$Lambda"),
            ("p.C$$Lambda/0x00007f0001000a00", "p.C$$Lambda"),
            ("jdk.proxy2.$Proxy7", "jdk.proxy2.$Proxy"),
            ("p.Hidden/0x000000080012", "p.Hidden"),
            ("p.Plain$Inner", "p.Plain$Inner"),
        ] {
            assert_eq!(stable_name(name.to_owned()), stable);
        }
    }
}
