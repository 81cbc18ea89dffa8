//! Tables and values of a finitization file, checked as they are read.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::file::{File, FileError, node};
use crate::finitization::{Bound, Values, number_type};
use crate::shape::{ClassKind, FieldType, NUMBER_TYPES, OBJECT, Primitive, TEXT_TYPES};

/// A value of the file with its place and that of its key.
#[derive(Clone)]
pub(crate) struct Node<'t> {
    pub(crate) key: Range<usize>,
    pub(crate) span: Range<usize>,
    pub(crate) value: &'t DeValue<'t>,
}

/// A table whose keys are all known.
pub(crate) struct Entry<'f, 't> {
    file: &'f File<'f>,
    table: &'t DeTable<'t>,
}

impl<'f, 't> Entry<'f, 't> {
    /// The table, unless it has a key that is not among `keys`.
    pub(crate) fn new(
        file: &'f File<'f>,
        table: &'t DeTable<'t>,
        keys: &[&str],
        owner: &str,
    ) -> Result<Self, FileError> {
        for key in table.keys() {
            if !keys.contains(&key.get_ref().as_ref()) {
                let message = format!(
                    "{owner} has no setting {}; {}",
                    key.get_ref(),
                    listed("it has", keys.iter().copied())
                );
                return Err(file.error(&key.span(), message));
            }
        }
        Ok(Self { file, table })
    }

    /// The table that a node holds.
    pub(crate) fn of(
        file: &'f File<'f>,
        node: &Node<'t>,
        keys: &[&str],
        owner: &str,
    ) -> Result<Self, FileError> {
        match node.value {
            DeValue::Table(table) => Self::new(file, table, keys, owner),
            other => Err(file.error(&node.span, format!("{owner} is a table, not {}", a(other)))),
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    pub(crate) fn child(&self, key: &str) -> Option<Node<'t>> {
        self.table.get_key_value(key).map(|(key, value)| node(key, value))
    }

    /// The entries of a table below this one, in the order of the file.
    pub(crate) fn children(&self, key: &str) -> Result<Vec<(String, Node<'t>)>, FileError> {
        let Some(parent) = self.child(key) else { return Ok(Vec::new()) };
        let DeValue::Table(table) = parent.value else {
            return Err(self.file.error(&parent.span, format!("{key} is a table, not {}", a(parent.value))));
        };
        let mut children: Vec<_> =
            table.iter().map(|(key, value)| (key.get_ref().to_string(), node(key, value))).collect();
        children.sort_by_key(|(_, node)| node.key.start);
        Ok(children)
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<(Range<usize>, &'t str)>, FileError> {
        self.child(key)
            .map(|node| match node.value {
                DeValue::String(text) => Ok((node.span, text.as_ref())),
                other => Err(self.file.error(&node.span, format!("{key} is a string, not {}", a(other)))),
            })
            .transpose()
    }

    pub(crate) fn truth(&self, key: &str) -> Result<Option<bool>, FileError> {
        self.child(key)
            .map(|node| match node.value {
                DeValue::Boolean(truth) => Ok(*truth),
                other => {
                    Err(self.file.error(&node.span, format!("{key} is true or false, not {}", a(other))))
                }
            })
            .transpose()
    }

    pub(crate) fn count(&self, key: &str) -> Result<Option<u32>, FileError> {
        let Some(node) = self.child(key) else { return Ok(None) };
        let number = whole(node.value).and_then(|number| u32::try_from(number).ok());
        let message = || format!("{key} is a whole number from 0 up");
        number.map(Some).ok_or_else(|| self.file.error(&node.span, message()))
    }

    /// A length, or a table with the smallest and the largest.
    pub(crate) fn lengths(&self, key: &str) -> Result<Option<(u32, u32)>, FileError> {
        let Some(node) = self.child(key) else { return Ok(None) };
        let (min, max) = if let DeValue::Table(table) = node.value {
            let entry = Entry::new(self.file, table, &["min", "max"], key)?;
            (entry.count("min")?.unwrap_or(0), entry.count("max")?)
        } else {
            let length = self.count(key)?;
            (length.unwrap_or(0), length)
        };
        match max {
            Some(max) if min <= max => Ok(Some((min, max))),
            Some(max) => {
                Err(self.file.error(&node.span, format!("empty range: min {min} is above max {max}")))
            }
            None => Err(self.file.error(&node.span, format!("{key} needs max"))),
        }
    }

    fn list(&self, key: &str) -> Result<Option<Vec<Node<'t>>>, FileError> {
        let Some(parent) = self.child(key) else { return Ok(None) };
        let DeValue::Array(items) = parent.value else {
            return Err(self.file.error(&parent.span, format!("{key} is a list, not {}", a(parent.value))));
        };
        let node = |item: &'t toml::Spanned<DeValue<'t>>| Node {
            key: item.span(),
            span: item.span(),
            value: item.get_ref(),
        };
        Ok(Some(items.iter().map(node).collect()))
    }
}

impl File<'_> {
    /// What a field or element may hold; none if it is to be kept as it is.
    pub(crate) fn read_bound(
        &self,
        node: &Node<'_>,
        ty: &FieldType,
        owner: &str,
    ) -> Result<Option<Bound>, FileError> {
        let keys = ["null", "objects", "min", "max", "step", "values", "interchangeable", "keep"];
        let entry = Entry::of(self, node, &keys, owner)?;
        if entry.truth("keep")? == Some(true) {
            return Ok(None);
        }
        let is_reference = !matches!(ty, FieldType::Primitive(_));
        for key in ["null", "objects"] {
            if let Some(node) = entry.child(key).filter(|_| !is_reference) {
                return Err(self.error(&node.key, format!("{owner} is of type {ty}, which has no {key}")));
            }
        }
        let values = self.read_values(&entry, node, ty, owner)?;
        let derived = crate::derive::bound(self.shape, ty, 0).unwrap_or_default();
        let objects = match self.read_objects(&entry, ty, owner)? {
            Some(objects) => objects,
            None if values.is_some() => Vec::new(),
            None => derived.objects,
        };
        let values = match (values, derived.values) {
            (Some(values), _) | (None, values @ (Values::Truth(_) | Values::Constants(_))) => values,
            (None, _) if is_reference => Values::None,
            (None, _) => return Err(self.error(&node.key, format!("{owner} needs min and max, or values"))),
        };
        let null = entry.truth("null")?.unwrap_or(is_reference);
        if !null && objects.is_empty() && values == Values::None {
            return Err(self.error(&node.key, format!("{owner} can hold nothing")));
        }
        let interchangeable = entry.truth("interchangeable")?.unwrap_or(false);
        Ok(Some(Bound { null, objects, values, interchangeable }))
    }

    fn read_objects(
        &self,
        entry: &Entry<'_, '_>,
        ty: &FieldType,
        owner: &str,
    ) -> Result<Option<Vec<String>>, FileError> {
        let Some(items) = entry.list("objects")? else { return Ok(None) };
        let mut objects = Vec::new();
        for item in items {
            let DeValue::String(name) = item.value else {
                return Err(
                    self.error(&item.span, format!("objects are names of classes, not {}", a(item.value)))
                );
            };
            if !self.can_hold(ty, name) {
                return Err(
                    self.error(&item.span, format!("{owner} is of type {ty} and cannot refer to {name}"))
                );
            }
            objects.push(name.to_string());
        }
        Ok(Some(objects))
    }

    fn can_hold(&self, ty: &FieldType, name: &str) -> bool {
        match ty {
            FieldType::Primitive(_) => false,
            FieldType::Array(_) => ty.to_string() == name,
            FieldType::Class(class) if class == OBJECT => {
                name == OBJECT || name.ends_with("[]") || self.shape.class(name).is_some()
            }
            FieldType::Class(class) => self
                .shape
                .class(name)
                .is_some_and(|found| found.kind == ClassKind::Concrete && found.is(class)),
        }
    }

    /// The values between min and max, or those listed; none if the entry has neither.
    fn read_values(
        &self,
        entry: &Entry<'_, '_>,
        node: &Node<'_>,
        ty: &FieldType,
        owner: &str,
    ) -> Result<Option<Values>, FileError> {
        if let Some(items) = entry.list("values")? {
            if let Some(key) = ["min", "max", "step"].iter().find_map(|key| entry.child(key)) {
                return Err(
                    self.error(&key.key, format!("{owner} has values; min, max and step say the same twice"))
                );
            }
            let at = entry.child("values").map_or(node.key.clone(), |values| values.key);
            return self.listed_values(&items, &at, ty, owner).map(Some);
        }
        match (entry.child("min"), entry.child("max")) {
            (None, None) => Ok(None),
            (Some(min), Some(max)) => self.ranged_values(entry, &min, &max, ty, owner).map(Some),
            (min, _) => {
                let missing = if min.is_some() { "max" } else { "min" };
                Err(self.error(&node.key, format!("{owner} needs {missing} as well")))
            }
        }
    }

    fn ranged_values(
        &self,
        entry: &Entry<'_, '_>,
        min: &Node<'_>,
        max: &Node<'_>,
        ty: &FieldType,
        owner: &str,
    ) -> Result<Values, FileError> {
        let floating = matches!(number_type(ty), Primitive::Float | Primitive::Double);
        if floating && (entry.has("step") || whole(min.value).is_none() || whole(max.value).is_none()) {
            return self.stepped_values(entry, min, max, owner);
        }
        if let Some(step) = entry.child("step") {
            return Err(self.error(&step.key, "only float and double fields have a step"));
        }
        let (low, high) = (self.whole_number(min, ty, owner)?, self.whole_number(max, ty, owner)?);
        if low > high {
            return Err(self.error(&min.span, format!("empty range: min {low} is above max {high}")));
        }
        Ok(Values::Range(low, high))
    }

    fn stepped_values(
        &self,
        entry: &Entry<'_, '_>,
        min: &Node<'_>,
        max: &Node<'_>,
        owner: &str,
    ) -> Result<Values, FileError> {
        let real = |node: &Node<'_>| {
            number(node.value).ok_or_else(|| {
                self.error(&node.span, format!("{owner} holds numbers, not {}", a(node.value)))
            })
        };
        let (low, high) = (real(min)?, real(max)?);
        let step = entry.child("step").map_or(Ok(1.0), |node| real(&node))?;
        if low > high || step <= 0.0 || !(high - low).is_finite() {
            return Err(self.error(&min.span, format!("empty range: from {low} to {high} by {step}")));
        }
        let steps = ((high - low) / step).floor();
        if steps > 1e6 {
            return Err(self.error(&min.span, format!("{owner} would have {steps} values")));
        }
        let values = (0_u32..).map(f64::from).take_while(|&index| index <= steps);
        Ok(Values::Floating(values.map(|index| low + index * step).collect()))
    }

    fn listed_values(
        &self,
        items: &[Node<'_>],
        at: &Range<usize>,
        ty: &FieldType,
        owner: &str,
    ) -> Result<Values, FileError> {
        let Some(first) = items.first() else {
            return Err(self.error(at, format!("{owner} has an empty list of values")));
        };
        let wrong = |item: &Node<'_>| {
            self.error(&item.span, format!("{owner} is of type {ty} and cannot hold {}", a(item.value)))
        };
        let all = |fits: &dyn Fn(&Node<'_>) -> bool| {
            items.iter().find(|item| !fits(item)).map_or(Ok(()), |item| Err(wrong(item)))
        };
        let texts = || items.iter().filter_map(|item| item.value.as_str().map(str::to_owned)).collect();
        let number = number_type(ty);
        match first.value {
            DeValue::Boolean(_) if number == Primitive::Boolean || is_object(ty) => {
                all(&|item| item.value.is_bool())?;
                Ok(Values::Truth(items.iter().filter_map(|item| item.value.as_bool()).collect()))
            }
            DeValue::String(_) if self.is_enum(ty) => {
                items.iter().try_for_each(|item| self.check_constant(item, ty))?;
                Ok(Values::Constants(texts()))
            }
            DeValue::String(_) if number != Primitive::Char && holds(ty, &TEXT_TYPES) => {
                all(&|item| item.value.is_str())?;
                Ok(Values::Text(texts()))
            }
            DeValue::Float(_) | DeValue::Integer(_)
                if matches!(number, Primitive::Float | Primitive::Double) =>
            {
                all(&|item| crate::entry::number(item.value).is_some())?;
                Ok(Values::Floating(
                    items.iter().filter_map(|item| crate::entry::number(item.value)).collect(),
                ))
            }
            _ => items
                .iter()
                .map(|item| self.whole_number(item, ty, owner))
                .collect::<Result<_, _>>()
                .map(Values::Whole),
        }
    }

    /// A whole number, or one character, within the limits of the field's type.
    fn whole_number(&self, node: &Node<'_>, ty: &FieldType, owner: &str) -> Result<i64, FileError> {
        let primitive = number_type(ty);
        let boxes = matches!(ty, FieldType::Class(class) if Primitive::unboxed(class).is_some());
        let is_number = matches!(ty, FieldType::Primitive(_)) || boxes || holds(ty, &NUMBER_TYPES);
        let character = |text: &str| {
            let mut characters = text.encode_utf16();
            characters.next().filter(|_| characters.next().is_none()).map(i64::from)
        };
        let found = match node.value {
            DeValue::String(text) if primitive == Primitive::Char => character(text),
            value => whole(value),
        };
        let Some(found) = found.filter(|_| is_number && primitive != Primitive::Boolean) else {
            return Err(
                self.error(&node.span, format!("{owner} is of type {ty} and cannot hold {}", a(node.value)))
            );
        };
        let (low, high) = primitive.limits();
        if found < low || found > high {
            let keyword = primitive.keyword();
            return Err(self.error(
                &node.span,
                format!("{found} is outside the {keyword}s, which go from {low} to {high}"),
            ));
        }
        Ok(found)
    }

    fn is_enum(&self, ty: &FieldType) -> bool {
        !self.constants(ty).is_empty()
    }

    fn constants(&self, ty: &FieldType) -> Vec<String> {
        match ty {
            FieldType::Class(class) => self.shape.constants(class),
            _ => Vec::new(),
        }
    }

    fn check_constant(&self, item: &Node<'_>, ty: &FieldType) -> Result<(), FileError> {
        let names = self.constants(ty);
        if item.value.as_str().is_some_and(|name| names.iter().any(|known| known == name)) {
            return Ok(());
        }
        let found = item.value.as_str().map_or_else(|| a(item.value), str::to_owned);
        let known = listed("it has", names.iter().map(String::as_str));
        Err(self.error(&item.span, format!("{ty} has no constant {found}; {known}")))
    }
}

fn is_object(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Class(class) if class == OBJECT)
}

fn holds(ty: &FieldType, types: &[&str]) -> bool {
    is_object(ty) || matches!(ty, FieldType::Class(class) if types.contains(&class.as_str()))
}

fn whole(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) => integer.as_str().parse().ok(),
        _ => None,
    }
}

/// `it has a, b and c`, or that there is none.
pub(crate) fn listed<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        None => format!("{what} none"),
        Some((last, [])) => format!("{what} {last}"),
        Some((last, rest)) => format!("{what} {} and {last}", rest.join(", ")),
    }
}

/// A value as messages call it.
fn a(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {text:?}"),
        DeValue::Integer(number) => format!("the number {}", number.as_str()),
        DeValue::Float(number) => format!("the number {}", number.as_str()),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
