//! Which values may be written down in a test.

use jurat_model::{Literal, Observed, OperationKind, Subject, Value};

/// Longer strings are not asserted: nobody reads them.
const LONGEST_STRING: usize = 120;
/// Longer arrays are not asserted.
const LONGEST_ARRAY: usize = 16;

/// The value as a test can write it, or none if it should not be pinned down.
pub(crate) fn observed(subject: &Subject, package: &str, value: &Value) -> Option<Observed> {
    match value {
        Value::Literal(literal) => literal_observed(literal),
        Value::Enum { class, name } => {
            let class = subject.classes().find(class)?;
            let constant = subject.operations_of(class).iter().copied().find(|op| {
                let operation = &subject[*op];
                operation.kind == OperationKind::EnumConstant && operation.name == *name
            })?;
            subject.check_operation(constant, package).ok().map(|()| Observed::Enum(constant))
        }
        Value::Object(object) => {
            let elements = observed_elements(subject, package, value)?;
            let classes = subject.classes();
            let array = classes.denotable(&classes.type_with_descriptor(&object.class)?, package);
            let component = array.component()?.clone();
            Some(Observed::Array { component, elements })
        }
        Value::Void | Value::LongString => None,
    }
}

/// The elements of an array, if there are few and all can be written.
pub(crate) fn observed_elements(subject: &Subject, package: &str, array: &Value) -> Option<Vec<Observed>> {
    let Value::Object(object) = array else { return None };
    let elements = object.elements.as_ref().filter(|elements| elements.len() <= LONGEST_ARRAY)?;
    elements.iter().map(|element| observed(subject, package, element)).collect()
}

fn literal_observed(literal: &Literal) -> Option<Observed> {
    if let Literal::String(text) = literal {
        let shown = text.to_text()?;
        if text.units().len() > LONGEST_STRING || names_identity(&shown) {
            return None;
        }
    }
    Some(Observed::Literal(literal.clone()))
}

/// True for texts such as `java.lang.Object@1b6d3586`, which name an object by its address, and for the names
/// the JVM makes up for lambdas and proxies.
fn names_identity(text: &str) -> bool {
    let hex_follows = |tail: &str| tail.chars().take_while(char::is_ascii_hexdigit).count() >= 1;
    let at = text.match_indices('@').any(|(position, _)| {
        let before = text[..position].chars().next_back();
        before.is_some_and(|c| c.is_alphanumeric() || c == ';' || c == '$' || c == ']')
            && hex_follows(&text[position + 1..])
    });
    at || text.contains("$$Lambda") || text.contains("$Proxy")
}

#[cfg(test)]
mod tests {
    use super::names_identity;

    #[test]
    fn identity_hash_codes_are_seen() {
        assert!(names_identity("java.lang.Object@1b6d3586"));
        assert!(names_identity("[[I@7]"));
        assert!(names_identity("Foo$$Lambda/0x1"));
        assert!(!names_identity("me@home"));
        assert!(!names_identity("user @ 5"));
        assert!(!names_identity("plain"));
    }
}
