//! From what was read to a frozen subject: drops what cannot work, numbers operations, and finds
//! out what depends on all classes together.

use std::collections::BTreeSet;
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_classpath::ClassPath;
use jurat_model::{
    Class, Classes, JavaType, LeftOut, OpId, Operation, OperationKind, Reason, Subject, SubjectParts,
    Visibility,
};

use crate::error::LoadError;
use crate::functional::{Declared, functional_method};
use crate::implementations::implementations;
use crate::label;
use crate::library::package_of;
use crate::loader::Loader;

/// Names of methods that say whether an object is in a legal state.
const PREDICATES: [&str; 3] = ["repOK", "checkRep", "invariant"];

/// Freezes what was loaded.
pub(crate) fn finish(mut loader: Loader<'_>, selected: &[String]) -> Result<Subject, LoadError> {
    spread_missing(&mut loader.classes);
    leave_out_broken(&mut loader);
    leave_out_hidden(&mut loader);
    let package_names = package_names(&loader, selected);
    let Loader { library, classes, variables, operations, mut left_out, .. } = loader;
    let mut classes = Classes::new(classes, variables).map_err(|class| LoadError::BrokenJdk {
        jdk: library.jdk.home.display().to_string(),
        class: class.replace('/', "."),
    })?;
    let operations = number(&classes, operations, &mut left_out);
    complete(&mut classes, &operations);
    left_out.sort_by(|left, right| left.what.cmp(&right.what));
    Ok(Subject::new(SubjectParts { classes, operations, left_out, package_names }))
}

/// A class below one that cannot be loaded cannot be loaded either.
fn spread_missing(classes: &mut [Class]) {
    loop {
        let mut changed = false;
        for index in 0..classes.len() {
            if classes[index].missing.is_some() {
                continue;
            }
            let class = &classes[index];
            let above = class.superclass.iter().chain(&class.interfaces).filter_map(JavaType::class_id);
            let inherited = above.chain(class.outer).find_map(|above| classes[above.index()].missing.clone());
            if inherited.is_some() {
                classes[index].missing = inherited;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn leave_out_broken(loader: &mut Loader<'_>) {
    let broken: Vec<(Arc<str>, Arc<str>)> = loader
        .classes
        .iter_mut()
        .filter(|class| class.under_test)
        .filter_map(|class| {
            let missing = class.missing.clone()?;
            class.under_test = false;
            Some((class.source_name.clone(), missing))
        })
        .collect();
    for (name, missing) in broken {
        let inside = format!("{name}.");
        loader.left_out.retain(|left_out| !left_out.what.starts_with(&inside));
        loader.leave_out(&name, Reason::MissingDependency(missing));
    }
}

fn leave_out_hidden(loader: &mut Loader<'_>) {
    for id in std::mem::take(&mut loader.hidden) {
        let class = loader.class(id);
        if !class.under_test && class.missing.is_none() {
            let name = class.source_name.clone();
            loader.leave_out(&name, Reason::NotPublic);
        }
    }
}

/// Drops operations of broken classes and those that mention one, and numbers the others.
fn number(classes: &Classes, found: Vec<Operation>, left_out: &mut Vec<LeftOut>) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::with_capacity(found.len());
    for mut operation in found {
        if classes[operation.owner].missing.is_some() {
            continue;
        }
        if let Some(missing) = missing_in(classes, &operation) {
            if classes[operation.owner].under_test {
                let what = member_name(classes, &operation).into();
                left_out.push(LeftOut { what, reason: Reason::MissingDependency(missing) });
            }
            continue;
        }
        operation.id = OpId::from_index(operations.len());
        operations.push(operation);
    }
    operations
}

fn missing_in(classes: &Classes, operation: &Operation) -> Option<Arc<str>> {
    let mut missing = None;
    let bounds = operation.type_params.iter().flat_map(|param| &classes[*param].bounds);
    for ty in operation.types().chain(bounds) {
        ty.each_class(&mut |class| {
            if missing.is_none() {
                missing.clone_from(&classes[class].missing);
            }
        });
    }
    missing
}

fn member_name(classes: &Classes, operation: &Operation) -> String {
    let owner = &classes[operation.owner].source_name;
    if !operation.kind.is_call() {
        return format!("{owner}.{}", operation.name);
    }
    format!("{owner}.{}", label::method(&operation.name, &operation.descriptor))
}

/// Fills in what depends on operations and on all classes together.
fn complete(classes: &mut Classes, operations: &[Operation]) {
    let mut by_owner: Vec<Vec<OpId>> = vec![Vec::new(); classes.len()];
    for operation in operations {
        by_owner[operation.owner.index()].push(operation.id);
    }
    let declared = Declared { operations, by_owner: &by_owner };
    for id in classes.ids() {
        let functional = functional_method(classes, &declared, id);
        let implementations = implementations(classes, &declared, id);
        let own: Vec<&Operation> = by_owner[id.index()].iter().map(|id| &operations[id.index()]).collect();
        let predicates =
            own.iter().filter(|operation| is_predicate(operation)).map(|found| found.id).collect();
        let class = classes.class_mut(id);
        class.functional = functional;
        class.implementations = implementations;
        class.predicates = predicates;
        for component in &mut class.record_components {
            component.accessor = own
                .iter()
                .find(|operation| {
                    operation.kind == OperationKind::RecordAccessor && operation.name == component.name
                })
                .map(|operation| operation.id);
        }
    }
}

fn is_predicate(operation: &Operation) -> bool {
    operation.kind == OperationKind::InstanceMethod
        && operation.params.is_empty()
        && matches!(operation.result, JavaType::Void | JavaType::BOOLEAN)
        && PREDICATES.contains(&&*operation.name)
}

/// Simple names of the classes in packages whose names may clash with imports.
fn package_names(loader: &Loader<'_>, selected: &[String]) -> FxHashMap<Arc<str>, BTreeSet<Arc<str>>> {
    let mut names: FxHashMap<Arc<str>, BTreeSet<Arc<str>>> = FxHashMap::default();
    for name in selected {
        names.entry(package_of(name).replace('/', ".").into()).or_default();
    }
    collect_names(loader.library.class_path, &mut names);
    names.entry("java.lang".into()).or_default();
    collect_names(&loader.library.base, &mut names);
    for class in loader.classes.iter().filter(|class| class.outer.is_none()) {
        if class.visibility == Visibility::Public
            && let Some(known) = names.get_mut(&class.package)
        {
            known.insert(class.simple_name.clone());
        }
    }
    names
}

fn collect_names(path: &ClassPath, names: &mut FxHashMap<Arc<str>, BTreeSet<Arc<str>>>) {
    for name in path.names() {
        let package = package_of(name);
        let simple = name[package.len()..].trim_start_matches('/');
        if simple.contains('$') || simple.contains('-') {
            continue;
        }
        if let Some(known) = names.get_mut(package.replace('/', ".").as_str()) {
            known.insert(simple.into());
        }
    }
}
