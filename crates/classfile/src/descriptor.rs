//! Descriptors: the erased types of fields and methods, as `(ILjava/lang/String;)V` spells them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A primitive type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// The erased type of a field, parameter or result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldType {
    /// A primitive.
    Primitive(Primitive),
    /// A class or interface, by binary name with slashes.
    Object(String),
    /// An array of some element type.
    Array(Box<FieldType>),
}

/// The erased type of a method.
///
/// ```
/// use jurat_classfile::descriptor::{FieldType, MethodType, Primitive};
/// let method: MethodType = "([JLjava/lang/String;)I".parse()?;
/// assert_eq!(method.result, Some(FieldType::Primitive(Primitive::Int)));
/// assert_eq!(method.parameters[1], FieldType::Object("java/lang/String".to_owned()));
/// assert_eq!(method.to_string(), "([JLjava/lang/String;)I");
/// # Ok::<(), jurat_classfile::descriptor::SyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodType {
    /// Types of the parameters.
    pub parameters: Vec<FieldType>,
    /// Type of the result; none for `void`.
    pub result: Option<FieldType>,
}

/// Why a text is not a descriptor or signature.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a {what}: expected {expected} at byte {at}")]
pub struct SyntaxError {
    /// The text.
    pub text: String,
    /// What it was read as.
    pub what: &'static str,
    /// What should have been there.
    pub expected: &'static str,
    /// Where.
    pub at: usize,
}

/// How many dimensions an array may have.
const MAX_DIMENSIONS: usize = 255;

impl Primitive {
    /// The letter that stands for the type in descriptors.
    pub fn letter(self) -> char {
        match self {
            Self::Boolean => 'Z',
            Self::Byte => 'B',
            Self::Char => 'C',
            Self::Short => 'S',
            Self::Int => 'I',
            Self::Long => 'J',
            Self::Float => 'F',
            Self::Double => 'D',
        }
    }

    /// The type a letter stands for.
    pub fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'Z' => Self::Boolean,
            b'B' => Self::Byte,
            b'C' => Self::Char,
            b'S' => Self::Short,
            b'I' => Self::Int,
            b'J' => Self::Long,
            b'F' => Self::Float,
            b'D' => Self::Double,
            _ => return None,
        })
    }

    /// The keyword in source code.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// Words the type takes on the stack and in local variables.
    pub fn words(self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }
}

impl FieldType {
    /// Words the type takes on the stack and in local variables.
    pub fn words(&self) -> u16 {
        match self {
            Self::Primitive(primitive) => primitive.words(),
            Self::Object(_) | Self::Array(_) => 1,
        }
    }

    /// How the constant pool names the class of a reference type: binary name, or descriptor of an array.
    pub fn class_name(&self) -> Option<String> {
        match self {
            Self::Primitive(_) => None,
            Self::Object(name) => Some(name.clone()),
            Self::Array(_) => Some(self.to_string()),
        }
    }
}

impl MethodType {
    /// Words of all parameters, without the receiver. At most 65535 parameters fit into a descriptor.
    pub fn parameter_words(&self) -> u32 {
        self.parameters.iter().map(|parameter| u32::from(parameter.words())).sum()
    }

    /// Words of the result.
    pub fn result_words(&self) -> u16 {
        self.result.as_ref().map_or(0, FieldType::words)
    }
}

impl FromStr for FieldType {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Scanner::parse(text, "field descriptor", field_type)
    }
}

impl FromStr for MethodType {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Scanner::parse(text, "method descriptor", method_type)
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => write!(f, "{}", primitive.letter()),
            Self::Object(name) => write!(f, "L{name};"),
            Self::Array(element) => write!(f, "[{element}"),
        }
    }
}

impl fmt::Display for MethodType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        self.parameters.iter().try_for_each(|parameter| parameter.fmt(f))?;
        f.write_str(")")?;
        match &self.result {
            Some(result) => result.fmt(f),
            None => f.write_str("V"),
        }
    }
}

/// A text being parsed; what is missing is reported by position.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    expected: &'static str,
}

impl<'a> Scanner<'a> {
    /// Parses all of `text` with `rule`.
    pub(crate) fn parse<T>(
        text: &'a str,
        what: &'static str,
        rule: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Result<T, SyntaxError> {
        let mut scanner = Self { text, at: 0, expected: what };
        if let Some(parsed) = rule(&mut scanner) {
            if scanner.at == text.len() {
                return Ok(parsed);
            }
            scanner.expected = "the end";
        }
        Err(SyntaxError { text: text.to_owned(), what, expected: scanner.expected, at: scanner.at })
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn skip(&mut self) {
        self.at += 1;
    }

    /// Steps over `byte` if it is next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over `byte`, which must be next.
    pub(crate) fn expect(&mut self, byte: u8, name: &'static str) -> Option<()> {
        if self.eat(byte) { Some(()) } else { self.fail(name) }
    }

    pub(crate) fn fail<T>(&mut self, expected: &'static str) -> Option<T> {
        self.expected = expected;
        None
    }

    /// A name that ends before one of `stops`, all of them ASCII.
    pub(crate) fn name(&mut self, stops: &[u8]) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|byte| stops.contains(&byte)).unwrap_or(rest.len());
        if length == 0 {
            return self.fail("a name");
        }
        self.at += length;
        Some(&rest[..length])
    }

    /// How many `[` are next.
    pub(crate) fn dimensions(&mut self) -> Option<usize> {
        let mut dimensions = 0;
        while self.eat(b'[') {
            dimensions += 1;
        }
        if dimensions <= MAX_DIMENSIONS { Some(dimensions) } else { self.fail("at most 255 dimensions") }
    }
}

fn method_type(scanner: &mut Scanner<'_>) -> Option<MethodType> {
    scanner.expect(b'(', "`(`")?;
    let mut parameters = Vec::new();
    while !scanner.eat(b')') {
        parameters.push(field_type(scanner)?);
    }
    let result = if scanner.eat(b'V') { None } else { Some(field_type(scanner)?) };
    Some(MethodType { parameters, result })
}

fn field_type(scanner: &mut Scanner<'_>) -> Option<FieldType> {
    let dimensions = scanner.dimensions()?;
    let element = if scanner.eat(b'L') {
        let name = scanner.name(b";.[")?.to_owned();
        scanner.expect(b';', "`;`")?;
        FieldType::Object(name)
    } else {
        match scanner.peek().and_then(Primitive::from_letter) {
            Some(primitive) => {
                scanner.skip();
                FieldType::Primitive(primitive)
            }
            None => return scanner.fail("a type"),
        }
    };
    Some((0..dimensions).fold(element, |element, _| FieldType::Array(Box::new(element))))
}

/// Words of the parameters (without receiver) and of the result of a method descriptor, without building its
/// parts; `None` if it is not well formed.
pub fn words(descriptor: &str) -> Option<(u16, u16)> {
    let mut scanner = Scanner { text: descriptor, at: 0, expected: "" };
    scanner.expect(b'(', "")?;
    let mut parameters: u16 = 0;
    while !scanner.eat(b')') {
        parameters = parameters.checked_add(type_words(&mut scanner)?)?;
    }
    let result = if scanner.eat(b'V') { 0 } else { type_words(&mut scanner)? };
    (scanner.at == descriptor.len()).then_some((parameters, result))
}

/// Words of a field descriptor; `None` if it is not well formed.
pub fn field_words(descriptor: &str) -> Option<u16> {
    let mut scanner = Scanner { text: descriptor, at: 0, expected: "" };
    let words = type_words(&mut scanner)?;
    (scanner.at == descriptor.len()).then_some(words)
}

fn type_words(scanner: &mut Scanner<'_>) -> Option<u16> {
    let dimensions = scanner.dimensions()?;
    if scanner.eat(b'L') {
        scanner.name(b";.[")?;
        scanner.expect(b';', "")?;
        return Some(1);
    }
    let words = scanner.peek().and_then(Primitive::from_letter)?.words();
    scanner.skip();
    Some(if dimensions > 0 { 1 } else { words })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_primitive() -> impl Strategy<Value = Primitive> {
        prop::sample::select(vec![
            Primitive::Boolean,
            Primitive::Byte,
            Primitive::Char,
            Primitive::Short,
            Primitive::Int,
            Primitive::Long,
            Primitive::Float,
            Primitive::Double,
        ])
    }

    fn any_field_type() -> impl Strategy<Value = FieldType> {
        let flat = prop_oneof![
            any_primitive().prop_map(FieldType::Primitive),
            "[a-zA-Zé][a-zA-Z0-9$_/<>:]{0,12}".prop_map(FieldType::Object),
        ];
        flat.prop_recursive(3, 4, 1, |inner| inner.prop_map(|element| FieldType::Array(Box::new(element))))
    }

    fn any_method_type() -> impl Strategy<Value = MethodType> {
        (prop::collection::vec(any_field_type(), 0..6), prop::option::of(any_field_type()))
            .prop_map(|(parameters, result)| MethodType { parameters, result })
    }

    proptest! {
        #[test]
        fn a_printed_descriptor_parses_to_what_was_printed(method in any_method_type()) {
            let text = method.to_string();
            prop_assert_eq!(text.parse::<MethodType>(), Ok(method.clone()));
            let (parameters, result) = words(&text).expect("well formed");
            prop_assert_eq!(u32::from(parameters), method.parameter_words());
            prop_assert_eq!(result, method.result_words());
        }

        #[test]
        fn a_text_that_parses_prints_as_it_was(text in "[(]?[\\[IJLVabé;()/.]{0,12}") {
            if let Ok(method) = text.parse::<MethodType>() {
                prop_assert_eq!(method.to_string(), text.as_str());
            }
            prop_assert_eq!(words(&text).is_some(), text.parse::<MethodType>().is_ok());
            if let Ok(field) = text.parse::<FieldType>() {
                prop_assert_eq!(field.to_string(), text);
            }
        }
    }

    #[test]
    fn errors_say_what_is_missing_and_where() {
        let error = "(Ljava/lang/String)V".parse::<MethodType>().expect_err("no semicolon");
        assert_eq!((error.expected, error.at), ("`;`", 20));
        let error = "(I)VV".parse::<MethodType>().expect_err("one V too many");
        assert_eq!((error.expected, error.at), ("the end", 4));
        assert!("V".parse::<FieldType>().is_err());
        assert!(("[".repeat(256) + "I").parse::<FieldType>().is_err());
        assert!(("[".repeat(255) + "I").parse::<FieldType>().is_ok());
    }
}
