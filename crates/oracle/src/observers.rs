//! Observers: methods whose runs never changed their receiver, used to read state.

use jurat_base::{FxHashMap, FxHashSet};
use jurat_model::{
    ClassId, ClassKind, JavaType, OpId, OperationKind, Outcome, Sequence, Subject, Value, Var, Visibility,
};

use crate::kinds::{Kind, Kinds, tells_order};

/// One look at a value after the last statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Observation {
    /// The value observed.
    pub receiver: Var,
    /// How it is looked at.
    pub look: Look,
}

/// How a value is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// By an observer.
    Call(OpId),
    /// The elements of a collection.
    Elements,
    /// What an `Optional` holds; looking at an empty one throws.
    Held,
    /// The elements of an array.
    Array,
}

/// Which methods are held to be observers.
#[derive(Debug, Default)]
pub struct Observers {
    /// Methods that were seen to change something.
    refuted: FxHashSet<OpId>,
    /// Observers by type and package, which are asked for again and again.
    known: FxHashMap<(ClassId, String), Vec<OpId>>,
}

/// How many observers are tried on one value.
const PER_VALUE: usize = 8;
/// How many observers are tried on an argument.
const PER_ARGUMENT: usize = 2;

impl Observers {
    /// Notes that a method is no observer.
    pub fn refute(&mut self, op: OpId) {
        if self.refuted.insert(op) {
            self.known.clear();
        }
    }

    /// The looks worth taking after a sequence: at the receiver of its last call, at what it gave, and at arguments
    /// it may have changed. `outcome` tells what the values are.
    pub fn for_sequence(
        &mut self,
        subject: &Subject,
        sequence: &Sequence,
        outcome: &Outcome,
        package: &str,
    ) -> Vec<Observation> {
        let Some((last, op, inputs)) = sequence.calls().last() else { return Vec::new() };
        if Some(last) != sequence.last() {
            return Vec::new();
        }
        let mut values: Vec<Var> = inputs.to_vec();
        values.push(last);
        let kinds = Kinds::new(subject);
        let receiver = inputs.first().filter(|_| subject[op].kind.has_receiver());
        let mut seen = FxHashSet::default();
        let mut looks = Vec::new();
        for var in values {
            if !seen.insert(var) || !is_object(outcome.value(var)) || is_mock(sequence, outcome, var) {
                continue;
            }
            let look = match kinds.of(sequence.type_of(var), outcome.value(var)) {
                Some(Kind::Array) => Some(Look::Array),
                Some(Kind::List | Kind::Set) => Some(Look::Elements),
                Some(Kind::Optional) => Some(Look::Held),
                None => None,
            };
            looks.extend(look.map(|look| Observation { receiver: var, look }));
            // Arguments are rarely changed: a few looks must do.
            let most = if Some(&var) == receiver || var == last { PER_VALUE } else { PER_ARGUMENT };
            if look.is_none() || most == PER_VALUE {
                let ops = self.of_type(subject, sequence.type_of(var), package);
                let is_unordered = kinds.is_unordered(sequence.type_of(var), outcome.value(var));
                let telling = ops.into_iter().filter(|observer| {
                    let again = *observer == op && var != last;
                    let by_order = is_unordered && tells_order(&subject[*observer].name);
                    !again && !by_order
                });
                looks
                    .extend(telling.take(most).map(|op| Observation { receiver: var, look: Look::Call(op) }));
            }
        }
        looks
    }

    /// Observers of a value of this type, the most telling first.
    fn of_type(&mut self, subject: &Subject, ty: &JavaType, package: &str) -> Vec<OpId> {
        let Some(class) = ty.class_id() else { return Vec::new() };
        let classes = subject.classes();
        if class == classes.string() || classes.unboxed(class).is_some() {
            return Vec::new();
        }
        let key = (class, package.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.find(subject, class, package);
        self.known.insert(key, found.clone());
        found
    }

    fn find(&self, subject: &Subject, class: ClassId, package: &str) -> Vec<OpId> {
        let classes = subject.classes();
        let mut found: Vec<OpId> = Vec::new();
        let mut owners: Vec<ClassId> = vec![class];
        owners.extend(
            classes.ancestors(class).iter().map(|ancestor| ancestor.class).filter(|owner| *owner != class),
        );
        for owner in owners {
            if owner == classes.object() {
                continue;
            }
            let more = subject.operations_of(owner).iter().copied();
            found.extend(
                more.filter(|op| self.is_candidate(subject, *op, package) && !shadowed(subject, *op, &found))
                    .collect::<Vec<_>>(),
            );
        }
        found.sort_by_key(|op| rank(subject, *op));
        found.truncate(PER_VALUE);
        found
    }

    fn is_candidate(&self, subject: &Subject, op: OpId, package: &str) -> bool {
        let operation = &subject[op];
        let reads = matches!(
            operation.kind,
            OperationKind::InstanceMethod | OperationKind::RecordAccessor | OperationKind::InstanceGet
        );
        reads
            && operation.params.is_empty()
            && operation.type_params.is_empty()
            && !operation.is_deprecated
            && operation.throws.is_empty()
            && operation.visibility != Visibility::Private
            && &*operation.name != "hashCode"
            && &*operation.name != "clone"
            && is_plain(subject, &operation.result)
            && !self.refuted.contains(&op)
            && subject.check_operation(op, package).is_ok()
    }
}

/// True if a value is a mock, which tests do not call.
fn is_mock(sequence: &Sequence, outcome: &Outcome, var: Var) -> bool {
    sequence.is_mock(var) || matches!(outcome.value(var), Some(Value::Object(object)) if object.is_mock)
}

fn is_object(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Object(_)))
}

fn shadowed(subject: &Subject, op: OpId, found: &[OpId]) -> bool {
    found.iter().any(|other| subject[*other].name == subject[op].name)
}

/// Types whose values can be written down.
fn is_plain(subject: &Subject, ty: &JavaType) -> bool {
    match ty {
        JavaType::Primitive(_) => true,
        JavaType::Class(class_type) => {
            let classes = subject.classes();
            class_type.class == classes.string()
                || classes.unboxed(class_type.class).is_some()
                || subject[class_type.class].kind == ClassKind::Enum
        }
        _ => false,
    }
}

/// Sizes tell most in the fewest words, then the whole as text, then its parts.
fn rank(subject: &Subject, op: OpId) -> (u8, OpId) {
    let operation = &subject[op];
    let rank = match &*operation.name {
        _ if operation.kind == OperationKind::InstanceGet => 5,
        "size" | "length" | "count" => 0,
        "toString" => 1,
        "isEmpty" => 4,
        name if name.starts_with("get") => 2,
        name if name.starts_with("is") || name.starts_with("has") => 3,
        _ if operation.kind == OperationKind::RecordAccessor => 2,
        _ => 3,
    };
    (rank, op)
}

#[cfg(test)]
mod tests {
    use jurat_model::{Action, Ending, Literal, ObjectValue, Statement};

    use super::*;

    #[test]
    fn a_mock_is_known_by_its_class_where_nobody_says_which_value_it_is() {
        let statement = Statement { action: Action::Literal(Literal::Null), ty: JavaType::Void };
        let sequence = Sequence::new(vec![statement]).expect("it has no inputs");
        let is_known = |is_mock| {
            let class = "a/Gauge".into();
            let object = ObjectValue { class, fingerprint: None, same_as: None, is_mock, elements: None };
            let endings = vec![Ending::Returned(Value::Object(object))];
            super::is_mock(&sequence, &Outcome { endings, ..Outcome::default() }, Var::from_index(0))
        };
        assert!(is_known(true) && !is_known(false));
    }
}
