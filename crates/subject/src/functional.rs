//! Which interfaces a lambda can implement, and by which method.

use jurat_model::{
    ClassId, ClassKind, Classes, FunctionalMethod, JavaType, OpId, Operation, OperationKind, Substitution,
};

/// The operations of each class, as far as they are known.
pub(crate) struct Declared<'a> {
    pub(crate) operations: &'a [Operation],
    pub(crate) by_owner: &'a [Vec<OpId>],
}

impl Declared<'_> {
    fn methods(&self, class: ClassId) -> impl Iterator<Item = &Operation> {
        self.by_owner[class.index()]
            .iter()
            .map(|id| &self.operations[id.index()])
            .filter(|operation| operation.kind == OperationKind::InstanceMethod)
    }
}

/// A method as a subinterface sees it.
struct Seen<'a> {
    operation: &'a Operation,
    known: Substitution,
    /// Erased parameters after substitution: what decides whether one method overrides another.
    erased: Vec<JavaType>,
    raw: bool,
}

/// The single abstract method of an interface, inherited ones included; none if there is none or
/// more than one, or if the interface is sealed.
pub(crate) fn functional_method(
    classes: &Classes,
    declared: &Declared<'_>,
    interface: ClassId,
) -> Option<FunctionalMethod> {
    if classes[interface].kind != ClassKind::Interface || classes[interface].is_sealed {
        return None;
    }
    let methods = inherited(classes, declared, interface);
    let mut open: Vec<&Seen<'_>> = methods
        .iter()
        .filter(|seen| seen.operation.is_abstract && !is_of_object(seen, classes))
        .filter(|seen| !methods.iter().any(|other| overrides(classes, other, seen)))
        .collect();
    // Unrelated interfaces may declare the same method; the one with the narrowest result counts.
    let first = *open.first()?;
    if !open.iter().all(|seen| same_shape(seen, first)) {
        return None;
    }
    open.sort_by_key(|seen| open_rank(classes, seen, &methods));
    Some(describe(classes, open.first()?))
}

/// All instance methods of the interface and those above it, as it sees them.
fn inherited<'a>(classes: &Classes, declared: &'a Declared<'_>, interface: ClassId) -> Vec<Seen<'a>> {
    let this = classes.this_type(interface);
    let mut found = Vec::new();
    for ancestor in
        classes.ancestors(interface).iter().filter(|ancestor| classes[ancestor.class].is_interface())
    {
        let Some(seen_as) = classes.as_super(&this, ancestor.class) else { continue };
        let raw = classes.is_raw(&seen_as);
        let known = classes.arguments_of(&seen_as);
        for operation in declared.methods(ancestor.class) {
            let erased = operation
                .params
                .iter()
                .map(|param| classes.erasure(&if raw { param.clone() } else { known.up(classes, param) }))
                .collect();
            found.push(Seen { operation, known: known.clone(), erased, raw });
        }
    }
    found
}

fn same_shape(left: &Seen<'_>, right: &Seen<'_>) -> bool {
    left.operation.name == right.operation.name && left.erased == right.erased
}

fn overrides(classes: &Classes, below: &Seen<'_>, above: &Seen<'_>) -> bool {
    below.operation.owner != above.operation.owner
        && classes.is_subclass(below.operation.owner, above.operation.owner)
        && same_shape(below, above)
}

/// Every implementation inherits these from `Object` already.
fn is_of_object(seen: &Seen<'_>, classes: &Classes) -> bool {
    match (&*seen.operation.name, seen.erased.as_slice()) {
        ("hashCode" | "toString", []) => true,
        ("equals", [only]) => *only == classes.object_type(),
        _ => false,
    }
}

/// How many of the others have a narrower result.
fn open_rank(classes: &Classes, seen: &Seen<'_>, methods: &[Seen<'_>]) -> usize {
    let result = result_of(classes, seen);
    methods
        .iter()
        .filter(|other| same_shape(other, seen))
        .map(|other| result_of(classes, other))
        .filter(|other| *other != result && classes.is_assignable(other, &result))
        .count()
}

fn result_of(classes: &Classes, seen: &Seen<'_>) -> JavaType {
    view(classes, seen, &seen.operation.result)
}

fn view(classes: &Classes, seen: &Seen<'_>, ty: &JavaType) -> JavaType {
    if seen.raw { classes.erasure(ty) } else { seen.known.up(classes, ty) }
}

fn describe(classes: &Classes, seen: &Seen<'_>) -> FunctionalMethod {
    let all = |types: &[JavaType]| types.iter().map(|ty| view(classes, seen, ty)).collect();
    let operation = seen.operation;
    FunctionalMethod {
        name: operation.name.clone(),
        descriptor: operation.descriptor.clone(),
        type_params: operation.type_params.clone(),
        params: all(&operation.params),
        result: result_of(classes, seen),
        throws: all(&operation.throws),
    }
}
