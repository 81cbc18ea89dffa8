//! A loader epoch: the subject's classes as one class loader sees them, loaded and initialized on first use.

use std::ffi::CString;

use jurat_base::FxHashMap;
use jurat_protocol::OperationKind;

use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::standin::StandIn;
use crate::synthesize::Reach;
use crate::table::{Op, Table, TypeId};
use crate::{WorkerError, synthesize};

/// One fresh view of the subject. Dropped by [`Epoch::close`].
pub(crate) struct Epoch {
    pub(crate) loader: Ref,
    classes: Vec<Option<Ref>>,
    members: Vec<Option<Member>>,
    /// The static variables of the class whose field an operation lends.
    variables: FxHashMap<usize, Vec<(Kind, Id)>>,
    fits: FxHashMap<(TypeId, TypeId), bool>,
    /// Classes that stand in for others, by name and whether they keep bodies.
    pub(crate) stand_ins: FxHashMap<(String, bool), StandIn>,
    /// Classes we defined; global references.
    pub(crate) defined: Vec<Ref>,
}

/// A resolved operation.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) class: Ref,
    pub(crate) id: Id,
    /// Whether it is the static method of a bridge, which takes the receiver as an argument.
    pub(crate) bridged: bool,
    /// The class of the last value it made, and that class's number.
    pub(crate) last: (Ref, u32),
}

/// Why something could not be resolved.
pub(crate) enum Unresolved {
    /// Loading or initializing a class threw.
    Threw(Ref),
    /// There is no such thing.
    Missing(String),
}

/// Why a class could not be loaded. That it is not there is no behaviour of the subject: it never got to run.
fn absent(env: Env, jdk: &Jdk, name: &str, thrown: Ref) -> Unresolved {
    if jdk.class_name(env, env.class_of(thrown)) == "java.lang.ClassNotFoundException" {
        Unresolved::Missing(format!("{name} is not on the class path"))
    } else {
        Unresolved::Threw(thrown)
    }
}

impl Epoch {
    /// A new loader over the class path, which is also the thread's context class loader.
    pub(crate) fn open(env: Env, jdk: &Jdk, class_path: &[String]) -> Result<Self, WorkerError> {
        Self::open_below(env, jdk, jdk.loader.platform, class_path)
    }

    /// The same, below another loader.
    pub(crate) fn open_below(
        env: Env,
        jdk: &Jdk,
        parent: Ref,
        class_path: &[String],
    ) -> Result<Self, WorkerError> {
        let parts = &jdk.loader;
        let urls = jdk.checked(env, "class path", env.new_object_array(parts.url, class_path.len()))?;
        for (index, path) in class_path.iter().enumerate() {
            let url = jdk.checked(env, "class path", parts.url_of(env, path))?;
            let index = i32::try_from(index).map_err(|_| WorkerError::new("the class path is too long"))?;
            env.set_element(Kind::Object, urls, index, Raw::object(url));
        }
        let name = string(env, "app");
        let arguments = [Raw::object(name), Raw::object(urls), Raw::object(parent)];
        let loader = env.new_object(parts.class, parts.constructor, &arguments);
        let loader = env.new_global(jdk.checked(env, "class loader", loader)?);
        // Messages of the JVM then name the loader as they do when the subject runs by itself.
        env.set(Kind::Object, loader, parts.name_and_id, Raw::object(string(env, "'app'")));
        let epoch = Self {
            loader,
            classes: Vec::new(),
            members: Vec::new(),
            variables: FxHashMap::default(),
            fits: FxHashMap::default(),
            stand_ins: FxHashMap::default(),
            defined: Vec::new(),
        };
        epoch.enter(env, jdk)?;
        Ok(epoch)
    }

    /// Makes the loader the context class loader of the current thread.
    pub(crate) fn enter(&self, env: Env, jdk: &Jdk) -> Result<(), WorkerError> {
        jdk.loader.set_context(env, self.loader);
        jdk.checked(env, "context class loader", ())
    }

    /// Lets go of everything, so that the classes can be unloaded.
    pub(crate) fn close(self, env: Env, jdk: &Jdk) {
        env.call(Kind::Void, self.loader, jdk.loader.close, &[]);
        env.clear_exception();
        for class in self.classes.into_iter().flatten().chain(self.defined) {
            env.delete_global(class);
        }
        env.delete_global(self.loader);
    }

    /// The class of a type; it may be uninitialized.
    pub(crate) fn class(
        &mut self,
        env: Env,
        jdk: &Jdk,
        table: &Table,
        id: TypeId,
    ) -> Result<Ref, Unresolved> {
        if let Some(Some(class)) = self.classes.get(id.index()) {
            return Ok(*class);
        }
        let descriptor = table.types.descriptor(id);
        let name = loadable_name(descriptor)
            .ok_or_else(|| Unresolved::Missing(format!("{descriptor} is not a class")))?;
        let class = jdk.load(env, &name, self.loader).map_err(|thrown| absent(env, jdk, &name, thrown))?;
        let global = env.new_global(class);
        env.delete_local(class);
        self.classes.resize(table.types.len().max(self.classes.len()), None);
        self.classes[id.index()] = Some(global);
        Ok(global)
    }

    /// The member an operation uses. The JVM initializes its class, as Java would on first use.
    pub(crate) fn member(
        &mut self,
        env: Env,
        jdk: &Jdk,
        table: &Table,
        index: usize,
        op: &Op,
    ) -> Result<&mut Member, Unresolved> {
        if self.members.len() < table.operations.len() {
            self.members.resize(table.operations.len(), None);
        }
        if self.members[index].is_none() {
            let class = self.class(env, jdk, table, op.class)?;
            let found = if op.caller_sensitive {
                self.bridge(env, jdk, index, op, class)?
            } else {
                (class, look_up(env, class, op), false)
            };
            if let Some(thrown) = env.take_exception() {
                return Err(Unresolved::Threw(thrown));
            }
            let (class, id, bridged) = found;
            let id = id.ok_or_else(|| Unresolved::Missing(format!("{:?} has no id", op.name)))?;
            self.members[index] = Some(Member { class, id, bridged, last: (Ref::NULL, 0) });
        }
        Ok(self.members[index].as_mut().expect("it was just resolved"))
    }

    /// The static fields that a class declares and that may change; the class is that of an operation.
    pub(crate) fn variables(&mut self, jdk: &Jdk, operation: usize, class: Ref) -> &[(Kind, Id)] {
        const STATIC: i32 = 0x8;
        const FINAL: i32 = 0x10;
        let listed = || {
            let fields = jdk.jvmti.fields(class).into_iter();
            let changing = fields.filter(|(.., modifiers)| modifiers & (STATIC | FINAL) == STATIC);
            changing.filter_map(|(id, _, descriptor, _)| Some((Kind::of(&descriptor)?, id))).collect()
        };
        self.variables.entry(operation).or_insert_with(listed)
    }

    /// Whether a class was loaded by this epoch's own loader.
    pub(crate) fn contains(&self, env: Env, jdk: &Jdk, class: Ref) -> bool {
        let loader = jdk.jvmti.loader_of(class);
        !loader.is_null() && env.same(loader, self.loader)
    }

    /// Whether code in the package of `other`, in this epoch's loader, sees what `class` shows to its package.
    pub(crate) fn shares_package(&self, env: Env, jdk: &Jdk, class: Ref, other: Ref) -> bool {
        let package = |class| {
            let name = jdk.class_name(env, class);
            name.rsplit_once('.').map(|(package, _)| package.to_owned())
        };
        self.contains(env, jdk, class) && self.contains(env, jdk, other) && package(class) == package(other)
    }

    /// The class of the last value an operation made, and that class's number.
    #[inline]
    pub(crate) fn last(&self, index: usize) -> (Ref, u32) {
        match self.members.get(index) {
            Some(Some(member)) => member.last,
            _ => (Ref::NULL, 0),
        }
    }

    /// Keeps the class of the last value an operation made.
    pub(crate) fn remember(&mut self, index: usize, last: (Ref, u32)) {
        if let Some(Some(member)) = self.members.get_mut(index) {
            member.last = last;
        }
    }

    /// Whether every value of one declared type is a value of the other.
    pub(crate) fn fits(&mut self, env: Env, jdk: &Jdk, table: &Table, from: TypeId, to: TypeId) -> bool {
        if let Some(&known) = self.fits.get(&(from, to)) {
            return known;
        }
        let classes = (self.class(env, jdk, table, from), self.class(env, jdk, table, to));
        let fits = matches!(classes, (Ok(from), Ok(to)) if env.assignable(from, to));
        self.fits.insert((from, to), fits);
        fits
    }
}

impl Epoch {
    /// A class of the subject's loader that calls the method for us, so that the method sees a caller.
    fn bridge(
        &mut self,
        env: Env,
        jdk: &Jdk,
        index: usize,
        op: &Op,
        class: Ref,
    ) -> Result<(Ref, Option<Id>, bool), Unresolved> {
        let reach = match op.kind {
            OperationKind::Static => Reach::Static,
            OperationKind::Virtual if jdk.jvmti.class_access(class).is_interface() => Reach::Interface,
            OperationKind::Virtual => Reach::Virtual,
            _ => return Ok((class, look_up(env, class, op), false)),
        };
        let cannot = |why: String| Unresolved::Missing(format!("no bridge to {:?}: {why}", op.name));
        let name = jdk.class_name(env, class).replace('.', "/");
        let (method, descriptor) = (op.name.to_string_lossy(), op.descriptor.to_string_lossy());
        let own = format!("jurat/Bridge${index}");
        let (bytes, descriptor) = synthesize::bridge(&own, reach, &name, &method, &descriptor)
            .map_err(|error| cannot(error.to_string()))?;
        let bridge = self.define(env, &own, &bytes);
        let bridge = bridge.map_err(|thrown| cannot(jdk.describe(env, thrown)))?;
        let descriptor = CString::new(descriptor).map_err(|error| cannot(error.to_string()))?;
        Ok((bridge, env.static_method(bridge, c"call", &descriptor), true))
    }
}

fn look_up(env: Env, class: Ref, op: &Op) -> Option<Id> {
    match op.kind {
        OperationKind::Constructor | OperationKind::Virtual | OperationKind::Special => {
            env.method(class, &op.name, &op.descriptor)
        }
        OperationKind::Static => env.static_method(class, &op.name, &op.descriptor),
        OperationKind::GetStatic | OperationKind::SetStatic | OperationKind::LendStatic => {
            env.static_field(class, &op.name, &op.descriptor)
        }
        OperationKind::GetField | OperationKind::SetField => env.field(class, &op.name, &op.descriptor),
    }
}

/// `Lp/C;` is loaded as `p.C`, `[Lp/C;` as `[Lp.C;`; primitives cannot be loaded.
pub(crate) fn loadable_name(descriptor: &str) -> Option<String> {
    let name = match descriptor.as_bytes().first()? {
        b'L' => descriptor.strip_prefix('L')?.strip_suffix(';')?,
        b'[' => descriptor,
        _ => return None,
    };
    Some(name.replace('/', "."))
}

fn string(env: Env, text: &str) -> Ref {
    let units: Vec<u16> = text.encode_utf16().collect();
    env.new_string(&units)
}
