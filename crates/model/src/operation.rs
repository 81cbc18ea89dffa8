//! One thing callable on the subject: typed inputs, one output.

use std::sync::Arc;

use crate::class::{ClassId, Visibility};
use crate::constant::Constant;
use crate::types::{JavaType, TypeVarId};

jurat_base::typed_id! {
    /// An operation: its position in [`Subject`](crate::Subject).
    pub OpId
}

/// What calling the operation means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// `new Owner(…)`
    Constructor,
    /// `Owner.name(…)`
    StaticMethod,
    /// `receiver.name(…)`
    InstanceMethod,
    /// `Owner.name`
    StaticGet,
    /// `Owner.name = value`
    StaticSet,
    /// `receiver.name`
    InstanceGet,
    /// `receiver.name = value`
    InstanceSet,
    /// `Owner.NAME`, a constant of an enum.
    EnumConstant,
    /// `receiver.name()`, the accessor of a record component.
    RecordAccessor,
}

impl OperationKind {
    /// The word people use for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Constructor => "constructor",
            Self::StaticMethod => "static-method",
            Self::InstanceMethod => "method",
            Self::StaticGet => "static-get",
            Self::StaticSet => "static-set",
            Self::InstanceGet => "get",
            Self::InstanceSet => "set",
            Self::EnumConstant => "enum-constant",
            Self::RecordAccessor => "record-accessor",
        }
    }

    /// True for constructors and methods: what is called with arguments.
    pub fn is_call(self) -> bool {
        matches!(self, Self::Constructor | Self::StaticMethod | Self::InstanceMethod | Self::RecordAccessor)
    }

    /// True for methods, static or not.
    pub fn is_method(self) -> bool {
        self.is_call() && self != Self::Constructor
    }

    /// True if it is used on an instance of its owner.
    pub fn has_receiver(self) -> bool {
        matches!(self, Self::InstanceMethod | Self::InstanceGet | Self::InstanceSet | Self::RecordAccessor)
    }

    /// True for reads of fields, enum constants included.
    pub fn is_get(self) -> bool {
        matches!(self, Self::StaticGet | Self::InstanceGet | Self::EnumConstant)
    }

    /// True for writes to fields.
    pub fn is_set(self) -> bool {
        matches!(self, Self::StaticSet | Self::InstanceSet)
    }
}

/// A constructor, method, field access or enum constant.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts of a declaration")]
pub struct Operation {
    /// Its position in the subject.
    pub id: OpId,
    /// The class that declares it.
    pub owner: ClassId,
    /// What calling it means.
    pub kind: OperationKind,
    /// Its name; `<init>` for constructors.
    pub name: Arc<str>,
    /// The erased descriptor the JVM knows it by: of the method, or of the field.
    ///
    /// For the constructor of an inner class it begins with the outer instance, which is not
    /// among `params` but the `receiver`.
    pub descriptor: Arc<str>,
    /// Who may use it; the owner counts too.
    pub visibility: Visibility,
    /// The type of the instance it is used on; for the constructor of an inner class, of the
    /// outer instance.
    pub receiver: Option<JavaType>,
    /// The types of its arguments.
    pub params: Vec<JavaType>,
    /// The type of what it gives; `void` if nothing.
    pub result: JavaType,
    /// The exceptions it declares.
    pub throws: Vec<JavaType>,
    /// Its own type parameters.
    pub type_params: Vec<TypeVarId>,
    /// True if the last parameter takes any number of arguments.
    pub is_varargs: bool,
    /// True if it carries `@Deprecated`.
    pub is_deprecated: bool,
    /// True if it is to be removed, which compilers warn of by another name.
    pub is_for_removal: bool,
    /// True if the JDK did not have it in the release for which the classes under test are compiled.
    pub is_newer: bool,
    /// True for native methods.
    pub is_native: bool,
    /// True for abstract methods.
    pub is_abstract: bool,
    /// True for final methods and fields.
    pub is_final: bool,
    /// True if the JDK looks at who calls it, so that a call from JNI misbehaves.
    pub is_caller_sensitive: bool,
    /// Names of its parameters, where the class file has them; empty if unknown.
    pub param_names: Vec<Arc<str>>,
    /// Constants in its code, each once, in order.
    pub constants: Vec<Constant>,
    /// Number of instructions of its code; 0 without code.
    pub instructions: u32,
}

impl Operation {
    /// True for a constructor.
    pub fn is_constructor(&self) -> bool {
        self.kind == OperationKind::Constructor
    }

    /// True if a value comes out.
    pub fn produces(&self) -> bool {
        !self.result.is_void()
    }

    /// Receiver and arguments in order: all that must be supplied.
    pub fn inputs(&self) -> impl Iterator<Item = &JavaType> {
        self.receiver.iter().chain(&self.params)
    }

    /// All types its signature names.
    pub fn types(&self) -> impl Iterator<Item = &JavaType> {
        self.inputs().chain(std::iter::once(&self.result)).chain(&self.throws)
    }
}
