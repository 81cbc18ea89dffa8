//! The vector of all fields within a finitization, and what each of its positions may hold.

use std::fmt;

use jurat_base::typed_id;

use crate::derive::bound;
use crate::finitization::{Bound, Finitization, Values, number_type};
use crate::shape::{FieldType, Primitive, Shape};

typed_id! {
    /// One field, array length or array element of one object: an index into the state vector.
    pub Position
}
typed_id! {
    /// One object or array that structures may use.
    pub ObjectId
}
typed_id! {
    /// One class domain, array domain or set of interchangeable values.
    pub DomainId
}

/// Vectors longer than this are refused: no search over one ends, and laying it out would eat the memory.
const MAX_POSITIONS: u64 = 1 << 16;
/// Fields with more choices than this are refused, for the same reason.
const MAX_CHOICES: u64 = 1 << 20;

/// All positions of the state vector with their choices: a [`Finitization`] laid out for the search.
#[derive(Clone, Debug)]
pub struct Space {
    domains: Vec<Domain>,
    objects: Vec<Object>,
    slots: Vec<Slot>,
    choices: Vec<Choices>,
    root: ObjectId,
}

/// The objects of one class, the arrays of one type, or interchangeable values of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Class name, array type, or the values' type, as Java writes it.
    pub name: String,
    /// What the domain holds.
    pub kind: DomainKind,
    /// How many members it has.
    pub count: u32,
    /// Whether its members may be swapped.
    pub interchangeable: bool,
}

/// What a domain holds.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainKind {
    /// Objects with these enumerated fields.
    Class(Vec<Field>),
    /// Arrays of this element type, up to this length.
    Array {
        /// Type of the elements.
        element: FieldType,
        /// Smallest length.
        min_length: u32,
        /// Largest length.
        max_length: u32,
    },
    /// Values that are no objects of the subject.
    Values,
}

/// One enumerated field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name of the field.
    pub name: String,
    /// Binary name of the class that declares it.
    pub declared_in: String,
    /// Declared type.
    pub ty: FieldType,
}

/// One object or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The domain it is of.
    pub domain: DomainId,
    /// Its number within the domain.
    pub index: u32,
    /// Its first position in the vector.
    pub first: Position,
    /// How many positions it has.
    pub positions: u32,
}

/// One position of the vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The object that has the field.
    pub object: ObjectId,
    /// Which field of it.
    pub member: Member,
    choices: u32,
}

/// A part of an object that holds one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The field at this place of [`DomainKind::Class`].
    Field(u32),
    /// The length of an array.
    Length,
    /// The element at this index of an array.
    Element(u32),
}

/// What one position may hold, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Declared type of the field or element; `int` for a length.
    pub ty: FieldType,
    /// The values.
    pub values: Vec<Value>,
    /// The values cut where the rule for isomorphic structures differs.
    pub(crate) segments: Vec<Segment>,
}

/// Consecutive choices of one position that belong to one domain, or to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// First choice.
    pub(crate) start: u32,
    /// One past the last choice.
    pub(crate) end: u32,
    /// The domain whose members these are, first to last; none if they are not interchangeable.
    pub(crate) domain: Option<DomainId>,
}

/// What makes a value interchangeable with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The domain whose member it is.
    pub domain: DomainId,
    /// Its number there.
    pub index: u32,
    /// One past the last choice that is a member of the same domain.
    pub end: u32,
}

impl Choices {
    /// The domain that a choice is an interchangeable member of, if any.
    pub fn membership(&self, choice: u32) -> Option<Membership> {
        let segment = self.segments.iter().find(|segment| choice < segment.end)?;
        Some(Membership { domain: segment.domain?, index: choice - segment.start, end: segment.end })
    }
}

/// What a position may hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No object.
    Null,
    /// An object or array of the structure.
    Object(ObjectId),
    /// A primitive value, boxed where the field is a reference.
    Scalar(Scalar),
    /// A string.
    Text(String),
    /// A constant of an enum.
    Constant {
        /// Binary name of the enum.
        class: String,
        /// Name of the constant.
        name: String,
    },
}

/// A value of a primitive type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `true` or `false`.
    Truth(bool),
    /// A value of one of the whole-number types, `char` included.
    Whole(Primitive, i64),
    /// A `float` or `double`.
    Floating(Primitive, f64),
}

/// Why a finitization has no state vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// The root class has no object.
    #[error("class {0} has no objects to start from: give it a count of at least 1")]
    NoRoot(String),
    /// A field has nothing it could hold.
    #[error("{0} can hold nothing: allow null, or give it objects or values")]
    Nothing(String),
    /// A field names a domain that does not exist.
    #[error("{0} refers to {1}, of which there are no objects")]
    UnknownDomain(String, String),
    /// The vector would be too long.
    #[error("these bounds ask for {0} fields in all; at most {MAX_POSITIONS} can be enumerated")]
    TooLarge(u64),
    /// A field has too many choices.
    #[error("{0} has {1} possible values; at most {MAX_CHOICES} can be enumerated")]
    TooManyChoices(String, u64),
}

impl Space {
    /// Lays out the vector of a finitization.
    pub fn new(finitization: &Finitization) -> Result<Self, SpaceError> {
        check_size(finitization)?;
        let mut space = Self {
            domains: domains(finitization),
            objects: Vec::new(),
            slots: Vec::new(),
            choices: Vec::new(),
            root: ObjectId(0),
        };
        space.place_objects();
        space.root = space
            .objects_of(&finitization.root)
            .first()
            .copied()
            .ok_or_else(|| SpaceError::NoRoot(finitization.root.clone()))?;
        space.fill_choices(finitization)?;
        Ok(space)
    }

    /// The object every structure starts from.
    pub fn root(&self) -> ObjectId {
        self.root
    }

    /// The length of the state vector.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is nothing to assign.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The position's object and member.
    pub fn slot(&self, position: Position) -> Slot {
        self.slots[position.index()]
    }

    /// What the position may hold.
    pub fn choices(&self, position: Position) -> &Choices {
        &self.choices[self.slots[position.index()].choices as usize]
    }

    /// The number of the position's list of choices; positions with equal choices share one.
    pub fn choice_list(&self, position: Position) -> usize {
        self.slots[position.index()].choices as usize
    }

    /// All lists of choices, by number.
    pub fn choice_lists(&self) -> &[Choices] {
        &self.choices
    }

    /// All objects and arrays.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// One object.
    pub fn object(&self, object: ObjectId) -> Object {
        self.objects[object.index()]
    }

    /// All domains.
    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    /// The domain of an object.
    pub fn domain_of(&self, object: ObjectId) -> &Domain {
        &self.domains[self.objects[object.index()].domain.index()]
    }

    /// All positions of an object; those of an array start with its length.
    pub fn positions_of(&self, object: ObjectId) -> impl Iterator<Item = Position> + use<> {
        let Object { first, positions, .. } = self.objects[object.index()];
        (first.0..first.0 + positions).map(Position)
    }

    /// The objects of the domain of this name.
    pub fn objects_of(&self, name: &str) -> Vec<ObjectId> {
        (0..self.objects.len())
            .map(ObjectId::from_index)
            .filter(|&object| self.domain_of(object).name == name)
            .collect()
    }

    /// Logarithm to base 2 of the number of vectors, most of which the search never looks at.
    #[expect(clippy::cast_precision_loss, reason = "lists of choices are far shorter than 2^52")]
    pub fn log2_size(&self) -> f64 {
        self.slots.iter().map(|slot| (self.choices[slot.choices as usize].values.len() as f64).log2()).sum()
    }

    /// The value that `choice` stands for at a position.
    pub fn value(&self, position: Position, choice: u32) -> &Value {
        &self.choices(position).values[choice as usize]
    }

    /// The values, other than objects of the structure, that places of this type may hold: those of all fields and
    /// elements of the type together, or, if there are none, those that `--size` would give it.
    pub fn values_of(&self, shape: &Shape, ty: &FieldType) -> Vec<Value> {
        let places = self.choices.iter().filter(|choices| choices.ty == *ty && !self.is_lengths(choices));
        let mut found: Vec<Value> = Vec::new();
        for value in places.flat_map(|choices| &choices.values) {
            if !matches!(value, Value::Object(_)) && !found.contains(value) {
                found.push(value.clone());
            }
        }
        if found.is_empty() {
            let largest = self.domains.iter().map(|domain| domain.count).max().unwrap_or(1);
            let bound = bound(shape, ty, largest).unwrap_or_else(|| Bound { null: true, ..Bound::default() });
            found.extend(bound.null.then_some(Value::Null));
            found.extend(values(ty, &bound.values));
        }
        found
    }

    fn is_lengths(&self, choices: &Choices) -> bool {
        let uses = self.slots.iter().filter(|slot| self.choices[slot.choices as usize] == *choices);
        uses.clone().next().is_some() && uses.into_iter().all(|slot| slot.member == Member::Length)
    }

    /// How people call a position: `root` for a field of the root, else `Node#1.left`, `int[]#0[2]`.
    pub fn position_name(&self, position: Position) -> String {
        let slot = self.slot(position);
        let owner = self.object_name(slot.object);
        match slot.member {
            Member::Length => format!("{owner}.length"),
            Member::Element(index) => format!("{owner}[{index}]"),
            Member::Field(field) => {
                let DomainKind::Class(fields) = &self.domain_of(slot.object).kind else {
                    unreachable!("only objects of classes have fields")
                };
                let name = &fields[field as usize].name;
                if slot.object == self.root { name.clone() } else { format!("{owner}.{name}") }
            }
        }
    }

    /// How people call an object: the simple name of its class and its number.
    pub fn object_name(&self, object: ObjectId) -> String {
        format!("{}#{}", simple_name(&self.domain_of(object).name), self.object(object).index)
    }

    /// A value as people read it.
    pub fn value_name(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Object(object) => self.object_name(*object),
            Value::Scalar(scalar) => scalar.to_string(),
            Value::Text(text) => literal(&text.encode_utf16().collect::<Vec<_>>(), '"'),
            Value::Constant { name, .. } => name.clone(),
        }
    }

    fn place_objects(&mut self) {
        for (domain, description) in self.domains.iter().enumerate() {
            let members = match &description.kind {
                DomainKind::Class(fields) => {
                    (0..fields.len()).map(|field| Member::Field(as_u32(field))).collect::<Vec<_>>()
                }
                DomainKind::Array { max_length, .. } => {
                    std::iter::once(Member::Length).chain((0..*max_length).map(Member::Element)).collect()
                }
                DomainKind::Values => continue,
            };
            for index in 0..description.count {
                let object = ObjectId::from_index(self.objects.len());
                self.objects.push(Object {
                    domain: DomainId::from_index(domain),
                    index,
                    first: Position::from_index(self.slots.len()),
                    positions: as_u32(members.len()),
                });
                self.slots.extend(members.iter().map(|&member| Slot { object, member, choices: 0 }));
            }
        }
    }

    fn fill_choices(&mut self, finitization: &Finitization) -> Result<(), SpaceError> {
        for class in &finitization.classes {
            for (index, field) in class.fields.iter().enumerate() {
                let owner = format!("field {} of {}", field.name, class.class);
                let choices = self.choices_for(&field.ty, &field.bound, &owner)?;
                self.assign(&class.class, choices, |member| member == Member::Field(as_u32(index)));
            }
        }
        for array in &finitization.arrays {
            let name = array.name();
            let int = FieldType::Primitive(Primitive::Int);
            let lengths = Bound {
                values: Values::Range(array.min_length.into(), array.max_length.into()),
                ..Bound::default()
            };
            let choices = self.choices_for(&int, &lengths, &format!("the length of {name}"))?;
            self.assign(&name, choices, |member| member == Member::Length);
            if array.max_length > 0 {
                let choices =
                    self.choices_for(&array.element, &array.elements, &format!("an element of {name}"))?;
                self.assign(&name, choices, |member| matches!(member, Member::Element(_)));
            }
        }
        Ok(())
    }

    /// Gives the chosen members of every object of a domain one list of choices.
    fn assign(&mut self, domain: &str, choices: Choices, chosen: impl Fn(Member) -> bool) {
        let known = self.choices.iter().position(|known| *known == choices);
        let number = known.unwrap_or_else(|| {
            self.choices.push(choices);
            self.choices.len() - 1
        });
        for object in self.objects_of(domain) {
            for position in self.positions_of(object) {
                if chosen(self.slots[position.index()].member) {
                    self.slots[position.index()].choices = as_u32(number);
                }
            }
        }
    }

    fn choices_for(&mut self, ty: &FieldType, bound: &Bound, owner: &str) -> Result<Choices, SpaceError> {
        let mut choices = Choices { ty: ty.clone(), values: Vec::new(), segments: Vec::new() };
        if bound.null {
            choices.push_segment([Value::Null], None);
        }
        for name in &bound.objects {
            let Some(domain) = self.domains.iter().position(|domain| domain.name == *name) else {
                return Err(SpaceError::UnknownDomain(owner.to_owned(), name.clone()));
            };
            let symmetric = self.domains[domain].interchangeable.then(|| DomainId::from_index(domain));
            choices.push_segment(self.objects_of(name).into_iter().map(Value::Object), symmetric);
        }
        if bound.values.count() > MAX_CHOICES {
            return Err(SpaceError::TooManyChoices(owner.to_owned(), bound.values.count()));
        }
        let values = values(ty, &bound.values);
        let symmetric = bound.interchangeable.then(|| self.values_domain(ty, &values));
        choices.push_segment(values, symmetric);
        if choices.values.is_empty() { Err(SpaceError::Nothing(owner.to_owned())) } else { Ok(choices) }
    }

    /// The domain of interchangeable values of one type; equal lists share it, so the rule counts them together.
    fn values_domain(&mut self, ty: &FieldType, values: &[Value]) -> DomainId {
        let name = format!("{ty} {values:?}");
        let found = self.domains.iter().position(|domain| domain.name == name);
        DomainId::from_index(found.unwrap_or_else(|| {
            let count = as_u32(values.len());
            self.domains.push(Domain { name, kind: DomainKind::Values, count, interchangeable: true });
            self.domains.len() - 1
        }))
    }
}

impl Choices {
    fn push_segment(&mut self, values: impl IntoIterator<Item = Value>, domain: Option<DomainId>) {
        let start = as_u32(self.values.len());
        self.values.extend(values);
        let end = as_u32(self.values.len());
        if start == end {
            return;
        }
        match self.segments.last_mut() {
            Some(last) if last.domain.is_none() && domain.is_none() => last.end = end,
            _ => self.segments.push(Segment { start, end, domain }),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Whole(Primitive::Char, code) => {
                write!(f, "{}", literal(&[u16::try_from(*code).unwrap_or(u16::MAX)], '\''))
            }
            Self::Whole(_, number) => write!(f, "{number}"),
            Self::Floating(_, number) => write!(f, "{number:?}"),
        }
    }
}

/// Characters as Java source has them, between quotes.
fn literal(units: &[u16], quote: char) -> String {
    let escaped = |decoded: Result<char, std::char::DecodeUtf16Error>| match decoded {
        Ok('\n') => "\\n".to_owned(),
        Ok('\t') => "\\t".to_owned(),
        Ok(letter) if letter == quote || letter == '\\' => format!("\\{letter}"),
        Ok(letter) if !letter.is_control() => letter.to_string(),
        Ok(letter) => format!("\\u{:04x}", u32::from(letter)),
        Err(half) => format!("\\u{:04x}", half.unpaired_surrogate()),
    };
    let text: String = char::decode_utf16(units.iter().copied()).map(escaped).collect();
    format!("{quote}{text}{quote}")
}

/// The last part of a class name: what stands behind the package and the enclosing classes.
pub fn simple_name(name: &str) -> &str {
    let start = name.rfind(['.', '$']).map_or(0, |at| at + 1);
    if start == name.len() { name } else { &name[start..] }
}

fn check_size(finitization: &Finitization) -> Result<(), SpaceError> {
    let of_classes = finitization.classes.iter().map(|class| (class.count, class.fields.len() as u64));
    let of_arrays = finitization.arrays.iter().map(|array| (array.count, 1 + u64::from(array.max_length)));
    let positions = of_classes
        .chain(of_arrays)
        .map(|(count, members)| u64::from(count).saturating_mul(members.max(1)))
        .fold(0, u64::saturating_add);
    if positions > MAX_POSITIONS { Err(SpaceError::TooLarge(positions)) } else { Ok(()) }
}

fn domains(finitization: &Finitization) -> Vec<Domain> {
    let classes = finitization.classes.iter().map(|class| Domain {
        name: class.class.clone(),
        kind: DomainKind::Class(
            class
                .fields
                .iter()
                .map(|field| Field {
                    name: field.name.clone(),
                    declared_in: field.declared_in.clone(),
                    ty: field.ty.clone(),
                })
                .collect(),
        ),
        count: class.count,
        interchangeable: class.interchangeable,
    });
    let arrays = finitization.arrays.iter().map(|array| Domain {
        name: array.name(),
        kind: DomainKind::Array {
            element: array.element.clone(),
            min_length: array.min_length,
            max_length: array.max_length,
        },
        count: array.count,
        interchangeable: array.interchangeable,
    });
    classes.chain(arrays).collect()
}

#[expect(clippy::cast_precision_loss, reason = "the limits of the floating types keep ranges exact")]
fn values(ty: &FieldType, values: &Values) -> Vec<Value> {
    let number = number_type(ty);
    let whole = |value: i64| {
        Value::Scalar(match number {
            Primitive::Float | Primitive::Double => Scalar::Floating(number, value as f64),
            Primitive::Boolean => Scalar::Truth(value != 0),
            _ => Scalar::Whole(number, value),
        })
    };
    match values {
        Values::None => Vec::new(),
        Values::Range(min, max) => (*min..=*max).map(whole).collect(),
        Values::Whole(numbers) => numbers.iter().copied().map(whole).collect(),
        Values::Floating(numbers) => {
            let kind = if number == Primitive::Float { Primitive::Float } else { Primitive::Double };
            numbers.iter().map(|&value| Value::Scalar(Scalar::Floating(kind, value))).collect()
        }
        Values::Truth(truths) => truths.iter().map(|&truth| Value::Scalar(Scalar::Truth(truth))).collect(),
        Values::Text(texts) => texts.iter().cloned().map(Value::Text).collect(),
        Values::Constants(names) => names.iter().map(|name| constant(ty, name)).collect(),
    }
}

/// A constant of an enum: that of the type, or the one it is named with.
fn constant(ty: &FieldType, name: &str) -> Value {
    match name.rsplit_once('.') {
        Some((class, name)) => Value::Constant { class: class.to_owned(), name: name.to_owned() },
        None => Value::Constant { class: ty.to_string(), name: name.to_owned() },
    }
}

fn as_u32(number: usize) -> u32 {
    u32::try_from(number).expect("spaces are far smaller than 2^32")
}
