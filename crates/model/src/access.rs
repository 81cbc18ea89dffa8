//! Who may use what: which classes and operations code in a given package can name.

use std::fmt;
use std::sync::Arc;

use crate::class::{Class, ClassId, ClassKind, Origin, Visibility};
use crate::classes::Classes;
use crate::identifier::{is_identifier, is_restricted_type_name};
use crate::operation::{OpId, Operation, OperationKind};
use crate::overload::parameters;
use crate::subject::Subject;
use crate::types::{ClassType, JavaType, TypeArg};

/// Why Java code in some package cannot use a class or an operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Obstacle {
    /// It is private.
    Private(Arc<str>),
    /// It is package-private or protected, and the code is in another package.
    OtherPackage(Arc<str>),
    /// Its module does not export the package.
    NotExported(Arc<str>),
    /// It is in the unnamed package, which named ones cannot import from.
    UnnamedPackage(Arc<str>),
    /// It has no name in source code: local and anonymous classes, odd identifiers.
    NoName(Arc<str>),
    /// It cannot be loaded, because a class it needs is absent.
    Missing(Arc<str>),
    /// The JDK has it in releases only that are newer than the code under test.
    Newer(Arc<str>),
    /// A parameter's type cannot be named, for the reason inside.
    Parameter(Box<Obstacle>),
    /// Abstract classes are not instantiated.
    Abstract(Arc<str>),
    /// Enums make their own instances.
    EnumConstructor,
    /// Final fields are not written.
    FinalField,
    /// Another overload takes the same arguments.
    Ambiguous(Arc<str>),
    /// Its class cannot be named, and no class below that can be named hands it down.
    OwnerHidden(Box<Obstacle>),
    /// A value, seen at a type that code can name, does not fit where it is used.
    Misfit(Arc<str>),
    /// It has no place in a source file: a string or an array beyond what class files hold.
    TooLarge(Arc<str>),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Private(what) => write!(out, "{what} is private"),
            Self::OtherPackage(what) => write!(out, "{what} is not public, and in another package"),
            Self::NotExported(what) => write!(out, "the module of {what} does not export its package"),
            Self::UnnamedPackage(what) => write!(out, "{what} is in the unnamed package"),
            Self::NoName(what) => write!(out, "{what} cannot be written in Java source"),
            Self::Missing(what) => write!(out, "it needs {what}, which is not in the class path"),
            Self::Newer(what) => write!(out, "{what} is not in the Java release of the classes under test"),
            Self::Parameter(why) => write!(out, "a parameter's type cannot be used: {why}"),
            Self::Abstract(what) => write!(out, "{what} is abstract"),
            Self::EnumConstructor => out.write_str("enums make their own instances"),
            Self::FinalField => out.write_str("the field is final"),
            Self::Ambiguous(what) => write!(out, "another overload of {what} takes the same arguments"),
            Self::OwnerHidden(why) => write!(out, "its class cannot be used: {why}"),
            Self::Misfit(what) => write!(out, "no types make the inputs of {what} fit"),
            Self::TooLarge(what) => write!(out, "{what} is too large for a source file"),
        }
    }
}

impl Classes {
    /// True if code in `package` may name the class.
    pub fn accessible(&self, class: ClassId, package: &str) -> bool {
        self.check_class(class, package).is_ok()
    }

    /// Says why code in `package` may not name the class, if so.
    pub fn check_class(&self, class: ClassId, package: &str) -> Result<(), Obstacle> {
        let declared = &self[class];
        let name = || declared.source_name.clone();
        if let Some(missing) = &declared.missing {
            return Err(Obstacle::Missing(missing.clone()));
        }
        if !self.is_writable(class) {
            return Err(Obstacle::NoName(name()));
        }
        if declared.is_newer {
            return Err(Obstacle::Newer(name()));
        }
        if let Some(outer) = declared.outer {
            self.check_class(outer, package)?;
        } else if declared.package.is_empty() && !package.is_empty() {
            return Err(Obstacle::UnnamedPackage(name()));
        }
        match declared.visibility {
            Visibility::Private => Err(Obstacle::Private(name())),
            _ if &*declared.package == package => Ok(()),
            Visibility::Public if declared.exported => Ok(()),
            Visibility::Public => Err(Obstacle::NotExported(name())),
            Visibility::Package | Visibility::Protected => Err(Obstacle::OtherPackage(name())),
        }
    }

    /// Says why code in `package` may not name the type, if so.
    pub fn check_type(&self, ty: &JavaType, package: &str) -> Result<(), Obstacle> {
        let mut result = Ok(());
        ty.each_class(&mut |class| {
            if result.is_ok() {
                result = self.check_class(class, package);
            }
        });
        result
    }

    /// The nearest type above this one that code in `package` can name: the type itself if
    /// possible, else with the parts that cannot be named widened.
    pub fn denotable(&self, ty: &JavaType, package: &str) -> JavaType {
        self.widened(ty, package, &mut Vec::new())
    }

    /// As [`Classes::denotable`]. `hidden` are the classes whose place is being filled: a hidden
    /// `Node implements Comparable<Node>` would be widened for ever.
    fn widened(&self, ty: &JavaType, package: &str, hidden: &mut Vec<ClassId>) -> JavaType {
        if self.check_type(ty, package).is_ok() {
            return ty.clone();
        }
        match ty {
            JavaType::Array(component) => JavaType::array_of(self.widened(component, package, hidden)),
            JavaType::Class(class_type) if self.accessible(class_type.class, package) => {
                let args = class_type.args().iter().map(|arg| self.widened_arg(arg, package, hidden));
                let outer = class_type.outer().cloned();
                JavaType::Class(ClassType::nested(outer, class_type.class, args))
            }
            JavaType::Class(class_type) if hidden.contains(&class_type.class) => self.object_type(),
            JavaType::Class(class_type) => {
                let above = self.nearest_accessible(class_type.class, package);
                let Some(seen) = above.and_then(|above| self.as_super(ty, above)) else {
                    return self.object_type();
                };
                hidden.push(class_type.class);
                let widened = self.widened(&JavaType::Class(seen), package, hidden);
                hidden.pop();
                widened
            }
            _ => ty.clone(),
        }
    }

    fn widened_arg(&self, arg: &TypeArg, package: &str, hidden: &mut Vec<ClassId>) -> TypeArg {
        match arg {
            TypeArg::Exact(ty) | TypeArg::Extends(ty) => {
                let above = self.widened(ty, package, hidden);
                if above == *ty {
                    arg.clone()
                } else if above == self.object_type() {
                    TypeArg::Any
                } else {
                    TypeArg::Extends(above)
                }
            }
            TypeArg::Super(ty) if self.check_type(ty, package).is_ok() => arg.clone(),
            TypeArg::Super(_) | TypeArg::Any => TypeArg::Any,
        }
    }

    /// The nearest supertype that code in `package` can name: superclasses count before
    /// interfaces, `Object` last.
    fn nearest_accessible(&self, class: ClassId, package: &str) -> Option<ClassId> {
        let mut chain = vec![class];
        while let Some(above) = self[chain[chain.len() - 1]].superclass.as_ref().and_then(JavaType::class_id)
        {
            if chain.contains(&above) {
                break;
            }
            chain.push(above);
        }
        let superclass =
            chain.iter().copied().find(|above| *above != self.object() && self.accessible(*above, package));
        superclass.or_else(|| self.nearest_interface(&chain, package))
    }

    fn nearest_interface(&self, chain: &[ClassId], package: &str) -> Option<ClassId> {
        let mut queue: Vec<ClassId> = chain.to_vec();
        let mut next = 0;
        while next < queue.len() {
            let class = queue[next];
            next += 1;
            for interface in self[class].interfaces.iter().filter_map(JavaType::class_id) {
                if self.accessible(interface, package) {
                    return Some(interface);
                }
                if !queue.contains(&interface) {
                    queue.push(interface);
                }
            }
        }
        None
    }
}

pub(crate) fn writable(class: &Class) -> bool {
    class.has_name()
        && is_identifier(&class.simple_name)
        && !is_restricted_type_name(&class.simple_name)
        && (class.outer.is_some() || class.package.is_empty() || class.package.split('.').all(is_identifier))
}

/// Classes as seen from a package, or from nowhere in particular.
pub(crate) struct Reach<'a> {
    pub(crate) classes: &'a Classes,
    pub(crate) package: Option<&'a str>,
}

impl Reach<'_> {
    pub(crate) fn class_usable(&self, class: ClassId) -> bool {
        match self.package {
            Some(package) => self.classes.accessible(class, package),
            None => self.classes[class].has_name(),
        }
    }
}

impl Subject {
    /// Says why code in `package` cannot call the operation, if so.
    pub fn check_operation(&self, operation: OpId, package: &str) -> Result<(), Obstacle> {
        self.through(operation, package)?;
        let operation = &self[operation];
        let parameters = operation.params.iter().chain(
            // The outer instance of an inner class.
            operation.receiver.iter().filter(|_| operation.is_constructor()),
        );
        for param in parameters {
            self.classes().check_type(param, package).map_err(|why| Obstacle::Parameter(Box::new(why)))?;
        }
        Ok(())
    }

    /// Says why code in `package` cannot use a private operation by reflection, if so. Fields are only written.
    pub fn check_private(&self, operation: OpId, package: &str) -> Result<(), Obstacle> {
        let operation = &self[operation];
        let owner = &self.classes()[operation.owner];
        let name = || self.member_name(operation);
        match self.check_member(operation, owner, package) {
            Err(Obstacle::Private(_)) => {}
            Err(why) => return Err(why),
            Ok(()) => return Err(Obstacle::Misfit(name())),
        }
        // The JDK's modules are closed, and an inner class has a parameter that its source does not show.
        let is_closed = owner.origin == Origin::Jdk;
        let is_inner = operation.is_constructor() && operation.receiver.is_some();
        if is_closed || is_inner || operation.kind.is_get() {
            return Err(Obstacle::Private(name()));
        }
        self.classes().check_class(operation.owner, package)?;
        for param in &operation.params {
            self.classes().check_type(param, package).map_err(|why| Obstacle::Parameter(Box::new(why)))?;
        }
        Ok(())
    }

    /// The class through which code in `package` reaches the operation: its owner, or, for what a
    /// hidden class hands down, the first accessible subclass that inherits it.
    pub fn through(&self, operation: OpId, package: &str) -> Result<ClassId, Obstacle> {
        let operation = &self[operation];
        let owner = &self.classes()[operation.owner];
        self.check_member(operation, owner, package)?;
        match self.classes().check_class(operation.owner, package) {
            Ok(()) => Ok(operation.owner),
            Err(why) => self.heir(operation, package).ok_or_else(|| Obstacle::OwnerHidden(Box::new(why))),
        }
    }

    fn check_member(&self, operation: &Operation, owner: &Class, package: &str) -> Result<(), Obstacle> {
        let name = || self.member_name(operation);
        if operation.is_newer {
            return Err(Obstacle::Newer(name()));
        }
        if !operation.is_constructor() && !is_identifier(&operation.name) {
            return Err(Obstacle::NoName(name()));
        }
        if operation.is_constructor() && owner.is_abstract {
            return Err(Obstacle::Abstract(owner.source_name.clone()));
        }
        if operation.is_constructor() && owner.kind == ClassKind::Enum {
            return Err(Obstacle::EnumConstructor);
        }
        if operation.kind.is_set() && operation.is_final {
            return Err(Obstacle::FinalField);
        }
        match operation.visibility {
            Visibility::Public => Ok(()),
            Visibility::Private => Err(Obstacle::Private(name())),
            Visibility::Package | Visibility::Protected if &*owner.package == package => Ok(()),
            Visibility::Package | Visibility::Protected => Err(Obstacle::OtherPackage(name())),
        }
    }

    /// `org.foo.Bar.baz`, for messages.
    pub fn member_name(&self, operation: &Operation) -> Arc<str> {
        let owner = &self.classes()[operation.owner].source_name;
        if operation.is_constructor() { owner.clone() } else { format!("{owner}.{}", operation.name).into() }
    }

    fn heir(&self, operation: &Operation, package: &str) -> Option<ClassId> {
        let classes = self.classes();
        let owner = &classes[operation.owner];
        let inherited = match operation.kind {
            OperationKind::Constructor | OperationKind::EnumConstant => false,
            OperationKind::StaticMethod => !owner.is_interface(),
            _ => true,
        };
        if !inherited {
            return None;
        }
        let mut heirs: Vec<ClassId> = classes
            .subtypes(operation.owner)
            .iter()
            .copied()
            .filter(|heir| classes.accessible(*heir, package) && !self.hides(*heir, operation))
            .collect();
        heirs.sort_by_key(|heir| (!classes[*heir].under_test, *heir));
        heirs.first().copied()
    }

    /// True if `heir`, or a class between it and the owner, declares the same member again.
    ///
    /// A static or a field hides the owner's; a method overrides it, and is an operation of its own.
    fn hides(&self, heir: ClassId, operation: &Operation) -> bool {
        let same = |other: &Operation| {
            other.name == operation.name
                && (!operation.kind.is_method()
                    || parameters(&other.descriptor) == parameters(&operation.descriptor))
        };
        let classes = self.classes();
        let between = classes.ancestors(heir).iter().map(|ancestor| ancestor.class);
        between
            .filter(|class| *class != operation.owner && classes.is_subclass(*class, operation.owner))
            .flat_map(|class| self.operations_of(class))
            .any(|other| same(&self[*other]))
    }
}
