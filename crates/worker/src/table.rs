//! The operation table, parsed: what each operation takes and gives.

use std::ffi::CString;

use jurat_base::FxHashMap;
use jurat_protocol::{Operation, OperationKind};

use crate::jni::Kind;

jurat_base::typed_id! {
    /// A declared type: a descriptor, numbered.
    pub(crate) TypeId
}

/// Operations and the types they mention.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) operations: Vec<Parsed>,
    pub(crate) types: Types,
}

/// An operation, ready to be resolved in a loader; or why it cannot be.
pub(crate) type Parsed = Result<Op, String>;

/// What an operation takes and gives.
pub(crate) struct Op {
    pub(crate) kind: OperationKind,
    pub(crate) class: TypeId,
    pub(crate) name: CString,
    pub(crate) descriptor: CString,
    /// Receiver first, if there is one.
    pub(crate) inputs: Box<[Type]>,
    pub(crate) output: Type,
    /// Whether it is called through a bridge.
    pub(crate) caller_sensitive: bool,
}

/// A declared type and the kind of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) id: TypeId,
    pub(crate) kind: Kind,
}

impl Table {
    pub(crate) fn extend(&mut self, operations: Vec<Operation>) {
        for operation in operations {
            let parsed = self.parse(&operation);
            self.operations.push(parsed);
        }
    }

    fn parse(&mut self, operation: &Operation) -> Parsed {
        let unreadable = || format!("{operation:?} has a descriptor that is none");
        let class = Type { id: self.types.id(&class_descriptor(&operation.class)), kind: Kind::Object };
        let mut inputs = Vec::new();
        if operation.kind.has_receiver() {
            inputs.push(class);
        }
        let output = if operation.kind.is_field() {
            let field = self.types.of(&operation.descriptor).ok_or_else(unreadable)?;
            let sets = operation.kind.is_set();
            inputs.extend(sets.then_some(field));
            if sets { self.types.void() } else { field }
        } else {
            let (parameters, result) = split_descriptor(&operation.descriptor).ok_or_else(unreadable)?;
            for parameter in parameters {
                inputs.push(self.types.of(parameter).ok_or_else(unreadable)?);
            }
            if operation.kind == OperationKind::Constructor {
                class
            } else {
                self.types.of(result).ok_or_else(unreadable)?
            }
        };
        Ok(Op {
            kind: operation.kind,
            class: class.id,
            name: CString::new(operation.name.as_str()).map_err(|_| unreadable())?,
            descriptor: CString::new(operation.descriptor.as_str()).map_err(|_| unreadable())?,
            inputs: inputs.into(),
            output,
            caller_sensitive: operation.caller_sensitive,
        })
    }
}

/// Descriptors, numbered.
#[derive(Default)]
pub(crate) struct Types {
    names: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, TypeId>,
}

impl Types {
    /// The number of a descriptor.
    pub(crate) fn id(&mut self, descriptor: &str) -> TypeId {
        if let Some(&id) = self.ids.get(descriptor) {
            return id;
        }
        let id = TypeId::from_index(self.names.len());
        self.names.push(descriptor.into());
        self.ids.insert(descriptor.into(), id);
        id
    }

    /// The number of a descriptor that has one.
    pub(crate) fn find(&self, descriptor: &str) -> Option<TypeId> {
        self.ids.get(descriptor).copied()
    }

    /// The type with a descriptor, if it is one.
    pub(crate) fn of(&mut self, descriptor: &str) -> Option<Type> {
        let end = type_end(descriptor, 0).or_else(|| (descriptor == "V").then_some(1))?;
        let kind = Kind::of(descriptor).filter(|_| end == descriptor.len())?;
        Some(Type { id: self.id(descriptor), kind })
    }

    pub(crate) fn void(&mut self) -> Type {
        Type { id: self.id("V"), kind: Kind::Void }
    }

    pub(crate) fn descriptor(&self, id: TypeId) -> &str {
        &self.names[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}

/// `java/util/List` is `Ljava/util/List;`; arrays are their own descriptors.
pub(crate) fn class_descriptor(name: &str) -> String {
    if name.starts_with('[') { name.to_owned() } else { format!("L{name};") }
}

/// `(I[JLjava/lang/String;)V` is `["I", "[J", "Ljava/lang/String;"]` and `"V"`.
pub(crate) fn split_descriptor(descriptor: &str) -> Option<(Vec<&str>, &str)> {
    let (parameters, result) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut split = Vec::new();
    let mut start = 0;
    while start < parameters.len() {
        let end = type_end(parameters, start)?;
        split.push(&parameters[start..end]);
        start = end;
    }
    Some((split, result))
}

/// Where the type that begins at `start` ends.
fn type_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let element = start + bytes.get(start..)?.iter().take_while(|&&byte| byte == b'[').count();
    match bytes.get(element)? {
        b'L' => Some(element + text.get(element..)?.find(';')? + 1),
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => Some(element + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_split_at_types() {
        let (parameters, result) = split_descriptor("(I[[JLjava/lang/String;[Lp/C;Z)V").expect("well formed");
        assert_eq!(parameters, ["I", "[[J", "Ljava/lang/String;", "[Lp/C;", "Z"]);
        assert_eq!(result, "V");
        for broken in ["", "I", "(", "(L)V", "([)V", "(Q)V"] {
            assert_eq!(split_descriptor(broken), None, "{broken}");
        }
    }

    #[test]
    fn receivers_and_values_become_inputs() {
        let mut table = Table::default();
        table.extend(vec![
            Operation::new(OperationKind::Virtual, "p/C", "m", "(J)I"),
            Operation::new(OperationKind::SetField, "p/C", "f", "D"),
            Operation::new(OperationKind::Constructor, "p/C", "<init>", "()V"),
            Operation::new(OperationKind::Static, "p/C", "m", "oops"),
        ]);
        let kinds = |index: usize| {
            let op = table.operations[index].as_ref().expect("well formed");
            (op.inputs.iter().map(|input| input.kind).collect::<Vec<_>>(), op.output.kind)
        };
        assert_eq!(kinds(0), (vec![Kind::Object, Kind::Long], Kind::Int));
        assert_eq!(kinds(1), (vec![Kind::Object, Kind::Double], Kind::Void));
        assert_eq!(kinds(2), (vec![], Kind::Object));
        assert!(table.operations[3].is_err());
    }
}
