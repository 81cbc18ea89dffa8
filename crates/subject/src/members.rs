//! Fields, constructors and methods to operations.

use std::sync::Arc;

use jurat_classfile::descriptor::{FieldType, MethodType};
use jurat_classfile::signature::{self, MethodSignature};
use jurat_classfile::{Access, Attribute, ClassFile, Content, Field, Method};
use jurat_model::{
    Class, ClassId, ClassKind, ClassType, Constant, JavaType, Nesting, OpId, Operation, OperationKind,
    Origin, Reason, RecordComponent, TypeArg, TypeVarId, VarOwner, Visibility, is_identifier,
};

use crate::convert::{Scope, TypeFault, signature};
use crate::declare::{
    is_annotated, is_closed, is_compilers, is_deprecated, is_for_removal, is_preview, visibility,
};
use crate::label;
use crate::loader::{Loader, dotted};
use crate::mine::Mined;

/// The JDK's mark for methods that look at who calls them, under its old and new name.
const CALLER_SENSITIVE: [&str; 2] =
    ["Ljdk/internal/reflect/CallerSensitive;", "Lsun/reflect/CallerSensitive;"];

/// `Set.of`, `Map.of` and their like draw lots about their order when the JVM starts; those with one element at most
/// have only one. Without its overloads it could not be told what `Set.of` of an array means: it goes with them. The
/// order of an `IdentityHashMap` is that of identity hash codes.
fn is_unordered(class: &str, name: &str, descriptor: &str) -> bool {
    if class == "java/util/IdentityHashMap" {
        return name == "<init>";
    }
    let most = match class {
        "java/util/Set" => "()",
        "java/util/Map" => "(Ljava/lang/Object;Ljava/lang/Object;)",
        _ => return false,
    };
    let is_small = name == "of" && (descriptor.starts_with("()") || descriptor.starts_with(most));
    matches!(name, "of" | "ofEntries" | "copyOf") && !is_small
}

/// What tells of the threads of the JVM: how many there are and where they stand depends on who runs the tests.
fn tells_of_threads(class: &str, name: &str) -> bool {
    match class {
        "java/lang/Thread" => {
            matches!(name, "activeCount" | "dumpStack" | "enumerate" | "getAllStackTraces" | "getStackTrace")
        }
        "java/lang/ThreadGroup" => name.starts_with("active") || matches!(name, "enumerate" | "list"),
        _ => false,
    }
}

/// What tells of the class path of the JVM, which is another wherever tests are run.
fn tells_of_class_path(class: &str, name: &str) -> bool {
    class == "java/lang/ClassLoader" && name.starts_with("getSystemResource")
}

/// What decides on what all code in the JVM may do: a test that does it breaks those that follow.
fn is_jvm_wide(class: &str, name: &str) -> bool {
    matches!(
        (class, name),
        ("java/lang/System", "setSecurityManager") | ("java/security/Policy", "setPolicy")
    )
}

impl Loader<'_> {
    /// Turns the members of a class into operations, or says why not.
    pub(crate) fn resolve_members(&mut self, id: ClassId, file: &ClassFile) {
        let mut mined = Mined::default();
        for field in &file.fields {
            if let Err(reason) = self.resolve_field(id, file, field, &mut mined) {
                self.leave_out_member(id, reason, || file.pool.utf8(field.name).into_owned());
            }
        }
        self.resolve_components(id, file);
        for method in &file.methods {
            if let Err(reason) = self.resolve_method(id, file, method, &mut mined) {
                self.leave_out_member(id, reason, || {
                    label::method(&file.pool.utf8(method.name), &file.pool.utf8(method.descriptor))
                });
            }
        }
        if self.is_neighbour(id) {
            mined = self.mine_helper(file);
        }
        self.classes[id.index()].constants = mined.into_list();
    }

    /// Names of the fields that code may ask for by name: none that it could set for everyone, and of a JDK class only
    /// those that are documented for the release.
    pub(crate) fn told_fields(&mut self, class: &Class, file: &ClassFile) -> Vec<Arc<str>> {
        let is_jdk = class.origin == Origin::Jdk;
        if is_jdk && (class.is_newer || !class.exported || class.visibility != Visibility::Public) {
            return Vec::new();
        }
        let mut release = self.release.as_mut().filter(|_| is_jdk);
        let mut was_there = |field: &Field| {
            let (name, descriptor) = (file.pool.utf8(field.name), file.pool.utf8(field.descriptor));
            let generic = signature(file, &field.attributes);
            let field = (&*name, &*descriptor);
            release
                .as_mut()
                .is_none_or(|release| release.has(&class.internal_name, field, generic.as_deref()))
        };
        let is_told = |field: &&Field| {
            let is_set_for_all = field.access.is_static() && !field.access.contains(Access::FINAL);
            let is_hidden = is_jdk && visibility(field.access) < Visibility::Protected;
            !is_set_for_all
                && !is_hidden
                && !is_compilers(field.access, &field.attributes)
                && was_there(field)
        };
        file.fields.iter().filter(is_told).map(|field| file.pool.utf8(field.name).as_ref().into()).collect()
    }

    /// Whether a helper stands beside a class under test: what the one is given, the other may have to understand.
    fn is_neighbour(&self, id: ClassId) -> bool {
        let class = self.class(id);
        let is_beside = |other: &Class| other.under_test && other.package == class.package;
        !class.under_test && class.origin != Origin::Jdk && self.classes.iter().any(is_beside)
    }

    /// What is left out of helper classes is nobody's concern.
    fn leave_out_member(&mut self, id: ClassId, reason: Reason, label: impl FnOnce() -> String) {
        let class = self.class(id);
        if class.under_test {
            let what = format!("{}.{}", class.source_name, label());
            self.leave_out(&what, reason);
        }
    }

    /// Whether a member that is not the compiler's own can be used at all.
    fn check_member(&self, id: ClassId, name: &str, seen: Visibility) -> Result<(), Reason> {
        let class = self.class(id);
        let wanted = match (class.under_test, is_closed(class)) {
            (true, false) => Visibility::Private,
            (_, true) => Visibility::Public,
            (false, false) => Visibility::Package,
        };
        if seen < wanted {
            return Err(Reason::NotPublic);
        }
        if name != "<init>" && !is_identifier(name) {
            return Err(Reason::NotJavaName);
        }
        Ok(())
    }

    fn resolve_field(
        &mut self,
        id: ClassId,
        file: &ClassFile,
        field: &Field,
        mined: &mut Mined,
    ) -> Result<(), Reason> {
        if self.class(id).under_test {
            self.mine_field(file, &field.attributes, mined);
        }
        if is_compilers(field.access, &field.attributes) {
            return Err(Reason::Synthetic);
        }
        let name: Arc<str> = file.pool.utf8(field.name).as_ref().into();
        let visibility = visibility(field.access);
        self.check_member(id, &name, visibility)?;
        let is_constant = field.access.contains(Access::ENUM) && self.class(id).kind == ClassKind::Enum;
        if is_constant {
            self.classes[id.index()].enum_constants.push(name.clone());
        }
        let descriptor: Arc<str> = file.pool.utf8(field.descriptor).as_ref().into();
        let ty = self.field_type(id, file, &field.attributes, &descriptor)?;
        let is_static = field.access.is_static();
        let is_final = field.access.contains(Access::FINAL);
        let get = match (is_constant, is_static) {
            (true, _) => OperationKind::EnumConstant,
            (false, true) => OperationKind::StaticGet,
            (false, false) => OperationKind::InstanceGet,
        };
        let set = if is_static { OperationKind::StaticSet } else { OperationKind::InstanceSet };
        let writable = [Some(get), (!is_final).then_some(set)];
        for kind in writable.into_iter().flatten() {
            let mut operation = self.operation(id, kind, name.clone(), descriptor.clone());
            operation.visibility = visibility;
            operation.is_final = is_final;
            operation.is_deprecated = is_deprecated(file, &field.attributes);
            operation.is_for_removal = is_for_removal(file, &field.attributes);
            operation.is_newer = self.is_newer(&operation, signature(file, &field.attributes).as_deref());
            if kind.is_set() {
                operation.params.push(ty.clone());
                operation.param_names.push(name.clone());
            } else {
                operation.result = ty.clone();
            }
            self.operations.push(operation);
        }
        Ok(())
    }

    /// True if it is one of the JDK's that older releases do not have, with the types as they are written if they are
    /// generic.
    fn is_newer(&mut self, operation: &Operation, generic: Option<&str>) -> bool {
        let owner = &self.classes[operation.owner.index()];
        let (is_jdk, class) = (owner.origin == Origin::Jdk, owner.internal_name.clone());
        let Some(release) = self.release.as_mut().filter(|_| is_jdk) else { return false };
        let name = if operation.is_constructor() { "<init>" } else { &*operation.name };
        owner.is_newer || !release.has(&class, (name, &operation.descriptor), generic)
    }

    fn field_type(
        &mut self,
        id: ClassId,
        file: &ClassFile,
        attributes: &[Attribute],
        descriptor: &str,
    ) -> Result<JavaType, Reason> {
        let distance = self.class(id).distance + 1;
        if let Some(text) = signature(file, attributes) {
            let written: signature::JavaType =
                text.parse().map_err(|error| Reason::UnresolvableGenerics(format!("{error}").into()))?;
            let scope = self.scopes[id.index()].clone();
            return self.generic(&written, &scope, distance).map_err(reason);
        }
        let erased: FieldType =
            descriptor.parse().map_err(|error| Reason::Corrupt(format!("{error}").into()))?;
        self.erased(&erased, distance).map_err(reason)
    }

    fn resolve_components(&mut self, id: ClassId, file: &ClassFile) {
        let components = file.attributes.iter().filter_map(|attribute| match &attribute.content {
            Content::Record(components) => Some(components),
            _ => None,
        });
        for component in components.flatten() {
            let descriptor = file.pool.utf8(component.descriptor);
            if let Ok(ty) = self.field_type(id, file, &component.attributes, &descriptor) {
                let name = file.pool.utf8(component.name).as_ref().into();
                let component = RecordComponent { name, ty, accessor: None };
                self.classes[id.index()].record_components.push(component);
            }
        }
    }

    fn resolve_method(
        &mut self,
        id: ClassId,
        file: &ClassFile,
        method: &Method,
        mined: &mut Mined,
    ) -> Result<(), Reason> {
        let name: Arc<str> = file.pool.utf8(method.name).as_ref().into();
        let compilers = is_compilers(method.access, &method.attributes);
        if &*name == "<clinit>" || compilers {
            if self.class(id).under_test
                && let Some(code) = method.code()
            {
                self.mine_code(file, code, mined);
            }
            return Err(match () {
                () if !compilers => Reason::Initializer,
                () if method.access.contains(Access::BRIDGE) => Reason::Bridge,
                () => Reason::Synthetic,
            });
        }
        let visibility = visibility(method.access);
        self.check_member(id, &name, visibility)?;
        if is_preview(file, &method.attributes) {
            return Err(Reason::Preview);
        }
        if is_annotated(file, &method.attributes, &["Ljdk/internal/javac/Restricted;"]) {
            return Err(Reason::Restricted);
        }
        // Nobody writes `new Integer(5)` any more.
        if !self.class(id).under_test && is_for_removal(file, &method.attributes) {
            return Err(Reason::Obsolete);
        }
        let descriptor: Arc<str> = file.pool.utf8(method.descriptor).as_ref().into();
        let class = self.class(id);
        let owner = &class.internal_name;
        let is_fickle = is_unordered(owner, &name, &descriptor)
            || tells_of_threads(owner, &name)
            || tells_of_class_path(owner, &name);
        if !class.under_test && is_fickle {
            return Err(Reason::Fickle);
        }
        if is_jvm_wide(owner, &name) {
            return Err(Reason::JvmWide);
        }
        let kind = self.method_kind(id, &name, method.access, &descriptor);
        let types = self.method_types(id, file, method, &descriptor, kind)?;
        let mut operation = self.operation(id, kind, name, descriptor);
        operation.visibility = visibility;
        operation.params = types.params;
        operation.throws = types.throws;
        operation.type_params = types.type_params;
        if let Some(result) = types.result {
            operation.result = result;
        }
        operation.param_names = self.param_names(id, file, method, &operation);
        operation.is_varargs = method.access.contains(Access::VARARGS)
            && operation.params.last().is_some_and(|last| last.component().is_some());
        operation.is_deprecated = is_deprecated(file, &method.attributes);
        operation.is_for_removal = is_for_removal(file, &method.attributes);
        operation.is_newer = self.is_newer(&operation, signature(file, &method.attributes).as_deref());
        operation.is_native = method.access.contains(Access::NATIVE);
        operation.is_abstract = method.access.is_abstract();
        operation.is_final = method.access.contains(Access::FINAL);
        operation.is_caller_sensitive = is_annotated(file, &method.attributes, &CALLER_SENSITIVE);
        if let Some(code) = method.code() {
            operation.instructions = u32::try_from(code.insns.len()).unwrap_or(u32::MAX);
            operation.constants = self.method_constants(id, file, method);
        }
        self.operations.push(operation);
        Ok(())
    }

    fn method_constants(&mut self, id: ClassId, file: &ClassFile, method: &Method) -> Vec<Constant> {
        let mut mined = Mined::default();
        if self.class(id).under_test
            && let Some(code) = method.code()
        {
            self.mine_code(file, code, &mut mined);
        }
        mined.into_list()
    }

    fn method_kind(&self, id: ClassId, name: &str, access: Access, descriptor: &str) -> OperationKind {
        let class = self.class(id);
        let is_component = || class.record_components.iter().any(|component| *component.name == *name);
        match () {
            () if name == "<init>" => OperationKind::Constructor,
            () if access.is_static() => OperationKind::StaticMethod,
            () if descriptor.starts_with("()") && is_component() => OperationKind::RecordAccessor,
            () => OperationKind::InstanceMethod,
        }
    }

    /// An operation with its receiver, and as result what a constructor gives; the rest is filled in by the caller.
    fn operation(
        &self,
        owner: ClassId,
        kind: OperationKind,
        name: Arc<str>,
        descriptor: Arc<str>,
    ) -> Operation {
        let class = self.class(owner);
        let receiver = match kind {
            OperationKind::Constructor if class.nesting == Nesting::Inner => {
                class.outer.map(|outer| JavaType::Class(self.this_type(outer)))
            }
            _ => kind.has_receiver().then(|| JavaType::Class(self.this_type(owner))),
        };
        let result = match kind {
            OperationKind::Constructor => JavaType::Class(self.this_type(owner)),
            _ => JavaType::Void,
        };
        Operation {
            id: OpId(0),
            owner,
            kind,
            name,
            descriptor,
            visibility: Visibility::Public,
            receiver,
            params: Vec::new(),
            result,
            throws: Vec::new(),
            type_params: Vec::new(),
            is_varargs: false,
            is_deprecated: false,
            is_for_removal: false,
            is_newer: false,
            is_native: false,
            is_abstract: false,
            is_final: false,
            is_caller_sensitive: false,
            param_names: Vec::new(),
            constants: Vec::new(),
            instructions: 0,
        }
    }

    /// The class with its type parameters for arguments, and those of its outer instance.
    fn this_type(&self, id: ClassId) -> ClassType {
        let class = self.class(id);
        let outer =
            class.outer.filter(|_| class.nesting == Nesting::Inner).map(|outer| self.this_type(outer));
        let args = class.type_params.iter().map(|param| TypeArg::Exact(JavaType::Variable(*param)));
        ClassType::nested(outer.filter(|outer| !outer.is_plain()), id, args)
    }

    fn method_types(
        &mut self,
        id: ClassId,
        file: &ClassFile,
        method: &Method,
        descriptor: &str,
        kind: OperationKind,
    ) -> Result<MethodTypes, Reason> {
        let erased: MethodType =
            descriptor.parse().map_err(|error| Reason::Corrupt(format!("{error}").into()))?;
        let added = self.added_params(id, kind);
        let declared = erased.parameters.get(added..).unwrap_or_default();
        let mut types = match signature(file, &method.attributes) {
            None => self.erased_method(id, declared, &erased)?,
            Some(text) => {
                let written: MethodSignature =
                    text.parse().map_err(|error| Reason::UnresolvableGenerics(format!("{error}").into()))?;
                // Compilers differ in whether the signature names the parameters they add.
                if written.parameters.len() == declared.len() {
                    self.generic_method(id, &written)?
                } else {
                    self.erased_method(id, declared, &erased)?
                }
            }
        };
        if kind == OperationKind::Constructor {
            types.result = None;
        }
        if types.throws.is_empty() {
            types.throws = self.declared_exceptions(id, file, method)?;
        }
        Ok(types)
    }

    /// How many leading parameters of a constructor are not in the source: the outer instance, or name and
    /// ordinal of an enum constant.
    fn added_params(&self, id: ClassId, kind: OperationKind) -> usize {
        let class = self.class(id);
        match kind {
            OperationKind::Constructor if class.kind == ClassKind::Enum => 2,
            OperationKind::Constructor if class.nesting == Nesting::Inner => 1,
            _ => 0,
        }
    }

    fn erased_method(
        &mut self,
        id: ClassId,
        params: &[FieldType],
        erased: &MethodType,
    ) -> Result<MethodTypes, Reason> {
        let distance = self.class(id).distance + 1;
        let mut types = MethodTypes::default();
        for param in params {
            types.params.push(self.erased(param, distance).map_err(reason)?);
        }
        if let Some(result) = &erased.result {
            types.result = Some(self.erased(result, distance).map_err(reason)?);
        }
        Ok(types)
    }

    fn generic_method(&mut self, id: ClassId, written: &MethodSignature) -> Result<MethodTypes, Reason> {
        let distance = self.class(id).distance + 1;
        let mut scope: Scope = self.scopes[id.index()].clone();
        let mut types = MethodTypes {
            type_params: self.declare(&written.type_parameters, &mut scope, VarOwner::Operation(id)),
            ..MethodTypes::default()
        };
        self.bind(&written.type_parameters, &types.type_params, &scope, distance).map_err(reason)?;
        for param in &written.parameters {
            types.params.push(self.generic(param, &scope, distance).map_err(reason)?);
        }
        if let Some(result) = &written.result {
            types.result = Some(self.generic(result, &scope, distance).map_err(reason)?);
        }
        for thrown in &written.throws {
            types.throws.push(self.generic(thrown, &scope, distance).map_err(reason)?);
        }
        Ok(types)
    }

    fn declared_exceptions(
        &mut self,
        id: ClassId,
        file: &ClassFile,
        method: &Method,
    ) -> Result<Vec<JavaType>, Reason> {
        let distance = self.class(id).distance + 1;
        let names = method.attributes.iter().filter_map(|attribute| match &attribute.content {
            Content::Exceptions(classes) => Some(classes),
            _ => None,
        });
        names
            .flatten()
            .map(|class| self.plain(&file.pool.class_name(*class), distance).map_err(reason))
            .collect()
    }

    /// Names of the declared parameters, if the class file has all of them.
    fn param_names(
        &self,
        id: ClassId,
        file: &ClassFile,
        method: &Method,
        operation: &Operation,
    ) -> Vec<Arc<str>> {
        let added = self.added_params(id, operation.kind);
        let names = listed_names(file, method)
            .filter(|names| names.len() == operation.params.len())
            .or_else(|| local_names(file, method, &operation.descriptor, added));
        names
            .filter(|names| names.iter().all(|name| is_identifier(name)))
            .filter(|names| names.len() == operation.params.len())
            .unwrap_or_default()
    }
}

#[derive(Default)]
struct MethodTypes {
    type_params: Vec<TypeVarId>,
    params: Vec<JavaType>,
    /// None for `void`.
    result: Option<JavaType>,
    throws: Vec<JavaType>,
}

fn reason(fault: TypeFault) -> Reason {
    match fault {
        TypeFault::Missing(name) => Reason::MissingDependency(dotted(&name)),
        TypeFault::Generics(detail) => Reason::UnresolvableGenerics(detail),
    }
}

/// Names from the `MethodParameters` attribute, without those the compiler added.
fn listed_names(file: &ClassFile, method: &Method) -> Option<Vec<Arc<str>>> {
    let listed = method.attributes.iter().find_map(|attribute| match &attribute.content {
        Content::MethodParameters(parameters) => Some(parameters),
        _ => None,
    })?;
    listed
        .iter()
        .filter(|parameter| {
            !parameter.access.contains(Access::SYNTHETIC) && !parameter.access.contains(Access::MANDATED)
        })
        .map(|parameter| Some(file.pool.utf8(parameter.name?).as_ref().into()))
        .collect()
}

/// Names from the local variable table: parameters live in the first slots, from the start.
fn local_names(file: &ClassFile, method: &Method, descriptor: &str, added: usize) -> Option<Vec<Arc<str>>> {
    let code = method.code()?;
    let erased: MethodType = descriptor.parse().ok()?;
    let mut slot = u16::from(!method.access.is_static());
    let mut names = Vec::new();
    for (position, parameter) in erased.parameters.iter().enumerate() {
        if position >= added {
            let variable = code
                .local_variables()
                .find(|variable| variable.slot == slot && variable.start.index() == 0)?;
            names.push(file.pool.utf8(variable.name).as_ref().into());
        }
        slot = slot.checked_add(parameter.words())?;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::{is_jvm_wide, is_unordered, tells_of_class_path, tells_of_threads};

    #[test]
    fn sets_and_maps_of_several_are_without_order() {
        let object = "Ljava/lang/Object;";
        assert!(is_unordered("java/util/Set", "of", &format!("({object}{object})Ljava/util/Set;")));
        assert!(is_unordered("java/util/Set", "copyOf", "(Ljava/util/Collection;)Ljava/util/Set;"));
        assert!(is_unordered("java/util/Map", "ofEntries", "([Ljava/util/Map$Entry;)Ljava/util/Map;"));
        assert!(!is_unordered("java/util/Map", "of", &format!("({object}{object})Ljava/util/Map;")));
        assert!(!is_unordered("java/util/Set", "of", "()Ljava/util/Set;"));
        assert!(!is_unordered("java/util/List", "of", &format!("({object}{object})Ljava/util/List;")));
    }

    #[test]
    fn what_differs_in_every_jvm_or_changes_all_of_it_is_known() {
        assert!(is_unordered("java/util/IdentityHashMap", "<init>", "()V"));
        assert!(!is_unordered("java/util/HashMap", "<init>", "()V"));
        assert!(tells_of_threads("java/lang/Thread", "getAllStackTraces"));
        assert!(tells_of_threads("java/lang/ThreadGroup", "activeGroupCount"));
        assert!(!tells_of_threads("java/lang/Thread", "getName"));
        assert!(tells_of_class_path("java/lang/ClassLoader", "getSystemResources"));
        assert!(!tells_of_class_path("java/lang/ClassLoader", "getSystemClassLoader"));
        assert!(is_jvm_wide("java/lang/System", "setSecurityManager"));
        assert!(!is_jvm_wide("java/lang/System", "getSecurityManager"));
    }
}
