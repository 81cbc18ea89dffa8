//! What the search needs to know of the subject's classes: names, fields and supertypes, as plain data.

use std::fmt;

/// The classes that structures may be made of, and the one they start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Binary name of the class that has the predicate.
    pub root: String,
    /// The subject's classes that fields of these classes may refer to, and their subtypes.
    pub classes: Vec<ClassShape>,
}

/// One class of the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassShape {
    /// Binary name, such as `tree.BinaryTree$Node`.
    pub name: String,
    /// Whether there can be objects of it, and which.
    pub kind: ClassKind,
    /// All supertypes, near and far, without the class itself.
    pub supertypes: Vec<String>,
    /// Fields of the class and of the subject's classes it extends, the farthest superclass first.
    pub fields: Vec<FieldShape>,
}

/// Which objects a class may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class with objects of its own.
    Concrete,
    /// An abstract class or interface: its subtypes stand for it.
    Abstract,
    /// An enum with these constants, in order of declaration.
    Enum(Vec<String>),
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// Name of the field.
    pub name: String,
    /// Binary name of the class that declares it.
    pub declared_in: String,
    /// Declared type.
    pub ty: FieldType,
    /// Whether it is `final`.
    pub is_final: bool,
    /// Whether it is `static`.
    pub is_static: bool,
}

/// The declared type of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldType {
    /// A primitive type.
    Primitive(Primitive),
    /// A class or interface, by binary name.
    Class(String),
    /// An array of this.
    Array(Box<FieldType>),
}

/// The primitive types.
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

/// Every primitive with its letter in descriptors, its keyword and the class that boxes it.
const PRIMITIVES: [(Primitive, char, &str, &str); 8] = [
    (Primitive::Boolean, 'Z', "boolean", "java.lang.Boolean"),
    (Primitive::Byte, 'B', "byte", "java.lang.Byte"),
    (Primitive::Short, 'S', "short", "java.lang.Short"),
    (Primitive::Char, 'C', "char", "java.lang.Character"),
    (Primitive::Int, 'I', "int", "java.lang.Integer"),
    (Primitive::Long, 'J', "long", "java.lang.Long"),
    (Primitive::Float, 'F', "float", "java.lang.Float"),
    (Primitive::Double, 'D', "double", "java.lang.Double"),
];

impl Primitive {
    /// The keyword, such as `int`.
    pub fn keyword(self) -> &'static str {
        self.row().2
    }

    /// The letter that stands for it in descriptors, such as `I`.
    pub fn letter(self) -> char {
        self.row().1
    }

    /// The class whose objects box it, such as `java.lang.Integer`.
    pub fn boxed(self) -> &'static str {
        self.row().3
    }

    /// The primitive that objects of this class box.
    pub fn unboxed(class: &str) -> Option<Self> {
        PRIMITIVES.iter().find(|row| row.3 == class).map(|row| row.0)
    }

    /// The smallest and largest whole number of the type; for the floating ones, those exact in `f64`.
    pub fn limits(self) -> (i64, i64) {
        match self {
            Self::Boolean => (0, 1),
            Self::Byte => (i8::MIN.into(), i8::MAX.into()),
            Self::Short => (i16::MIN.into(), i16::MAX.into()),
            Self::Char => (0, u16::MAX.into()),
            Self::Int => (i32::MIN.into(), i32::MAX.into()),
            Self::Long => (i64::MIN, i64::MAX),
            Self::Float => (-(1 << 24), 1 << 24),
            Self::Double => (-(1 << 53), 1 << 53),
        }
    }

    fn row(self) -> &'static (Self, char, &'static str, &'static str) {
        PRIMITIVES.iter().find(|row| row.0 == self).expect("the table names every primitive")
    }
}

impl FieldType {
    /// The type a field descriptor such as `[Ltree/Node;` stands for.
    pub fn from_descriptor(descriptor: &str) -> Option<Self> {
        if let Some(element) = descriptor.strip_prefix('[') {
            return Some(Self::Array(Box::new(Self::from_descriptor(element)?)));
        }
        if let Some(class) = descriptor.strip_prefix('L') {
            return Some(Self::Class(class.strip_suffix(';')?.replace('/', ".")));
        }
        PRIMITIVES.iter().find(|row| descriptor.chars().eq([row.1])).map(|row| Self::Primitive(row.0))
    }

    /// The type as descriptors write it.
    pub fn descriptor(&self) -> String {
        match self {
            Self::Primitive(primitive) => primitive.letter().to_string(),
            Self::Class(class) => format!("L{};", class.replace('.', "/")),
            Self::Array(element) => format!("[{}", element.descriptor()),
        }
    }

    /// The type as Java writes it, with the binary names of classes.
    pub fn from_java(text: &str) -> Self {
        if let Some(element) = text.strip_suffix("[]") {
            return Self::Array(Box::new(Self::from_java(element)));
        }
        PRIMITIVES
            .iter()
            .find(|row| row.2 == text)
            .map_or_else(|| Self::Class(text.to_owned()), |row| Self::Primitive(row.0))
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => f.write_str(primitive.keyword()),
            Self::Class(class) => f.write_str(class),
            Self::Array(element) => write!(f, "{element}[]"),
        }
    }
}

impl Shape {
    /// The class of this name, if it is the subject's.
    pub fn class(&self, name: &str) -> Option<&ClassShape> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// The constants that a reference to a class of the subject may hold: those of an enum, or of the enums that implement an
    /// interface, which are then named with their class.
    pub(crate) fn constants(&self, target: &str) -> Vec<String> {
        let of = |class: &ClassShape, prefix: &str| match &class.kind {
            ClassKind::Enum(names) => names.iter().map(|name| format!("{prefix}{name}")).collect(),
            _ => Vec::new(),
        };
        match self.class(target) {
            None => Vec::new(),
            Some(found) if matches!(found.kind, ClassKind::Enum(_)) => of(found, ""),
            Some(_) => {
                let heirs = self.classes.iter().filter(|class| class.is(target));
                heirs.flat_map(|class| of(class, &format!("{}.", class.name))).collect()
            }
        }
    }

    /// The classes with objects of their own that a reference of type `target` may hold, in order.
    pub fn assignable<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a ClassShape> {
        self.classes.iter().filter(move |class| class.kind == ClassKind::Concrete && class.is(target))
    }
}

impl ClassShape {
    /// Whether a reference of type `target` may hold an object of this class.
    pub fn is(&self, target: &str) -> bool {
        self.name == target || target == OBJECT || self.supertypes.iter().any(|name| name == target)
    }

    /// The field of this name that Java code of the class itself would see.
    pub fn field(&self, name: &str) -> Option<&FieldShape> {
        self.fields.iter().rev().find(|field| field.name == name)
    }
}

/// The class every reference may be declared as.
pub(crate) const OBJECT: &str = "java.lang.Object";

/// Types of the JDK that the boxed numbers have.
pub(crate) const NUMBER_TYPES: [&str; 3] =
    ["java.lang.Comparable", "java.lang.Number", "java.io.Serializable"];

/// Types of the JDK that strings have.
pub(crate) const TEXT_TYPES: [&str; 4] =
    ["java.lang.String", "java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_and_java_names_are_two_spellings_of_one_type() {
        for (descriptor, java) in
            [("I", "int"), ("[[J", "long[][]"), ("La/B$C;", "a.B$C"), ("[La/B;", "a.B[]"), ("Z", "boolean")]
        {
            let ty = FieldType::from_descriptor(descriptor).expect("a good descriptor");
            assert_eq!(ty.to_string(), java);
            assert_eq!(FieldType::from_java(java), ty);
            assert_eq!(ty.descriptor(), descriptor);
        }
        assert_eq!(FieldType::from_descriptor("II"), None);
        assert_eq!(FieldType::from_descriptor("La/B"), None);
        assert_eq!(FieldType::from_descriptor(""), None);
    }
}
