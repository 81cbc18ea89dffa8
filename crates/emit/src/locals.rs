//! Names for local variables: after what a value is and what it is for.

use std::collections::BTreeSet;

use jurat_model::{Action, ClassId, JavaType, Operation, Primitive, Sequence, Subject, Var, is_identifier};

/// Parameter names that say nothing.
const VAGUE: [&str; 14] = [
    "arg", "args", "args0", "obj", "object", "value", "val", "param", "input", "data", "item", "element",
    "the", "str",
];

/// Words that come before the second, third, … value of a kind.
const ORDINALS: [&str; 5] = ["other", "third", "fourth", "fifth", "sixth"];

/// The names in use in one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Keeps a name from being given to a variable, such as the first part of a package's name.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// True if a variable has the name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// A name like `wanted` that is not in use, taken from now on.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        let ordinal = |word: &str| format!("{word}{}", capitalized(wanted));
        let spoken = std::iter::once(wanted.to_owned()).chain(ORDINALS.iter().map(|word| ordinal(word)));
        let counted = (ORDINALS.len() + 2..).map(|number| format!("{wanted}{number}"));
        let free = |name: &String| is_identifier(name) && !self.taken.contains(name);
        let name = spoken.chain(counted).find(free).expect("numbers never run out");
        self.taken.insert(name.clone());
        name
    }

    /// Names for the parameters of a lambda, which must not hide a variable.
    pub(crate) fn for_lambda(&self, count: usize) -> Vec<String> {
        let letters: &[&str] = match count {
            0..=3 => &["x", "y", "z"],
            _ => &["a", "b", "c", "d", "e", "f", "g", "h"],
        };
        let spoken = letters.iter().map(ToString::to_string);
        let counted = (1..).map(|number| format!("x{number}"));
        spoken.chain(counted).filter(|name| !self.taken.contains(name)).take(count).collect()
    }
}

/// What to call a value of a sequence, before clashes are looked at.
pub(crate) fn wanted(subject: &Subject, sequence: &Sequence, var: Var, ty: &JavaType) -> String {
    let by_role = role(subject, sequence, var).filter(|name| is_identifier(name));
    let by_type = || {
        let name = after_type(subject, ty);
        if is_identifier(&name) { name } else { format!("a{}", capitalized(&name)) }
    };
    by_role.or_else(|| after_maker(subject, sequence, var, ty)).unwrap_or_else(by_type)
}

/// The name of the parameter a value is made for, if it is made for one only.
fn role(subject: &Subject, sequence: &Sequence, var: Var) -> Option<String> {
    let mut found: Option<&str> = None;
    for (_, op, inputs) in sequence.calls() {
        let operation = &subject[op];
        let shift = usize::from(operation.receiver.is_some());
        for (position, _) in inputs.iter().enumerate().filter(|(_, input)| **input == var) {
            let name =
                position.checked_sub(shift).and_then(|position| operation.param_names.get(position))?;
            if found.is_some_and(|found| found != &**name) {
                return None;
            }
            found = Some(name);
        }
    }
    found.filter(|name| says_something(name)).map(str::to_owned)
}

fn says_something(name: &str) -> bool {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.len() > 2 && stem.len() == name.len() && !VAGUE.contains(&stem)
}

/// Plain values are named after the method that gives them: `int size = list.size()`.
fn after_maker(subject: &Subject, sequence: &Sequence, var: Var, ty: &JavaType) -> Option<String> {
    let Action::Call { instance, .. } = &sequence.statement(var).action else { return None };
    let operation = &subject[instance.operation];
    let is_plain = is_plain(subject, ty) || ty.component().is_some() || is_collection(subject, ty);
    if !is_plain || !operation.params.is_empty() || operation.is_constructor() {
        return None;
    }
    let name = without_prefix(operation);
    (name.len() > 1 && is_identifier(&name)).then_some(name)
}

fn without_prefix(operation: &Operation) -> String {
    let name = &*operation.name;
    if name == "toString" {
        return "text".into();
    }
    let rest = ["get", "is", "to", "as"].iter().find_map(|prefix| {
        name.strip_prefix(prefix).filter(|rest| rest.starts_with(|letter: char| letter.is_uppercase()))
    });
    rest.map_or_else(|| decapitalized(name), decapitalized)
}

fn is_plain(subject: &Subject, ty: &JavaType) -> bool {
    let classes = subject.classes();
    ty.is_primitive()
        || ty.class_id().is_some_and(|class| class == classes.string() || classes.unboxed(class).is_some())
}

fn is_collection(subject: &Subject, ty: &JavaType) -> bool {
    let classes = subject.classes();
    let Some(collection) = classes.find("java/util/Collection") else { return false };
    ty.class_id().is_some_and(|class| classes.is_subclass(class, collection) && !subject[class].under_test)
}

/// A name that says what a value is.
fn after_type(subject: &Subject, ty: &JavaType) -> String {
    let classes = subject.classes();
    match ty {
        JavaType::Primitive(primitive) => after_primitive(*primitive).into(),
        JavaType::Array(component) if **component == JavaType::Primitive(Primitive::Byte) => "bytes".into(),
        JavaType::Array(component) => plural(&after_element(subject, component)),
        JavaType::Class(class_type) => {
            let element = class_type.args().first().and_then(|arg| arg.bound());
            match element {
                Some(element) if class_type.args().len() == 1 && is_collection(subject, ty) => {
                    plural(&after_element(subject, element))
                }
                _ => after_class(subject, class_type.class),
            }
        }
        JavaType::Variable(variable) => decapitalized(&classes[*variable].name),
        JavaType::Void => "result".into(),
    }
}

fn after_element(subject: &Subject, element: &JavaType) -> String {
    match element.class_id() {
        Some(class) if class == subject.classes().string() => "string".into(),
        _ => after_type(subject, element),
    }
}

fn after_primitive(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Boolean => "flag",
        Primitive::Char => "letter",
        Primitive::Byte
        | Primitive::Short
        | Primitive::Int
        | Primitive::Long
        | Primitive::Float
        | Primitive::Double => "number",
    }
}

fn after_class(subject: &Subject, class: ClassId) -> String {
    let classes = subject.classes();
    if class == classes.string() {
        "text".into()
    } else if class == classes.class_class() {
        "type".into()
    } else if let Some(primitive) = classes.unboxed(class) {
        after_primitive(primitive).into()
    } else {
        decapitalized(&classes[class].simple_name)
    }
}

/// `url` for `URL`, `lruMap` for `LRUMap`, `lruCache` for `LruCache`.
pub(crate) fn decapitalized(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let capitals = letters.iter().take_while(|letter| letter.is_uppercase()).count();
    let followed = letters.get(capitals).is_some_and(|letter| letter.is_lowercase());
    let lowered = if capitals > 1 && followed { capitals - 1 } else { capitals };
    let (head, tail) = letters.split_at(lowered);
    head.iter().flat_map(|letter| letter.to_lowercase()).chain(tail.iter().copied()).collect()
}

pub(crate) fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn plural(name: &str) -> String {
    if name.ends_with("ss") || name.ends_with('x') || name.ends_with("ch") || name.ends_with("sh") {
        format!("{name}es")
    } else if name.ends_with('s') {
        name.to_owned()
    } else if let Some(stem) = name.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        format!("{stem}ies")
    } else {
        format!("{name}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_at_the_start_are_one_word() {
        for (name, expected) in
            [("Money", "money"), ("URL", "url"), ("LRUMap", "lruMap"), ("LruCache", "lruCache"), ("A", "a")]
        {
            assert_eq!(decapitalized(name), expected);
        }
    }

    #[test]
    fn plurals_are_english() {
        for (name, expected) in [
            ("token", "tokens"),
            ("entry", "entries"),
            ("key", "keys"),
            ("class", "classes"),
            ("box", "boxes"),
        ] {
            assert_eq!(plural(name), expected);
        }
    }

    #[test]
    fn further_values_of_a_kind_get_words_then_numbers() {
        let mut names = Names::default();
        names.reserve("org");
        let taken: Vec<String> = (0..8).map(|_| names.take("money")).collect();
        assert_eq!(
            taken,
            [
                "money",
                "otherMoney",
                "thirdMoney",
                "fourthMoney",
                "fifthMoney",
                "sixthMoney",
                "money7",
                "money8"
            ]
        );
        assert_eq!(names.take("org"), "otherOrg");
        assert_eq!(names.take("int"), "otherInt");
    }
}
