//! Shapes for the tests of this crate, written as one line per class.

use crate::shape::{ClassKind, ClassShape, FieldShape, FieldType, Shape};

/// The classes described by lines such as `tree.Node < tree.Base: tree.Node left; final int size`; the first is
/// the root. A leading `abstract` or `enum A B C` says what kind of class it is.
pub(crate) fn shape(lines: &str) -> Shape {
    let classes: Vec<ClassShape> =
        lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(class).collect();
    Shape { root: classes[0].name.clone(), classes }
}

fn class(line: &str) -> ClassShape {
    let (head, fields) = line.split_once(':').unwrap_or((line, ""));
    let (head, supertypes) = head.split_once('<').unwrap_or((head, ""));
    let words: Vec<&str> = head.split_whitespace().collect();
    let (kind, name) = match words.as_slice() {
        ["abstract", name] => (ClassKind::Abstract, *name),
        ["enum", name, constants @ ..] => {
            (ClassKind::Enum(constants.iter().map(ToString::to_string).collect()), *name)
        }
        [name] => (ClassKind::Concrete, *name),
        _ => panic!("no class in `{line}`"),
    };
    let fields = fields.split(';').map(str::trim).filter(|field| !field.is_empty()).map(|field| {
        let words: Vec<&str> = field.split_whitespace().collect();
        FieldShape {
            name: words[words.len() - 1].to_owned(),
            declared_in: name.to_owned(),
            ty: FieldType::from_java(words[words.len() - 2]),
            is_final: words.contains(&"final"),
            is_static: words.contains(&"static"),
        }
    });
    ClassShape {
        name: name.to_owned(),
        kind,
        supertypes: supertypes.split_whitespace().map(str::to_owned).collect(),
        fields: fields.collect(),
    }
}
