//! The operation table: what sequences may call, each entry sent once per session.

use serde::{Deserialize, Serialize};

/// One member of a class that a statement can use. Access modifiers do not matter to the worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Operation {
    /// What is done with the member.
    pub kind: OperationKind,
    /// The binary name of the class that is named in the call, `java/util/Map$Entry`.
    pub class: String,
    /// The member's name; `<init>` for constructors.
    pub name: String,
    /// The erased descriptor: `(ILjava/lang/Object;)Z`, or the type of a field.
    pub descriptor: String,
    /// Whether the method asks who calls it (`@CallerSensitive`): then it is called from a class that is
    /// synthesized in the subject's loader, because a call from native code has no caller.
    pub caller_sensitive: bool,
}

/// What is done with a member, and so what a statement's inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OperationKind {
    /// `new C(inputs)`.
    Constructor,
    /// `C.m(inputs)`.
    Static,
    /// `inputs[0].m(inputs[1..])`, the implementation chosen by the receiver.
    Virtual,
    /// The same, the implementation that `class` has: how `super.m()` calls.
    Special,
    /// `C.f`; also an enum's constant.
    GetStatic,
    /// `C.f = inputs[0]`.
    SetStatic,
    /// The same, and what the static variables of the class held is put back when the sequence ends.
    LendStatic,
    /// `inputs[0].f`.
    GetField,
    /// `inputs[0].f = inputs[1]`.
    SetField,
}

impl OperationKind {
    /// Whether the first input is the object that the member belongs to.
    pub fn has_receiver(self) -> bool {
        matches!(self, Self::Virtual | Self::Special | Self::GetField | Self::SetField)
    }

    /// Whether a field is written.
    pub fn is_set(self) -> bool {
        matches!(self, Self::SetStatic | Self::LendStatic | Self::SetField)
    }

    /// Whether the member is a field.
    pub fn is_field(self) -> bool {
        matches!(self, Self::GetStatic | Self::GetField) || self.is_set()
    }
}

impl Operation {
    /// A member used in this way, called directly.
    pub fn new(kind: OperationKind, class: &str, name: &str, descriptor: &str) -> Self {
        Self {
            kind,
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            caller_sensitive: false,
        }
    }
}
