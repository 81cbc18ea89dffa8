//! Reads, checks, edits and writes Java class files.
//!
//! The crate has never heard of testing, of JVMs or of files: bytes in, a [`ClassFile`] out, and back.
//!
//! ```
//! use jurat_classfile::{Access, ClassFile, Op};
//! let mut class = ClassFile::new("a/A", "java/lang/Object")?;
//! class.add_field(Access::PRIVATE | Access::FINAL, "size", "I")?;
//! let bytes = class.write()?;
//!
//! let mut class = ClassFile::read(&bytes)?;
//! class.fields[0].access.remove(Access::FINAL);
//! class.add_default_constructor()?;
//! class.methods.retain(|method| !method.access.contains(Access::NATIVE));
//! assert_eq!(class.name(), "a/A");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is always true
//! - **What is read and not edited is written byte for byte.** Nothing is copied to get there: every attribute the
//!   format knows is decoded, instructions included, and encoded again. Where the format has several forms for one
//!   thing (`iload_0` and `iload 0`, frames, padding of switches) the form is remembered. What is not known, or
//!   broken without harm, stays [`Opaque`] with the reason, and [`ClassFile::opaque_bytes`] counts it.
//! - **Positions are labels.** Jumps, handlers, frames, line numbers, variables and annotations name instructions,
//!   never byte offsets. Offsets exist only while bytes are read or written, so edits have nothing to correct.
//! - **The constant pool only grows.** An index that was handed out, or is encoded in an instruction nobody touched,
//!   stays true. Indices are typed and checked once, when they are read: a [`ClassIndex`] of a pool leads to a class.
//! - **Any bytes are answered**, with a class or a [`ReadError`] that names the class (if the file got that far) and
//!   the offset. Counts and lengths are believed only as far as the input could hold that much, annotations and
//!   signatures only to a certain depth, so neither memory nor stack runs away.
//! - **There is one way to put code into a method**, [`ClassFile::splice`]. Jumps that get too long, forms of `ldc`,
//!   frames, exception tables and limits are its business and nobody else's. It changes nothing unless it succeeds.
//!
//! # Where things are
//! | For | see |
//! | --- | --- |
//! | the parts of a class | [`ClassFile`], [`Field`], [`Method`], [`Attribute`] and its [`Content`] |
//! | constants | [`ConstantPool`]: accessors by typed index, `add_…` methods that find what is there already |
//! | code | [`Code`], [`Insn`], [`Label`], [`Frame`] |
//! | types in descriptors and signatures | [`descriptor`], [`signature`] |
//! | putting code into methods | [`Splice`], [`Fragment`] |
//! | making classes and methods | [`ClassFile::new`], [`ClassFile::add_method`], [`CodeBuilder`] |
//!
//! # How splicing works
//! The new code is laid out in one pass; it yields for each old instruction where jumps to it land and where it is
//! itself. Everything that holds a label is then mapped through one of the two. Fragments with jumps of their own
//! need frames: the code is followed, type by type as the verifier does, from the last frame before the fragment,
//! and what holds at the labels becomes frames. Last, jumps that do not reach are dealt with: `goto` gets its wide
//! form, and a conditional branch is replaced, by splicing again, with its inverse around a `goto_w`. HotSpot's
//! verifier is the judge of all this: the tests let it link all of `java.base` with code everywhere.
//!
//! One thing no verifier says: a JVM does not boot if the constructor of `java/lang/Object` was changed.

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
