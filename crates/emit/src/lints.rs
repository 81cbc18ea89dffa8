//! Which compiler warnings a statement would cause, so that exactly those are silenced.

use std::collections::BTreeSet;

use jurat_model::{ClassId, Instance, JavaType, Operation, Subject};

/// A warning of `javac -Xlint:all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lint {
    Deprecation,
    Removal,
    Rawtypes,
    Unchecked,
    AuxiliaryClass,
}

impl Lint {
    fn name(self) -> &'static str {
        match self {
            Self::Deprecation => "deprecation",
            Self::Removal => "removal",
            Self::Rawtypes => "rawtypes",
            Self::Unchecked => "unchecked",
            Self::AuxiliaryClass => "auxiliaryclass",
        }
    }
}

/// A set of warnings.
pub(crate) type Lints = BTreeSet<Lint>;

/// The argument of `@SuppressWarnings` that silences these.
pub(crate) fn argument(lints: &Lints) -> String {
    let quoted: Vec<String> = lints.iter().map(|lint| format!("\"{}\"", lint.name())).collect();
    if quoted.len() == 1 { quoted.concat() } else { format!("{{{}}}", quoted.join(", ")) }
}

/// What naming a type warns of.
pub(crate) fn of_type(subject: &Subject, ty: &JavaType, lints: &mut Lints) {
    if subject.classes().has_raw(ty) {
        lints.insert(Lint::Rawtypes);
    }
    ty.each_class(&mut |class| of_class(subject, class, lints));
}

/// What naming a class warns of, other than rawness.
pub(crate) fn of_class(subject: &Subject, class: ClassId, lints: &mut Lints) {
    let mut named = Some(class);
    while let Some(class) = named {
        if subject[class].is_deprecated {
            lints.insert(Lint::Deprecation);
        }
        if subject[class].is_for_removal {
            lints.insert(Lint::Removal);
        }
        if subject[class].is_auxiliary {
            lints.insert(Lint::AuxiliaryClass);
        }
        named = subject[class].outer;
    }
}

/// What using an operation on a receiver of this type warns of.
pub(crate) fn of_call(
    subject: &Subject,
    instance: &Instance,
    receiver: Option<&JavaType>,
    lints: &mut Lints,
) {
    let operation = &subject[instance.operation];
    if receiver.is_none() || operation.is_constructor() {
        of_class(subject, operation.owner, lints);
    }
    if operation.is_deprecated || is_deprecated_below(subject, operation, receiver) {
        lints.insert(Lint::Deprecation);
    }
    if operation.is_for_removal {
        lints.insert(Lint::Removal);
    }
    let classes = subject.classes();
    let is_raw = if operation.is_constructor() {
        instance.result.as_class().is_some_and(|made| classes.is_raw(made))
    } else {
        let seen = receiver.and_then(|receiver| classes.as_super(receiver, operation.owner));
        seen.is_some_and(|seen| classes.is_raw(&seen))
    };
    if is_raw && operation.is_constructor() {
        lints.insert(Lint::Rawtypes);
    }
    let mut params = operation.params.iter().zip(&instance.params);
    let takes_raw = params.any(|(declared, used)| classes.has_raw(used) && !classes.has_raw(declared));
    if takes_raw || is_raw && operation.params.iter().any(|param| classes.erasure(param) != *param) {
        lints.insert(Lint::Unchecked);
    }
}

/// What passing arguments of these types warns of.
pub(crate) fn of_arguments(
    subject: &Subject,
    operation: &Operation,
    given: &[Option<&JavaType>],
    lints: &mut Lints,
) {
    let classes = subject.classes();
    let last = operation.params.last().filter(|_| operation.is_varargs);
    let spread = last.and_then(JavaType::component);
    let warns = |(position, given): (usize, Option<&JavaType>)| {
        let Some(given) = given else { return false };
        let is_several = position + 1 >= operation.params.len() && given.component().is_none();
        let declared = spread.filter(|_| is_several).or_else(|| operation.params.get(position));
        declared.is_some_and(|declared| classes.warns_of_raw(given, declared))
    };
    if given.iter().copied().enumerate().any(warns) {
        lints.insert(Lint::Unchecked);
    }
}

/// True if a class between the receiver's and the owner deprecates its override: the compiler warns of the
/// method it finds first.
fn is_deprecated_below(subject: &Subject, operation: &Operation, receiver: Option<&JavaType>) -> bool {
    let classes = subject.classes();
    let Some(class) = receiver.and_then(|receiver| classes.member_class(receiver)) else { return false };
    if !operation.kind.is_method() {
        return false;
    }
    classes
        .ancestors(class)
        .iter()
        .filter(|between| between.class != operation.owner)
        .flat_map(|between| subject.operations_of(between.class))
        .map(|other| &subject[*other])
        .any(|other| {
            other.is_deprecated
                && other.name == operation.name
                && other.params.len() == operation.params.len()
        })
}
