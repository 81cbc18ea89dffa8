//! Reads Java-like declarations into trees.

use std::iter::Peekable;
use std::vec::IntoIter;

/// A declared class.
#[derive(Debug, Default)]
pub(crate) struct Declaration {
    pub(crate) package: String,
    pub(crate) words: Vec<String>,
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) extends: Vec<Type>,
    pub(crate) implements: Vec<Type>,
    pub(crate) members: Vec<Member>,
    pub(crate) nested: Vec<Declaration>,
    pub(crate) constants: Vec<String>,
}

/// A declared type variable.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) bounds: Vec<Type>,
}

/// A field (no parameter list), method or constructor.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) words: Vec<String>,
    pub(crate) type_params: Vec<Param>,
    pub(crate) result: Option<Type>,
    pub(crate) name: String,
    pub(crate) params: Option<Vec<(Type, String)>>,
    pub(crate) varargs: bool,
    pub(crate) throws: Vec<Type>,
}

/// A type as written: name parts with their arguments, and array dimensions.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) parts: Vec<(String, Vec<Arg>)>,
    pub(crate) dimensions: usize,
}

/// A type argument as written.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Exact(Type),
    Extends(Type),
    Super(Type),
    Any,
}

/// All declarations of a text.
pub(crate) fn declarations(text: &str) -> Vec<Declaration> {
    let mut parser = Parser { tokens: tokens(text).into_iter().peekable() };
    let mut package = String::new();
    let mut found = Vec::new();
    while parser.tokens.peek().is_some() {
        if parser.eats("package") {
            package = parser.dotted();
            parser.wants(";");
        } else {
            found.push(parser.declaration(&package));
        }
    }
    found
}

/// A text that is one type.
pub(crate) fn single_type(text: &str) -> Type {
    Parser { tokens: tokens(text).into_iter().peekable() }.ty()
}

fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_alphanumeric() || letter == '_' || letter == '$' {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if !letter.is_whitespace() {
            found.push(letter.to_string());
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

struct Parser {
    tokens: Peekable<IntoIter<String>>,
}

const MODIFIERS: &[&str] = &[
    "private",
    "protected",
    "hidden",
    "static",
    "abstract",
    "final",
    "default",
    "sealed",
    "deprecated",
    "auxiliary",
    "mutable",
];
const KINDS: [&str; 4] = ["class", "interface", "enum", "record"];

impl Parser {
    fn peeks(&mut self, wanted: &str) -> bool {
        self.tokens.peek().is_some_and(|token| token == wanted)
    }

    fn eats(&mut self, wanted: &str) -> bool {
        self.tokens.next_if(|token| token == wanted).is_some()
    }

    fn wants(&mut self, wanted: &str) {
        let found = self.tokens.next();
        assert_eq!(found.as_deref(), Some(wanted), "wanted `{wanted}`");
    }

    fn word(&mut self) -> String {
        self.tokens.next().expect("a name is missing")
    }

    fn dotted(&mut self) -> String {
        let mut name = self.word();
        while self.eats(".") {
            name = format!("{name}.{}", self.word());
        }
        name
    }

    fn words(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(word) = self
            .tokens
            .next_if(|token| MODIFIERS.contains(&token.as_str()) || KINDS.contains(&token.as_str()))
        {
            words.push(word);
        }
        words
    }

    fn declaration(&mut self, package: &str) -> Declaration {
        let words = self.words();
        self.declared(package, words)
    }

    fn declared(&mut self, package: &str, words: Vec<String>) -> Declaration {
        let name = self.word();
        let mut declared = Declaration { package: package.into(), words, name, ..Declaration::default() };
        declared.params = self.params();
        if self.eats("extends") {
            declared.extends = self.types();
        }
        if self.eats("implements") {
            declared.implements = self.types();
        }
        self.wants("{");
        if declared.words.iter().any(|word| word == "enum") {
            declared.constants = self.constants();
        }
        while !self.eats("}") {
            let words = self.words();
            if words.iter().any(|word| KINDS.contains(&word.as_str())) {
                declared.nested.push(self.declared(package, words));
            } else {
                declared.members.push(self.member(words, &declared.name));
            }
        }
        declared
    }

    /// Enum constants end with a semicolon, or with the body.
    fn constants(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        while !self.peeks("}") && !self.eats(";") {
            found.push(self.word());
            self.eats(",");
        }
        found
    }

    fn member(&mut self, words: Vec<String>, class: &str) -> Member {
        let type_params = self.params();
        let first = self.ty();
        let constructs = first.parts[0].0 == class && self.peeks("(");
        let (result, name) =
            if constructs { (None, "<init>".to_owned()) } else { (Some(first), self.word()) };
        let mut member =
            Member { words, type_params, result, name, params: None, varargs: false, throws: Vec::new() };
        if self.eats("(") {
            member.params = Some(self.arguments(&mut member.varargs));
        }
        if self.eats("throws") {
            member.throws = self.types();
        }
        self.wants(";");
        member
    }

    fn arguments(&mut self, varargs: &mut bool) -> Vec<(Type, String)> {
        let mut found = Vec::new();
        while !self.eats(")") {
            let mut ty = self.ty();
            if self.eats(".") {
                self.wants(".");
                self.wants(".");
                *varargs = true;
                ty.dimensions += 1;
            }
            found.push((ty, self.word()));
            self.eats(",");
        }
        found
    }

    fn params(&mut self) -> Vec<Param> {
        let mut found = Vec::new();
        if !self.eats("<") {
            return found;
        }
        while !self.eats(">") {
            let mut param = Param { name: self.word(), bounds: Vec::new() };
            if self.eats("extends") {
                param.bounds.push(self.ty());
                while self.eats("&") {
                    param.bounds.push(self.ty());
                }
            }
            found.push(param);
            self.eats(",");
        }
        found
    }

    fn types(&mut self) -> Vec<Type> {
        let mut found = vec![self.ty()];
        while self.eats(",") {
            found.push(self.ty());
        }
        found
    }

    fn ty(&mut self) -> Type {
        let mut found = Type { parts: vec![(self.word(), self.args())], dimensions: 0 };
        while self.peeks_name_after_dot() {
            self.wants(".");
            let part = (self.word(), self.args());
            found.parts.push(part);
        }
        while self.eats("[") {
            self.wants("]");
            found.dimensions += 1;
        }
        found
    }

    /// Tells `a.b` from the dots of `T... rest`.
    fn peeks_name_after_dot(&mut self) -> bool {
        let mut ahead = self.tokens.clone();
        ahead.next().as_deref() == Some(".") && ahead.next().is_some_and(|next| next != ".")
    }

    fn args(&mut self) -> Vec<Arg> {
        let mut found = Vec::new();
        if !self.eats("<") {
            return found;
        }
        while !self.eats(">") {
            let arg = if !self.eats("?") {
                Arg::Exact(self.ty())
            } else if self.eats("extends") {
                Arg::Extends(self.ty())
            } else if self.eats("super") {
                Arg::Super(self.ty())
            } else {
                Arg::Any
            };
            found.push(arg);
            self.eats(",");
        }
        found
    }
}
