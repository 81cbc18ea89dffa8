//! One class as Jurat sees it.

use std::sync::Arc;

use crate::constant::Constant;
use crate::function::FunctionalMethod;
use crate::operation::OpId;
use crate::types::{JavaType, TypeVarId};

jurat_base::typed_id! {
    /// A class: its position in [`Classes`](crate::Classes).
    pub ClassId
}

/// What the declaration says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClassKind {
    /// `class`
    Class,
    /// `interface`
    Interface,
    /// `enum`
    Enum,
    /// `record`
    Record,
    /// `@interface`
    Annotation,
}

impl ClassKind {
    /// The word people use for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Record => "record",
            Self::Annotation => "annotation",
        }
    }

    /// True for interfaces and annotations.
    pub fn is_interface(self) -> bool {
        matches!(self, Self::Interface | Self::Annotation)
    }
}

/// Who may use a class or a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Only the class and its nest mates.
    Private,
    /// Only the package.
    Package,
    /// The package and subclasses.
    Protected,
    /// Everyone who may use the owner.
    Public,
}

impl Visibility {
    /// The word people use for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Package => "package",
            Self::Protected => "protected",
            Self::Public => "public",
        }
    }
}

/// How a class sits in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nesting {
    /// Not nested.
    TopLevel,
    /// A static member: needs no instance of the outer class.
    Static,
    /// An inner member: an instance belongs to one of the outer class.
    Inner,
    /// Declared in a block; has a name only there.
    Local,
    /// Has no name.
    Anonymous,
}

/// Where a class was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// In the class path given by the user.
    ClassPath,
    /// In the JDK, as a helper or as `jrt:/MODULE` subject.
    Jdk,
}

/// How much of a class was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Name, flags, type parameters and supertypes.
    Header,
    /// Its operations too.
    Operations,
}

/// A component of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: Arc<str>,
    /// Its type, in terms of the record's type parameters.
    pub ty: JavaType,
    /// The accessor, if it was kept as an operation.
    pub accessor: Option<OpId>,
}

/// A class with what its declaration says, and what was found out about it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts of a declaration")]
pub struct Class {
    /// The name the JVM uses: `java/util/Map$Entry`.
    pub internal_name: Arc<str>,
    /// The name Java source uses: `java.util.Map.Entry`.
    pub source_name: Arc<str>,
    /// The last part of the source name: `Entry`.
    pub simple_name: Arc<str>,
    /// The package with dots; empty for the unnamed one.
    pub package: Arc<str>,
    /// The module it was found in, if it was found in one.
    pub module: Option<Arc<str>>,
    /// False if its module keeps its package to itself.
    pub exported: bool,
    /// True if nobody may add classes to its package: one of the JDK, of a signed jar, or sealed.
    pub is_closed: bool,
    /// Where it was found.
    pub origin: Origin,
    /// True if the user asked for it.
    pub under_test: bool,
    /// 0 for classes under test, 1 for what their operations mention, and so on.
    pub distance: u8,
    /// How much of it was read.
    pub detail: Detail,
    /// Class, interface, enum, record or annotation.
    pub kind: ClassKind,
    /// True for abstract classes and all interfaces.
    pub is_abstract: bool,
    /// True if it cannot be extended.
    pub is_final: bool,
    /// True if only `permitted` may extend it.
    pub is_sealed: bool,
    /// The classes a sealed one allows, as far as they were found.
    pub permitted: Vec<ClassId>,
    /// True if its declaration carries `@Deprecated`.
    pub is_deprecated: bool,
    /// True if it is to be removed, which compilers warn of by another name.
    pub is_for_removal: bool,
    /// True if its source file is named after another class, which compilers warn of wherever it is named.
    pub is_auxiliary: bool,
    /// True if it is a class of the JDK that the release did not have for which the classes under test are compiled.
    pub is_newer: bool,
    /// Who may use it; the owner counts too, see [`Classes::accessible`](crate::Classes::accessible).
    pub visibility: Visibility,
    /// How it sits in `outer`.
    pub nesting: Nesting,
    /// The class it is a member of.
    pub outer: Option<ClassId>,
    /// Its own type parameters.
    pub type_params: Vec<TypeVarId>,
    /// Its superclass with type arguments; none for `Object`, `Object` for interfaces.
    pub superclass: Option<JavaType>,
    /// Its interfaces with type arguments.
    pub interfaces: Vec<JavaType>,
    /// Its enum constants in order.
    pub enum_constants: Vec<Arc<str>>,
    /// Names of its fields, in order, without static ones that are not final: of one of the JDK, those that are documented.
    pub fields: Vec<Arc<str>>,
    /// Its record components in order.
    pub record_components: Vec<RecordComponent>,
    /// The method a lambda implements, if it is a functional interface.
    pub functional: Option<FunctionalMethod>,
    /// Methods that say whether an instance is in a legal state: `repOK`, `checkRep`, `invariant`.
    pub predicates: Vec<OpId>,
    /// Classes that can be instantiated where this one is wanted, best first; only for
    /// interfaces and abstract classes.
    pub implementations: Vec<ClassId>,
    /// Constants of the class outside its operations: initializers, constant fields, lambda bodies. Of a helper beside a
    /// class under test, all that are not classes.
    pub constants: Vec<Constant>,
    /// The absent class that keeps the JVM from loading this one.
    pub missing: Option<Arc<str>>,
}

impl Class {
    /// True if it is an interface or an annotation.
    pub fn is_interface(&self) -> bool {
        self.kind.is_interface()
    }

    /// True if an instance belongs to an instance of the outer class.
    pub fn needs_outer(&self) -> bool {
        self.nesting == Nesting::Inner
    }

    /// True if Java source has a name for it.
    pub fn has_name(&self) -> bool {
        !matches!(self.nesting, Nesting::Local | Nesting::Anonymous)
    }
}
