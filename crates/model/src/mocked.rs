//! What a mock can stand in for, and what it may be asked.

use std::sync::Arc;

use crate::Visibility;
use crate::class::{ClassId, ClassKind, Detail};
use crate::operation::{OpId, Operation, OperationKind};
use crate::overload::parameters;
use crate::subject::Subject;

impl Subject {
    /// The methods that a mock of an interface or class may be asked, nearest declaration first; none if it
    /// cannot be mocked so that every version of Mockito answers as a mock does while tests are looked for.
    pub fn mocked_methods(&self, class: ClassId) -> Option<Vec<OpId>> {
        let declared = &self[class];
        let is_open = !declared.is_final && !declared.is_sealed && declared.has_name();
        let is_plain = matches!(declared.kind, ClassKind::Interface | ClassKind::Class);
        let classes = self.classes();
        if !is_open
            || !is_plain
            || declared.missing.is_some()
            || classes.is_subclass(class, classes.throwable())
        {
            return None;
        }
        let mut seen: Vec<(Arc<str>, String)> = Vec::new();
        let mut found = Vec::new();
        for above in self.nearest_first(class) {
            if self[above].detail != Detail::Operations {
                return None;
            }
            for op in self.operations_of(above) {
                let operation = &self[*op];
                // Some versions of Mockito answer for final methods, others let them run; and a mock that is to equal
                // itself only could not say so.
                if operation.is_final && is_overridable(operation) {
                    return None;
                }
                let key = (operation.name.clone(), parameters(&operation.descriptor).to_owned());
                if !is_asked(operation) || seen.contains(&key) {
                    continue;
                }
                seen.push(key);
                found.push(*op);
            }
        }
        Some(found)
    }

    /// The class and what it inherits from, overriding classes before those they override; without `Object`.
    fn nearest_first(&self, class: ClassId) -> Vec<ClassId> {
        let classes = self.classes();
        let all = classes.ancestors(class).iter().map(|above| above.class);
        let mut all: Vec<ClassId> = all.filter(|above| *above != classes.object()).collect();
        all.sort_by_key(|above| std::cmp::Reverse(classes.ancestors(*above).len()));
        all
    }

    /// The method of a mocked class that the JVM knows by this name and descriptor.
    pub fn mocked_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<OpId> {
        let above = self.nearest_first(class).into_iter();
        above.flat_map(|above| self.operations_of(above)).copied().find(|op| {
            let operation = &self[*op];
            is_asked(operation) && &*operation.name == name && &*operation.descriptor == descriptor
        })
    }
}

/// True for methods that a mock answers; by the others objects are told apart, or they cannot be overridden.
fn is_asked(operation: &Operation) -> bool {
    let by_identity = matches!(
        (&*operation.name, parameters(&operation.descriptor)),
        ("equals", "(Ljava/lang/Object;") | ("hashCode" | "toString" | "finalize", "(")
    );
    is_overridable(operation) && !by_identity
}

/// True for methods that a subclass could override if they were not final.
fn is_overridable(operation: &Operation) -> bool {
    operation.kind == OperationKind::InstanceMethod && operation.visibility != Visibility::Private
}
