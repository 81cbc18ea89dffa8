//! Bounds on classes, fields and counts: what makes the structures of a class finitely many.

use crate::shape::{FieldType, Primitive, Shape};

/// How many objects of each class there may be, and what each of their fields may hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Finitization {
    /// Binary name of the class with the predicate; its first object is where structures start.
    pub root: String,
    /// The class domains.
    pub classes: Vec<ClassDomain>,
    /// The array domains.
    pub arrays: Vec<ArrayDomain>,
}

/// The objects of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassDomain {
    /// Binary name of the class.
    pub class: String,
    /// How many objects there are.
    pub count: u32,
    /// Whether the objects differ only in their fields, so that swapping two gives the same structure.
    pub interchangeable: bool,
    /// What the fields may hold; a field that is left out keeps what the constructor gave it.
    pub fields: Vec<FieldBound>,
}

/// The arrays of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDomain {
    /// Type of the elements.
    pub element: FieldType,
    /// How many arrays there are.
    pub count: u32,
    /// Whether swapping two arrays gives the same structure.
    pub interchangeable: bool,
    /// Smallest length.
    pub min_length: u32,
    /// Largest length.
    pub max_length: u32,
    /// What each element may hold.
    pub elements: Bound,
}

/// One field that the search assigns.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldBound {
    /// Name of the field.
    pub name: String,
    /// Binary name of the class that declares it.
    pub declared_in: String,
    /// Declared type.
    pub ty: FieldType,
    /// What it may hold.
    pub bound: Bound,
}

/// What one field or array element may hold, in the order it is tried.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Bound {
    /// Whether it may be null; tried first.
    pub null: bool,
    /// Domains whose objects it may refer to: class names, and array types as Java writes them.
    pub objects: Vec<String>,
    /// Numbers, strings or enum constants; tried last.
    pub values: Values,
    /// Whether the values are interchangeable, as if they were objects without fields.
    pub interchangeable: bool,
}

/// Values that are not objects of the subject.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Values {
    /// None.
    #[default]
    None,
    /// All whole numbers from the first to the last.
    Range(i64, i64),
    /// These whole numbers (characters by their code).
    Whole(Vec<i64>),
    /// These floating-point numbers.
    Floating(Vec<f64>),
    /// These truth values.
    Truth(Vec<bool>),
    /// These strings.
    Text(Vec<String>),
    /// These constants of the field's enum class.
    Constants(Vec<String>),
}

impl Finitization {
    /// The domain of the objects of this class.
    pub fn class(&self, name: &str) -> Option<&ClassDomain> {
        self.classes.iter().find(|domain| domain.class == name)
    }

    /// The fields that keep what their constructor gave them, with the reason, for people to read.
    pub fn kept<'a>(&'a self, shape: &'a Shape) -> impl Iterator<Item = (&'a str, &'a str, &'static str)> {
        self.classes.iter().flat_map(move |domain| {
            let fields = shape.class(&domain.class).map_or(&[][..], |class| &class.fields);
            fields.iter().filter(|field| !field.is_static && domain.field(&field.name).is_none()).map(
                move |field| {
                    let reason = if field.is_final { "final" } else { "nothing of its type to enumerate" };
                    (domain.class.as_str(), field.name.as_str(), reason)
                },
            )
        })
    }
}

impl ClassDomain {
    /// The bound field of this name.
    pub fn field(&self, name: &str) -> Option<&FieldBound> {
        self.fields.iter().rev().find(|field| field.name == name)
    }
}

impl ArrayDomain {
    /// The array type as Java writes it.
    pub fn name(&self) -> String {
        format!("{}[]", self.element)
    }
}

impl Values {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Range(min, max) => max
                .checked_sub(*min)
                .map_or(u64::MAX, |span| u64::try_from(span).map_or(0, |span| span.saturating_add(1))),
            Self::Whole(values) => values.len() as u64,
            Self::Floating(values) => values.len() as u64,
            Self::Truth(values) => values.len() as u64,
            Self::Text(values) | Self::Constants(values) => values.len() as u64,
        }
    }
}

/// The primitive type that whole numbers take in a field of this type: its own, the one it boxes, or `int`.
pub(crate) fn number_type(ty: &FieldType) -> Primitive {
    match ty {
        FieldType::Primitive(primitive) => *primitive,
        FieldType::Class(class) => Primitive::unboxed(class).unwrap_or(Primitive::Int),
        FieldType::Array(_) => Primitive::Int,
    }
}
