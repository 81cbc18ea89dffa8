//! Asks the objects of a breach themselves. Who passes on an object that cannot be used as its constructor leaves it, or
//! one that holds a null, is not to blame for a `NullPointerException`.

use std::sync::Arc;

use jurat_base::FxHashSet;
use jurat_model::{
    Action, ClassId, Demand, Ending, Literal, OpId, Operation, OperationKind, Outcome, Sequence, Statement,
    Subject, Value, Var, Visibility,
};
use jurat_oracle::contracts::{Breach, Contract};
use jurat_oracle::{Look, Observation};

use super::blamed::{NULL_POINTER, throws_null_pointer};
use super::{Key, key};
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// The most methods one object is asked by.
const QUESTIONS: usize = 16;

/// What the objects say.
#[derive(Default)]
pub(super) struct Excuses {
    /// Breaches for which a null that an object holds is the reason.
    pub(super) excused: FxHashSet<Key>,
    /// Sequences that may show an object that cannot be used, and the breach that each would explain.
    pub(super) reasons: Vec<(Key, Sequence)>,
}

/// Asks every object that a breach depends on, just before the call that fails.
pub(super) fn ask(
    subject: &Subject,
    breaches: &[&Breach],
    runner: &mut dyn Runner,
) -> Result<Excuses, RunError> {
    let before: Vec<(&Breach, Sequence)> =
        breaches.iter().filter_map(|breach| Some((*breach, before(breach)?))).collect();
    let jobs: Vec<Job> = before.iter().map(|(_, before)| before.clone().into()).collect();
    let outcomes = runner.run(&jobs, Mode::Observe)?;
    let asked: Vec<Asked<'_>> = before
        .into_iter()
        .zip(outcomes)
        .map(|((breach, before), outcome)| Asked::new(subject, breach, before, outcome))
        .collect();
    let questions =
        |asked: &Asked<'_>| Job { sequence: asked.before.clone(), observations: asked.questions(subject) };
    let jobs: Vec<Job> = asked.iter().map(questions).collect();
    let answers = runner.run(&jobs, Mode::Observe)?;
    let mut excuses = Excuses::default();
    for ((asked, job), answer) in asked.iter().zip(&jobs).zip(&answers) {
        for (question, ending) in job.observations.iter().zip(&answer.observations) {
            asked.hear(subject, *question, ending.as_ref(), &mut excuses);
        }
    }
    Ok(excuses)
}

/// What comes before the call that ends in a breach; none if it does not end in a `NullPointerException`.
fn before(breach: &Breach) -> Option<Sequence> {
    let (last, ..) = breach.sequence.calls().last().filter(|_| throws_null_pointer(breach))?;
    let before = breach.sequence.prefix(last.index());
    (!before.is_empty()).then_some(before)
}

/// A breach and what comes before the call that fails.
struct Asked<'b> {
    breach: &'b Breach,
    before: Sequence,
    outcome: Outcome,
    /// What the call depends on.
    needed: Vec<bool>,
    /// The object that it is made on.
    receiver: Option<Var>,
}

impl<'b> Asked<'b> {
    fn new(subject: &Subject, breach: &'b Breach, before: Sequence, outcome: Outcome) -> Self {
        let last = breach.sequence.calls().last();
        let inputs = last.map(|(_, _, inputs)| inputs.to_vec()).unwrap_or_default();
        let has_receiver = last.is_some_and(|(_, op, _)| subject[op].kind.has_receiver());
        let receiver = inputs.first().copied().filter(|_| has_receiver);
        let needed = before.needed_for(inputs);
        Self { breach, before, outcome, needed, receiver }
    }

    /// What the objects give that can be asked for without arguments.
    fn questions(&self, subject: &Subject) -> Vec<Observation> {
        let mut found = Vec::new();
        for var in self.before.vars().filter(|var| self.needed[var.index()]) {
            let Some(Value::Object(object)) = self.outcome.value(var) else { continue };
            let Some(class) = subject.classes().find(&object.class) else { continue };
            let mut questions: Vec<OpId> = questions_of(subject, class).collect();
            // Those that others may have an effect on come first.
            questions.sort_by_key(|op| !is_getter(&subject[*op]));
            let questions = questions.into_iter().take(QUESTIONS);
            found.extend(questions.map(|op| Observation { receiver: var, look: Look::Call(op) }));
        }
        found
    }

    fn hear(&self, subject: &Subject, question: Observation, answer: Option<&Ending>, excuses: &mut Excuses) {
        let Look::Call(op) = question.look else { return };
        match answer {
            Some(Ending::Threw(class)) if **class == *NULL_POINTER => {
                let reason = self.reason(subject, question.receiver, op);
                excuses.reasons.extend(reason.map(|reason| (key(self.breach), reason)));
            }
            Some(Ending::Returned(Value::Literal(Literal::Null)))
                if self.breach.contract == Contract::NoNullPointer
                    && is_getter(&subject[op])
                    && self.is_passed(question.receiver) =>
            {
                excuses.excused.insert(key(self.breach));
            }
            _ => {}
        }
    }

    /// Whether an object is another than the one that the failing call is made on.
    fn is_passed(&self, object: Var) -> bool {
        let itself = |var: Var| match self.outcome.value(var) {
            Some(Value::Object(value)) => value.same_as.unwrap_or(var),
            _ => var,
        };
        self.receiver.is_none_or(|receiver| itself(receiver) != itself(object))
    }

    /// The sequence that shows that an object cannot be used as its constructor leaves it.
    fn reason(&self, subject: &Subject, object: Var, op: OpId) -> Option<Sequence> {
        let Action::Call { instance, .. } = &self.before.statement(object).action else { return None };
        let is_used = |(_, used, inputs): (Var, OpId, &[Var])| {
            subject[used].kind.has_receiver() && inputs.first() == Some(&object)
        };
        if !subject[instance.operation].is_constructor() || self.before.calls().any(is_used) {
            return None;
        }
        let made = self.before.making([object]);
        let demand = Demand { receiver: Some(self.before.type_of(object)), ..Demand::default() };
        let instance = subject.instantiate(op, &demand)?;
        let ty = instance.result.clone();
        let inputs = vec![made.last()?];
        let mut statements = made.statements().to_vec();
        statements.push(Statement { action: Action::Call { instance: Arc::new(instance), inputs }, ty });
        Sequence::new(statements)
    }
}

/// Whether an operation tells what an object holds, by its name.
fn is_getter(operation: &Operation) -> bool {
    operation.name.starts_with("get") || operation.kind == OperationKind::RecordAccessor
}

/// Public methods of a class that give something and take nothing.
fn questions_of(subject: &Subject, class: ClassId) -> impl Iterator<Item = OpId> + '_ {
    let classes = subject.classes();
    let above = classes.ancestors(class).iter().map(|ancestor| ancestor.class);
    let owners = std::iter::once(class).chain(above.filter(move |above| *above != class));
    let is_question = |operation: &Operation| {
        let is_told_elsewhere = matches!(&*operation.name, "hashCode" | "toString" | "clone" | "getClass");
        operation.kind.is_call()
            && operation.kind.has_receiver()
            && operation.visibility == Visibility::Public
            && operation.params.is_empty()
            && !operation.result.is_void()
            && !is_told_elsewhere
    };
    let mut seen = FxHashSet::default();
    owners
        .filter(|owner| *owner != subject.classes().object())
        .flat_map(|owner| subject.operations_of(owner).iter().copied())
        .filter(move |op| is_question(&subject[*op]) && seen.insert(subject[*op].name.clone()))
}
