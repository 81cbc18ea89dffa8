//! Signatures and descriptors to types of the table.

use std::sync::Arc;

use jurat_classfile::descriptor::FieldType;
use jurat_classfile::signature::{self, ClassSignature, TypeParameter};
use jurat_classfile::{Attribute, ClassFile, Content};
use jurat_model::{ClassId, ClassType, JavaType, Nesting, Primitive, TypeArg, TypeVar, TypeVarId, VarOwner};

use crate::loader::Loader;

/// The type variables in scope, innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope(pub(crate) Vec<(Arc<str>, TypeVarId)>);

impl Scope {
    fn find(&self, name: &str) -> Option<TypeVarId> {
        self.0.iter().rev().find(|(known, _)| **known == *name).map(|(_, variable)| *variable)
    }
}

/// Why a type could not be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeFault {
    /// This class (internal name) is absent.
    Missing(Arc<str>),
    /// The generic signature cannot be understood.
    Generics(Arc<str>),
}

/// The text of a `Signature` attribute.
pub(crate) fn signature(file: &ClassFile, attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.content {
        Content::Signature(text) => Some(file.pool.utf8(*text).into_owned()),
        _ => None,
    })
}

fn class_signature(file: &ClassFile) -> Option<ClassSignature> {
    signature(file, &file.attributes)?.parse().ok()
}

impl Loader<'_> {
    /// Adds the class's type variables, still without bounds; those of outer instances are in scope too.
    pub(crate) fn declare_variables(&mut self, id: ClassId, file: &ClassFile) {
        let class = self.class(id);
        let inherited = match class.outer {
            Some(outer) if class.nesting != Nesting::Static => self.scopes[outer.index()].clone(),
            _ => Scope::default(),
        };
        self.scopes[id.index()] = inherited;
        let parameters = class_signature(file).map(|signature| signature.parameters).unwrap_or_default();
        let mut scope = std::mem::take(&mut self.scopes[id.index()]);
        let params = self.declare(&parameters, &mut scope, VarOwner::Class(id));
        self.scopes[id.index()] = scope;
        self.classes[id.index()].type_params = params;
    }

    /// Adds type variables without bounds.
    pub(crate) fn declare(
        &mut self,
        parameters: &[TypeParameter],
        scope: &mut Scope,
        owner: VarOwner,
    ) -> Vec<TypeVarId> {
        let mut declared = Vec::new();
        for parameter in parameters {
            let name: Arc<str> = parameter.name.as_str().into();
            let variable = self.add_variable(TypeVar { name: name.clone(), bounds: Vec::new(), owner });
            scope.0.push((name, variable));
            declared.push(variable);
        }
        declared
    }

    /// Resolves the bounds of declared type variables.
    pub(crate) fn bind(
        &mut self,
        parameters: &[TypeParameter],
        variables: &[TypeVarId],
        scope: &Scope,
        distance: u8,
    ) -> Result<(), TypeFault> {
        for (parameter, variable) in parameters.iter().zip(variables) {
            let mut bounds = Vec::new();
            for bound in parameter.class_bound.iter().chain(&parameter.interface_bounds) {
                bounds.push(self.generic(bound, scope, distance)?);
            }
            if bounds.is_empty() {
                bounds.push(self.plain("java/lang/Object", distance)?);
            }
            self.variables[variable.index()].bounds = bounds;
        }
        Ok(())
    }

    /// Resolves superclass, interfaces and the bounds of the class's type variables.
    pub(crate) fn link_supertypes(&mut self, id: ClassId, file: &ClassFile) -> Result<(), TypeFault> {
        // Supertypes hand down their operations, so they count as near as the class itself.
        let distance = self.class(id).distance.max(1);
        self.link_erased(id, file, distance)?;
        if let Some(signature) = class_signature(file)
            && let Err(fault) = self.link_generic(id, &signature, distance)
        {
            self.erase_bounds(id)?;
            if matches!(fault, TypeFault::Missing(_)) {
                return Err(fault);
            }
        }
        self.link_permitted(id, file, distance);
        Ok(())
    }

    fn link_erased(&mut self, id: ClassId, file: &ClassFile, distance: u8) -> Result<(), TypeFault> {
        let superclass = match file.super_name() {
            Some(name) => Some(self.plain(&name, distance)?),
            None => None,
        };
        let names: Vec<String> = file.interface_names().map(std::borrow::Cow::into_owned).collect();
        let mut interfaces = Vec::new();
        for name in names {
            interfaces.push(self.plain(&name, distance)?);
        }
        let class = &mut self.classes[id.index()];
        (class.superclass, class.interfaces) = (superclass, interfaces);
        Ok(())
    }

    /// Replaces the erased supertypes by the generic ones, if the signature agrees with them.
    fn link_generic(
        &mut self,
        id: ClassId,
        signature: &ClassSignature,
        distance: u8,
    ) -> Result<(), TypeFault> {
        let scope = self.scopes[id.index()].clone();
        let params = self.class(id).type_params.clone();
        self.bind(&signature.parameters, &params, &scope, distance + 1)?;
        let superclass = self.class_type(&signature.superclass, &scope, distance)?;
        let mut interfaces = Vec::new();
        for interface in &signature.interfaces {
            interfaces.push(self.class_type(interface, &scope, distance)?);
        }
        let class = &mut self.classes[id.index()];
        let erased = |types: &[JavaType]| types.iter().map(JavaType::class_id).collect::<Vec<_>>();
        if class.superclass.as_ref().and_then(JavaType::class_id) == superclass.class_id()
            && erased(&class.interfaces) == erased(&interfaces)
        {
            (class.superclass, class.interfaces) = (Some(superclass), interfaces);
        }
        Ok(())
    }

    /// A class whose signature cannot be resolved still has type variables; they get `Object`.
    fn erase_bounds(&mut self, id: ClassId) -> Result<(), TypeFault> {
        let object = self.plain("java/lang/Object", 1)?;
        for variable in self.class(id).type_params.clone() {
            let bounds = &mut self.variables[variable.index()].bounds;
            if bounds.is_empty() {
                bounds.push(object.clone());
            }
        }
        Ok(())
    }

    fn link_permitted(&mut self, id: ClassId, file: &ClassFile, distance: u8) {
        let names = file.attributes.iter().filter_map(|attribute| match &attribute.content {
            Content::PermittedSubclasses(classes) => Some(classes),
            _ => None,
        });
        let names: Vec<String> =
            names.flatten().map(|class| file.pool.class_name(*class).into_owned()).collect();
        let permitted = names.iter().filter_map(|name| self.intern(name, distance).ok()).collect();
        self.classes[id.index()].permitted = permitted;
    }

    /// A class without type arguments.
    pub(crate) fn plain(&mut self, name: &str, distance: u8) -> Result<JavaType, TypeFault> {
        self.intern(name, distance).map(JavaType::class).map_err(TypeFault::Missing)
    }

    /// An erased type.
    pub(crate) fn erased(&mut self, ty: &FieldType, distance: u8) -> Result<JavaType, TypeFault> {
        match ty {
            FieldType::Primitive(primitive) => Ok(primitive_type(primitive.letter())),
            FieldType::Array(component) => Ok(JavaType::array_of(self.erased(component, distance)?)),
            FieldType::Object(name) => self.plain(name, distance),
        }
    }

    /// A generic type.
    pub(crate) fn generic(
        &mut self,
        ty: &signature::JavaType,
        scope: &Scope,
        distance: u8,
    ) -> Result<JavaType, TypeFault> {
        match ty {
            signature::JavaType::Primitive(primitive) => Ok(primitive_type(primitive.letter())),
            signature::JavaType::Array(component) => {
                Ok(JavaType::array_of(self.generic(component, scope, distance)?))
            }
            signature::JavaType::Variable(name) => {
                scope.find(name).map(JavaType::Variable).ok_or_else(|| {
                    TypeFault::Generics(format!("nobody declares the type variable {name}").into())
                })
            }
            signature::JavaType::Class(class_type) => self.class_type(class_type, scope, distance),
        }
    }

    fn class_type(
        &mut self,
        written: &signature::ClassType,
        scope: &Scope,
        distance: u8,
    ) -> Result<JavaType, TypeFault> {
        let mut name = String::new();
        let mut found: Option<ClassType> = None;
        for segment in &written.segments {
            if !name.is_empty() {
                name.push('$');
            }
            name.push_str(&segment.name);
            let class = self.intern(&name, distance).map_err(TypeFault::Missing)?;
            let mut args = Vec::new();
            for arg in &segment.arguments {
                args.push(self.type_arg(arg, scope, distance)?);
            }
            // A class compiled against another version of this one: only its erasure is sure.
            if args.len() != self.class(class).type_params.len() {
                args.clear();
            }
            let outer = found.take().filter(|outer| !outer.is_plain());
            found = Some(ClassType::nested(outer, class, args));
        }
        found.map(JavaType::Class).ok_or_else(|| TypeFault::Generics("a class type without a name".into()))
    }

    fn type_arg(
        &mut self,
        arg: &signature::TypeArgument,
        scope: &Scope,
        distance: u8,
    ) -> Result<TypeArg, TypeFault> {
        Ok(match arg {
            signature::TypeArgument::Any => TypeArg::Any,
            signature::TypeArgument::Exact(ty) => TypeArg::Exact(self.generic(ty, scope, distance)?),
            signature::TypeArgument::Extends(ty) => TypeArg::Extends(self.generic(ty, scope, distance)?),
            signature::TypeArgument::Super(ty) => TypeArg::Super(self.generic(ty, scope, distance)?),
        })
    }
}

fn primitive_type(letter: char) -> JavaType {
    JavaType::Primitive(Primitive::from_descriptor(letter).expect("both crates know the eight letters"))
}
