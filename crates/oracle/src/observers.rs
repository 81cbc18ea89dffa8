//! Observers: methods whose runs never changed their receiver, used to read state.

use jurat_base::FxHashSet;
use jurat_model::{ClassId, JavaType, OpId, OperationKind, Primitive, Sequence, Subject, Var, Visibility};

/// One use of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Observation {
    /// The value observed.
    pub receiver: Var,
    /// The observer.
    pub observer: OpId,
}

/// Which methods are held to be observers.
#[derive(Debug, Default)]
pub struct Observers {
    /// Methods that were seen to change something, throw, or reach outside.
    refuted: FxHashSet<OpId>,
}

/// How many observers are tried on one value.
const PER_VALUE: usize = 8;

impl Observers {
    /// Notes that a method is no observer.
    pub fn refute(&mut self, op: OpId) {
        self.refuted.insert(op);
    }

    /// The observations worth making after a sequence: on the receiver of its last call, then on the result.
    pub fn for_sequence(&self, subject: &Subject, sequence: &Sequence, package: &str) -> Vec<Observation> {
        let Some((last, op, inputs)) = sequence.calls().last() else { return Vec::new() };
        let mut values: Vec<Var> = Vec::new();
        if subject[op].kind.has_receiver() {
            values.extend(inputs.first());
        }
        values.push(last);
        values
            .into_iter()
            .flat_map(|receiver| {
                let observers = self.of_type(subject, sequence.type_of(receiver), package);
                observers.into_iter().map(move |observer| Observation { receiver, observer })
            })
            .filter(|observation| !(observation.observer == op && observation.receiver != last))
            .collect()
    }

    /// Observers of a value of this type, the most telling first.
    fn of_type(&self, subject: &Subject, ty: &JavaType, package: &str) -> Vec<OpId> {
        let Some(class) = ty.class_id() else { return Vec::new() };
        let classes = subject.classes();
        if class == classes.string() || classes.unboxed(class).is_some() {
            return Vec::new();
        }
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
                || subject[class_type.class].kind == jurat_model::ClassKind::Enum
        }
        _ => false,
    }
}

/// Sizes and flags tell most in the fewest words; whole texts come last.
fn rank(subject: &Subject, op: OpId) -> (u8, OpId) {
    let operation = &subject[op];
    let rank = match &*operation.name {
        "size" | "length" | "isEmpty" | "count" => 0,
        "toString" => 3,
        name if name.starts_with("get") || name.starts_with("is") || name.starts_with("has") => 1,
        _ if operation.kind != OperationKind::InstanceMethod => 1,
        _ if operation.result == JavaType::Primitive(Primitive::Boolean) => 2,
        _ => 2,
    };
    (rank, op)
}
