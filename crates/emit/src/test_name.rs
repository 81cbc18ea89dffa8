//! Names of tests: what is called, under which circumstances, and what comes of it.
//!
//! `removeFirst_onEmptyList_throwsNoSuchElementException`: the circumstances are as few as tell a test from its
//! neighbours; where two tests would get the same name, more is said, and only at last are they counted.

use std::collections::{BTreeMap, BTreeSet};

use jurat_model::{
    Action, Check, ClassId, JavaString, JavaType, LambdaBody, Literal, Observed, OpId, Operation,
    OperationKind, Sequence, Subject, Test, Var,
};

use crate::class_file::detail;
use crate::locals::capitalized;

/// How many arguments a name speaks of.
const ARGUMENTS: usize = 3;
/// How many plain values a name speaks of only to say something of the situation.
const SITUATION: usize = 2;
/// The longest word taken over from a value.
const LONGEST_WORD: usize = 24;
/// The longest word for how a value was made.
const LONGEST_ORIGIN: usize = 24;
/// Numbers with more digits are not spelled out.
const LONGEST_NUMBER: usize = 7;
/// Longer names say less.
const LONGEST_NAME: usize = 100;
/// How many ways of saying it there are, each more detailed than the one before.
const LEVELS: usize = 4;

/// Names for the tests of one class, in their order, no two the same.
pub(crate) fn names(subject: &Subject, class: ClassId, tests: &[&Test]) -> Vec<String> {
    let mut stories: Vec<Story> = tests.iter().map(|test| Story::of(subject, class, test)).collect();
    for level in 1..LEVELS {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (position, story) in stories.iter().enumerate() {
            by_name.entry(story.name()).or_default().push(position);
        }
        for same in by_name.into_values().filter(|same| same.len() > 1) {
            tell_apart(&mut stories, &same, level);
        }
    }
    let mut taken = BTreeSet::new();
    stories.iter().map(|story| unique(&story.name(), &mut taken)).collect()
}

/// Has tests with the same name say in what their arguments differ: overloads by type, others by value.
fn tell_apart(stories: &mut [Story], same: &[usize], level: usize) {
    let by_type = differing(stories, same, |argument| &argument.ty);
    let (positions, shown) = if level == 1 && !by_type.is_empty() {
        (by_type, Shown::Type)
    } else {
        (differing(stories, same, |argument| &argument.value), Shown::Value)
    };
    for at in same {
        for position in &positions {
            if let Some(argument) = stories[*at].arguments.get_mut(*position) {
                argument.shown = argument.shown.max(shown);
            }
        }
    }
    for at in same {
        stories[*at].level = level;
    }
}

/// The positions at which the arguments of some tests are not all described by the same word.
fn differing(stories: &[Story], same: &[usize], word: fn(&Argument) -> &String) -> Vec<usize> {
    let most = same.iter().map(|at| stories[*at].arguments.len()).max().unwrap_or_default();
    let differs = |position: &usize| {
        let words: BTreeSet<Option<&String>> =
            same.iter().map(|at| stories[*at].arguments.get(*position).map(word)).collect();
        words.len() > 1
    };
    (0..most).filter(differs).collect()
}

fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.expect("numbers never run out");
    taken.insert(free.clone());
    free
}

/// How much a name says of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Nothing,
    Type,
    Value,
}

/// What a name can tell of an argument.
struct Argument {
    value: String,
    ty: String,
    shown: Shown,
}

/// What a name can tell of a test.
struct Story {
    /// The nested class it is about, if that is tested with the class around it.
    detail: Option<String>,
    verb: String,
    state: Option<String>,
    repetition: Option<&'static str>,
    arguments: Vec<Argument>,
    history: Option<String>,
    origin: Option<String>,
    ending: String,
    full_ending: String,
    level: usize,
}

impl Story {
    fn of(subject: &Subject, class: ClassId, test: &Test) -> Self {
        let teller = Teller { subject, sequence: &test.sequence, test };
        let operation = &subject[test.focus];
        let calls: Vec<(Var, &[Var])> = test
            .sequence
            .calls()
            .filter(|(_, op, _)| *op == test.focus)
            .map(|(var, _, inputs)| (var, inputs))
            .collect();
        let (var, inputs) = calls.last().map_or((None, &[][..]), |(var, inputs)| (Some(*var), *inputs));
        let receiver = inputs.first().filter(|_| operation.kind.has_receiver()).copied();
        let args = &inputs[usize::from(operation.receiver.is_some()).min(inputs.len())..];
        let mut story = Self {
            detail: detail(subject, class, test).map(|nested| nested_name(subject, class, nested)),
            verb: Teller::verb(operation),
            state: var.zip(receiver).and_then(|(var, receiver)| teller.state(receiver, var)),
            repetition: teller.repetition(&calls),
            arguments: teller.arguments(operation, args, receiver),
            history: var.and_then(|var| teller.history(var, receiver)),
            origin: receiver.and_then(|receiver| teller.origin(receiver)),
            ending: teller.ending(var, receiver, false),
            full_ending: teller.ending(var, receiver, true),
            level: 0,
        };
        if test.thrown.is_some() || story.is_vague() {
            story.add_situation(&teller, args);
        }
        story
    }

    /// Whether its end alone would leave the reader with nothing.
    fn is_vague(&self) -> bool {
        ["Text", "Value", "completes"].iter().any(|vague| self.ending.ends_with(vague))
    }

    /// Has the name say with which plain values it happens, or after which call, where it would say nothing of that.
    fn add_situation(&mut self, teller: &Teller<'_>, args: &[Var]) {
        let is_said = |argument: &Argument| argument.shown > Shown::Nothing;
        if self.state.is_some() || self.repetition.is_some() || self.arguments.iter().any(is_said) {
            return;
        }
        let plain = self.arguments.iter_mut().zip(args).filter(|(_, var)| teller.is_plain(**var));
        plain.take(SITUATION).for_each(|(argument, _)| argument.shown = Shown::Value);
        if self.arguments.is_empty() && self.history.is_some() {
            self.level = 2;
        }
    }

    fn name(&self) -> String {
        let mut parts: Vec<String> = self.detail.iter().cloned().collect();
        parts.push(self.verb.clone());
        match &self.origin {
            Some(origin) if self.level > 2 => parts.push(format!("on{origin}")),
            _ => parts.extend(self.state.iter().map(|state| format!("on{state}"))),
        }
        parts.extend(self.repetition.map(str::to_owned));
        let circumstances = parts.len();
        let told: Vec<&str> = self.arguments.iter().filter_map(Argument::told).take(ARGUMENTS).collect();
        if !told.is_empty() {
            parts.push(format!("with{}", told.join("And")));
        }
        if self.level > 1 {
            parts.extend(self.history.iter().map(|call| format!("after{call}")));
        }
        parts.push(if self.level > 2 { self.full_ending.clone() } else { self.ending.clone() });
        let name = parts.join("_");
        if name.len() <= LONGEST_NAME {
            return name;
        }
        let end = parts.len() - 1;
        parts.drain(circumstances..end);
        parts.join("_")
    }
}

impl Argument {
    fn told(&self) -> Option<&str> {
        let told = match self.shown {
            Shown::Nothing => return None,
            Shown::Type => &self.ty,
            Shown::Value => &self.value,
        };
        (!told.is_empty()).then_some(told)
    }
}

struct Teller<'a> {
    subject: &'a Subject,
    sequence: &'a Sequence,
    test: &'a Test,
}

impl Teller<'_> {
    fn verb(operation: &Operation) -> String {
        match operation.kind {
            OperationKind::Constructor => "constructor".into(),
            OperationKind::StaticSet | OperationKind::InstanceSet => {
                format!("set{}", capitalized(&identifier(&operation.name)))
            }
            _ => identifier(&operation.name),
        }
    }

    /// What is known of the receiver before the call: that nothing was put into it.
    fn state(&self, receiver: Var, call: Var) -> Option<String> {
        let Action::Call { instance, inputs } = &self.sequence.statement(receiver).action else {
            return None;
        };
        let operation = &self.subject[instance.operation];
        let is_new = operation.is_constructor() && inputs.is_empty();
        let is_used = self.sequence.calls().any(|(var, _, inputs)| var < call && inputs.contains(&receiver));
        let class = operation.owner;
        (is_new && !is_used && self.can_be_empty(class)).then(|| format!("Empty{}", self.noun(class)))
    }

    fn can_be_empty(&self, class: ClassId) -> bool {
        let classes = self.subject.classes();
        let ancestors = classes.ancestors(class).iter().map(|ancestor| ancestor.class);
        let mut operations = ancestors.flat_map(|class| self.subject.operations_of(class));
        operations.any(|op| {
            let operation = &self.subject[*op];
            matches!(&*operation.name, "isEmpty" | "size") && operation.params.is_empty()
        })
    }

    /// What people call an instance of the class.
    fn noun(&self, class: ClassId) -> String {
        let classes = self.subject.classes();
        let common = [
            ("java/util/List", "List"),
            ("java/util/Map", "Map"),
            ("java/util/Set", "Set"),
            ("java/util/Queue", "Queue"),
        ];
        let known = common
            .into_iter()
            .find(|(name, _)| classes.find(name).is_some_and(|general| classes.is_subclass(class, general)));
        known.map_or_else(|| identifier(&self.subject[class].simple_name), |(_, noun)| noun.to_owned())
    }

    /// How often the same call was made on the same receiver.
    fn repetition(&self, calls: &[(Var, &[Var])]) -> Option<&'static str> {
        let (_, last) = calls.last()?;
        let same = calls.iter().filter(|(_, inputs)| {
            inputs.len() == last.len()
                && inputs.iter().zip(*last).all(|(one, other)| self.is_same(*one, *other))
        });
        match same.count() {
            0 | 1 => None,
            _ if last.is_empty() => None,
            2 => Some("twice"),
            3 => Some("threeTimes"),
            _ => Some("repeatedly"),
        }
    }

    fn is_same(&self, one: Var, other: Var) -> bool {
        let literal = |var| matches!(self.sequence.statement(var).action, Action::Literal(_));
        one == other
            || literal(one) && self.sequence.statement(one).action == self.sequence.statement(other).action
    }

    /// All arguments; those that catch the eye, as null, what is empty or negative, are always told.
    fn arguments(&self, operation: &Operation, args: &[Var], receiver: Option<Var>) -> Vec<Argument> {
        let told = args.iter().enumerate().map(|(position, var)| {
            let ty = operation.params.get(position).map(|param| self.type_word(param)).unwrap_or_default();
            if Some(*var) == receiver {
                return Argument { value: "Itself".into(), ty, shown: Shown::Value };
            }
            let quality = self.quality(*var);
            let catches_eye =
                quality.as_ref().is_some_and(|quality| !matches!(&**quality, "Zero" | "True" | "False"));
            let value = match quality {
                Some(quality) => self.with_noun(&quality, operation, position, *var),
                None => self.value(*var),
            };
            Argument { value, ty, shown: if catches_eye { Shown::Value } else { Shown::Nothing } }
        });
        told.collect()
    }

    /// Whether a value is a literal for which there is a word.
    fn is_plain(&self, var: Var) -> bool {
        match &self.sequence.statement(var).action {
            Action::Literal(literal @ (Literal::String(_) | Literal::Char(_))) => {
                !matches!(&*self.literal_word(literal), "Text" | "Char")
            }
            Action::Literal(literal) => number_word(literal).is_some_and(|word| word.len() <= LONGEST_NUMBER),
            _ => false,
        }
    }

    /// How a value was made, if by a call of plain values: `IsNot0`.
    fn origin(&self, var: Var) -> Option<String> {
        let Action::Call { instance, inputs } = &self.sequence.statement(var).action else { return None };
        let operation = &self.subject[instance.operation];
        let maker = match operation.kind {
            OperationKind::Constructor => self.type_word(self.sequence.type_of(var)),
            OperationKind::EnumConstant | OperationKind::StaticGet => return Some(camel(&operation.name)),
            // What a class makes of itself is known by the maker's name.
            OperationKind::StaticMethod
                if self.sequence.type_of(var).class_id() == Some(operation.owner)
                    && self.subject[operation.owner].under_test =>
            {
                capitalized(&Self::verb(operation))
            }
            _ => return None,
        };
        let plain = inputs.iter().filter(|input| self.is_plain(**input)).map(|input| self.value(*input));
        let told = format!("{maker}{}", plain.collect::<Vec<_>>().join("And"));
        Some(if told.len() <= LONGEST_ORIGIN { told } else { maker })
    }

    /// `NullKey` where there are several parameters with names, else `Null`.
    fn with_noun(&self, quality: &str, operation: &Operation, position: usize, var: Var) -> String {
        let name = operation.param_names.get(position).filter(|name| says_something(name));
        match name {
            Some(name) => format!("{quality}{}", capitalized(&identifier(name))),
            None if operation.params.len() > 1 || matches!(quality, "Empty" | "Blank") => {
                format!("{quality}{}", self.type_word(self.sequence.type_of(var)))
            }
            None => quality.to_owned(),
        }
    }

    /// What is remarkable about a value.
    fn quality(&self, var: Var) -> Option<String> {
        let quality = match &self.sequence.statement(var).action {
            Action::Literal(literal) => literal_quality(literal)?,
            Action::Array { elements } if elements.is_empty() => "Empty",
            _ => return None,
        };
        Some(quality.to_owned())
    }

    /// A word for a value about which nothing is remarkable.
    fn value(&self, var: Var) -> String {
        match &self.sequence.statement(var).action {
            Action::Literal(literal) => self.literal_word(literal),
            Action::Call { instance, .. } => {
                let operation = &self.subject[instance.operation];
                match operation.kind {
                    OperationKind::EnumConstant | OperationKind::StaticGet => camel(&operation.name),
                    _ => self.origin(var).unwrap_or_else(|| self.type_word(self.sequence.type_of(var))),
                }
            }
            Action::Lambda(LambdaBody::Echoes(_)) => "Identity".into(),
            Action::Array { elements } => {
                format!("{}{}", elements.len(), plural_word(&self.element_word(var)))
            }
            _ => self.type_word(self.sequence.type_of(var)),
        }
    }

    fn element_word(&self, var: Var) -> String {
        match self.sequence.type_of(var) {
            JavaType::Array(component) => self.type_word(component),
            other => self.type_word(other),
        }
    }

    fn literal_word(&self, literal: &Literal) -> String {
        match literal {
            Literal::String(text) => word(text).unwrap_or_else(|| "Text".into()),
            Literal::Char(unit) => char::from_u32(u32::from(*unit))
                .filter(char::is_ascii_alphanumeric)
                .map_or_else(|| "Char".into(), |letter| letter.to_ascii_uppercase().to_string()),
            Literal::Class(named) => format!("{}Class", self.type_word(named)),
            _ => number_word(literal).unwrap_or_else(|| "Value".into()),
        }
    }

    fn type_word(&self, ty: &JavaType) -> String {
        match ty {
            JavaType::Primitive(primitive) => capitalized(primitive.keyword()),
            JavaType::Class(class_type) => identifier(&self.subject[class_type.class].simple_name),
            JavaType::Array(component) => format!("{}Array", self.type_word(component)),
            _ => "Value".into(),
        }
    }

    /// The call before, on the same receiver if there is one.
    fn history(&self, call: Var, receiver: Option<Var>) -> Option<String> {
        let before = self.sequence.calls().filter(|(var, _, inputs)| {
            *var < call && receiver.is_none_or(|receiver| inputs.first() == Some(&receiver))
        });
        let (_, op, _) = before.last()?;
        let operation = &self.subject[op];
        (operation.kind.is_method() || operation.kind.is_set()).then(|| capitalized(&Self::verb(operation)))
    }

    fn ending(&self, call: Option<Var>, receiver: Option<Var>, is_full: bool) -> String {
        if let Some(thrown) = &self.test.thrown {
            return format!("throws{}", identifier(&self.subject[thrown.asserted].simple_name));
        }
        let broken = self.test.checks.iter().find_map(|check| match check {
            Check::Law { broken: Some(broken), .. } => Some(&broken.word),
            _ => None,
        });
        if let Some(word) = broken {
            return identifier(word);
        }
        let of_result = self.test.checks.iter().find_map(|check| match check {
            Check::Result { var, expected } if Some(*var) == call => {
                Some(format!("returns{}", self.observed(expected)))
            }
            Check::Same { var, other } if Some(*var) == call => Some(if Some(*other) == receiver {
                "returnsItself".into()
            } else {
                format!("returnsSame{}", self.type_word(self.sequence.type_of(*other)))
            }),
            Check::NotNull { var } if Some(*var) == call => Some(self.returns_type(*var)),
            _ => None,
        });
        let states = self.states(call);
        match (of_result, states) {
            (Some(result), Some(state)) if is_full => format!("{result}_{state}"),
            (Some(result), _) => result,
            (None, Some(state)) => state,
            (None, None) => match call.filter(|call| !self.sequence.type_of(*call).is_void()) {
                Some(call) => self.returns_type(call),
                None => "completes".into(),
            },
        }
    }

    fn returns_type(&self, call: Var) -> String {
        format!("returns{}", self.type_word(self.sequence.type_of(call)))
    }

    /// The first thing observed at the end; the whole as text only if nothing else is.
    fn states(&self, call: Option<Var>) -> Option<String> {
        let as_text = |check: &Check| match check {
            Check::State { observer, .. } => &*self.subject[*observer].name == "toString",
            _ => false,
        };
        let (texts, others): (Vec<&Check>, Vec<&Check>) =
            self.test.checks.iter().partition(|check| as_text(check));
        others.into_iter().chain(texts).find_map(|check| match check {
            // "The text is a text" says nothing.
            Check::State { receiver, .. } if self.argument_word(*receiver, call).is_some() => {
                let word = self.argument_word(*receiver, call)?;
                Some(self.argument_state(&word, check))
            }
            Check::State { expected, .. } if as_text(check) && is_wordless(expected) => None,
            Check::State { receiver, expected, .. } if as_text(check) && self.is_given(*receiver, call) => {
                Some(format!("returns{}", self.observed(expected)))
            }
            Check::State { observer, expected, .. } => Some(self.state_word(*observer, expected)),
            Check::Contents { expected, .. } => Some(format!("leaves{}", self.observed(expected))),
            _ => None,
        })
    }

    /// Whether a value is what the method under test gave.
    fn is_given(&self, var: Var, call: Option<Var>) -> bool {
        Some(var) == call && !self.subject[self.test.focus].is_constructor()
    }

    /// What an argument of the method under test is called, if a value is one.
    fn argument_word(&self, var: Var, call: Option<Var>) -> Option<String> {
        let Action::Call { instance, inputs } = &self.sequence.statement(call?).action else { return None };
        let operation = &self.subject[instance.operation];
        let shift = usize::from(operation.receiver.is_some());
        let position = inputs.iter().skip(shift).position(|input| *input == var)?;
        if shift == 1 && inputs.first() == Some(&var) {
            return None;
        }
        let name = operation.param_names.get(position).filter(|name| says_something(name));
        let word = name.map(|name| identifier(name));
        Some(word.unwrap_or_else(|| decapitalized(&self.type_word(self.sequence.type_of(var)))))
    }

    /// What the method under test did to an argument: `bufferIsAbc`, `changesBuffer`.
    fn argument_state(&self, argument: &str, check: &Check) -> String {
        match check {
            Check::State { observer, expected, .. }
                if &*self.subject[*observer].name == "toString" && !is_wordless(expected) =>
            {
                format!("{argument}Is{}", self.observed(expected))
            }
            _ => format!("changes{}", capitalized(argument)),
        }
    }

    fn state_word(&self, observer: OpId, expected: &Observed) -> String {
        let name = match &*self.subject[observer].name {
            "toString" => "text".to_owned(),
            name => identifier(name),
        };
        let is_question = |prefix: &str| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_uppercase()))
        };
        match expected {
            Observed::Literal(Literal::Boolean(true)) if is_question("is") || is_question("has") => name,
            Observed::Literal(Literal::Boolean(false)) if is_question("is") => {
                format!("isNot{}", &name["is".len()..])
            }
            Observed::Literal(Literal::Boolean(false)) if is_question("has") => {
                format!("hasNo{}", &name["has".len()..])
            }
            _ => {
                let noun =
                    if is_question("get") { decapitalized(&name["get".len()..]) } else { name.clone() };
                format!("{noun}Is{}", self.observed(expected))
            }
        }
    }

    fn observed(&self, value: &Observed) -> String {
        match value {
            Observed::Literal(literal) => match (literal, literal_quality(literal)) {
                (Literal::String(_), Some(quality)) => format!("{quality}String"),
                (_, Some(quality @ ("Null" | "True" | "False" | "Zero" | "NaN"))) => quality.into(),
                _ => self.literal_word(literal),
            },
            Observed::Enum(constant) => camel(&self.subject[*constant].name),
            Observed::Array { elements, .. } if elements.is_empty() => "EmptyArray".into(),
            Observed::Array { elements, .. } => format!("ArrayOf{}", elements.len()),
            Observed::List(elements) if elements.is_empty() => "EmptyList".into(),
            Observed::List(elements) => format!("ListOf{}", elements.len()),
            Observed::Set(elements) if elements.is_empty() => "EmptySet".into(),
            Observed::Set(elements) => format!("SetOf{}", elements.len()),
            Observed::Optional(None) => "EmptyOptional".into(),
            Observed::Optional(Some(held)) => format!("OptionalOf{}", self.observed(held)),
        }
    }
}

/// Whether a parameter has a name that people gave it for others to read.
fn says_something(name: &str) -> bool {
    name.len() > 2 && !name.starts_with("arg")
}

/// Whether a text has nothing that a name could say of it.
fn is_wordless(expected: &Observed) -> bool {
    matches!(expected, Observed::Literal(literal @ Literal::String(text))
        if literal_quality(literal).is_none() && word(text).is_none())
}

/// What is remarkable about a literal.
fn literal_quality(literal: &Literal) -> Option<&'static str> {
    let of_fraction = |value: f64| {
        if value.is_nan() {
            Some("NaN")
        } else if value.is_infinite() {
            Some(if value > 0.0 { "Infinite" } else { "NegativeInfinite" })
        } else if value == 0.0 {
            Some("Zero")
        } else {
            (value < 0.0).then_some("Negative")
        }
    };
    let of_whole = |value: i64, least: i64, most: i64| match value {
        0 => Some("Zero"),
        _ if value == least => Some("MinValue"),
        _ if value == most => Some("MaxValue"),
        _ => (value < 0).then_some("Negative"),
    };
    match literal {
        Literal::Null => Some("Null"),
        Literal::Boolean(true) => Some("True"),
        Literal::Boolean(false) => Some("False"),
        Literal::Byte(value) => of_whole((*value).into(), i8::MIN.into(), i8::MAX.into()),
        Literal::Short(value) => of_whole((*value).into(), i16::MIN.into(), i16::MAX.into()),
        Literal::Int(value) => of_whole((*value).into(), i32::MIN.into(), i32::MAX.into()),
        Literal::Long(value) => of_whole(*value, i64::MIN, i64::MAX),
        Literal::Float(bits) => of_fraction(f32::from_bits(*bits).into()),
        Literal::Double(bits) => of_fraction(f64::from_bits(*bits)),
        Literal::String(text) if text.units().is_empty() => Some("Empty"),
        Literal::String(text) if text.units().iter().all(|unit| matches!(unit, 9..=13 | 32)) => Some("Blank"),
        Literal::String(_) | Literal::Char(_) | Literal::Class(_) => None,
    }
}

/// `5`, `Minus5`, `MaxValue`.
fn number_word(literal: &Literal) -> Option<String> {
    let whole =
        |value: i64| if value < 0 { format!("Minus{}", value.unsigned_abs()) } else { value.to_string() };
    match literal {
        Literal::Byte(value) => Some(whole((*value).into())),
        Literal::Short(value) => Some(whole((*value).into())),
        Literal::Int(i32::MIN) | Literal::Long(i64::MIN) => Some("MinValue".into()),
        Literal::Int(i32::MAX) | Literal::Long(i64::MAX) => Some("MaxValue".into()),
        Literal::Int(value) => Some(whole((*value).into())),
        Literal::Long(value) => Some(whole(*value)),
        Literal::Float(bits) => fraction_word(f32::from_bits(*bits).into()),
        Literal::Double(bits) => fraction_word(f64::from_bits(*bits)),
        _ => None,
    }
}

/// `2`, `Minus0Point5`; none for numbers with many digits.
fn fraction_word(value: f64) -> Option<String> {
    let text = value.abs().to_string();
    let sign = if value < 0.0 { "Minus" } else { "" };
    (text.len() <= 6 && value.is_finite()).then(|| format!("{sign}{}", text.replace('.', "Point")))
}

/// A short text of words as one word; none if letters and digits are not what it is made of.
fn word(text: &JavaString) -> Option<String> {
    let text = text.to_text()?;
    let text = spoken(within_brackets(&text));
    let is_wordy = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '_' | '-');
    if text.len() > LONGEST_WORD || !text.chars().all(is_wordy) || text.starts_with('-') {
        return None;
    }
    let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let joined: String = parts.map(capitalized).collect();
    (!joined.is_empty()).then_some(joined)
}

/// `1, 2` for `[1, 2]`.
fn within_brackets(text: &str) -> &str {
    let pairs = [('[', ']'), ('(', ')')];
    let bare = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    bare.unwrap_or(text)
}

/// Marks next to digits as people say them: `0Point5` for `0.5`, `1Over2` for `1/2`, `Minus3` for `-3`.
fn spoken(text: &str) -> String {
    let is_digit =
        |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let is_word =
        |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let mut spoken = String::new();
    for (at, letter) in text.char_indices() {
        let (before, after) = (at.checked_sub(1), at.checked_add(1));
        let said = match letter {
            '.' if is_digit(before) && is_digit(after) => "Point",
            '/' if is_digit(before) && is_digit(after) => "Over",
            '-' if !is_word(before) && is_digit(after) => "Minus",
            '%' if is_digit(before) => "Percent",
            ',' if is_word(before) && text[at..].contains(|later: char| later.is_ascii_alphanumeric()) => {
                "And"
            }
            _ => {
                spoken.push(letter);
                continue;
            }
        };
        spoken.push_str(said);
    }
    spoken
}

/// `OutOfStock` for `OUT_OF_STOCK`.
fn camel(constant: &str) -> String {
    let is_shouted = !constant.chars().any(char::is_lowercase);
    let parts = constant.split('_').filter(|part| !part.is_empty());
    let told: String = parts
        .map(|part| if is_shouted { capitalized(&part.to_lowercase()) } else { capitalized(part) })
        .collect();
    identifier(&told)
}

fn plural_word(word: &str) -> String {
    format!("{word}s")
}

fn decapitalized(name: &str) -> String {
    crate::locals::decapitalized(name)
}

/// What tests of a class that is nested in another call it: `innerNode` for `Inner.Node`.
fn nested_name(subject: &Subject, class: ClassId, nested: ClassId) -> String {
    let (outer, name) = (&subject[class].source_name, &subject[nested].source_name);
    let path = name.strip_prefix(&**outer).unwrap_or(name).split('.').filter(|part| !part.is_empty());
    let name = decapitalized(&path.map(|part| capitalized(&identifier(part))).collect::<String>());
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("class{name}") } else { name }
}

/// The name without what would look odd in a test's name.
fn identifier(name: &str) -> String {
    let kept: String = name.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    if kept.is_empty() { "value".into() } else { kept }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jurat_model::{Demand, SequenceBuilder, Thrown};
    use jurat_testkit::{subject, ty};

    use super::*;

    /// A test that calls a static method of `Style` with these literals; it throws if the method should.
    fn calling(subject: &Subject, overload: usize, literals: &[Literal], throws: bool) -> Test {
        let class = ty(subject, "Style").class_id().expect("a class");
        let focus = subject.operations_of(class)[overload];
        let mut builder = SequenceBuilder::default();
        let params = &subject[focus].params;
        let inputs: Vec<Var> = literals
            .iter()
            .zip(params)
            .map(|(literal, param)| builder.push(Action::Literal(literal.clone()), param.clone()))
            .collect();
        let given: Vec<Option<JavaType>> = params.iter().cloned().map(Some).collect();
        let demand = Demand { inputs: &given, ..Demand::default() };
        let instance = Arc::new(subject.instantiate(focus, &demand).expect("it fits"));
        builder.push(Action::Call { instance, inputs }, JavaType::Void);
        let asserted = subject.classes().throwable();
        let thrown = throws.then_some(Thrown { asserted });
        Test { sequence: builder.build(), focus, checks: Vec::new(), thrown }
    }

    #[test]
    fn what_is_tested_with_the_class_around_it_is_named_after_its_own() {
        let subject = subject(
            "class Style { static void put(int a); static class Ink { static void put(int a); } \
             hidden static class Pen { static void put(int a); hidden static class Tip { static void put(int a); } } }",
        );
        let classes = ["Style", "Style.Pen", "Style.Pen.Tip", "Style.Ink"];
        let classes = classes.map(|name| ty(&subject, name).class_id().expect("a class"));
        let named = |at: usize| {
            let focus = subject.operations_of(classes[at])[0];
            let test = Test { focus, ..calling(&subject, 0, &[Literal::Int(7)], false) };
            names(&subject, classes[0], &[&test]).remove(0)
        };
        assert_eq!(named(0), "put_with7_completes");
        assert_eq!(named(1), "pen_put_completes");
        assert_eq!(named(2), "penTip_put_completes");
        let [style, .., ink] = classes;
        assert_eq!(classes.map(|class| subject.tested_with(class)), [style, style, style, ink]);
    }

    fn told_apart(tests: &[(usize, &[Literal], bool)]) -> Vec<String> {
        let subject =
            subject("class Style { static void put(int a, int b); static void put(int a, long b); }");
        let tests: Vec<Test> = tests
            .iter()
            .map(|(overload, with, throws)| calling(&subject, *overload, with, *throws))
            .collect();
        let class = subject.classes().find("Style").expect("it is declared");
        names(&subject, class, &tests.iter().collect::<Vec<_>>())
    }

    #[test]
    fn overloads_are_told_apart_by_the_type_in_which_they_differ() {
        let (int, long) = ([Literal::Int(-1), Literal::Int(2)], [Literal::Int(-1), Literal::Long(2)]);
        let names = told_apart(&[(0, &int, true), (1, &long, true)]);
        assert!(names[0].ends_with("AndInt_throwsThrowable"), "{names:?}");
        assert!(names[1].ends_with("AndLong_throwsThrowable"), "{names:?}");
    }

    #[test]
    fn calls_of_one_method_are_told_apart_by_the_value_in_which_they_differ() {
        let (two, three) = ([Literal::Int(-1), Literal::Int(2)], [Literal::Int(-1), Literal::Int(3)]);
        let names = told_apart(&[(0, &two, false), (0, &three, false)]);
        assert!(names[0].ends_with("And2_completes") && names[1].ends_with("And3_completes"), "{names:?}");
    }

    #[test]
    fn what_throws_says_with_which_values() {
        let names = told_apart(&[(0, &[Literal::Int(7), Literal::Int(5)], true)]);
        assert_eq!(names, ["put_with7And5_throwsThrowable"]);
    }

    fn told(text: &str) -> Option<String> {
        word(&JavaString::from(text))
    }

    #[test]
    fn short_texts_of_words_and_numbers_become_a_word() {
        assert_eq!(told("0.05 EUR").as_deref(), Some("0Point05EUR"));
        assert_eq!(told("out of stock").as_deref(), Some("OutOfStock"));
        assert_eq!(told("-1/2").as_deref(), Some("Minus1Over2"));
        assert_eq!(told("[a, b]").as_deref(), Some("AAndB"));
        assert_eq!(told("a,"), None);
        assert_eq!(told("7%").as_deref(), Some("7Percent"));
        assert_eq!(told("{a=1}"), None);
        assert_eq!(told(". 5"), None);
    }
}
