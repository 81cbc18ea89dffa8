//! One valid structure as people and programs read it.

use std::fmt;

use crate::reachable::{Reachable, members};
use crate::space::{DomainKind, Field, Member, ObjectId, Position, Space, Value, simple_name};

/// The objects that the root reaches, in the order they are met, with their fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// The objects; the root is the first.
    pub objects: Vec<Part>,
}

/// One object or array of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which object it is.
    pub object: ObjectId,
    /// Class name, or array type, as Java writes it.
    pub class: String,
    /// How people call it: `Node#0`.
    pub name: String,
    /// Its fields or elements; the length of an array is their number.
    pub fields: Vec<Assigned>,
}

/// One field or element of a structure and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Assigned {
    /// The name of the field; the index of an element.
    pub name: String,
    /// The field; none for an element.
    pub field: Option<Field>,
    /// Its value.
    pub value: Value,
    /// Its value as people read it.
    pub text: String,
}

impl Structure {
    /// The structure that a vector stands for.
    pub fn new(space: &Space, vector: &[u32]) -> Self {
        let mut reachable = Reachable::new(space);
        reachable.visit(space, vector, |_| {});
        let part = |&object: &ObjectId| Part {
            object,
            class: space.domain_of(object).name.clone(),
            name: space.object_name(object),
            fields: members(space, vector, object)
                .filter_map(|position| assigned(space, vector, position))
                .collect(),
        };
        Self { objects: reachable.found().iter().map(part).collect() }
    }

    /// The structures that these choices stand for, when the vector is cut after its last choice but 0.
    pub fn from_choices(space: &Space, choices: &[u32]) -> Self {
        let mut vector = choices.to_vec();
        vector.resize(space.len(), 0);
        Self::new(space, &vector)
    }
}

fn assigned(space: &Space, vector: &[u32], position: Position) -> Option<Assigned> {
    let slot = space.slot(position);
    let (name, field) = match (slot.member, &space.domain_of(slot.object).kind) {
        (Member::Field(field), DomainKind::Class(fields)) => {
            let field = &fields[field as usize];
            (field.name.clone(), Some(field.clone()))
        }
        (Member::Element(index), _) => (index.to_string(), None),
        _ => return None,
    };
    let value = space.value(position, vector[position.index()]).clone();
    let text = space.value_name(&value);
    Some(Assigned { name, field, value, text })
}

/// One line: the fields of the root, then each object with its fields.
impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.objects.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            let is_array = part.class.ends_with("[]");
            let name = if index == 0 { simple_name(&part.class) } else { &part.name };
            f.write_str(name)?;
            f.write_str(if is_array { " [" } else { " {" })?;
            for (index, field) in part.fields.iter().enumerate() {
                let comma = if index > 0 { ", " } else { "" };
                if is_array {
                    write!(f, "{comma}{}", field.text)?;
                } else {
                    write!(f, "{comma}{}: {}", field.name, field.text)?;
                }
            }
            f.write_str(if is_array { "]" } else { "}" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finitization::Finitization;
    use crate::testing::shape;

    #[test]
    fn a_structure_is_one_line() {
        let bounds = Finitization::derive(&shape("t.T: t.T$N root; int[] data\nt.T$N: t.T$N next"), 2);
        let space = Space::new(&bounds).expect("a space");
        let line = |choices: &[u32]| Structure::from_choices(&space, choices).to_string();
        assert_eq!(line(&[]), "T {root: null, data: null}");
        assert_eq!(
            line(&[1, 1, 2, 0, 2, 1]),
            "T {root: N#0, data: int[]#0}; N#0 {next: N#1}; int[]#0 [1, 0]; N#1 {next: null}"
        );
    }

    #[test]
    fn letters_and_words_look_as_in_java() {
        let shape = shape("T: char c; java.lang.String s");
        let text = "[classes.T.fields]\nc = { values = [\"x\", \"'\", 1] }\ns = { values = [\"\\\"\\n\"] }";
        let space = Space::new(&Finitization::parse(text, &shape).expect("good")).expect("a space");
        let line = |choices: &[u32]| Structure::from_choices(&space, choices).to_string();
        assert_eq!(line(&[0, 0]), "T {c: 'x', s: null}");
        assert_eq!(line(&[1, 1]), r#"T {c: '\'', s: "\"\n"}"#);
        assert_eq!(line(&[2, 0]), r"T {c: '\u0001', s: null}");
        let derived = Finitization::derive(&shape, 2).to_toml(&shape);
        assert!(derived.contains(r#"c = { min = "a", max = "c" }"#), "{derived}");
    }
}
