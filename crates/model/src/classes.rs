//! The table of classes and type variables: what the algebra of types looks things up in.

use std::sync::Arc;

use jurat_base::FxHashMap;

use crate::class::{Class, ClassId};
use crate::substitution::Substitution;
use crate::types::{ClassType, JavaType, Primitive, TypeArg, TypeVarId};

/// Classes that are always in the table, because the language itself speaks of them.
pub const WELL_KNOWN: [&str; 18] = [
    "java/lang/Object",
    "java/lang/String",
    "java/lang/Class",
    "java/lang/Cloneable",
    "java/io/Serializable",
    "java/lang/Comparable",
    "java/lang/Enum",
    "java/lang/Number",
    "java/lang/Throwable",
    "java/lang/Runnable",
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Short",
    "java/lang/Character",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Float",
    "java/lang/Double",
];

/// What declares a type variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VarOwner {
    /// A class.
    Class(ClassId),
    /// A method or constructor of this class.
    Operation(ClassId),
}

/// A declared type variable.
#[derive(Clone, Debug)]
pub struct TypeVar {
    /// Its name in the source.
    pub name: Arc<str>,
    /// Its bounds; `Object` if it declares none.
    pub bounds: Vec<JavaType>,
    /// What declares it.
    pub owner: VarOwner,
}

/// All classes known, with their type variables, and the algebra over their types.
#[derive(Debug)]
pub struct Classes {
    table: Vec<Class>,
    variables: Vec<TypeVar>,
    by_name: FxHashMap<Arc<str>, ClassId>,
    /// Per class: itself and all its supertypes, sorted by class, in terms of its own variables.
    ancestors: Vec<Vec<ClassType>>,
    subtypes: Vec<Vec<ClassId>>,
    /// Per class: whether Java source can write its name. It is asked for every type of every statement.
    writable: Vec<bool>,
    well_known: [ClassId; WELL_KNOWN.len()],
}

impl std::ops::Index<ClassId> for Classes {
    type Output = Class;

    fn index(&self, class: ClassId) -> &Class {
        &self.table[class.index()]
    }
}

impl std::ops::Index<TypeVarId> for Classes {
    type Output = TypeVar;

    fn index(&self, variable: TypeVarId) -> &TypeVar {
        &self.variables[variable.index()]
    }
}

impl Classes {
    /// A table of these classes. Fails with the name of a well-known class that is absent.
    pub fn new(classes: Vec<Class>, variables: Vec<TypeVar>) -> Result<Self, &'static str> {
        let by_name: FxHashMap<_, _> = classes
            .iter()
            .enumerate()
            .map(|(index, class)| (class.internal_name.clone(), ClassId::from_index(index)))
            .collect();
        let mut well_known = [ClassId(0); WELL_KNOWN.len()];
        for (slot, name) in well_known.iter_mut().zip(WELL_KNOWN) {
            *slot = *by_name.get(name).ok_or(name)?;
        }
        let writable = classes.iter().map(crate::access::writable).collect();
        let mut table = Self {
            table: classes,
            variables,
            by_name,
            ancestors: Vec::new(),
            subtypes: Vec::new(),
            writable,
            well_known,
        };
        table.link();
        Ok(table)
    }

    /// Whether Java source can write the name of a class.
    pub(crate) fn is_writable(&self, class: ClassId) -> bool {
        self.writable[class.index()]
    }

    /// Computes ancestors and subtypes; supertypes are linked before their subtypes need them.
    fn link(&mut self) {
        let mut linked: Vec<Option<Vec<ClassType>>> = vec![None; self.table.len()];
        for class in self.ids() {
            self.link_class(class, &mut linked);
        }
        self.ancestors = linked.into_iter().map(Option::unwrap_or_default).collect();
        self.subtypes = vec![Vec::new(); self.table.len()];
        for class in self.ids() {
            for ancestor in &self.ancestors[class.index()] {
                if ancestor.class != class {
                    self.subtypes[ancestor.class.index()].push(class);
                }
            }
        }
    }

    fn link_class(&self, class: ClassId, linked: &mut Vec<Option<Vec<ClassType>>>) {
        if linked[class.index()].is_some() {
            return;
        }
        // Marked before its supertypes are visited, so that a cyclic hierarchy ends.
        linked[class.index()] = Some(Vec::new());
        let this = self.this_class_type(class);
        let mut found: FxHashMap<ClassId, ClassType> = FxHashMap::default();
        found.insert(class, this);
        for direct in self.direct_supertypes(class) {
            self.link_class(direct.class, linked);
            let inherited = linked[direct.class.index()].clone().unwrap_or_default();
            let raw = self.is_raw(&direct);
            let substitution = self.arguments_of(&direct);
            for ancestor in inherited {
                let seen = if raw {
                    ClassType::plain(ancestor.class)
                } else {
                    substitution.up_class(self, &ancestor)
                };
                found.entry(ancestor.class).or_insert(seen);
            }
        }
        let mut ancestors: Vec<ClassType> = found.into_values().collect();
        ancestors.sort_by_key(|ancestor| ancestor.class);
        linked[class.index()] = Some(ancestors);
    }

    /// A class to complete, for whoever builds the subject; its supertypes must stay what they are.
    pub fn class_mut(&mut self, class: ClassId) -> &mut Class {
        &mut self.table[class.index()]
    }

    /// Superclass and interfaces as declared.
    pub fn direct_supertypes(&self, class: ClassId) -> impl Iterator<Item = ClassType> {
        let declared = &self[class];
        declared.superclass.iter().chain(&declared.interfaces).filter_map(JavaType::as_class).cloned()
    }

    /// The ids of all classes in order.
    pub fn ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.table.len()).map(ClassId::from_index)
    }

    /// All classes in order of id.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        self.ids().zip(&self.table)
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True for a table without classes, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The class with this internal name.
    pub fn find(&self, internal_name: &str) -> Option<ClassId> {
        self.by_name.get(internal_name).copied()
    }

    fn well_known(&self, name: &str) -> ClassId {
        let position = WELL_KNOWN.iter().position(|known| *known == name);
        self.well_known[position.expect("asked only for names in the list")]
    }

    /// `java.lang.Object`
    pub fn object(&self) -> ClassId {
        self.well_known[0]
    }

    /// The type `Object`.
    pub fn object_type(&self) -> JavaType {
        JavaType::class(self.object())
    }

    /// `java.lang.String`
    pub fn string(&self) -> ClassId {
        self.well_known[1]
    }

    /// `java.lang.Class`
    pub fn class_class(&self) -> ClassId {
        self.well_known[2]
    }

    /// `java.lang.Enum`
    pub fn enum_class(&self) -> ClassId {
        self.well_known("java/lang/Enum")
    }

    /// `java.lang.Comparable`
    pub fn comparable(&self) -> ClassId {
        self.well_known("java/lang/Comparable")
    }

    /// `java.lang.Throwable`
    pub fn throwable(&self) -> ClassId {
        self.well_known("java/lang/Throwable")
    }

    /// The class that boxes this primitive.
    pub fn boxed(&self, primitive: Primitive) -> ClassId {
        self.well_known(primitive.box_name())
    }

    /// The primitive a class boxes.
    pub fn unboxed(&self, class: ClassId) -> Option<Primitive> {
        Primitive::ALL.into_iter().find(|primitive| self.boxed(*primitive) == class)
    }

    /// True for `Object`, `Cloneable` and `Serializable`: the supertypes of arrays.
    pub(crate) fn is_array_supertype(&self, class: ClassId) -> bool {
        class == self.object()
            || class == self.well_known("java/lang/Cloneable")
            || class == self.well_known("java/io/Serializable")
    }

    /// The class and all its supertypes, in terms of its own type variables.
    pub fn ancestors(&self, class: ClassId) -> &[ClassType] {
        &self.ancestors[class.index()]
    }

    /// All known classes below this one, in order of id; not the class itself.
    pub fn subtypes(&self, class: ClassId) -> &[ClassId] {
        &self.subtypes[class.index()]
    }

    /// True if `class` is `ancestor` or inherits from it.
    pub fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool {
        class == ancestor
            || ancestor == self.object()
            || self.ancestors(class).binary_search_by_key(&ancestor, |known| known.class).is_ok()
    }

    /// True if it or, for inner classes, one of its outer classes has type parameters.
    pub fn is_generic(&self, class: ClassId) -> bool {
        let declared = &self[class];
        !declared.type_params.is_empty()
            || declared.needs_outer() && declared.outer.is_some_and(|outer| self.is_generic(outer))
    }

    /// True for a class type without the type arguments its class asks for.
    pub fn is_raw(&self, class_type: &ClassType) -> bool {
        class_type.is_plain() && self.is_generic(class_type.class)
    }

    /// True if a raw type occurs in it, at any depth.
    pub fn has_raw(&self, ty: &JavaType) -> bool {
        ty.any(&mut |part| part.as_class().is_some_and(|class_type| self.is_raw(class_type)))
    }

    /// All type parameters an instance of the class depends on: those of outer classes first.
    pub fn all_type_params(&self, class: ClassId) -> Vec<TypeVarId> {
        let declared = &self[class];
        let mut params = match declared.outer {
            Some(outer) if declared.needs_outer() => self.all_type_params(outer),
            _ => Vec::new(),
        };
        params.extend(&declared.type_params);
        params
    }

    /// The class as its own code sees it: each type parameter stands for itself.
    pub fn this_type(&self, class: ClassId) -> JavaType {
        JavaType::Class(self.this_class_type(class))
    }

    fn this_class_type(&self, class: ClassId) -> ClassType {
        let declared = &self[class];
        let outer = declared
            .outer
            .filter(|outer| declared.needs_outer() && self.is_generic(*outer))
            .map(|outer| self.this_class_type(outer));
        let args = declared.type_params.iter().map(|param| TypeArg::Exact(JavaType::Variable(*param)));
        ClassType::nested(outer, class, args)
    }

    /// The class with `?` for each type parameter: what every parameterization is assignable to.
    pub fn wildcard_type(&self, class: ClassId) -> JavaType {
        JavaType::Class(self.wildcard_class_type(class))
    }

    fn wildcard_class_type(&self, class: ClassId) -> ClassType {
        let declared = &self[class];
        let outer = declared
            .outer
            .filter(|outer| declared.needs_outer() && self.is_generic(*outer))
            .map(|outer| self.wildcard_class_type(outer));
        ClassType::nested(outer, class, declared.type_params.iter().map(|_| TypeArg::Any))
    }

    /// What a class type's arguments say its class's type parameters are.
    pub fn arguments_of(&self, class_type: &ClassType) -> Substitution {
        let mut substitution = match class_type.outer() {
            Some(outer) => self.arguments_of(outer),
            None => Substitution::default(),
        };
        for (param, arg) in self[class_type.class].type_params.iter().zip(class_type.args()) {
            substitution.set(*param, arg.clone());
        }
        substitution
    }

    /// The type with all generics removed, as the JVM sees it.
    pub fn erasure(&self, ty: &JavaType) -> JavaType {
        match ty {
            JavaType::Class(class_type) => JavaType::class(class_type.class),
            JavaType::Array(component) => JavaType::array_of(self.erasure(component)),
            JavaType::Variable(variable) => match self[*variable].bounds.first() {
                Some(bound) => self.erasure(bound),
                None => self.object_type(),
            },
            JavaType::Void | JavaType::Primitive(_) => ty.clone(),
        }
    }

    /// The descriptor of the erased type.
    pub fn descriptor(&self, ty: &JavaType) -> String {
        match self.erasure(ty) {
            JavaType::Void => "V".into(),
            JavaType::Primitive(primitive) => primitive.descriptor().into(),
            JavaType::Array(component) => format!("[{}", self.descriptor(&component)),
            JavaType::Class(class_type) => format!("L{};", self[class_type.class].internal_name),
            JavaType::Variable(_) => unreachable!("erasure leaves no variable"),
        }
    }

    /// The type with this descriptor, if its class is known.
    pub fn type_with_descriptor(&self, descriptor: &str) -> Option<JavaType> {
        let mut letters = descriptor.chars();
        match letters.next()? {
            '[' => self.type_with_descriptor(letters.as_str()).map(JavaType::array_of),
            'L' => self.find(letters.as_str().strip_suffix(';')?).map(JavaType::class),
            'V' => Some(JavaType::Void),
            letter => Primitive::from_descriptor(letter).map(JavaType::Primitive),
        }
    }

    /// The class whose members a value of this type has: the erased class, `Object` for arrays.
    pub fn member_class(&self, ty: &JavaType) -> Option<ClassId> {
        match self.erasure(ty) {
            JavaType::Class(class_type) => Some(class_type.class),
            JavaType::Array(_) => Some(self.object()),
            _ => None,
        }
    }

    /// The type with fully qualified names, for messages and logs.
    pub fn show(&self, ty: &JavaType) -> String {
        match ty {
            JavaType::Void => "void".into(),
            JavaType::Primitive(primitive) => primitive.keyword().into(),
            JavaType::Array(component) => format!("{}[]", self.show(component)),
            JavaType::Variable(variable) => self[*variable].name.to_string(),
            JavaType::Class(class_type) => self.show_class(class_type),
        }
    }

    fn show_class(&self, class_type: &ClassType) -> String {
        let declared = &self[class_type.class];
        let name = match class_type.outer() {
            Some(outer) => format!("{}.{}", self.show_class(outer), declared.simple_name),
            None => declared.source_name.to_string(),
        };
        if class_type.args().is_empty() {
            return name;
        }
        let args: Vec<String> = class_type.args().iter().map(|arg| self.show_arg(arg)).collect();
        format!("{name}<{}>", args.join(", "))
    }

    fn show_arg(&self, arg: &TypeArg) -> String {
        match arg {
            TypeArg::Exact(ty) => self.show(ty),
            TypeArg::Extends(ty) => format!("? extends {}", self.show(ty)),
            TypeArg::Super(ty) => format!("? super {}", self.show(ty)),
            TypeArg::Any => "?".into(),
        }
    }
}
