//! Type arguments for type variables, and what a type becomes under them.
//!
//! A variable may stand for a wildcard (the receiver is a `List<? extends Number>`). Then a type
//! has no exact image, only a nearest type above it, which is sound for results ([`Substitution::up`]),
//! and perhaps one below it, which is sound for inputs ([`Substitution::down`]). These are the upward
//! and downward projections of the language specification (4.10.5), without ever naming a captured type.

use crate::classes::Classes;
use crate::types::{ClassType, JavaType, TypeArg, TypeVarId};

/// What type variables stand for. Few entries, looked up one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Substitution(Vec<(TypeVarId, TypeArg)>);

impl Substitution {
    /// Lets `variable` stand for `arg`, replacing what it stood for.
    pub fn set(&mut self, variable: TypeVarId, arg: TypeArg) {
        match self.0.iter_mut().find(|(known, _)| *known == variable) {
            Some(entry) => entry.1 = arg,
            None => self.0.push((variable, arg)),
        }
    }

    /// Forgets what `variable` stands for.
    pub fn unset(&mut self, variable: TypeVarId) {
        self.0.retain(|(known, _)| *known != variable);
    }

    /// What `variable` stands for.
    pub fn get(&self, variable: TypeVarId) -> Option<&TypeArg> {
        self.0.iter().find(|(known, _)| *known == variable).map(|(_, arg)| arg)
    }

    /// The type `variable` stands for, if it is not a wildcard.
    pub fn exact(&self, variable: TypeVarId) -> Option<&JavaType> {
        match self.get(variable) {
            Some(TypeArg::Exact(ty)) => Some(ty),
            _ => None,
        }
    }

    /// True if no variable stands for anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The variables and what they stand for, in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (TypeVarId, &TypeArg)> {
        self.0.iter().map(|(variable, arg)| (*variable, arg))
    }

    /// Takes over all of `other`.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (variable, arg) in other.iter() {
            self.set(variable, arg.clone());
        }
        self
    }

    fn is_captured(&self, variable: TypeVarId) -> bool {
        self.get(variable).is_some_and(TypeArg::is_wildcard)
    }

    fn mentions_captured(&self, ty: &JavaType) -> bool {
        self.0.iter().any(|(_, arg)| arg.is_wildcard())
            && ty.any(&mut |part| matches!(part, JavaType::Variable(variable) if self.is_captured(*variable)))
    }

    /// The type under this substitution; where wildcards leave no exact answer, the nearest type
    /// above it. Every value of the exact type is one of the result.
    pub fn up(&self, classes: &Classes, ty: &JavaType) -> JavaType {
        if self.is_empty() {
            return ty.clone();
        }
        match ty {
            JavaType::Void | JavaType::Primitive(_) => ty.clone(),
            JavaType::Array(component) => JavaType::array_of(self.up(classes, component)),
            JavaType::Class(class_type) => JavaType::Class(self.up_class(classes, class_type)),
            JavaType::Variable(variable) => match self.get(*variable) {
                None => ty.clone(),
                Some(TypeArg::Exact(exact)) => exact.clone(),
                Some(wildcard) => self.upper_bound(classes, *variable, wildcard),
            },
        }
    }

    /// The nearest denotable type above a variable that stands for a wildcard.
    fn upper_bound(&self, classes: &Classes, variable: TypeVarId, wildcard: &TypeArg) -> JavaType {
        let declared = match classes[variable].bounds.first() {
            Some(bound) => self.up(classes, bound),
            None => classes.object_type(),
        };
        match wildcard {
            TypeArg::Extends(bound) if !classes.is_subtype(&declared, bound) => bound.clone(),
            _ => declared,
        }
    }

    /// [`Substitution::up`] for a class type.
    pub fn up_class(&self, classes: &Classes, class_type: &ClassType) -> ClassType {
        if self.is_empty() || class_type.is_plain() {
            return class_type.clone();
        }
        let outer = class_type.outer().map(|outer| self.up_class(classes, outer));
        let args = class_type.args().iter().map(|arg| self.up_arg(classes, arg));
        ClassType::nested(outer, class_type.class, args)
    }

    fn up_arg(&self, classes: &Classes, arg: &TypeArg) -> TypeArg {
        match arg {
            TypeArg::Any => TypeArg::Any,
            TypeArg::Exact(JavaType::Variable(variable)) if self.is_captured(*variable) => {
                self.get(*variable).cloned().unwrap_or(TypeArg::Any)
            }
            TypeArg::Exact(ty) if self.mentions_captured(ty) => extends(classes, self.up(classes, ty)),
            TypeArg::Exact(ty) => TypeArg::Exact(self.up(classes, ty)),
            // The bound of a variable that stands for a wildcard may mention the variable itself,
            // so only the wildcard's own bound is used here.
            TypeArg::Extends(JavaType::Variable(variable)) if self.is_captured(*variable) => {
                match self.get(*variable) {
                    Some(TypeArg::Extends(bound)) => TypeArg::Extends(bound.clone()),
                    _ => TypeArg::Any,
                }
            }
            TypeArg::Extends(ty) => extends(classes, self.up(classes, ty)),
            TypeArg::Super(ty) => self.down(classes, ty).map_or(TypeArg::Any, TypeArg::Super),
        }
    }

    /// The type under this substitution; where wildcards leave no exact answer, a type below it,
    /// or none if only `null` fits. Every value of the result is one of the exact type.
    pub fn down(&self, classes: &Classes, ty: &JavaType) -> Option<JavaType> {
        if !self.mentions_captured(ty) {
            return Some(self.up(classes, ty));
        }
        match ty {
            JavaType::Void | JavaType::Primitive(_) => Some(ty.clone()),
            JavaType::Array(component) => self.down(classes, component).map(JavaType::array_of),
            JavaType::Variable(variable) => match self.get(*variable) {
                Some(TypeArg::Super(bound) | TypeArg::Exact(bound)) => Some(bound.clone()),
                _ => None,
            },
            JavaType::Class(class_type) => {
                let outer = match class_type.outer() {
                    Some(outer) => Some(self.down_class(classes, outer)?),
                    None => None,
                };
                let args: Option<Vec<_>> =
                    class_type.args().iter().map(|arg| self.down_arg(classes, arg)).collect();
                Some(JavaType::Class(ClassType::nested(outer, class_type.class, args?)))
            }
        }
    }

    fn down_class(&self, classes: &Classes, class_type: &ClassType) -> Option<ClassType> {
        match self.down(classes, &JavaType::Class(class_type.clone()))? {
            JavaType::Class(below) => Some(below),
            _ => None,
        }
    }

    fn down_arg(&self, classes: &Classes, arg: &TypeArg) -> Option<TypeArg> {
        match arg {
            TypeArg::Any => Some(TypeArg::Any),
            TypeArg::Exact(ty) if self.mentions_captured(ty) => None,
            TypeArg::Exact(ty) => Some(TypeArg::Exact(self.up(classes, ty))),
            TypeArg::Extends(ty) => self.down(classes, ty).map(TypeArg::Extends),
            TypeArg::Super(ty) => Some(TypeArg::Super(self.up(classes, ty))),
        }
    }
}

/// `? extends Object` says no more than `?`.
fn extends(classes: &Classes, bound: JavaType) -> TypeArg {
    if bound == classes.object_type() { TypeArg::Any } else { TypeArg::Extends(bound) }
}
