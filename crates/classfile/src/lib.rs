//! Reads, checks, edits and writes Java class files.

pub mod annotation;
pub mod descriptor;
pub mod mutf8;
pub mod signature;

mod access;
mod attribute;
mod build;
mod class;
mod code;
mod edit;
mod effect;
mod fault;
mod frames;
mod input;
mod insn;
mod module;
mod output;
mod pool;
mod splice;
mod state;

pub use access::Access;
pub use attribute::{
    Attribute, BootstrapMethod, Content, InnerClass, MethodParameter, Opaque, OpaqueReason, RecordComponent,
};
pub use build::{BuildError, CodeBuilder};
pub use class::{ClassFile, Field, MAX_MAJOR, Method};
pub use code::{
    CharacterRange, Code, Frame, FrameKind, FullFrame, Handler, LineNumber, LocalVariable, VerificationType,
};
pub use fault::{Fault, Problem, ReadError, WriteError};
pub use insn::{
    ArrayKind, BranchOp, ClassOp, FieldOp, Insn, InvokeOp, Label, LdcForm, LocalForm, LocalOp, LookupSwitch,
    Op, TableSwitch,
};
pub use module::{Module, ModuleHashes, PackageAccess, Provides, Requires};
pub use pool::{
    ClassIndex, Constant, ConstantPool, Dynamic, DynamicIndex, FieldIndex, HandleIndex, HandleKind,
    InvokeDynamicIndex, LoadableIndex, Member, MethodIndex, MethodTypeIndex, ModuleIndex, NameAndTypeIndex,
    PackageIndex, PoolFull, PoolIndex, StringIndex, Text, Utf8Index,
};
pub use splice::{Fragment, Splice, SpliceError};
