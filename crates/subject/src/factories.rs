//! Who makes what has no constructor for everyone: classes beside it with a method that gives one.
//!
//! A class that is mentioned by name is read, and what it mentions; who makes it need not be among them. Such a class is
//! usually a neighbour: a `Widgets` in the package of `Widget`.

use std::sync::Arc;

use jurat_base::{FxHashMap, FxHashSet};
use jurat_classfile::{Access, ClassFile};
use jurat_model::{ClassId, JavaType, Operation, OperationKind, Origin, Visibility};

use crate::library::package_of;
use crate::loader::{Loader, MAX_DISTANCE};

/// A factory may itself have to be made by another.
const ROUNDS: usize = 2;
/// How many classes are loaded to make one other.
const MAX_FACTORIES: usize = 3;

/// Loads the factories of what the classes under test mention, and of what it takes to make that.
pub(crate) fn load(loader: &mut Loader<'_>) {
    for _ in 0..ROUNDS {
        let wanted = unmade(loader);
        let mut found: FxHashSet<String> = FxHashSet::default();
        for (package, wanted) in by_package(&wanted) {
            let neighbours = neighbours(loader, package);
            for wanted in wanted {
                found.extend(factories(&neighbours, wanted));
            }
        }
        let mut found: Vec<String> = found.into_iter().collect();
        found.sort_unstable();
        for name in &found {
            // One that cannot be loaded makes nothing.
            let _ = loader.intern(name, MAX_DISTANCE);
        }
        loader.drain();
    }
}

/// The classes of the user's that classes under test mention and no operation makes for the tests, and those that it would
/// take to make them.
fn unmade(loader: &Loader<'_>) -> Vec<Arc<str>> {
    let makers = makers(loader);
    let made = made(loader, &makers);
    let is_unmade = |id: &ClassId| {
        let class = loader.class(*id);
        class.origin != Origin::Jdk && !class.is_abstract && !made.contains(id)
    };
    let near = (0..loader.classes.len()).map(ClassId::from_index);
    let near = near.filter(|id| loader.class(*id).distance <= 1 && is_unmade(id));
    let mut unmade: Vec<ClassId> = near.collect();
    let gives = |maker: &&&Operation| maker.result.class_id().is_some_and(|id| unmade.contains(&id));
    let taken = makers.iter().filter(gives).flat_map(|maker| maker.inputs()).filter_map(JavaType::class_id);
    let taken: Vec<ClassId> = taken.filter(|id| is_unmade(id)).collect();
    unmade.extend(taken);
    unmade.sort_unstable();
    unmade.dedup();
    unmade.into_iter().map(|id| loader.class(id).internal_name.clone()).collect()
}

/// Constructors and static members that tests can use.
fn makers<'l>(loader: &'l Loader<'_>) -> Vec<&'l Operation> {
    let packages: FxHashSet<&str> =
        loader.classes.iter().filter(|class| class.under_test).map(|class| &*class.package).collect();
    let is_maker = |operation: &&Operation| {
        let owner = loader.class(operation.owner);
        let seen = operation.visibility.min(owner.visibility);
        let is_seen =
            seen == Visibility::Public || seen > Visibility::Private && packages.contains(&*owner.package);
        let needs_nothing = match operation.kind {
            OperationKind::Constructor => !owner.is_abstract,
            _ => !operation.kind.has_receiver(),
        };
        is_seen && needs_nothing
    };
    loader.operations.iter().filter(is_maker).collect()
}

/// The classes that makers give, if what they take can be made as well. For what is abstract or the JDK's there is always
/// something.
fn made(loader: &Loader<'_>, makers: &[&Operation]) -> FxHashSet<ClassId> {
    let mut made: FxHashSet<ClassId> = FxHashSet::default();
    loop {
        let is_there = |ty: &JavaType| match ty.class_id().map(|id| (id, loader.class(id))) {
            Some((id, class)) => class.origin == Origin::Jdk || class.is_abstract || made.contains(&id),
            None => true,
        };
        let able = makers.iter().filter(|maker| maker.inputs().all(is_there));
        let more: Vec<ClassId> = able.filter_map(|maker| maker.result.class_id()).collect();
        let before = made.len();
        made.extend(more);
        if made.len() == before {
            return made;
        }
    }
}

fn by_package(names: &[Arc<str>]) -> FxHashMap<&str, Vec<&str>> {
    let mut packages: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for name in names {
        packages.entry(package_of(name)).or_default().push(name);
    }
    packages
}

/// What the public methods of the public classes of a package give: class, whether without an object, result.
fn neighbours(loader: &Loader<'_>, package: &str) -> Vec<(String, bool, String)> {
    let path = loader.library.class_path;
    let mut given = Vec::new();
    for name in path.names().filter(|name| package_of(name) == package) {
        let Ok(Some(bytes)) = path.read(name) else { continue };
        let Ok(file) = ClassFile::read(&bytes) else { continue };
        if !file.access.contains(Access::PUBLIC) {
            continue;
        }
        for method in file.methods.iter().filter(|method| method.access.contains(Access::PUBLIC)) {
            let descriptor = file.pool.utf8(method.descriptor);
            let result = descriptor.rsplit(')').next().unwrap_or_default();
            if let Some(result) = result.strip_prefix('L').and_then(|result| result.strip_suffix(';')) {
                given.push((name.to_owned(), method.access.contains(Access::STATIC), result.to_owned()));
            }
        }
    }
    given
}

/// The classes that give a class, those that need no object first.
fn factories(neighbours: &[(String, bool, String)], wanted: &str) -> Vec<String> {
    let gives = |(owner, _, result): &&(String, bool, String)| result == wanted && owner != wanted;
    let mut found: Vec<(bool, &String)> =
        neighbours.iter().filter(gives).map(|(owner, is_static, _)| (!is_static, owner)).collect();
    found.sort_unstable();
    found.dedup_by_key(|(_, owner)| owner.clone());
    found.into_iter().take(MAX_FACTORIES).map(|(_, owner)| owner.clone()).collect()
}
