//! What Java source promises of values beyond what the JVM knows: the compiler casts what a `T` or a lambda's
//! parameter stands for. A sequence that breaks such a promise runs in a worker and fails as Java.

use jurat_base::FxHashMap;
use jurat_model::{Action, Classes, JavaType, Literal, Statement, Subject, Value};
use jurat_protocol as wire;

/// The casts in a sequence that its source does not show.
#[derive(Debug, Default)]
pub(crate) struct Promises {
    /// By position of the value.
    values: FxHashMap<usize, JavaType>,
    /// What the parameters of lambdas are cast to.
    lambdas: Vec<(wire::Var, Vec<JavaType>)>,
}

impl Promises {
    /// Notes what the statement that makes the value at `position` promises.
    pub(crate) fn note(
        &mut self,
        subject: &Subject,
        statement: &Statement,
        position: usize,
        made: wire::Var,
    ) {
        let classes = subject.classes();
        match &statement.action {
            Action::Call { instance, .. } => {
                let promised = classes.erasure(&statement.ty);
                if promised != classes.erasure(&subject[instance.operation].result) {
                    self.values.insert(position, promised);
                }
            }
            Action::Cast { .. } => {
                self.values.insert(position, classes.erasure(&statement.ty));
            }
            Action::Lambda(_) => {
                let Some(function) = classes.function_type(&statement.ty) else { return };
                let params = function.params.iter().map(|param| classes.erasure(param)).collect();
                self.lambdas.push((made, params));
            }
            Action::Literal(_) | Action::Array { .. } | Action::Mock { .. } => {}
        }
    }

    /// False if the value at `position` is not what was promised.
    pub(crate) fn kept(&self, subject: &Subject, position: usize, value: &Value) -> bool {
        self.values.get(&position).is_none_or(|promised| may_be(subject.classes(), value, promised))
    }

    /// False if a lambda was given something that it is not declared to take.
    pub(crate) fn kept_to_lambda(
        &self,
        subject: &Subject,
        asked: wire::Var,
        arguments: &mut dyn Iterator<Item = Value>,
    ) -> bool {
        let lambda = self.lambdas.iter().find(|(made, _)| *made == asked);
        lambda.is_none_or(|(_, params)| {
            params.iter().zip(arguments).all(|(param, value)| may_be(subject.classes(), &value, param))
        })
    }
}

/// False if a cast of the value to this erased type fails.
fn may_be(classes: &Classes, value: &Value, ty: &JavaType) -> bool {
    if !ty.is_reference() {
        return true;
    }
    let found = match value {
        Value::Void | Value::Literal(Literal::Null) => return true,
        Value::Literal(Literal::String(_)) => "java/lang/String",
        Value::Literal(Literal::Class(_)) => "java/lang/Class",
        // Classes that the subject does not know are told as long strings are.
        Value::LongString => {
            let either = ["java/lang/String", "java/lang/Class"];
            return either.into_iter().any(|found| is_below(classes, found, ty));
        }
        Value::Literal(literal) => match crate::wire::primitive_of(literal) {
            Some(primitive) => primitive.box_name(),
            None => return true,
        },
        Value::Enum { class, .. } => class,
        Value::Object(object) => &*object.class,
    };
    is_below(classes, found, ty)
}

/// False if no object of the run-time class of this name (a descriptor for arrays) is of the erased type.
pub(crate) fn is_below(classes: &Classes, found: &str, ty: &JavaType) -> bool {
    let known = if found.starts_with('[') {
        classes.type_with_descriptor(found)
    } else {
        classes.find(found).map(JavaType::class)
    };
    match (known, ty) {
        (Some(known), _) => classes.is_subtype(&known, ty),
        // Of a class that nobody loaded only so much is known: it is not one that has no subclasses.
        (None, JavaType::Class(class_type)) => !classes[class_type.class].is_final,
        (None, _) => found.starts_with('['),
    }
}
