//! Values to try contracts on: taken from sequences that behaved, and varied in their literals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jurat_model::{
    Action, ClassId, Demand, JavaType, LambdaBody, Literal, OpId, Outcome, Primitive, Sequence,
    SequenceBuilder, Statement, Subject, Value, Var, Visibility,
};

/// A value of a class under test, and how to make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specimen {
    /// What makes it, with all that happens to it.
    pub sequence: Sequence,
    /// The value.
    pub var: Var,
    /// Its class when the sequence runs.
    pub class: ClassId,
}

/// How many ways to make and change a value of one class are kept.
const PER_CLASS: usize = 10;
/// How many variants one way has.
const VARIANTS: usize = 6;

/// The values of classes under test that these runs made, by class, the simplest first.
pub fn specimens<'a>(
    subject: &Subject,
    runs: impl IntoIterator<Item = (&'a Sequence, &'a Outcome)>,
) -> BTreeMap<ClassId, Vec<Specimen>> {
    let mut found: BTreeMap<ClassId, Vec<Specimen>> =
        subject.under_test().map(|class| (class, made(subject, class))).collect();
    for (sequence, outcome) in runs {
        if outcome.is_unsafe || sequence.statements().iter().any(is_stand_in) {
            continue;
        }
        // A call that throws still leaves the values made before it.
        let lasting = outcome.endings.iter().take_while(|ending| ending.value().is_some()).count();
        let sequence = sequence.prefix(lasting);
        for var in sequence.vars() {
            let Some(Value::Object(object)) = outcome.value(var) else { continue };
            let Some(class) = subject.classes().find(&object.class) else { continue };
            if subject[class].under_test && object.same_as.is_none() {
                let (sequence, var) = slice(&sequence, var, outcome);
                found.entry(class).or_default().push(Specimen { sequence, var, class });
            }
        }
    }
    found.retain(|_, specimens| !specimens.is_empty());
    for specimens in found.values_mut() {
        specimens.sort_by(|one, other| key(one).cmp(&key(other)));
        let mut shapes = BTreeSet::new();
        specimens.retain(|specimen| shapes.insert(shape(specimen)));
        specimens.truncate(PER_CLASS);
    }
    found
}

/// Values made by public constructors from nothing but literals.
fn made(subject: &Subject, class: ClassId) -> Vec<Specimen> {
    let package = subject.test_package(class);
    let is_simple = |op: &&OpId| {
        let operation = &subject[**op];
        operation.is_constructor()
            && operation.visibility == Visibility::Public
            && operation.receiver.is_none()
            && subject.check_operation(**op, &package).is_ok()
    };
    let constructors = subject.operations_of(class).iter().filter(is_simple);
    constructors
        .filter_map(|op| {
            let demand = Demand { package: Some(&package), ..Demand::default() };
            let instance = subject.instantiate(*op, &demand)?;
            let mut builder = SequenceBuilder::default();
            let mut inputs = Vec::new();
            for param in &instance.params {
                inputs.push(builder.push(Action::Literal(simple(subject, param)?), param.clone()));
            }
            let ty = instance.result.clone();
            let var = builder.push(Action::Call { instance: Arc::new(instance), inputs }, ty);
            Some(Specimen { sequence: builder.build(), var, class })
        })
        .collect()
}

/// The simplest literal of a type that is more than nothing; none for types that have no literals.
fn simple(subject: &Subject, ty: &JavaType) -> Option<Literal> {
    let classes = subject.classes();
    let primitive = match ty {
        JavaType::Primitive(primitive) => *primitive,
        _ if ty.class_id() == Some(classes.string()) => return Some(Literal::String("a".into())),
        _ => classes.unboxed(ty.class_id()?)?,
    };
    Some(match primitive {
        Primitive::Boolean => Literal::Boolean(true),
        Primitive::Byte => Literal::Byte(1),
        Primitive::Short => Literal::Short(1),
        Primitive::Char => Literal::Char(u16::from(b'a')),
        Primitive::Int => Literal::Int(1),
        Primitive::Long => Literal::Long(1),
        Primitive::Float => Literal::Float(1.0_f32.to_bits()),
        Primitive::Double => Literal::Double(1.0_f64.to_bits()),
    })
}

fn key(specimen: &Specimen) -> (usize, &Sequence, Var) {
    (specimen.sequence.len(), &specimen.sequence, specimen.var)
}

/// The calls and which of them makes the value: specimens that differ in literals only have the same shape.
fn shape(specimen: &Specimen) -> (Vec<OpId>, Var) {
    (specimen.sequence.calls().map(|(_, op, _)| op).collect(), specimen.var)
}

/// Mocks and lambdas that give nothing break contracts that they never promised.
fn is_stand_in(statement: &Statement) -> bool {
    matches!(statement.action, Action::Mock { .. } | Action::Lambda(LambdaBody::Gives(None)))
}

/// What makes a value and what changes it, without the rest.
fn slice(sequence: &Sequence, var: Var, outcome: &Outcome) -> (Sequence, Var) {
    let changes = |call: Var, inputs: &[Var]| {
        let changed = |(at, input): &(Var, usize)| *at == call && inputs.get(*input) == Some(&var);
        outcome.changed.iter().any(changed)
    };
    let touching = sequence.calls().filter(|(call, _, inputs)| changes(*call, inputs)).map(|(call, ..)| call);
    let needed = sequence.needed_for(touching.chain([var]));
    let position = needed[..var.index()].iter().filter(|needed| **needed).count();
    let sliced = sequence.retaining(|var| needed[var.index()]);
    (sliced.expect("what is needed is kept with its inputs"), Var::from_index(position))
}

impl Specimen {
    /// A literal, as an object of a class.
    pub(crate) fn literal(literal: Literal, class: ClassId) -> Self {
        let mut builder = SequenceBuilder::default();
        let var = builder.push(Action::Literal(literal), JavaType::class(class));
        Self { sequence: builder.build(), var, class }
    }

    /// Itself, and itself with one literal at the edge of its type.
    pub(crate) fn variants(&self) -> Vec<Self> {
        let mut all = vec![self.clone()];
        for var in self.sequence.vars() {
            let Action::Literal(literal) = &self.sequence.statement(var).action else { continue };
            for edge in edges(literal).into_iter().filter(|edge| edge != literal) {
                all.extend(self.with_literal(var, edge));
            }
        }
        all.truncate(VARIANTS);
        all
    }

    fn with_literal(&self, var: Var, literal: Literal) -> Option<Self> {
        let mut statements = self.sequence.statements().to_vec();
        statements.get_mut(var.index())?.action = Action::Literal(literal);
        Some(Self { sequence: Sequence::new(statements)?, ..self.clone() })
    }

    /// Itself with the literals of another where types agree, so that the two may be equal.
    pub(crate) fn aligned(&self, other: &Self) -> Option<Self> {
        let mut statements = self.sequence.statements().to_vec();
        let mut theirs: Vec<&Statement> = other.sequence.statements().iter().collect();
        let mut changed = false;
        for statement in &mut statements {
            if !matches!(statement.action, Action::Literal(_)) {
                continue;
            }
            let is_alike =
                |their: &&Statement| their.ty == statement.ty && matches!(their.action, Action::Literal(_));
            if let Some(position) = theirs.iter().position(is_alike) {
                let action = theirs.remove(position).action.clone();
                changed |= statement.action != action;
                statement.action = action;
            }
        }
        let sequence = Sequence::new(statements).filter(|_| changed)?;
        Some(Self { sequence, ..self.clone() })
    }
}

fn edges(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::Int(_) => [0, i32::MIN, i32::MAX, 1].map(Literal::Int).to_vec(),
        Literal::Long(_) => [0, i64::MIN, i64::MAX, 1].map(Literal::Long).to_vec(),
        Literal::Short(_) => [0, i16::MIN, i16::MAX].map(Literal::Short).to_vec(),
        Literal::Byte(_) => [0, i8::MIN, i8::MAX].map(Literal::Byte).to_vec(),
        Literal::Char(_) => [u16::from(b'a'), 0, u16::MAX].map(Literal::Char).to_vec(),
        Literal::Double(_) => {
            [0.0, -0.0, f64::NAN, 1.0].map(|value| Literal::Double(value.to_bits())).to_vec()
        }
        Literal::Float(_) => [0.0, -0.0, f32::NAN, 1.0].map(|value| Literal::Float(value.to_bits())).to_vec(),
        Literal::Boolean(value) => vec![Literal::Boolean(!value)],
        Literal::String(_) => ["", "a"].map(|text| Literal::String(text.into())).to_vec(),
        Literal::Null | Literal::Class(_) => Vec::new(),
    }
}
