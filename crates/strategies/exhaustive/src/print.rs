//! A finitization as the TOML file that people edit.

use std::fmt::Write as _;

use crate::finitization::{Bound, Finitization, Values, number_type};
use crate::shape::{FieldType, Primitive, Shape};

impl Finitization {
    /// The file that [`Finitization::parse`] reads back as these bounds, with what it leaves alone as comments.
    pub fn to_toml(&self, shape: &Shape) -> String {
        let mut text = format!("# The structures of {} that are enumerated.\n", self.root);
        text.push_str("# Every field tries null first, then objects, then values.\n");
        let _ = writeln!(text, "root = {}", quoted(&self.root));
        for class in &self.classes {
            let name = quoted(&class.class);
            let _ = writeln!(text, "\n[classes.{name}]\ncount = {}", class.count);
            let _ = writeln!(text, "interchangeable = {}", class.interchangeable);
            let kept: Vec<_> = self.kept(shape).filter(|(owner, ..)| *owner == class.class).collect();
            if !class.fields.is_empty() || !kept.is_empty() {
                let _ = writeln!(text, "\n[classes.{name}.fields]");
            }
            for field in &class.fields {
                let bound = bound_text(&field.bound, &field.ty);
                let _ = writeln!(text, "{} = {bound}", key(&field.name));
            }
            for (_, field, reason) in kept {
                let _ = writeln!(text, "# {field}: kept as its constructor left it ({reason})");
            }
        }
        for array in &self.arrays {
            let _ = writeln!(text, "\n[arrays.{}]\ncount = {}", quoted(&array.name()), array.count);
            let _ = writeln!(text, "interchangeable = {}", array.interchangeable);
            let _ = writeln!(text, "length = {{ min = {}, max = {} }}", array.min_length, array.max_length);
            let _ = writeln!(text, "elements = {}", bound_text(&array.elements, &array.element));
        }
        text
    }
}

fn bound_text(bound: &Bound, ty: &FieldType) -> String {
    let mut parts = Vec::new();
    if !matches!(ty, FieldType::Primitive(_)) {
        parts.push(format!("null = {}", bound.null));
        if !bound.objects.is_empty() {
            parts.push(format!("objects = {}", list(bound.objects.iter().map(|name| quoted(name)))));
        }
    }
    let character = number_type(ty) == Primitive::Char;
    let whole = |number: i64| match u32::try_from(number).ok().and_then(char::from_u32) {
        Some(letter) if character && !letter.is_control() => quoted(&letter.to_string()),
        _ => number.to_string(),
    };
    match &bound.values {
        Values::None => {}
        Values::Range(min, max) => parts.push(format!("min = {}, max = {}", whole(*min), whole(*max))),
        Values::Whole(numbers) => parts.push(values(numbers.iter().map(|&number| whole(number)))),
        Values::Floating(numbers) => parts.push(values(numbers.iter().map(|number| format!("{number:?}")))),
        Values::Truth(truths) => parts.push(values(truths.iter().map(ToString::to_string))),
        Values::Text(texts) | Values::Constants(texts) => {
            parts.push(values(texts.iter().map(|text| quoted(text))));
        }
    }
    if bound.interchangeable {
        parts.push("interchangeable = true".to_owned());
    }
    format!("{{ {} }}", parts.join(", "))
}

fn values(items: impl Iterator<Item = String>) -> String {
    format!("values = {}", list(items))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A key, quoted if it must be.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(bare) && !name.is_empty() { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
