//! Bounds read off the field types and one size.

use std::collections::BTreeMap;

use crate::finitization::{ArrayDomain, Bound, ClassDomain, FieldBound, Finitization, Values, number_type};
use crate::shape::{FieldType, NUMBER_TYPES, OBJECT, Primitive, Shape, TEXT_TYPES};

impl Finitization {
    /// At most `size` objects of each class that the root reaches, references null or not, numbers from 0 to
    /// `size`, booleans and enums in full, arrays of length 0 to `size`.
    ///
    /// Fields of other JDK types, and final ones, keep what the constructor gave them.
    pub fn derive(shape: &Shape, size: u32) -> Self {
        let mut found = Found { shape, size, domains: Vec::new() };
        found.add(Made::Class(shape.root.clone()));
        let mut next = 0;
        while let Some(domain) = found.domains.get(next).cloned() {
            next += 1;
            found.add_reached_by(&domain);
        }
        let classes = found.classes();
        let holders = holders(&classes, &found);
        Self {
            root: shape.root.clone(),
            arrays: found.arrays(&holders),
            classes: found.counted(classes, &holders),
        }
    }
}

/// What objects are made of: a class, or arrays of an element type.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Made {
    Class(String),
    Array(FieldType),
}

impl Made {
    fn name(&self) -> String {
        match self {
            Self::Class(class) => class.clone(),
            Self::Array(element) => format!("{element}[]"),
        }
    }
}

struct Found<'a> {
    shape: &'a Shape,
    size: u32,
    domains: Vec<Made>,
}

impl Found<'_> {
    fn add(&mut self, domain: Made) {
        if !self.domains.contains(&domain) {
            self.domains.push(domain);
        }
    }

    fn add_reached_by(&mut self, domain: &Made) {
        let types: Vec<FieldType> = match domain {
            Made::Array(element) => vec![element.clone()],
            Made::Class(class) => self
                .shape
                .class(class)
                .map_or(&[][..], |class| &class.fields)
                .iter()
                .filter(|field| !field.is_final && !field.is_static)
                .map(|field| field.ty.clone())
                .collect(),
        };
        for ty in types {
            for domain in referred(self.shape, &ty) {
                self.add(domain);
            }
        }
    }

    fn classes(&self) -> Vec<ClassDomain> {
        let domains = self.domains.iter().filter_map(|domain| match domain {
            Made::Class(class) => Some(class),
            Made::Array(_) => None,
        });
        domains.map(|class| self.class(class)).collect()
    }

    fn class(&self, name: &str) -> ClassDomain {
        let fields = self.shape.class(name).map_or(&[][..], |class| &class.fields);
        let fields = fields.iter().filter(|field| !field.is_final && !field.is_static).filter_map(|field| {
            Some(FieldBound {
                name: field.name.clone(),
                declared_in: field.declared_in.clone(),
                ty: field.ty.clone(),
                bound: bound(self.shape, &field.ty, self.size)?,
            })
        });
        ClassDomain {
            class: name.to_owned(),
            count: self.size,
            interchangeable: true,
            fields: fields.collect(),
        }
    }

    /// A root that nothing refers to exists once; one object is there in any case.
    fn counted(&self, mut classes: Vec<ClassDomain>, holders: &BTreeMap<String, u64>) -> Vec<ClassDomain> {
        for domain in &mut classes {
            if domain.class == self.shape.root {
                let referred = holders.get(&domain.class).is_some_and(|&holders| holders > 0);
                domain.count = if referred { self.size.max(1) } else { 1 };
            }
        }
        classes
    }

    /// No more arrays than there are places for them, and no more than `size` unless that is 0.
    fn arrays(&self, holders: &BTreeMap<String, u64>) -> Vec<ArrayDomain> {
        let elements = self.domains.iter().filter_map(|domain| match domain {
            Made::Array(element) => Some(element),
            Made::Class(_) => None,
        });
        elements
            .map(|element| {
                let places = holders.get(&format!("{element}[]")).copied().unwrap_or(0);
                ArrayDomain {
                    element: element.clone(),
                    count: u32::try_from(places).unwrap_or(u32::MAX).min(self.size.max(1)),
                    interchangeable: true,
                    min_length: 0,
                    max_length: self.size,
                    elements: bound(self.shape, element, self.size).unwrap_or_default(),
                }
            })
            .collect()
    }
}

/// How many places there are for the objects of each domain, outside arrays counted once per object.
fn holders(classes: &[ClassDomain], found: &Found<'_>) -> BTreeMap<String, u64> {
    let mut holders = BTreeMap::new();
    for domain in classes {
        let owners = if domain.class == found.shape.root { 1 } else { u64::from(found.size) };
        for target in domain.fields.iter().flat_map(|field| &field.bound.objects) {
            *holders.entry(target.clone()).or_insert(0) += owners;
        }
    }
    // A root that others refer to exists more than once, and so do the arrays its fields hold.
    if holders.contains_key(&found.shape.root) {
        for target in classes.iter().filter(|domain| domain.class == found.shape.root) {
            for target in target.fields.iter().flat_map(|field| &field.bound.objects) {
                *holders.entry(target.clone()).or_insert(0) += u64::from(found.size.max(1)) - 1;
            }
        }
    }
    for domain in &found.domains {
        if let Made::Array(element) = domain {
            for target in referred(found.shape, element) {
                *holders.entry(target.name()).or_insert(0) += u64::from(found.size);
            }
        }
    }
    holders
}

/// The domains that a reference of this type may refer to.
fn referred(shape: &Shape, ty: &FieldType) -> Vec<Made> {
    match ty {
        FieldType::Array(element) if bound(shape, element, 1).is_some() => {
            vec![Made::Array(element.as_ref().clone())]
        }
        FieldType::Primitive(_) | FieldType::Array(_) => Vec::new(),
        FieldType::Class(class) if class == OBJECT => vec![Made::Class(OBJECT.to_owned())],
        FieldType::Class(class) => {
            shape.assignable(class).map(|class| Made::Class(class.name.clone())).collect()
        }
    }
}

/// What a field of this type may hold; none if there is nothing of its type to enumerate.
pub(crate) fn bound(shape: &Shape, ty: &FieldType, size: u32) -> Option<Bound> {
    let first = if number_type(ty) == Primitive::Char { i64::from(b'a') } else { 0 };
    let range = Values::Range(first, first + i64::from(size));
    match ty {
        FieldType::Primitive(Primitive::Boolean) => {
            Some(Bound { values: Values::Truth(vec![false, true]), ..Bound::default() })
        }
        FieldType::Primitive(_) => Some(Bound { values: range, ..Bound::default() }),
        FieldType::Array(_) => reference(shape, ty, Values::None),
        FieldType::Class(class) => match (shape.class(class), Primitive::unboxed(class)) {
            (Some(_), _) => {
                let constants = shape.constants(class);
                let values = if constants.is_empty() { Values::None } else { Values::Constants(constants) };
                reference(shape, ty, values)
            }
            (None, Some(Primitive::Boolean)) => reference(shape, ty, Values::Truth(vec![false, true])),
            (None, Some(_)) => reference(shape, ty, range),
            (None, None) if class == OBJECT => reference(shape, ty, Values::None),
            (None, None) if shape.assignable(class).next().is_some() => reference(shape, ty, Values::None),
            (None, None) if NUMBER_TYPES.contains(&class.as_str()) => reference(shape, ty, range),
            (None, None) if TEXT_TYPES.contains(&class.as_str()) => {
                reference(shape, ty, Values::Text(words(size)))
            }
            (None, None) => None,
        },
    }
}

/// Null, or one of the objects or values of the type; none if there is neither.
fn reference(shape: &Shape, ty: &FieldType, values: Values) -> Option<Bound> {
    let objects: Vec<String> = referred(shape, ty).iter().map(Made::name).collect();
    let is_subject = matches!(ty, FieldType::Class(class) if shape.class(class).is_some());
    (is_subject || !objects.is_empty() || values != Values::None).then_some(Bound {
        null: true,
        objects,
        values,
        interchangeable: false,
    })
}

/// The empty string and `size` others.
fn words(size: u32) -> Vec<String> {
    let word = |index: u32| {
        let letter = char::from_u32(u32::from('a') + index % 26).expect("a letter");
        std::iter::repeat_n(letter, 1 + index as usize / 26).collect()
    };
    std::iter::once(String::new()).chain((0..size).map(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shape;

    fn counts(lines: &str, size: u32) -> Vec<(String, u32)> {
        let bounds = Finitization::derive(&shape(lines), size);
        let classes = bounds.classes.iter().map(|domain| (domain.class.clone(), domain.count));
        classes.chain(bounds.arrays.iter().map(|array| (array.name(), array.count))).collect()
    }

    fn pairs(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
        expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn a_root_that_nothing_refers_to_exists_once() {
        assert_eq!(counts("T: N root; int size\nN: N left; N right", 3), pairs(&[("T", 1), ("N", 3)]));
        assert_eq!(counts("N: N next", 3), pairs(&[("N", 3)]));
        assert_eq!(counts("N: N next", 0), pairs(&[("N", 1)]));
    }

    #[test]
    fn subtypes_stand_for_an_abstract_class() {
        let bounds = Finitization::derive(
            &shape("Root: Expr e\nabstract Expr\nNum < Expr: int value\nAdd < Expr: Expr l; Expr r"),
            2,
        );
        assert_eq!(bounds.class("Root").expect("the root").fields[0].bound.objects, ["Num", "Add"]);
        assert!(bounds.class("Expr").is_none());
    }

    #[test]
    fn there_are_no_more_arrays_than_places_for_them() {
        assert_eq!(counts("H: int[] data; int size", 4), pairs(&[("H", 1), ("int[]", 1)]));
        assert_eq!(counts("G: N[] all\nN: N[] next", 2), pairs(&[("G", 1), ("N", 2), ("N[]", 2)]));
        assert_eq!(counts("M: int[][] rows", 3), pairs(&[("M", 1), ("int[][]", 1), ("int[]", 3)]));
    }

    #[test]
    fn fields_of_other_jdk_types_and_final_ones_are_kept() {
        let shape = shape(
            "T: java.util.List items; final int id; static int made; java.lang.String name; E e\nenum E A B",
        );
        let bounds = Finitization::derive(&shape, 1);
        let fields: Vec<_> = bounds.classes[0].fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(fields, ["name", "e"]);
        assert_eq!(bounds.classes[0].fields[1].bound.values, Values::Constants(vec!["A".into(), "B".into()]));
        let kept: Vec<_> = bounds.kept(&shape).map(|(_, name, _)| name).collect();
        assert_eq!(kept, ["items", "id"]);
    }
}
