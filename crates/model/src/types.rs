//! Java types as data: structural equality, cheap clones, no table needed to build one.
//!
//! What depends on the declarations (supertypes, bounds, names) is asked of
//! [`Classes`](crate::Classes).

use std::sync::Arc;

use crate::class::ClassId;

jurat_base::typed_id! {
    /// A type variable: the position of its declaration in [`Classes`](crate::Classes).
    pub TypeVarId
}

/// The eight primitive types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
}

impl Primitive {
    /// All of them, in declaration order.
    pub const ALL: [Self; 8] = [
        Self::Boolean,
        Self::Byte,
        Self::Short,
        Self::Char,
        Self::Int,
        Self::Long,
        Self::Float,
        Self::Double,
    ];

    /// The Java keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Char => "char",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// The letter in descriptors.
    pub fn descriptor(self) -> char {
        match self {
            Self::Boolean => 'Z',
            Self::Byte => 'B',
            Self::Short => 'S',
            Self::Char => 'C',
            Self::Int => 'I',
            Self::Long => 'J',
            Self::Float => 'F',
            Self::Double => 'D',
        }
    }

    /// The primitive with this letter in descriptors.
    pub fn from_descriptor(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|primitive| primitive.descriptor() == letter)
    }

    /// Internal name of the class that boxes it.
    pub fn box_name(self) -> &'static str {
        match self {
            Self::Boolean => "java/lang/Boolean",
            Self::Byte => "java/lang/Byte",
            Self::Short => "java/lang/Short",
            Self::Char => "java/lang/Character",
            Self::Int => "java/lang/Integer",
            Self::Long => "java/lang/Long",
            Self::Float => "java/lang/Float",
            Self::Double => "java/lang/Double",
        }
    }

    /// True if a value of `self` may be used where `wider` is wanted without a cast.
    pub fn widens_to(self, wider: Self) -> bool {
        let rank = |primitive: Self| match primitive {
            Self::Boolean | Self::Char => 0,
            Self::Byte => 1,
            Self::Short => 2,
            Self::Int => 3,
            Self::Long => 4,
            Self::Float => 5,
            Self::Double => 6,
        };
        self == wider
            || match (self, wider) {
                (Self::Boolean, _) | (_, Self::Boolean | Self::Char) => false,
                (Self::Char, _) => rank(wider) >= rank(Self::Int),
                _ => rank(self) < rank(wider),
            }
    }
}

/// A Java type.
///
/// A type is *ground* when no type variable occurs in it; ground types are what values have and
/// what emitted code declares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JavaType {
    /// No value at all: the result of a `void` method.
    Void,
    /// A primitive type.
    Primitive(Primitive),
    /// A class, interface, enum, record or annotation type.
    Class(ClassType),
    /// An array with this component type.
    Array(Arc<JavaType>),
    /// A type variable of a class or an operation.
    Variable(TypeVarId),
}

/// A class type with its type arguments.
///
/// Without arguments it is the plain type of a class that has no type parameters, and the raw
/// type of one that has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassType {
    /// The class.
    pub class: ClassId,
    args: Option<Arc<[TypeArg]>>,
    outer: Option<Arc<ClassType>>,
}

/// A type argument: a type or a wildcard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeArg {
    /// `T`
    Exact(JavaType),
    /// `? extends T`
    Extends(JavaType),
    /// `? super T`
    Super(JavaType),
    /// `?`
    Any,
}

impl ClassType {
    /// The class without type arguments.
    pub fn plain(class: ClassId) -> Self {
        Self { class, args: None, outer: None }
    }

    /// The class with type arguments, as many as it has parameters.
    pub fn with_args(class: ClassId, args: impl IntoIterator<Item = TypeArg>) -> Self {
        Self::nested(None, class, args)
    }

    /// An inner class of a parameterized type: `Outer<String>.Inner<Integer>`.
    pub fn nested(outer: Option<Self>, class: ClassId, args: impl IntoIterator<Item = TypeArg>) -> Self {
        let args: Arc<[TypeArg]> = args.into_iter().collect();
        Self { class, args: (!args.is_empty()).then_some(args), outer: outer.map(Arc::new) }
    }

    /// The type arguments; none for plain and raw types.
    pub fn args(&self) -> &[TypeArg] {
        self.args.as_deref().unwrap_or_default()
    }

    /// The parameterized type this one is an inner class of.
    pub fn outer(&self) -> Option<&Self> {
        self.outer.as_deref()
    }

    /// True if neither it nor its outer type has type arguments.
    pub fn is_plain(&self) -> bool {
        self.args.is_none() && self.outer.is_none()
    }

    pub(crate) fn any_type(&self, wanted: &mut impl FnMut(&JavaType) -> bool) -> bool {
        self.args().iter().filter_map(TypeArg::bound).any(|bound| bound.any(wanted))
            || self.outer().is_some_and(|outer| outer.any_type(wanted))
    }
}

impl TypeArg {
    /// The type it mentions: the type itself or the wildcard's bound.
    pub fn bound(&self) -> Option<&JavaType> {
        match self {
            Self::Exact(bound) | Self::Extends(bound) | Self::Super(bound) => Some(bound),
            Self::Any => None,
        }
    }

    /// True for `?`, `? extends T` and `? super T`.
    pub fn is_wildcard(&self) -> bool {
        !matches!(self, Self::Exact(_))
    }
}

impl JavaType {
    /// `boolean`
    pub const BOOLEAN: Self = Self::Primitive(Primitive::Boolean);
    /// `int`
    pub const INT: Self = Self::Primitive(Primitive::Int);
    /// `long`
    pub const LONG: Self = Self::Primitive(Primitive::Long);
    /// `double`
    pub const DOUBLE: Self = Self::Primitive(Primitive::Double);

    /// A class without type arguments: plain, or raw if it has type parameters.
    pub fn class(class: ClassId) -> Self {
        Self::Class(ClassType::plain(class))
    }

    /// A class with exact type arguments.
    pub fn generic(class: ClassId, args: impl IntoIterator<Item = JavaType>) -> Self {
        Self::Class(ClassType::with_args(class, args.into_iter().map(TypeArg::Exact)))
    }

    /// An array with this component type.
    #[must_use]
    pub fn array_of(component: Self) -> Self {
        Self::Array(Arc::new(component))
    }

    /// The class type, if it is one.
    pub fn as_class(&self) -> Option<&ClassType> {
        match self {
            Self::Class(class_type) => Some(class_type),
            _ => None,
        }
    }

    /// The class of a class type.
    pub fn class_id(&self) -> Option<ClassId> {
        self.as_class().map(|class_type| class_type.class)
    }

    /// The component type of an array.
    pub fn component(&self) -> Option<&Self> {
        match self {
            Self::Array(component) => Some(component),
            _ => None,
        }
    }

    /// The type under all array dimensions, and their number.
    pub fn element(&self) -> (&Self, usize) {
        let (mut element, mut dimensions) = (self, 0);
        while let Self::Array(component) = element {
            (element, dimensions) = (component, dimensions + 1);
        }
        (element, dimensions)
    }

    /// True for `void`.
    pub fn is_void(&self) -> bool {
        *self == Self::Void
    }

    /// True for the eight primitive types.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Self::Primitive(_))
    }

    /// True for what may be null: classes, arrays and type variables.
    pub fn is_reference(&self) -> bool {
        !matches!(self, Self::Void | Self::Primitive(_))
    }

    /// True if no type variable occurs in it.
    pub fn is_ground(&self) -> bool {
        !self.any(&mut |part| matches!(part, Self::Variable(_)))
    }

    /// True if a wildcard occurs in it, at any depth.
    pub fn has_wildcard(&self) -> bool {
        match self {
            Self::Class(class_type) => class_has_wildcard(class_type),
            Self::Array(component) => component.has_wildcard(),
            _ => false,
        }
    }

    /// True if one of these variables occurs in it.
    pub fn mentions(&self, variables: &[TypeVarId]) -> bool {
        self.any(&mut |part| matches!(part, Self::Variable(variable) if variables.contains(variable)))
    }

    /// Calls `visit` for each class named in it, outermost first.
    pub fn each_class(&self, visit: &mut impl FnMut(ClassId)) {
        self.any(&mut |part| {
            let mut named = part.as_class();
            while let Some(class_type) = named {
                visit(class_type.class);
                named = class_type.outer();
            }
            false
        });
    }

    /// True if `wanted` holds for the type or for one nested in it.
    pub fn any(&self, wanted: &mut impl FnMut(&Self) -> bool) -> bool {
        wanted(self)
            || match self {
                Self::Class(class_type) => class_type.any_type(wanted),
                Self::Array(component) => component.any(wanted),
                _ => false,
            }
    }
}

fn class_has_wildcard(class_type: &ClassType) -> bool {
    let in_arg = |arg: &TypeArg| arg.is_wildcard() || arg.bound().is_some_and(JavaType::has_wildcard);
    class_type.args().iter().any(in_arg) || class_type.outer().is_some_and(class_has_wildcard)
}
