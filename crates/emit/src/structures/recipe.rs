//! Writes the steps of a recipe as Java statements.

use std::collections::{BTreeMap, BTreeSet};

use jurat_model::{
    ClassId, ClassKind, JavaType, Literal, NameScope, Obstacle, OpId, OperationKind, Subject, is_identifier,
};

use super::{Recipe, Step, Term};
use crate::layout::BREAK;
use crate::literal::{self, Width};

/// Methods of our own that a test class needs: for what Java code cannot reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    Make,
    Allocate,
    Set,
    Holds,
}

/// Which of them are used.
pub(super) type Helpers = BTreeSet<Helper>;

/// The statements that make one structure.
#[derive(Debug)]
pub(super) struct Made {
    /// Statements, with marks where lines may be broken.
    pub(super) lines: Vec<String>,
    /// The variable that holds what each step made.
    pub(super) names: Vec<String>,
    /// Whether a statement may throw what has to be declared.
    pub(super) throws: bool,
}

/// Writes recipes into one file.
pub(super) struct Writer<'w, 's> {
    subject: &'s Subject,
    scope: &'w mut NameScope<'s>,
    helpers: &'w mut Helpers,
    lines: Vec<String>,
    names: Vec<String>,
    /// The type that the variable of each step is declared with; none if it is `Object` for want of a name.
    types: Vec<Option<JavaType>>,
    throws: bool,
}

impl<'w, 's> Writer<'w, 's> {
    pub(super) fn new(subject: &'s Subject, scope: &'w mut NameScope<'s>, helpers: &'w mut Helpers) -> Self {
        let (lines, names, types) = (Vec::new(), Vec::new(), Vec::new());
        Self { subject, scope, helpers, lines, names, types, throws: false }
    }

    /// The statements of a recipe, or why there are none.
    pub(super) fn write(mut self, recipe: &Recipe) -> Result<Made, Obstacle> {
        self.names = variable_names(self.subject, recipe);
        for (position, step) in recipe.steps.iter().enumerate() {
            let ty = self.step(step, position)?;
            self.types.push(ty);
        }
        Ok(Made { lines: self.lines, names: self.names, throws: self.throws })
    }

    fn step(&mut self, step: &Step, position: usize) -> Result<Option<JavaType>, Obstacle> {
        match step {
            Step::New { class, descriptor, args } => self.construct(position, class, descriptor, args),
            Step::Allocate { class } => {
                self.helpers.insert(Helper::Allocate);
                self.reflective(position, class, "allocate")
            }
            Step::Array { element, elements } => self.array(position, element, elements),
            Step::Call { class, name, descriptor, receiver, args } => {
                let method = self.operation(class, OperationKind::is_method, name, descriptor)?;
                self.note_throws(method);
                let args = self.args(method, args)?;
                self.lines.push(format!("{}.{name}({args});", self.names[*receiver]));
                Ok(None)
            }
            Step::Set { object, class, field, descriptor, value } => {
                self.set(*object, class, field, descriptor, value)?;
                Ok(None)
            }
            Step::Store { array, index, value } => {
                let name = self.names[*array].clone();
                let text = self.term(value)?;
                let line = if self.types[*array].is_some() && self.is_typed(value) {
                    format!("{name}[{index}] = {text};")
                } else {
                    let array = self.scope.named("java.lang.reflect.Array");
                    format!("{array}.set({name}, {index}, {text});")
                };
                self.lines.push(line);
                Ok(None)
            }
        }
    }

    fn construct(
        &mut self,
        position: usize,
        class: &str,
        descriptor: &str,
        args: &[Term],
    ) -> Result<Option<JavaType>, Obstacle> {
        let constructor =
            self.operation(class, |kind| kind == OperationKind::Constructor, "<init>", descriptor);
        match (constructor, args) {
            (Ok(constructor), _) => {
                self.note_throws(constructor);
                let ty = JavaType::class(self.subject[constructor].owner);
                let type_text = self.scope.type_text(&ty)?;
                let args = self.args(constructor, args)?;
                self.lines
                    .push(format!("{type_text} {} = {BREAK}new {type_text}({args});", self.names[position]));
                Ok(Some(ty))
            }
            (Err(_), []) => {
                self.helpers.insert(Helper::Make);
                self.reflective(position, class, "make")
            }
            (Err(why), _) => Err(why),
        }
    }

    /// An object whose class or constructor is out of reach: `Object node = make("tree.Tree$Node");`
    fn reflective(
        &mut self,
        position: usize,
        class: &str,
        helper: &str,
    ) -> Result<Option<JavaType>, Obstacle> {
        self.throws = true;
        let ty = self.subject.classes().find(class).map(JavaType::class);
        let ty = ty.filter(|ty| self.subject.classes().check_type(ty, self.scope.package()).is_ok());
        let (declared, cast) = match &ty {
            Some(ty) => {
                let text = self.scope.type_text(ty)?;
                (text.clone(), format!("({text}) "))
            }
            None => (self.scope.named("java.lang.Object"), String::new()),
        };
        let binary = class.replace('/', ".");
        self.lines
            .push(format!("{declared} {} = {BREAK}{cast}{helper}(\"{binary}\");", self.names[position]));
        Ok(ty)
    }

    fn array(
        &mut self,
        position: usize,
        element: &str,
        elements: &[Term],
    ) -> Result<Option<JavaType>, Obstacle> {
        let name = self.names[position].clone();
        let ty = self.subject.classes().type_with_descriptor(element);
        let ty = ty.filter(|ty| self.subject.classes().check_type(ty, self.scope.package()).is_ok());
        let Some(ty) = ty else {
            self.throws = true;
            let (class, array) =
                (self.scope.named("java.lang.Class"), self.scope.named("java.lang.reflect.Array"));
            let object = self.scope.named("java.lang.Object");
            let binary = class_of_descriptor(element);
            let length = elements.len();
            self.lines.push(format!(
                "{object} {name} = {BREAK}{array}.newInstance({class}.forName(\"{binary}\"), {BREAK}{length});"
            ));
            for (index, value) in elements.iter().enumerate().filter(|(_, value)| **value != Term::Null) {
                let value = self.term(value)?;
                self.lines.push(format!("{array}.set({name}, {index}, {value});"));
            }
            return Ok(None);
        };
        let text = self.scope.type_text(&ty)?;
        let plain = elements.iter().all(|value| *value == Term::Null);
        let line = if plain {
            let (base, brackets) = text.find("[]").map_or((text.as_str(), ""), |at| text.split_at(at));
            format!("{text}[] {name} = {BREAK}new {base}[{}]{brackets};", elements.len())
        } else {
            let values = elements.iter().map(|value| self.term(value)).collect::<Result<Vec<_>, _>>()?;
            format!("{text}[] {name} = {BREAK}{{{}}};", values.join(&format!(", {BREAK}")))
        };
        self.lines.push(line);
        Ok(Some(JavaType::array_of(ty)))
    }

    fn set(
        &mut self,
        object: usize,
        class: &str,
        field: &str,
        descriptor: &str,
        value: &Term,
    ) -> Result<(), Obstacle> {
        let text = self.term(value)?;
        let name = self.names[object].clone();
        let direct = self.operation(class, |kind| kind == OperationKind::InstanceSet, field, descriptor);
        let owner = direct.ok().map(|set| self.subject[set].owner);
        let seen = self.types[object].as_ref().and_then(JavaType::class_id);
        let same = owner.is_some() && owner == seen;
        if same && self.is_typed(value) {
            self.lines.push(format!("{name}.{field} = {BREAK}{text};"));
        } else {
            self.throws = true;
            self.helpers.insert(Helper::Set);
            self.lines.push(format!("set({name}, {BREAK}\"{field}\", {BREAK}{text});"));
        }
        Ok(())
    }

    /// Whether a value's text has the type that the value has.
    fn is_typed(&self, value: &Term) -> bool {
        !matches!(value, Term::Made(step) if self.types.get(*step).is_none_or(Option::is_none))
    }

    /// The member that code here may use.
    fn operation(
        &self,
        class: &str,
        kind: impl Fn(OperationKind) -> bool,
        name: &str,
        descriptor: &str,
    ) -> Result<OpId, Obstacle> {
        let unknown = || Obstacle::Missing(class.into());
        let class = self.subject.classes().find(class).ok_or_else(unknown)?;
        let found = self.subject.operations_of(class).iter().copied().find(|op| {
            let operation = &self.subject[*op];
            kind(operation.kind) && *operation.name == *name && *operation.descriptor == *descriptor
        });
        let found = found.ok_or_else(unknown)?;
        self.subject.check_operation(found, self.scope.package())?;
        Ok(found)
    }

    fn note_throws(&mut self, op: OpId) {
        self.throws |= !self.subject[op].throws.is_empty();
    }

    /// Arguments; a null says of which type it is where another overload might be meant.
    fn args(&mut self, op: OpId, args: &[Term]) -> Result<String, Obstacle> {
        let subject = self.subject;
        let operation = &subject[op];
        let mut texts = Vec::new();
        for (value, param) in args.iter().zip(&operation.params) {
            let text = self.term(value)?;
            let rivals = subject.operations_of(operation.owner).iter().filter(|other| {
                let other = &subject[**other];
                other.name == operation.name && other.params.len() == operation.params.len()
            });
            let ambiguous = *value == Term::Null && rivals.count() > 1;
            let cast = if ambiguous || *value == Term::Null && operation.is_varargs {
                format!("({}) ", self.scope.type_text(&subject.classes().erasure(param))?)
            } else {
                String::new()
            };
            texts.push(format!("{BREAK}{cast}{text}"));
        }
        Ok(texts.join(", "))
    }

    /// The text of a value.
    pub(super) fn term(&mut self, value: &Term) -> Result<String, Obstacle> {
        term_text(self.subject, self.scope, value, &self.names)
    }
}

/// The text of a value; `names` are the variables of steps.
pub(super) fn term_text(
    subject: &Subject,
    scope: &mut NameScope<'_>,
    value: &Term,
    names: &[String],
) -> Result<String, Obstacle> {
    Ok(match value {
        Term::Null => "null".to_owned(),
        Term::Made(step) => names[*step].clone(),
        Term::Fresh => format!("new {}()", scope.named("java.lang.Object")),
        Term::Array(element, elements) => {
            let ty = subject.classes().type_with_descriptor(element);
            let ty = ty.ok_or_else(|| Obstacle::Missing(element.as_str().into()))?;
            let values: Result<Vec<String>, Obstacle> =
                elements.iter().map(|value| term_text(subject, scope, value, names)).collect();
            format!("new {}[] {{{}}}", scope.type_text(&ty)?, values?.join(", "))
        }
        Term::Constant(class, name) => {
            let missing = || Obstacle::Missing(class.as_str().into());
            let class = subject.classes().find(class).ok_or_else(missing)?;
            format!("{}.{name}", scope.class_text(class)?)
        }
        Term::Literal(Literal::Class(_)) => return Err(Obstacle::NoName("a class literal".into())),
        Term::Literal(value) => {
            let mut named = |name: &str| scope.named(&format!("java.lang.{name}"));
            literal::text(value, Width::Own, &mut named).unwrap_or_default()
        }
    })
}

/// `node0`, `node1`, … by class; without a number where there is one only.
fn variable_names(subject: &Subject, recipe: &Recipe) -> Vec<String> {
    let stems: Vec<String> = recipe.steps.iter().map(|step| stem(subject, step)).collect();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for stem in &stems {
        counts.entry(stem).or_default().0 += 1;
    }
    stems
        .iter()
        .map(|stem| {
            let (total, next) = counts.get_mut(stem.as_str()).expect("it was counted");
            let number = *next;
            *next += 1;
            if *total > 1 { format!("{stem}{number}") } else { stem.clone() }
        })
        .collect()
}

fn stem(subject: &Subject, step: &Step) -> String {
    match step {
        Step::New { class, .. } | Step::Allocate { class } => {
            let known = subject.classes().find(class).map(|class| subject[class].simple_name.to_string());
            let simple =
                known.unwrap_or_else(|| class.rsplit(['/', '$']).next().unwrap_or("object").to_owned());
            variable(&simple)
        }
        Step::Array { .. } => "array".to_owned(),
        // They make nothing that is referred to.
        _ => String::new(),
    }
}

/// A class's name as that of a variable.
pub(super) fn variable(simple_name: &str) -> String {
    let mut letters = simple_name.chars();
    let first: String = letters.next().map(|letter| letter.to_lowercase().collect()).unwrap_or_default();
    let name = first + letters.as_str();
    if is_identifier(&name) { name } else { format!("a{simple_name}") }
}

fn class_of_descriptor(descriptor: &str) -> String {
    let plain = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    plain.unwrap_or(descriptor).replace('/', ".")
}

/// True if naming or using these classes draws warnings about type parameters.
pub(super) fn is_generic(subject: &Subject, class: ClassId) -> bool {
    subject[class].kind != ClassKind::Enum && subject.classes().has_raw(&JavaType::class(class))
}
