//! Who makes what has no constructor for everyone: classes beside it with a method that gives one.
//!
//! A class that is mentioned by name is read, and what it mentions; who makes it need not be among them. Such a class is
//! usually a neighbour: a `Widgets` in the package of `Widget`.

use std::collections::{BTreeMap, BTreeSet};
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

/// Loads the factories of what operations under test ask for, and of what it takes to make that.
pub(crate) fn load(loader: &mut Loader<'_>) {
    for _ in 0..ROUNDS {
        let known = loader.classes.len();
        let mut found: BTreeSet<String> = BTreeSet::new();
        for (package, wanted) in by_package(&unmade(loader)) {
            let neighbours = neighbours(loader, package);
            for wanted in wanted {
                found.extend(factories(&neighbours, wanted));
            }
        }
        for name in &found {
            // One that cannot be loaded makes nothing.
            let _ = loader.intern(name, MAX_DISTANCE);
        }
        loader.drain();
        if loader.classes.len() == known {
            return;
        }
    }
}

/// The classes of the user's that operations under test ask for and that tests cannot make out of nothing, and those that
/// it would take to make them.
fn unmade(loader: &Loader<'_>) -> Vec<Arc<str>> {
    let seen = seen(loader);
    let made = made(loader, &seen);
    let is_unmade = |id: &ClassId| {
        let class = loader.class(*id);
        class.origin != Origin::Jdk && !class.is_abstract && !made.contains(id)
    };
    let asking = loader.operations.iter().filter(|operation| loader.class(operation.owner).under_test);
    let asked = asking.flat_map(Operation::inputs).filter_map(JavaType::class_id);
    let mut unmade: FxHashSet<ClassId> = asked.filter(is_unmade).collect();
    let gives = |operation: &&&Operation| operation.result.class_id().is_some_and(|id| unmade.contains(&id));
    let taken = seen.iter().filter(gives).flat_map(|giver| giver.inputs()).filter_map(JavaType::class_id);
    let taken: Vec<ClassId> = taken.filter(is_unmade).collect();
    unmade.extend(taken);
    let mut unmade: Vec<ClassId> = unmade.into_iter().collect();
    unmade.sort_unstable();
    unmade.into_iter().map(|id| loader.class(id).internal_name.clone()).collect()
}

/// Operations that tests can use.
pub(crate) fn seen<'l>(loader: &'l Loader<'_>) -> Vec<&'l Operation> {
    let packages: FxHashSet<&str> =
        loader.classes.iter().filter(|class| class.under_test).map(|class| &*class.package).collect();
    let is_seen = |operation: &&Operation| {
        let owner = loader.class(operation.owner);
        let mut least = operation.visibility.min(owner.visibility);
        let mut around = owner.outer;
        while let Some(outer) = around {
            least = least.min(loader.class(outer).visibility);
            around = loader.class(outer).outer;
        }
        least == Visibility::Public || least > Visibility::Private && packages.contains(&*owner.package)
    };
    loader.operations.iter().filter(is_seen).collect()
}

/// The classes that constructors and static members give, if what they take can be made as well. For what is abstract or the
/// JDK's there is always something.
pub(crate) fn made(loader: &Loader<'_>, seen: &[&Operation]) -> FxHashSet<ClassId> {
    let is_maker = |operation: &&&Operation| match operation.kind {
        OperationKind::Constructor => !loader.class(operation.owner).is_abstract,
        _ => !operation.kind.has_receiver(),
    };
    let makers: Vec<&Operation> = seen.iter().filter(is_maker).copied().collect();
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
    let mut needs_object: BTreeMap<&str, bool> = BTreeMap::new();
    for (owner, is_static, _) in neighbours.iter().filter(gives) {
        *needs_object.entry(owner).or_insert(true) &= !is_static;
    }
    let mut found: Vec<(bool, &str)> =
        needs_object.into_iter().map(|(owner, needs)| (needs, owner)).collect();
    found.sort_unstable();
    found.into_iter().take(MAX_FACTORIES).map(|(_, owner)| owner.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::factories;

    #[test]
    fn each_factory_counts_once_and_those_that_need_no_object_come_first() {
        let gives = |owner: &str, is_static| (owner.to_owned(), is_static, "p/Wanted".to_owned());
        let neighbours = [
            gives("p/Asked", false),
            gives("p/Both", false),
            gives("p/Both", true),
            gives("p/Given", true),
            gives("p/Last", false),
            gives("p/Wanted", true),
            ("p/Other".to_owned(), true, "p/Unwanted".to_owned()),
        ];
        assert_eq!(factories(&neighbours, "p/Wanted"), ["p/Both", "p/Given", "p/Asked"]);
    }
}
