//! Functional interfaces: what a lambda takes and gives.

use std::sync::Arc;

use crate::classes::Classes;
use crate::substitution::Substitution;
use crate::types::{JavaType, TypeArg, TypeVarId};

/// The one abstract method of a functional interface, in terms of the interface's own type
/// parameters even where it is inherited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionalMethod {
    /// Its name.
    pub name: Arc<str>,
    /// Erased descriptor of the declaration.
    pub descriptor: Arc<str>,
    /// Its own type parameters; a lambda cannot implement a method that has any.
    pub type_params: Vec<TypeVarId>,
    /// The types of its arguments.
    pub params: Vec<JavaType>,
    /// What it gives.
    pub result: JavaType,
    /// The exceptions it declares.
    pub throws: Vec<JavaType>,
}

/// What a lambda for one parameterization of a functional interface takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionType {
    /// The interface type the lambda gets: without wildcards.
    pub interface: JavaType,
    /// Name of the method it implements.
    pub method: Arc<str>,
    /// Erased descriptor of that method.
    pub descriptor: Arc<str>,
    /// Types of its parameters.
    pub params: Vec<JavaType>,
    /// Type of its result.
    pub result: JavaType,
    /// Exceptions it may throw.
    pub throws: Vec<JavaType>,
}

impl Classes {
    /// What a lambda for this type takes and gives, or none if a lambda cannot be one.
    ///
    /// Wildcards are replaced as the language does for lambdas (9.9): by their bounds.
    pub fn function_type(&self, ty: &JavaType) -> Option<FunctionType> {
        let class_type = ty.as_class()?;
        let method = self[class_type.class].functional.as_ref()?;
        if !method.type_params.is_empty() || self[class_type.class].is_sealed {
            return None;
        }
        if self.is_raw(class_type) {
            let erased = |types: &[JavaType]| types.iter().map(|ty| self.erasure(ty)).collect();
            return Some(FunctionType {
                interface: ty.clone(),
                method: method.name.clone(),
                descriptor: method.descriptor.clone(),
                params: erased(&method.params),
                result: self.erasure(&method.result),
                throws: erased(&method.throws),
            });
        }
        let interface = self.without_wildcards(ty)?;
        let known = self.arguments_of(interface.as_class()?);
        let seen = |types: &[JavaType]| types.iter().map(|ty| known.up(self, ty)).collect();
        Some(FunctionType {
            params: seen(&method.params),
            result: known.up(self, &method.result),
            throws: seen(&method.throws),
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            interface,
        })
    }

    /// A class type whose own arguments are exact and which is assignable to `ty`: each wildcard
    /// is replaced by its bound. None if the bounds leave no such type.
    pub fn without_wildcards(&self, ty: &JavaType) -> Option<JavaType> {
        let class_type = ty.as_class()?;
        if !class_type.args().iter().any(TypeArg::is_wildcard) {
            return Some(ty.clone());
        }
        let params = &self[class_type.class].type_params;
        let mut known = Substitution::default();
        for (param, arg) in params.iter().zip(class_type.args()) {
            let chosen = match arg {
                TypeArg::Exact(exact) | TypeArg::Super(exact) => exact.clone(),
                TypeArg::Extends(bound) => self.nearer(bound, *param),
                TypeArg::Any => self[*param].bounds.first().map_or_else(|| self.object_type(), Clone::clone),
            };
            if chosen.mentions(params) {
                return None;
            }
            known.set(*param, TypeArg::Exact(chosen));
        }
        let fits = params
            .iter()
            .all(|param| known.exact(*param).is_some_and(|arg| self.within_bounds(*param, arg, &known)));
        let outer = class_type.outer().cloned();
        let args = params.iter().filter_map(|param| known.get(*param)).cloned();
        fits.then(|| JavaType::Class(crate::types::ClassType::nested(outer, class_type.class, args)))
    }

    /// The narrower of a wildcard's bound and the declared one.
    fn nearer(&self, bound: &JavaType, param: TypeVarId) -> JavaType {
        match self[param].bounds.first() {
            Some(declared) if declared.is_ground() && self.is_subtype(declared, bound) => declared.clone(),
            _ => bound.clone(),
        }
    }
}
