//! Turns model sequences into what workers run, and what workers say into model outcomes: the one place where
//! both vocabularies meet.

use std::collections::BTreeMap;
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_model::{
    Action, Ending, JavaString, JavaType, LambdaBody, Literal, ObjectValue, Operation, OperationKind, Origin,
    Outcome, Primitive, ProbeId, Sequence, Subject, Value, Var, Visibility,
};
use jurat_oracle::{Look, Observation};
use jurat_protocol as wire;

use crate::promises::Promises;

/// The operations of a subject as workers know them: position is the operation's id; boxing and ways to look at
/// values come last.
pub(crate) fn operation_table(subject: &Subject) -> Vec<wire::Operation> {
    let mut table: Vec<wire::Operation> =
        subject.operations().iter().map(|operation| wire_operation(subject, operation)).collect();
    table.extend(Primitive::ALL.map(boxing));
    table.extend(LOOKS.map(|(_, class, name, descriptor)| {
        wire::Operation::new(wire::OperationKind::Virtual, class, name, descriptor)
    }));
    table
}

/// Ways to look at values of the JDK, after boxing in the table.
const LOOKS: [(Look, &str, &str, &str); 3] = [
    (Look::Elements, "java/util/Collection", "toArray", "()[Ljava/lang/Object;"),
    (Look::Held, "java/util/Optional", "get", "()Ljava/lang/Object;"),
    (Look::Array, "java/lang/Object", "clone", "()Ljava/lang/Object;"),
];

/// Where in the table of operations a way to look at a value is.
fn look_position(subject: &Subject, look: Look) -> u32 {
    if let Look::Call(op) = look {
        return op.0;
    }
    let among = LOOKS.iter().position(|(known, ..)| *known == look).expect("all others are in the list");
    let position = subject.operations().len() + Primitive::ALL.len() + among;
    u32::try_from(position).expect("fewer than 2^32 operations")
}

fn wire_operation(subject: &Subject, operation: &Operation) -> wire::Operation {
    let kind = match operation.kind {
        OperationKind::Constructor => wire::OperationKind::Constructor,
        OperationKind::StaticMethod => wire::OperationKind::Static,
        OperationKind::InstanceMethod | OperationKind::RecordAccessor => wire::OperationKind::Virtual,
        OperationKind::StaticGet | OperationKind::EnumConstant => wire::OperationKind::GetStatic,
        // The emitted test puts back what it may not touch.
        OperationKind::StaticSet if operation.visibility == Visibility::Private => {
            wire::OperationKind::LendStatic
        }
        OperationKind::StaticSet => wire::OperationKind::SetStatic,
        OperationKind::InstanceGet => wire::OperationKind::GetField,
        OperationKind::InstanceSet => wire::OperationKind::SetField,
    };
    let class = &subject[operation.owner].internal_name;
    let mut entry = wire::Operation::new(kind, class, &operation.name, &operation.descriptor);
    entry.caller_sensitive = operation.is_caller_sensitive;
    entry
}

fn boxing(primitive: Primitive) -> wire::Operation {
    let (name, letter) = (primitive.box_name(), primitive.descriptor());
    let descriptor = format!("({letter})L{name};");
    wire::Operation::new(wire::OperationKind::Static, name, "valueOf", &descriptor)
}

/// A sequence on its way to a worker, with what is needed to read the answer.
#[derive(Default)]
pub(crate) struct Sent {
    pub(crate) sequence: wire::Sequence,
    /// The wire statement that makes each value; casts make none.
    values: Vec<wire::Var>,
    /// What the literals say, by value; a worker does not repeat it.
    literals: Vec<Option<Literal>>,
    /// Statements before the observers.
    body: usize,
    /// Values that are written to private fields.
    into_private: Vec<Var>,
    /// Values that methods are called upon, if there are mocks.
    receivers: Vec<Var>,
    /// What Java casts values to that the JVM knows less of.
    promises: Promises,
}

/// Translates a sequence and the observations to be made after it.
pub(crate) fn send(subject: &Subject, sequence: &Sequence, observations: &[Observation]) -> Sent {
    let mut sent = Sent::default();
    let has_mocks = sequence.has_mocks();
    for statement in sequence.statements() {
        let var = sent.push(subject, &statement.action, &statement.ty);
        sent.promises.note(subject, statement, sent.values.len(), var);
        sent.into_private.extend(into_private(subject, &statement.action));
        sent.receivers.extend(receiver(subject, &statement.action).filter(|_| has_mocks));
        sent.values.push(var);
        sent.literals.push(match &statement.action {
            Action::Literal(literal) => Some(literal.clone()),
            _ => None,
        });
    }
    sent.body = sent.sequence.statements().len();
    for observation in observations {
        let receiver = sent.values[observation.receiver.index()];
        sent.sequence.operate(look_position(subject, observation.look), &[receiver]);
    }
    sent.sequence.observe_last(u32::try_from(observations.len()).expect("observations are few"));
    sent
}

/// The value that a statement writes to a private field.
fn into_private(subject: &Subject, action: &Action) -> Option<Var> {
    let Action::Call { instance, inputs } = action else { return None };
    inputs.last().copied().filter(|_| writes_private(&subject[instance.operation]))
}

/// The value that a statement is called upon.
fn receiver(subject: &Subject, action: &Action) -> Option<Var> {
    let Action::Call { instance, inputs } = action else { return None };
    inputs.first().copied().filter(|_| subject[instance.operation].kind.has_receiver())
}

/// True for what writes a private field.
pub(crate) fn writes_private(operation: &Operation) -> bool {
    operation.kind.is_set() && operation.visibility == Visibility::Private
}

impl Sent {
    /// The wire statement that makes a value.
    pub(crate) fn value(&self, var: Var) -> Option<wire::Var> {
        self.values.get(var.index()).copied()
    }

    /// True if a mock was asked what nobody planned.
    pub(crate) fn is_surprised(&self, outcome: &wire::Outcome) -> bool {
        is_surprised(&self.sequence, outcome)
    }

    /// How often mocks were asked for what is planned.
    fn asked(&self, outcome: &wire::Outcome) -> Vec<(Var, usize, usize)> {
        let mut times: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for asked in &outcome.asked {
            let statement = self.sequence.statements().get(asked.mock.0 as usize);
            let Some(wire::Statement::Mock(mock)) = statement else { continue };
            let is_meant = |planned: &wire::MockAnswers| {
                planned.name == asked.name && planned.descriptor == asked.descriptor
            };
            let made = self.values.iter().position(|made| *made == asked.mock);
            if let Some(place) = made.zip(mock.answers.iter().position(is_meant)) {
                *times.entry(place).or_default() += 1;
            }
        }
        times.into_iter().map(|((mock, answer), times)| (Var::from_index(mock), answer, times)).collect()
    }

    /// True if null went into a private field: whatever fails then fails for no other reason.
    fn hides_null(&self, endings: &[Ending]) -> bool {
        let is_null = |var: &Var| {
            endings.get(var.index()).and_then(Ending::value) == Some(&Value::Literal(Literal::Null))
        };
        self.into_private.iter().any(is_null)
    }

    /// True if a mock that somebody handed out was called: a test would show what it planned itself.
    fn calls_mock(&self, endings: &[Ending]) -> bool {
        let is_mock = |var: &Var| {
            let value = endings.get(var.index()).and_then(Ending::value);
            matches!(value, Some(Value::Object(object)) if object.is_mock)
        };
        self.receivers.iter().any(is_mock)
    }

    fn push(&mut self, subject: &Subject, action: &Action, ty: &JavaType) -> wire::Var {
        match action {
            Action::Literal(literal) => self.push_literal(subject, literal, ty),
            Action::Call { instance, inputs } => {
                let inputs = self.wired(inputs);
                self.sequence.operate(instance.operation.0, &inputs)
            }
            Action::Array { elements } => {
                let element = ty.component().map_or_else(String::new, |ty| subject.classes().descriptor(ty));
                let inputs = self.wired(elements);
                self.sequence.array(&element, &inputs)
            }
            Action::Cast { value } => self.values[value.index()],
            Action::Lambda(body) => {
                let answer = match body {
                    LambdaBody::Gives(None) => None,
                    LambdaBody::Gives(Some(value)) => Some(wire::Answer::Value(self.values[value.index()])),
                    LambdaBody::Echoes(position) => Some(wire::Answer::Argument(*position)),
                };
                let (name, descriptor) = (String::new(), String::new());
                let answers = wire::MockAnswers { name, descriptor, answers: answer.into_iter().collect() };
                self.push_mock(subject, ty, true, vec![answers])
            }
            Action::Mock { answers } => {
                let planned = answers.iter().map(|answer| {
                    let operation = &subject[answer.op];
                    let values =
                        answer.values.iter().map(|value| wire::Answer::Value(self.values[value.index()]));
                    wire::MockAnswers {
                        name: operation.name.to_string(),
                        descriptor: operation.descriptor.to_string(),
                        answers: values.collect(),
                    }
                });
                let planned = planned.collect();
                self.push_mock(subject, ty, false, planned)
            }
        }
    }

    fn push_mock(
        &mut self,
        subject: &Subject,
        ty: &JavaType,
        keep_bodies: bool,
        answers: Vec<wire::MockAnswers>,
    ) -> wire::Var {
        let class = ty.class_id().map_or_else(String::new, |class| subject[class].internal_name.to_string());
        self.sequence.mock(wire::Mock { class, keep_bodies, answers })
    }

    /// A literal; where a box is wanted, the box is made by its class.
    fn push_literal(&mut self, subject: &Subject, literal: &Literal, ty: &JavaType) -> wire::Var {
        let plain = self.sequence.literal(wire_literal(subject, literal));
        let Some(primitive) = primitive_of(literal).filter(|_| ty.is_reference()) else { return plain };
        let position = subject.operations().len() + primitive as usize;
        self.sequence.operate(u32::try_from(position).expect("fewer than 2^32 operations"), &[plain])
    }

    fn wired(&self, vars: &[Var]) -> Vec<wire::Var> {
        vars.iter().map(|var| self.values[var.index()]).collect()
    }
}

fn wire_literal(subject: &Subject, literal: &Literal) -> wire::Literal {
    use wire::Primitive as P;
    let primitive = match literal {
        Literal::Null => return wire::Literal::Null,
        Literal::String(text) => return wire::Literal::String(wire::Text::from_units(text.units())),
        Literal::Class(ty) => return wire::Literal::Class(subject.classes().descriptor(ty)),
        Literal::Boolean(value) => P::Boolean(*value),
        Literal::Byte(value) => P::Byte(*value),
        Literal::Short(value) => P::Short(*value),
        Literal::Char(value) => P::Char(*value),
        Literal::Int(value) => P::Int(*value),
        Literal::Long(value) => P::Long(*value),
        Literal::Float(bits) => P::Float(*bits),
        Literal::Double(bits) => P::Double(*bits),
    };
    wire::Literal::Primitive(primitive)
}

/// The primitive type of a literal, if it has one.
pub(crate) fn primitive_of(literal: &Literal) -> Option<Primitive> {
    Some(match literal {
        Literal::Boolean(_) => Primitive::Boolean,
        Literal::Byte(_) => Primitive::Byte,
        Literal::Short(_) => Primitive::Short,
        Literal::Char(_) => Primitive::Char,
        Literal::Int(_) => Primitive::Int,
        Literal::Long(_) => Primitive::Long,
        Literal::Float(_) => Primitive::Float,
        Literal::Double(_) => Primitive::Double,
        Literal::Null | Literal::String(_) | Literal::Class(_) => return None,
    })
}

/// Reads answers; class names are shared between outcomes.
#[derive(Debug, Default)]
pub(crate) struct Receiver {
    names: FxHashMap<u32, Arc<str>>,
}

impl Receiver {
    /// What a worker said of a sequence, in the engine's words. `class_name` gives a class as `Class.getName` does.
    pub(crate) fn receive<'a>(
        &mut self,
        subject: &Subject,
        sent: &Sent,
        outcome: &wire::Outcome,
        class_name: &dyn Fn(u32) -> &'a str,
    ) -> Outcome {
        let mut reader = Reader { receiver: self, subject, sent, class_name };
        let mut endings = Vec::new();
        for (var, literal) in sent.values.iter().zip(&sent.literals) {
            let Some(ending) = outcome.endings.get(var.0 as usize) else {
                // A literal whose boxing failed cannot be: whatever ended the sequence is its last ending.
                endings.extend(
                    outcome.endings.last().filter(|last| !is_returned(last)).map(|last| reader.ending(last)),
                );
                break;
            };
            let ending = match literal {
                Some(literal) if is_returned(ending) => Ending::Returned(Value::Literal(literal.clone())),
                _ => reader.ending(ending),
            };
            let kept = ending.value().is_none_or(|value| sent.promises.kept(subject, endings.len(), value));
            let ending = if kept { ending } else { Ending::Unfit };
            let ended = ending.value().is_none();
            endings.push(ending);
            if ended {
                break;
            }
        }
        let observations = outcome
            .observations
            .iter()
            .map(|ending| ending.as_ref().map(|ending| reader.ending(ending)))
            .collect();
        let mut hits: Vec<ProbeId> =
            outcome.coverage.own.iter().chain(&outcome.coverage.others).copied().map(ProbeId).collect();
        hits.sort_unstable();
        hits.dedup();
        let finals =
            outcome.fingerprints.iter().filter_map(|(var, hash)| Some((reader.var(*var)?, *hash))).collect();
        let changed = outcome.changed.iter().filter_map(|&(at, input)| reader.changed(at, input)).collect();
        // What other threads do is a race, of which no test should tell. In the JDK they need not be the sequence's.
        let raced = !outcome.coverage.others.is_empty() && !tests_jdk(subject);
        let mut asked = outcome.asked.iter();
        let is_mistaken = asked.any(|asked| {
            let mut given = asked.arguments.iter().map(|argument| reader.value(argument));
            !sent.promises.kept_to_lambda(subject, asked.mock, &mut given)
        });
        let missing = outcome.endings.last().and_then(|ending| reader.missing(ending));
        let during = surprises(&sent.sequence, outcome).map(|asked| asked.during as usize);
        let surprised = during.filter_map(|statement| statement.checked_sub(sent.body)).collect();
        let is_unsafe = is_mistaken
            || !outcome.attempts.is_empty()
            || outcome.taint.any()
            || raced
            || endings.iter().any(is_wild)
            || sent.is_surprised(outcome)
            || sent.hides_null(&endings)
            || sent.calls_mock(&endings);
        let asked = sent.asked(outcome);
        Outcome { endings, observations, hits, finals, changed, asked, surprised, missing, is_unsafe }
    }
}

/// True if a mock was asked for a value that nobody planned: what comes of that is not what a test shows.
pub(crate) fn is_surprised(sequence: &wire::Sequence, outcome: &wire::Outcome) -> bool {
    surprises(sequence, outcome).next().is_some()
}

/// What mocks were asked though nobody planned it.
fn surprises<'a>(
    sequence: &'a wire::Sequence,
    outcome: &'a wire::Outcome,
) -> impl Iterator<Item = &'a wire::Asked> {
    outcome.asked.iter().filter(|asked| {
        let statement = sequence.statements().get(asked.mock.0 as usize);
        let is_mock = matches!(statement, Some(wire::Statement::Mock(mock)) if !mock.keep_bodies);
        is_mock && !asked.planned && !asked.descriptor.ends_with(")V")
    })
}

fn tests_jdk(subject: &Subject) -> bool {
    subject.under_test().next().is_some_and(|class| subject[class].origin == Origin::Jdk)
}

fn is_returned(ending: &wire::Ending) -> bool {
    matches!(ending, wire::Ending::Returned(_))
}

fn is_wild(ending: &Ending) -> bool {
    *ending == Ending::Misbehaved
}

struct Reader<'r, 's, 'n> {
    receiver: &'r mut Receiver,
    subject: &'s Subject,
    sent: &'s Sent,
    class_name: &'r dyn Fn(u32) -> &'n str,
}

impl Reader<'_, '_, '_> {
    fn ending(&mut self, ending: &wire::Ending) -> Ending {
        match ending {
            wire::Ending::Returned(value) => Ending::Returned(self.value(value)),
            wire::Ending::Threw(thrown) => Ending::Threw(self.class(thrown.class)),
            wire::Ending::TimedOut(wire::Cut::Fuel) => Ending::OutOfFuel,
            wire::Ending::TimedOut(wire::Cut::Clock)
            | wire::Ending::Exited(_)
            | wire::Ending::KilledWorker(_) => Ending::Misbehaved,
            wire::Ending::Misfit(_) | wire::Ending::Unresolved(_) => Ending::Unfit,
        }
    }

    /// The class that the JVM looked for and did not find. Of one that cannot be initialized it says so in a sentence.
    fn missing(&mut self, ending: &wire::Ending) -> Option<Arc<str>> {
        let wire::Ending::Threw(thrown) = ending else { return None };
        let name = thrown.message.as_ref().and_then(wire::Text::as_str)?;
        let is_missing = &*self.class(thrown.class) == "java/lang/NoClassDefFoundError";
        (is_missing && !name.contains(' ')).then(|| name.replace('/', ".").into())
    }

    fn value(&mut self, value: &wire::Value) -> Value {
        match value {
            // Literals are read where they were sent from.
            wire::Value::Void | wire::Value::Literal => Value::Void,
            wire::Value::Null => Value::Literal(Literal::Null),
            wire::Value::Primitive(primitive) | wire::Value::Boxed(primitive) => {
                Value::Literal(model_literal(*primitive))
            }
            wire::Value::String(text) => {
                Value::Literal(Literal::String(JavaString::from_units(text.units())))
            }
            wire::Value::LongString(..) => Value::LongString,
            wire::Value::Enum(class, name) => {
                Value::Enum { class: self.class(*class), name: name.as_str().unwrap_or_default().into() }
            }
            wire::Value::Class(name) => self.class_value(name),
            wire::Value::Object(object) => Value::Object(self.object(object)),
        }
    }

    /// A class as a literal, if the subject knows it.
    fn class_value(&self, name: &wire::Text) -> Value {
        let classes = self.subject.classes();
        let name = name.as_str().unwrap_or_default();
        let primitive = Primitive::ALL.into_iter().find(|primitive| primitive.keyword() == name);
        let ty = match primitive {
            Some(primitive) => Some(JavaType::Primitive(primitive)),
            None if name == "void" => Some(JavaType::Void),
            None => classes.find(&name.replace('.', "/")).map(JavaType::class),
        };
        ty.map_or(Value::LongString, |ty| Value::Literal(Literal::Class(ty)))
    }

    fn object(&mut self, object: &wire::ObjectValue) -> ObjectValue {
        let complete = object.length.is_some_and(|length| length as usize == object.elements.len());
        let elements = complete.then(|| object.elements.iter().map(|element| self.value(element)).collect());
        let class = self.class(object.class);
        ObjectValue {
            is_mock: class.ends_with(wire::MOCK_CLASS),
            class,
            fingerprint: object.fingerprint,
            same_as: object.same_as.and_then(|var| self.var(var)),
            elements,
        }
    }

    /// The internal name of a class.
    fn class(&mut self, class: u32) -> Arc<str> {
        let class_name = self.class_name;
        self.receiver.names.entry(class).or_insert_with(|| class_name(class).replace('.', "/").into()).clone()
    }

    /// The first value a wire statement stands for.
    fn var(&self, var: wire::Var) -> Option<Var> {
        self.sent.values.iter().position(|made| *made == var).map(Var::from_index)
    }

    /// A changed input, by the model's statement; observers are numbered after the sequence's own statements.
    fn changed(&self, statement: u32, input: u32) -> Option<(Var, usize)> {
        let statement = statement as usize;
        let var = match statement.checked_sub(self.sent.body) {
            Some(observer) => Var::from_index(self.sent.values.len() + observer),
            None => self.var(wire::Var(u32::try_from(statement).ok()?))?,
        };
        Some((var, input as usize))
    }
}

pub(crate) fn model_literal(primitive: wire::Primitive) -> Literal {
    use wire::Primitive as P;
    match primitive {
        P::Boolean(value) => Literal::Boolean(value),
        P::Byte(value) => Literal::Byte(value),
        P::Char(value) => Literal::Char(value),
        P::Short(value) => Literal::Short(value),
        P::Int(value) => Literal::Int(value),
        P::Long(value) => Literal::Long(value),
        P::Float(bits) => Literal::Float(bits),
        P::Double(bits) => Literal::Double(bits),
    }
}

#[cfg(test)]
mod tests {
    use jurat_model::{Answer, Demand, SequenceBuilder, Statement};
    use jurat_testkit::{operation, subject, ty};

    use super::*;

    /// `new Boiler(gauge).gauge()` on a mock, and, if wanted, a call of what that gives.
    fn asked_of_boiler(subject: &Subject, is_called: bool) -> Sequence {
        let mut builder = SequenceBuilder::default();
        let gauge = JavaType::class(subject.classes().find("Gauge").expect("it is declared"));
        let mut last = builder.push(Action::Mock { answers: Vec::new() }, gauge);
        let calls = [("Boiler", "<init>"), ("Boiler", "gauge"), ("Gauge", "read")];
        for (class, name) in calls.into_iter().take(2 + usize::from(is_called)) {
            let instance = subject.instantiate(operation(subject, class, name), &Demand::default());
            let instance = Arc::new(instance.expect("nothing is generic"));
            let ty = instance.result.clone();
            last = builder.push(Action::Call { instance, inputs: vec![last] }, ty);
        }
        builder.build()
    }

    #[test]
    fn what_calls_a_mock_that_a_getter_gives_is_unsafe() {
        let subject = subject(
            "interface Gauge { int read(); int unit(); }
             class Boiler { Boiler(Gauge gauge); Gauge gauge(); }",
        );
        let object = |class: u32| {
            let (length, elements, fingerprint, same_as) = (None, Vec::new(), None, None);
            let object = wire::ObjectValue { class, length, elements, fingerprint, same_as };
            wire::Ending::Returned(wire::Value::Object(object))
        };
        let read = wire::Ending::Returned(wire::Value::Primitive(wire::Primitive::Int(0)));
        let endings = vec![object(0), object(1), object(0), read];
        let is_unsafe = |is_called: bool| {
            let sent = send(&subject, &asked_of_boiler(&subject, is_called), &[]);
            let outcome = wire::Outcome { endings: endings.clone(), ..wire::Outcome::default() };
            let name = |class: u32| ["Gauge$JuratMock", "Boiler"][class as usize];
            Receiver::default().receive(&subject, &sent, &outcome, &name).is_unsafe
        };
        assert!(!is_unsafe(false));
        assert!(is_unsafe(true));
    }

    #[test]
    fn what_a_mock_was_asked_is_counted_by_what_it_has_answers_for() {
        let subject = subject("interface Gauge { int low(); int high(); void reset(); }");
        let answer = |name: &str, values: &[u32]| Answer {
            op: operation(&subject, "Gauge", name),
            values: values.iter().copied().map(Var).collect(),
        };
        let answers = vec![answer("low", &[0]), answer("high", &[0, 0])];
        let statements = vec![
            Statement { action: Action::Literal(Literal::Int(3)), ty: JavaType::INT },
            Statement { action: Action::Mock { answers }, ty: ty(&subject, "Gauge") },
        ];
        let sent = send(&subject, &Sequence::new(statements).expect("inputs come first"), &[]);
        let asked = |name: &str, descriptor: &str| wire::Asked {
            mock: sent.values[1],
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            arguments: Vec::new(),
            planned: descriptor == "()I",
            during: 0,
        };
        let asked = vec![asked("high", "()I"), asked("reset", "()V"), asked("high", "()I")];
        let outcome = wire::Outcome { asked, ..wire::Outcome::default() };
        let received = Receiver::default().receive(&subject, &sent, &outcome, &|_| "");
        assert_eq!(received.asked, [(Var(1), 1, 2)]);
    }
}
