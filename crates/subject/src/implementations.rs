//! Concrete classes for interfaces and abstract classes.
//!
//! The user's own classes come first, then the rest of the class path, then what the JDK exports.
//! They are found by reading the headers of all classes, so that no list of well-known ones is needed.

use std::collections::BTreeSet;
use std::sync::Arc;

use jurat_base::{FxHashMap, FxHashSet};
use jurat_classfile::{Access, ClassFile};
use jurat_classpath::ClassPath;
use jurat_model::{Class, ClassId, ClassKind, Classes, JavaType, Operation, Origin, Visibility};

use crate::factories;
use crate::functional::Declared;
use crate::library::package_of;
use crate::loader::{Loader, MAX_DISTANCE};

/// How many classes outside those under test are loaded for one interface before the best are kept.
const MAX_CANDIDATES: usize = 16;
/// How many implementations outside the classes under test are kept.
const MAX_FOREIGN: usize = 8;
/// How many of either there are of the JDK's, if it has them: a class path full of streams has nothing simpler than a
/// `ByteArrayInputStream`.
const OF_CANDIDATES: usize = 10;
const OF_FOREIGN: usize = 4;

/// Loads candidate implementations of what the classes under test mention, and of what it takes to make that.
pub(crate) fn load(loader: &mut Loader<'_>) {
    let parts = parts(loader);
    let is_target = |class: &&Class| {
        let is_near = class.distance <= 1 || parts.contains(&class.internal_name);
        is_near && is_target(class)
    };
    let targets: Vec<Arc<str>> =
        loader.classes.iter().filter(is_target).map(|class| class.internal_name.clone()).collect();
    let hierarchy = Hierarchy::scan(loader);
    for name in &targets {
        for candidate in hierarchy.candidates(name) {
            // A candidate that cannot be loaded is no implementation; nothing is lost.
            let _ = loader.intern(&candidate, MAX_DISTANCE);
        }
    }
    loader.drain();
    for name in asked_for(loader, &targets, &hierarchy) {
        let _ = loader.intern(&name, MAX_DISTANCE);
    }
    loader.drain();
}

/// What the constructors ask for of the user's implementations of a class, if none of these can be made out of what is
/// known so far.
fn asked_for(loader: &Loader<'_>, targets: &[Arc<str>], hierarchy: &Hierarchy) -> BTreeSet<Arc<str>> {
    let seen = factories::seen(loader);
    let made = factories::made(loader, &seen);
    let mut asked = BTreeSet::new();
    for target in targets {
        let below: FxHashSet<ClassId> =
            hierarchy.candidates(target).iter().filter_map(|name| loader.known(name)).collect();
        let is_there = |id: &ClassId| loader.class(*id).origin == Origin::Jdk || made.contains(id);
        if below.iter().any(is_there) {
            continue;
        }
        let makers = seen.iter().filter(|maker| maker.is_constructor() && below.contains(&maker.owner));
        let parts = makers.flat_map(|maker| maker.inputs()).filter_map(JavaType::class_id);
        asked.extend(parts.map(|part| loader.class(part).internal_name.clone()));
    }
    asked
}

/// What cannot be made by its own constructor.
fn is_target(class: &Class) -> bool {
    class.is_abstract && class.kind != ClassKind::Annotation && !class.is_sealed
}

/// What the constructors of those classes of the user's ask for that operations under test may ask for.
fn parts(loader: &Loader<'_>) -> FxHashSet<Arc<str>> {
    let is_asked_for = |operation: &&Operation| {
        let owner = loader.class(operation.owner);
        operation.is_constructor()
            && owner.distance == 1
            && owner.origin != Origin::Jdk
            && !owner.is_abstract
            && operation.visibility > Visibility::Private
    };
    let makers = loader.operations.iter().filter(is_asked_for);
    let asked = makers.flat_map(Operation::inputs).filter_map(JavaType::class_id);
    asked.map(|class| loader.class(class).internal_name.clone()).collect()
}

/// Who directly extends whom, by name, for classes that might not be loaded.
struct Hierarchy {
    below: FxHashMap<String, Vec<String>>,
    /// Names of classes that can be instantiated by everyone, as far as a header tells.
    concrete: FxHashSet<String>,
    own: FxHashSet<String>,
}

impl Hierarchy {
    fn scan(loader: &Loader<'_>) -> Self {
        let mut hierarchy =
            Self { below: FxHashMap::default(), concrete: FxHashSet::default(), own: FxHashSet::default() };
        let library = loader.library;
        let exports = library.exports("java.base");
        hierarchy.scan_path(library.class_path, |_| true);
        hierarchy.own = hierarchy.concrete.iter().cloned().collect();
        hierarchy.scan_path(&library.base, |name| exports.contains(package_of(name)));
        hierarchy
    }

    fn scan_path(&mut self, path: &ClassPath, wanted: impl Fn(&str) -> bool) {
        for name in path.names().filter(|name| wanted(name)) {
            let Ok(Some(bytes)) = path.read(name) else { continue };
            let Ok(header) = ClassFile::read_header(&bytes) else { continue };
            for above in header.super_name().into_iter().chain(header.interface_names()) {
                // Everything extends Object; the list would be the whole library.
                if above != "java/lang/Object" {
                    self.below.entry(above.into_owned()).or_default().push(name.to_owned());
                }
            }
            let hidden = Access::ABSTRACT | Access::SYNTHETIC;
            if header.access.contains(Access::PUBLIC) && header.access.0 & hidden.0 == 0 {
                self.concrete.insert(name.to_owned());
            }
        }
    }

    /// Concrete classes below this one, likeliest first: the user's before the JDK's, the target's
    /// own package before others, short names before long ones.
    fn candidates(&self, target: &str) -> Vec<String> {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut queue: Vec<&str> = vec![target];
        let mut found: Vec<&str> = Vec::new();
        while let Some(name) = queue.pop() {
            for below in self.below.get(name).into_iter().flatten() {
                if seen.insert(below) {
                    queue.push(below);
                    if self.concrete.contains(below) {
                        found.push(below);
                    }
                }
            }
        }
        found.sort_by_key(|name| (package_of(name) != package_of(target), name.len(), *name));
        let (own, of_jdk): (Vec<&str>, Vec<&str>) =
            found.into_iter().partition(|name| self.own.contains(*name));
        let room = OF_CANDIDATES.max(MAX_CANDIDATES.saturating_sub(own.len()));
        let own = own.into_iter().take(MAX_CANDIDATES);
        own.chain(of_jdk.into_iter().take(room)).map(str::to_owned).collect()
    }
}

/// The implementations of an abstract class or interface among the classes loaded, best first.
pub(crate) fn implementations(classes: &Classes, declared: &Declared<'_>, target: ClassId) -> Vec<ClassId> {
    if !classes[target].is_abstract || classes[target].kind == ClassKind::Annotation {
        return Vec::new();
    }
    let mut found: Vec<(Rank, ClassId)> = classes
        .subtypes(target)
        .iter()
        .filter_map(|below| Some((rank(classes, declared, target, *below)?, *below)))
        .collect();
    found.sort();
    let own = found.iter().filter(|((foreign, ..), _)| !foreign).count();
    let of_jdk = found.iter().filter(|((foreign, of_jdk, ..), _)| *foreign && *of_jdk).count();
    // What is not the JDK's comes first, and leaves room.
    let others = (found.len() - own - of_jdk).min(MAX_FOREIGN - of_jdk.min(OF_FOREIGN));
    found.drain(own + others..found.len() - of_jdk);
    found.truncate(own + MAX_FOREIGN);
    found.into_iter().map(|(_, class)| class).collect()
}

/// What speaks against an implementation, weightiest first: found outside the classes under test, in
/// the JDK, in another package; deprecated; parameters of its simplest constructor that are no plain values, and all
/// of them; not public; a long name.
type Rank = (bool, bool, bool, bool, (usize, usize), bool, (usize, Arc<str>));

/// None if the class cannot be instantiated.
fn rank(classes: &Classes, declared: &Declared<'_>, target: ClassId, below: ClassId) -> Option<Rank> {
    let class = &classes[below];
    let is_jdk = class.origin == Origin::Jdk;
    if class.is_abstract || !class.has_name() || class.missing.is_some() {
        return None;
    }
    let wanted = if is_jdk { Visibility::Public } else { Visibility::Package };
    if !class.exported || class.is_newer || !nameable(classes, below, wanted) {
        return None;
    }
    let constructors = declared.by_owner[below.index()]
        .iter()
        .map(|id| &declared.operations[id.index()])
        .filter(|operation| operation.is_constructor() && operation.visibility >= wanted);
    let inputs = if class.kind == ClassKind::Enum {
        (!class.enum_constants.is_empty()).then_some((0, 0))
    } else {
        let is_hard = |ty: &&JavaType| !is_plain(classes, ty);
        let count = |made: &Operation| (made.inputs().filter(is_hard).count(), made.inputs().count());
        constructors.map(count).min()
    }?;
    Some((
        !class.under_test,
        is_jdk,
        class.package != classes[target].package,
        class.is_deprecated,
        inputs,
        class.visibility != Visibility::Public,
        (class.source_name.len(), class.source_name.clone()),
    ))
}

/// True if a value of this type is a literal, a box or an array of numbers.
fn is_plain(classes: &Classes, ty: &JavaType) -> bool {
    match ty {
        JavaType::Primitive(_) => true,
        JavaType::Array(element) => matches!(**element, JavaType::Primitive(_)),
        JavaType::Class(class) => class.class == classes.string() || classes.unboxed(class.class).is_some(),
        _ => false,
    }
}

/// True if the class and all around it are visible enough.
fn nameable(classes: &Classes, class: ClassId, wanted: Visibility) -> bool {
    let declared = &classes[class];
    declared.visibility >= wanted && declared.outer.is_none_or(|outer| nameable(classes, outer, wanted))
}
