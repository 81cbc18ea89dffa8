//! The vocabulary of Jurat as immutable data.
//!
//! A [`Subject`] holds the classes under test and what they reach: [`Class`]es, their
//! [`Operation`]s and the types between them. The algebra of those types (subtyping, substitution,
//! inference) lives on [`Classes`]; how they read as Java source lives in [`NameScope`].

mod access;
mod call;
mod class;
mod classes;
mod constant;
mod function;
mod identifier;
mod infer;
mod instance;
mod law;
mod left_out;
mod mocked;
mod name_scope;
mod operation;
mod outcome;
mod overload;
mod sequence;
mod strategy;
mod subject;
mod substitution;
mod subtyping;
mod test;
mod types;

pub use access::Obstacle;
pub use call::{Call, CallStyle};
pub use class::{Class, ClassId, ClassKind, Detail, Nesting, Origin, RecordComponent, Visibility};
pub use classes::{Classes, TypeVar, VarOwner, WELL_KNOWN};
pub use constant::{Constant, JavaString};
pub use function::{FunctionType, FunctionalMethod};
pub use identifier::is_identifier;
pub use infer::{Constraint, Inference};
pub use instance::{Demand, Instance};
pub use law::{Broken, Law};
pub use left_out::{LeftOut, Reason};
pub use name_scope::NameScope;
pub use operation::{OpId, Operation, OperationKind};
pub use outcome::{Ending, ObjectValue, Outcome, ProbeId, Value};
pub use sequence::{Action, Answer, LambdaBody, Literal, Sequence, SequenceBuilder, Statement, Var};
pub use strategy::{Candidate, Technique};
pub use subject::{Subject, SubjectParts};
pub use substitution::Substitution;
pub use subtyping::Conversion;
pub use test::{Check, ClassSuite, Observed, Suite, Test, Thrown};
pub use types::{ClassType, JavaType, Primitive, TypeArg, TypeVarId};
