//! Every small structure that satisfies a class's own predicate, each once.
//!
//! The technique is that of Boyapati, Khurshid and Marinov, *Korat: Automated Testing Based on Java
//! Predicates* (ISSTA 2002). A [`Finitization`] bounds the classes, a [`Space`] lays their fields out as one
//! vector, and a [`Search`] walks the vectors by watching which fields the predicate reads. The predicate
//! itself runs behind the [`Vm`] trait, so this crate knows neither JNI nor processes.

mod derive;
mod draw;
mod entry;
mod estimate;
mod file;
mod finitization;
mod layout;
mod print;
mod range;
mod reachable;
mod search;
mod shape;
mod space;
mod structure;
mod vm;
mod walk;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod korat;
#[cfg(test)]
mod testing;

pub use draw::draw;
pub use estimate::{ENDLESS, estimate};
pub use file::FileError;
pub use finitization::{ArrayDomain, Bound, ClassDomain, FieldBound, Finitization, Values};
pub use range::{Pending, Range, StateVector};
pub use search::{Search, Stop, Stranger, Tally};
pub use shape::{ClassKind, ClassShape, FieldShape, FieldType, Primitive, Shape};
pub use space::{
    Choices, Domain, DomainId, DomainKind, Field, Member, Membership, Object, ObjectId, Position, Scalar,
    Slot, Space, SpaceError, Value, simple_name,
};
pub use structure::{Assigned, Part, Structure};
pub use vm::{Ending, Sink, Stride, Vm};
pub use walk::{Entry, Walk};
