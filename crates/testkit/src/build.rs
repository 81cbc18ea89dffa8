//! Turns declarations into a subject.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_model::{
    Class, ClassId, ClassKind, ClassType, Classes, Detail, FunctionalMethod, JavaType, Nesting, OpId,
    Operation, OperationKind, Origin, Primitive, Subject, SubjectParts, TypeArg, TypeVar, TypeVarId,
    VarOwner, Visibility,
};

use crate::syntax::{Arg, Declaration, Member, Param, Type};

pub(crate) fn build(prelude: &[Declaration], declared: &[Declaration]) -> Subject {
    let mut builder = Builder::default();
    for declaration in prelude {
        builder.enter(declaration, None, false);
    }
    for declaration in declared {
        builder.enter(declaration, None, true);
    }
    for declaration in prelude.iter().chain(declared) {
        builder.complete(declaration, None);
    }
    builder.finish()
}

/// A written type as a type of a finished subject.
pub(crate) fn resolve(subject: &Subject, written: &Type) -> JavaType {
    let mut builder = Builder::default();
    for (id, class) in subject.classes().iter() {
        builder.by_name.entry(class.simple_name.to_string()).or_insert(id);
        builder.by_name.insert(class.source_name.to_string(), id);
        builder.classes.push(class.clone());
    }
    builder.ty(written, &BTreeMap::new())
}

type Scope = BTreeMap<String, TypeVarId>;

#[derive(Default)]
struct Builder {
    classes: Vec<Class>,
    variables: Vec<TypeVar>,
    operations: Vec<Operation>,
    /// By qualified name, and by simple name for the first that has it.
    by_name: BTreeMap<String, ClassId>,
    scopes: FxHashMap<ClassId, Scope>,
}

impl Builder {
    /// Gives the class an id and its type variables their places; bounds come later.
    fn enter(&mut self, declaration: &Declaration, outer: Option<ClassId>, under_test: bool) {
        let id = ClassId::from_index(self.classes.len());
        let class = self.empty_class(declaration, outer, under_test);
        self.by_name.entry(declaration.name.clone()).or_insert(id);
        self.by_name.insert(class.source_name.to_string(), id);
        let inherited = match outer {
            Some(outer) if class.nesting == Nesting::Inner => self.scopes[&outer].clone(),
            _ => Scope::new(),
        };
        self.classes.push(class);
        let (params, scope) = self.declare(&declaration.params, inherited, VarOwner::Class(id));
        self.classes[id.index()].type_params = params;
        self.scopes.insert(id, scope);
        for nested in &declaration.nested {
            self.enter(nested, Some(id), under_test);
        }
    }

    fn empty_class(&self, declaration: &Declaration, outer: Option<ClassId>, under_test: bool) -> Class {
        let has = |word: &str| declaration.words.iter().any(|known| known == word);
        let kind = match () {
            () if has("interface") => ClassKind::Interface,
            () if has("enum") => ClassKind::Enum,
            () if has("record") => ClassKind::Record,
            () => ClassKind::Class,
        };
        let outer_is_interface = outer.is_some_and(|outer| self.classes[outer.index()].is_interface());
        let is_static = has("static") || kind != ClassKind::Class || outer_is_interface;
        let (internal_name, source_name) = match outer.map(|outer| &self.classes[outer.index()]) {
            Some(outer) => (
                format!("{}${}", outer.internal_name, declaration.name),
                format!("{}.{}", outer.source_name, declaration.name),
            ),
            None if declaration.package.is_empty() => (declaration.name.clone(), declaration.name.clone()),
            None => {
                let qualified = format!("{}.{}", declaration.package, declaration.name);
                (qualified.replace('.', "/"), qualified)
            }
        };
        Class {
            internal_name: internal_name.into(),
            source_name: source_name.into(),
            simple_name: declaration.name.as_str().into(),
            package: declaration.package.as_str().into(),
            module: None,
            exported: true,
            is_closed: !under_test,
            origin: if under_test { Origin::ClassPath } else { Origin::Jdk },
            under_test,
            distance: u8::from(!under_test),
            detail: Detail::Operations,
            kind,
            is_abstract: has("abstract") || kind.is_interface(),
            is_final: has("final") || kind == ClassKind::Record,
            is_sealed: has("sealed"),
            permitted: Vec::new(),
            is_deprecated: has("deprecated"),
            is_for_removal: false,
            is_newer: false,
            is_auxiliary: has("auxiliary"),
            visibility: visibility(&declaration.words),
            nesting: match outer {
                None => Nesting::TopLevel,
                Some(_) if is_static => Nesting::Static,
                Some(_) => Nesting::Inner,
            },
            outer,
            type_params: Vec::new(),
            superclass: None,
            interfaces: Vec::new(),
            enum_constants: declaration.constants.iter().map(|name| name.as_str().into()).collect(),
            record_components: Vec::new(),
            functional: None,
            predicates: Vec::new(),
            implementations: Vec::new(),
            constants: Vec::new(),
            fields: Vec::new(),
            missing: None,
        }
    }

    /// Adds type variables without bounds.
    fn declare(&mut self, params: &[Param], mut scope: Scope, owner: VarOwner) -> (Vec<TypeVarId>, Scope) {
        let mut ids = Vec::new();
        for param in params {
            let id = TypeVarId::from_index(self.variables.len());
            self.variables.push(TypeVar { name: param.name.as_str().into(), bounds: Vec::new(), owner });
            scope.insert(param.name.clone(), id);
            ids.push(id);
        }
        (ids, scope)
    }

    fn bind(&mut self, params: &[Param], ids: &[TypeVarId], scope: &Scope) {
        for (param, id) in params.iter().zip(ids) {
            let mut bounds: Vec<JavaType> = param.bounds.iter().map(|bound| self.ty(bound, scope)).collect();
            if bounds.is_empty() {
                bounds.push(JavaType::class(self.by_name["Object"]));
            }
            self.variables[id.index()].bounds = bounds;
        }
    }

    /// Fills in bounds, supertypes and members, once all names are known.
    fn complete(&mut self, declaration: &Declaration, outer: Option<&str>) {
        let qualified = match outer {
            Some(outer) => format!("{outer}.{}", declaration.name),
            None if declaration.package.is_empty() => declaration.name.clone(),
            None => format!("{}.{}", declaration.package, declaration.name),
        };
        let id = self.by_name[&qualified];
        let scope = self.scopes[&id].clone();
        let params = self.classes[id.index()].type_params.clone();
        self.bind(&declaration.params, &params, &scope);
        self.link(id, declaration, &scope);
        for constant in &declaration.constants {
            self.enum_constant(id, constant);
        }
        for member in &declaration.members {
            self.member(id, member, &scope);
        }
        self.find_functional(id, declaration);
        for nested in &declaration.nested {
            self.complete(nested, Some(&qualified));
        }
    }

    fn link(&mut self, id: ClassId, declaration: &Declaration, scope: &Scope) {
        let object = self.by_name["Object"];
        let mut above: Vec<JavaType> = declaration.extends.iter().map(|ty| self.ty(ty, scope)).collect();
        let implemented: Vec<JavaType> = declaration.implements.iter().map(|ty| self.ty(ty, scope)).collect();
        let kind = self.classes[id.index()].kind;
        let superclass = match kind {
            ClassKind::Enum => Some(JavaType::generic(self.by_name["Enum"], [JavaType::class(id)])),
            ClassKind::Class if !above.is_empty() => Some(above.remove(0)),
            _ => (id != object).then(|| JavaType::class(object)),
        };
        above.extend(implemented);
        let class = &mut self.classes[id.index()];
        class.superclass = superclass;
        class.interfaces = above;
    }

    fn this(&self, id: ClassId) -> ClassType {
        let class = &self.classes[id.index()];
        let outer = class.outer.filter(|_| class.nesting == Nesting::Inner).map(|outer| self.this(outer));
        let args = class.type_params.iter().map(|param| TypeArg::Exact(JavaType::Variable(*param)));
        ClassType::nested(outer.filter(|outer| !outer.is_plain()), id, args)
    }

    fn enum_constant(&mut self, id: ClassId, name: &str) {
        let result = JavaType::class(id);
        let operation = self.operation(id, OperationKind::EnumConstant, name, result);
        self.operations.push(operation);
    }

    fn member(&mut self, id: ClassId, member: &Member, scope: &Scope) {
        let (type_params, scope) = self.declare(&member.type_params, scope.clone(), VarOwner::Operation(id));
        self.bind(&member.type_params, &type_params, &scope);
        let is_static = member.words.iter().any(|word| word == "static");
        let kind = match (&member.params, &member.result) {
            (Some(_), None) => OperationKind::Constructor,
            (Some(_), _) if is_static => OperationKind::StaticMethod,
            (Some(_), _) => OperationKind::InstanceMethod,
            (None, _) if is_static => OperationKind::StaticGet,
            (None, _) => OperationKind::InstanceGet,
        };
        let result = match &member.result {
            Some(written) => self.ty(written, &scope),
            None => JavaType::Class(self.this(id)),
        };
        let mut operation = self.operation(id, kind, &member.name, result);
        operation.visibility = visibility(&member.words);
        operation.type_params = type_params;
        operation.is_varargs = member.varargs;
        operation.is_final = member.words.iter().any(|word| word == "final");
        operation.is_abstract = member.words.iter().any(|word| word == "abstract")
            || self.classes[id.index()].is_interface()
                && !is_static
                && !member.words.iter().any(|word| word == "default");
        for (written, name) in member.params.iter().flatten() {
            operation.params.push(self.ty(written, &scope));
            operation.param_names.push(name.as_str().into());
        }
        operation.throws = member.throws.iter().map(|written| self.ty(written, &scope)).collect();
        operation.descriptor = self.descriptor(&operation);
        if kind.is_get() {
            self.classes[id.index()].fields.push(operation.name.clone());
        }
        let is_mutable = member.words.iter().any(|word| word == "mutable");
        let set = is_mutable.then(|| {
            let kind = if is_static { OperationKind::StaticSet } else { OperationKind::InstanceSet };
            let mut set = self.operation(id, kind, &member.name, JavaType::Void);
            set.id = OpId::from_index(self.operations.len() + 1);
            set.params.push(operation.result.clone());
            set.descriptor = operation.descriptor.clone();
            set
        });
        self.operations.push(operation);
        self.operations.extend(set);
    }

    fn operation(&self, owner: ClassId, kind: OperationKind, name: &str, result: JavaType) -> Operation {
        let class = &self.classes[owner.index()];
        let receiver = match kind {
            OperationKind::Constructor if class.nesting == Nesting::Inner => {
                class.outer.map(|outer| JavaType::Class(self.this(outer)))
            }
            _ => kind.has_receiver().then(|| JavaType::Class(self.this(owner))),
        };
        Operation {
            id: OpId::from_index(self.operations.len()),
            owner,
            kind,
            name: name.into(),
            descriptor: "".into(),
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

    fn descriptor(&self, operation: &Operation) -> Arc<str> {
        if !operation.kind.is_call() {
            return self.erased(&operation.result).into();
        }
        let params: String = operation.params.iter().map(|param| self.erased(param)).collect();
        let result = if operation.is_constructor() { "V".to_owned() } else { self.erased(&operation.result) };
        format!("({params}){result}").into()
    }

    fn erased(&self, ty: &JavaType) -> String {
        match ty {
            JavaType::Void => "V".into(),
            JavaType::Primitive(primitive) => primitive.descriptor().into(),
            JavaType::Array(component) => format!("[{}", self.erased(component)),
            JavaType::Class(class_type) => {
                format!("L{};", self.classes[class_type.class.index()].internal_name)
            }
            JavaType::Variable(variable) => self.erased(&self.variables[variable.index()].bounds[0]),
        }
    }

    /// Only what an interface declares itself: enough for inline tests.
    fn find_functional(&mut self, id: ClassId, declaration: &Declaration) {
        let class = &self.classes[id.index()];
        if !class.is_interface() || declaration.members.is_empty() {
            return;
        }
        let mut abstracts =
            self.operations.iter().filter(|operation| operation.owner == id && operation.is_abstract);
        if let (Some(method), None) = (abstracts.next(), abstracts.next()) {
            let functional = FunctionalMethod {
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                type_params: method.type_params.clone(),
                params: method.params.clone(),
                result: method.result.clone(),
                throws: method.throws.clone(),
            };
            self.classes[id.index()].functional = Some(functional);
        }
    }

    fn ty(&self, written: &Type, scope: &Scope) -> JavaType {
        let mut found = self.element(written, scope);
        for _ in 0..written.dimensions {
            found = JavaType::array_of(found);
        }
        found
    }

    fn element(&self, written: &Type, scope: &Scope) -> JavaType {
        let (name, args) = &written.parts[0];
        if written.parts.len() == 1 && args.is_empty() {
            if name == "void" {
                return JavaType::Void;
            }
            if let Some(primitive) = Primitive::ALL.into_iter().find(|primitive| primitive.keyword() == name)
            {
                return JavaType::Primitive(primitive);
            }
            if let Some(variable) = scope.get(name) {
                return JavaType::Variable(*variable);
            }
        }
        let mut path = String::new();
        let mut found: Option<ClassType> = None;
        for (name, args) in &written.parts {
            path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let args = args.iter().map(|arg| self.arg(arg, scope));
            if let Some(class) = self.lookup(&path, found.as_ref()) {
                let outer = found.filter(|outer| !outer.is_plain());
                found = Some(ClassType::nested(outer, class, args));
            }
        }
        JavaType::Class(found.unwrap_or_else(|| panic!("nobody declares {path}")))
    }

    fn lookup(&self, path: &str, outer: Option<&ClassType>) -> Option<ClassId> {
        let nested = outer.and_then(|outer| {
            let simple = path.rsplit('.').next()?;
            let qualified = format!("{}.{simple}", self.classes[outer.class.index()].source_name);
            self.by_name.get(&qualified)
        });
        nested.or_else(|| self.by_name.get(path)).copied()
    }

    fn arg(&self, written: &Arg, scope: &Scope) -> TypeArg {
        match written {
            Arg::Exact(ty) => TypeArg::Exact(self.ty(ty, scope)),
            Arg::Extends(ty) => TypeArg::Extends(self.ty(ty, scope)),
            Arg::Super(ty) => TypeArg::Super(self.ty(ty, scope)),
            Arg::Any => TypeArg::Any,
        }
    }

    fn finish(self) -> Subject {
        let mut package_names: FxHashMap<Arc<str>, BTreeSet<Arc<str>>> = FxHashMap::default();
        for class in self.classes.iter().filter(|class| class.outer.is_none()) {
            package_names.entry(class.package.clone()).or_default().insert(class.simple_name.clone());
        }
        let mut table = self.classes;
        fill_implementations(&mut table, &self.variables);
        let classes = Classes::new(table, self.variables).expect("the prelude declares them all");
        Subject::new(SubjectParts {
            classes,
            operations: self.operations,
            left_out: Vec::new(),
            package_names,
        })
    }
}

fn fill_implementations(table: &mut [Class], variables: &[TypeVar]) {
    let classes = Classes::new(table.to_vec(), variables.to_vec()).expect("the prelude declares them all");
    for (id, class) in classes.iter().filter(|(_, class)| class.is_abstract) {
        let concrete = |below: &&ClassId| !classes[**below].is_abstract;
        let mut found: Vec<ClassId> = classes.subtypes(id).iter().filter(concrete).copied().collect();
        found.sort_by_key(|below| (!classes[*below].under_test, *below));
        table[id.index()].implementations = found;
        debug_assert!(class.is_abstract);
    }
}

fn visibility(words: &[String]) -> Visibility {
    let has = |word: &str| words.iter().any(|known| known == word);
    match () {
        () if has("private") => Visibility::Private,
        () if has("protected") => Visibility::Protected,
        () if has("hidden") => Visibility::Package,
        () => Visibility::Public,
    }
}
