//! Generic signatures: what the `Signature` attribute says about type parameters and type arguments.

use std::fmt;
use std::str::FromStr;

use crate::descriptor::{Primitive, Scanner, SyntaxError};

/// The signature of a class: its type parameters and generic supertypes.
///
/// ```
/// use jurat_classfile::signature::ClassSignature;
/// let text = "<E:Ljava/lang/Object;>Ljava/lang/Object;Ljava/util/List<TE;>;";
/// let class: ClassSignature = text.parse()?;
/// assert_eq!(class.parameters[0].name, "E");
/// assert_eq!(class.interfaces[0].binary_name(), "java/util/List");
/// assert_eq!(class.to_string(), text);
/// # Ok::<(), jurat_classfile::descriptor::SyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClassSignature {
    /// Type parameters.
    pub parameters: Vec<TypeParameter>,
    /// The superclass.
    pub superclass: ClassType,
    /// The interfaces.
    pub interfaces: Vec<ClassType>,
}

/// The signature of a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodSignature {
    /// Type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// Types of the parameters; parameters the compiler added may be missing.
    pub parameters: Vec<JavaType>,
    /// Type of the result; none for `void`.
    pub result: Option<JavaType>,
    /// Exceptions; empty if none of them is generic.
    pub throws: Vec<JavaType>,
}

/// A type parameter and its bounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeParameter {
    /// Its name.
    pub name: String,
    /// The class it extends; none if the first bound is an interface.
    pub class_bound: Option<JavaType>,
    /// The interfaces it extends.
    pub interface_bounds: Vec<JavaType>,
}

/// A type with its type arguments. The signature of a field is one of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JavaType {
    /// A primitive.
    Primitive(Primitive),
    /// A class or interface.
    Class(ClassType),
    /// A type variable.
    Variable(String),
    /// An array.
    Array(Box<JavaType>),
}

/// A class with type arguments for it and for the classes around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClassType {
    /// From the outside in, as far as type arguments require it; the first name is a binary name with slashes.
    pub segments: Vec<Segment>,
}

/// A class in a nest of classes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Its name.
    pub name: String,
    /// Its type arguments.
    pub arguments: Vec<TypeArgument>,
}

/// A type argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeArgument {
    /// `?`
    Any,
    /// `? extends T`
    Extends(JavaType),
    /// `? super T`
    Super(JavaType),
    /// `T`
    Exact(JavaType),
}

/// How deep type arguments may nest; deeper ones are refused rather than risking the stack.
const MAX_DEPTH: u32 = 200;

/// What ends an identifier in a signature.
const STOPS: &[u8] = b".;[<>:";

impl ClassType {
    /// A class without type arguments.
    pub fn plain(name: impl Into<String>) -> Self {
        Self { segments: vec![Segment { name: name.into(), arguments: Vec::new() }] }
    }

    /// The binary name, with slashes, and `$` before nested classes.
    pub fn binary_name(&self) -> String {
        let names: Vec<&str> = self.segments.iter().map(|segment| segment.name.as_str()).collect();
        names.join("$")
    }
}

impl FromStr for ClassSignature {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Scanner::parse(text, "class signature", |scanner| {
            let parameters = type_parameters(scanner)?;
            let superclass = class_type(scanner, MAX_DEPTH)?;
            let mut interfaces = Vec::new();
            while scanner.peek() == Some(b'L') {
                interfaces.push(class_type(scanner, MAX_DEPTH)?);
            }
            Some(Self { parameters, superclass, interfaces })
        })
    }
}

impl FromStr for MethodSignature {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Scanner::parse(text, "method signature", |scanner| {
            let type_parameters = type_parameters(scanner)?;
            scanner.expect(b'(', "`(`")?;
            let mut parameters = Vec::new();
            while !scanner.eat(b')') {
                parameters.push(java_type(scanner, MAX_DEPTH)?);
            }
            let result = if scanner.eat(b'V') { None } else { Some(java_type(scanner, MAX_DEPTH)?) };
            let mut throws = Vec::new();
            while scanner.eat(b'^') {
                throws.push(reference_type(scanner)?);
            }
            Some(Self { type_parameters, parameters, result, throws })
        })
    }
}

impl FromStr for JavaType {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Scanner::parse(text, "field signature", |scanner| java_type(scanner, MAX_DEPTH))
    }
}

fn type_parameters(scanner: &mut Scanner<'_>) -> Option<Vec<TypeParameter>> {
    let mut parameters = Vec::new();
    if !scanner.eat(b'<') {
        return Some(parameters);
    }
    loop {
        parameters.push(type_parameter(scanner)?);
        if scanner.eat(b'>') {
            return Some(parameters);
        }
    }
}

fn type_parameter(scanner: &mut Scanner<'_>) -> Option<TypeParameter> {
    let name = scanner.name(b"./;[<>:")?.to_owned();
    scanner.expect(b':', "`:`")?;
    let bounded = matches!(scanner.peek(), Some(b'L' | b'T' | b'['));
    let class_bound = if bounded { Some(reference_type(scanner)?) } else { None };
    let mut interface_bounds = Vec::new();
    while scanner.eat(b':') {
        interface_bounds.push(reference_type(scanner)?);
    }
    Some(TypeParameter { name, class_bound, interface_bounds })
}

/// A type that is not primitive.
fn reference_type(scanner: &mut Scanner<'_>) -> Option<JavaType> {
    match scanner.peek() {
        Some(b'L' | b'T' | b'[') => java_type(scanner, MAX_DEPTH),
        _ => scanner.fail("a class, a type variable or an array"),
    }
}

fn java_type(scanner: &mut Scanner<'_>, depth: u32) -> Option<JavaType> {
    let dimensions = scanner.dimensions()?;
    let element = match scanner.peek() {
        Some(b'L') => JavaType::Class(class_type(scanner, depth)?),
        Some(b'T') => {
            scanner.skip();
            let name = scanner.name(b"./;[<>:")?.to_owned();
            scanner.expect(b';', "`;`")?;
            JavaType::Variable(name)
        }
        other => match other.and_then(Primitive::from_letter) {
            Some(primitive) => {
                scanner.skip();
                JavaType::Primitive(primitive)
            }
            None => return scanner.fail("a type"),
        },
    };
    Some((0..dimensions).fold(element, |element, _| JavaType::Array(Box::new(element))))
}

fn class_type(scanner: &mut Scanner<'_>, depth: u32) -> Option<ClassType> {
    let Some(depth) = depth.checked_sub(1) else { return scanner.fail("less deeply nested type arguments") };
    scanner.expect(b'L', "a class")?;
    let mut segments = Vec::new();
    loop {
        let name = scanner.name(STOPS)?.to_owned();
        let arguments = type_arguments(scanner, depth)?;
        segments.push(Segment { name, arguments });
        if scanner.eat(b';') {
            return Some(ClassType { segments });
        }
        scanner.expect(b'.', "`;`")?;
    }
}

fn type_arguments(scanner: &mut Scanner<'_>, depth: u32) -> Option<Vec<TypeArgument>> {
    let mut arguments = Vec::new();
    if !scanner.eat(b'<') {
        return Some(arguments);
    }
    loop {
        arguments.push(type_argument(scanner, depth)?);
        if scanner.eat(b'>') {
            return Some(arguments);
        }
    }
}

fn type_argument(scanner: &mut Scanner<'_>, depth: u32) -> Option<TypeArgument> {
    let wrap = match scanner.peek() {
        Some(b'*') => {
            scanner.skip();
            return Some(TypeArgument::Any);
        }
        Some(b'+') => TypeArgument::Extends,
        Some(b'-') => TypeArgument::Super,
        _ => return argument_type(scanner, depth).map(TypeArgument::Exact),
    };
    scanner.skip();
    argument_type(scanner, depth).map(wrap)
}

fn argument_type(scanner: &mut Scanner<'_>, depth: u32) -> Option<JavaType> {
    match scanner.peek() {
        Some(b'L' | b'T' | b'[') => java_type(scanner, depth),
        _ => scanner.fail("a type argument"),
    }
}

impl fmt::Display for ClassSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_parameters(f, &self.parameters)?;
        self.superclass.fmt(f)?;
        self.interfaces.iter().try_for_each(|interface| interface.fmt(f))
    }
}

impl fmt::Display for MethodSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_parameters(f, &self.type_parameters)?;
        f.write_str("(")?;
        self.parameters.iter().try_for_each(|parameter| parameter.fmt(f))?;
        f.write_str(")")?;
        match &self.result {
            Some(result) => result.fmt(f)?,
            None => f.write_str("V")?,
        }
        self.throws.iter().try_for_each(|thrown| write!(f, "^{thrown}"))
    }
}

fn write_parameters(f: &mut fmt::Formatter<'_>, parameters: &[TypeParameter]) -> fmt::Result {
    if parameters.is_empty() {
        return Ok(());
    }
    f.write_str("<")?;
    parameters.iter().try_for_each(|parameter| write!(f, "{parameter}"))?;
    f.write_str(">")
}

impl fmt::Display for TypeParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name)?;
        if let Some(bound) = &self.class_bound {
            bound.fmt(f)?;
        }
        self.interface_bounds.iter().try_for_each(|bound| write!(f, ":{bound}"))
    }
}

impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => write!(f, "{}", primitive.letter()),
            Self::Class(class) => class.fmt(f),
            Self::Variable(name) => write!(f, "T{name};"),
            Self::Array(element) => write!(f, "[{element}"),
        }
    }
}

impl fmt::Display for ClassType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            f.write_str(if index == 0 { "L" } else { "." })?;
            f.write_str(&segment.name)?;
            if !segment.arguments.is_empty() {
                f.write_str("<")?;
                segment.arguments.iter().try_for_each(|argument| argument.fmt(f))?;
                f.write_str(">")?;
            }
        }
        f.write_str(";")
    }
}

impl fmt::Display for TypeArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Extends(bound) => write!(f, "+{bound}"),
            Self::Super(bound) => write!(f, "-{bound}"),
            Self::Exact(kind) => kind.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::any_primitive;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn any_reference() -> impl Strategy<Value = JavaType> {
        let flat = prop_oneof![
            "[A-Z]{1,3}".prop_map(JavaType::Variable),
            "[a-z]{1,4}(/[a-zA-Z$é]{1,5}){0,2}".prop_map(|name| JavaType::Class(ClassType::plain(name))),
        ];
        flat.prop_recursive(4, 24, 4, |inner| {
            let element = prop_oneof![any_primitive().prop_map(JavaType::Primitive), inner.clone()];
            prop_oneof![
                element.prop_map(|element| JavaType::Array(Box::new(element))),
                vec(("[a-zA-Z]{1,6}", vec(any_argument(inner), 0..3)), 1..3).prop_map(|segments| {
                    let segments =
                        segments.into_iter().map(|(name, arguments)| Segment { name, arguments }).collect();
                    JavaType::Class(ClassType { segments })
                }),
            ]
        })
    }

    fn any_argument(inner: impl Strategy<Value = JavaType> + Clone) -> impl Strategy<Value = TypeArgument> {
        prop_oneof![
            Just(TypeArgument::Any),
            inner.clone().prop_map(TypeArgument::Extends),
            inner.clone().prop_map(TypeArgument::Super),
            inner.prop_map(TypeArgument::Exact),
        ]
    }

    fn any_type() -> impl Strategy<Value = JavaType> {
        prop_oneof![any_primitive().prop_map(JavaType::Primitive), any_reference()]
    }

    fn any_class() -> impl Strategy<Value = ClassType> {
        any_reference().prop_map(|kind| match kind {
            JavaType::Class(class) => class,
            other => ClassType {
                segments: vec![Segment { name: "A".into(), arguments: vec![TypeArgument::Exact(other)] }],
            },
        })
    }

    /// Each with a bound, as compilers write them: `<A:L:>` could be read in two ways.
    fn any_parameters() -> impl Strategy<Value = Vec<TypeParameter>> {
        let bounds = (prop::option::of(any_reference()), vec(any_reference(), 0..3));
        let bounds =
            bounds.prop_filter("a bound", |(class, interfaces)| class.is_some() || !interfaces.is_empty());
        let parameter = ("[A-Z]{1,3}", bounds);
        vec(parameter, 0..3).prop_map(|parameters| {
            let build = |(name, (class_bound, interface_bounds))| TypeParameter {
                name,
                class_bound,
                interface_bounds,
            };
            parameters.into_iter().map(build).collect()
        })
    }

    proptest! {
        #[test]
        fn a_printed_class_signature_parses_to_what_was_printed(
            parameters in any_parameters(),
            superclass in any_class(),
            interfaces in vec(any_class(), 0..3),
        ) {
            let signature = ClassSignature { parameters, superclass, interfaces };
            prop_assert_eq!(signature.to_string().parse(), Ok(signature));
        }

        #[test]
        fn a_printed_method_signature_parses_to_what_was_printed(
            type_parameters in any_parameters(),
            parameters in vec(any_type(), 0..4),
            result in prop::option::of(any_type()),
            throws in vec(any_reference(), 0..2),
        ) {
            let signature = MethodSignature { type_parameters, parameters, result, throws };
            prop_assert_eq!(signature.to_string().parse(), Ok(signature));
        }

        #[test]
        fn a_text_that_parses_prints_as_it_was(text in "[<>:;()LTVI*+.^A/é\\[-]{0,14}") {
            if let Ok(signature) = text.parse::<ClassSignature>() {
                prop_assert_eq!(signature.to_string(), text.as_str());
            }
            if let Ok(signature) = text.parse::<MethodSignature>() {
                prop_assert_eq!(signature.to_string(), text.as_str());
            }
            if let Ok(signature) = text.parse::<JavaType>() {
                prop_assert_eq!(signature.to_string(), text);
            }
        }
    }

    #[test]
    fn a_member_of_a_generic_class_keeps_its_binary_name() {
        let kind: ClassType = match "La/Map<TK;>.Entry<*>;".parse() {
            Ok(JavaType::Class(class)) => class,
            other => panic!("{other:?}"),
        };
        assert_eq!(kind.binary_name(), "a/Map$Entry");
    }

    #[test]
    fn type_arguments_without_end_are_refused() {
        let text = format!("{}{}", "LA<".repeat(100_000), ">;".repeat(100_000));
        assert_eq!(
            text.parse::<JavaType>().expect_err("too deep").expected,
            "less deeply nested type arguments"
        );
    }
}
