//! Mutants: small changes of a class, all in one class file behind a switch.
//!
//! Where a mutant changes an instruction, code asks which mutant is active, `runtime::fields::MUTANT`, and takes the
//! changed way if it is this one. No class has to be loaded for a mutant: setting one number makes it live. While the
//! number is [`NONE`], or that of a mutant elsewhere, the class does what it always did.
//!
//! Changes are ones that a person could have made in the source. What only the compiler wrote (the plumbing of
//! `for` over a collection, of `assert`, of a `switch` over strings, bridges, copies of a `finally` block) is left
//! alone, or counts once; see `mutants/generated.rs`.
//!
//! ```
//! use jurat_classfile::{Access, ClassFile, LocalOp, Op};
//! use jurat_instrument::mutants::{MutantId, Operators, mutate};
//! use jurat_instrument::{ProbeId, ProbePlan};
//!
//! let mut class = ClassFile::new("a/A", "java/lang/Object")?;
//! class.add_method(Access::STATIC, "twice", "(I)I", |code| {
//!     code.local(LocalOp::Iload, 0);
//!     code.local(LocalOp::Iload, 0);
//!     code.push(Op::Iadd);
//!     code.push(Op::Ireturn);
//!     Ok(())
//! })?;
//! let done = mutate(&class, &ProbePlan::default(), Operators::all(), ProbeId(0), MutantId(1));
//! let sentences: Vec<String> = done.mutants.iter().map(|mutant| mutant.change.to_string()).collect();
//! assert_eq!(sentences, ["`+` became `-`", "returns 0 instead of its result"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
pub(crate) mod generated;
pub(crate) mod points;
mod variants;

use jurat_base::typed_id;
use jurat_classfile::{Access, ClassFile};

pub use change::{Change, Constant, Key, Operator, Operators, Returned};

use crate::map::{MethodName, ProbeId, ProbeMap};
use crate::method::Weaver;
use crate::plan::ProbePlan;
use crate::{Skipped, unfit};

typed_id! {
    /// A mutant's number: the value of the switch that makes it live.
    pub MutantId
}

/// The value of the switch with which no mutant is live. No mutant has this number.
pub const NONE: MutantId = MutantId(0);

/// One small change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The method it is in.
    pub method: MethodName,
    /// Its source line, if the class file tells.
    pub line: Option<u16>,
    /// Position of the changed instruction in the method, before instrumentation; of copies, the first.
    pub insn: u32,
    /// What is changed.
    pub change: Change,
}

impl Mutant {
    /// Whether the changed code runs when the class is initialized: then the switch must be set before.
    pub fn in_initializer(&self) -> bool {
        self.method.name == "<clinit>"
    }
}

/// A class with all its mutants, and probes.
#[derive(Clone, Debug)]
pub struct Mutated {
    /// The class.
    pub class: ClassFile,
    /// What the probes stand for.
    pub map: ProbeMap,
    /// The mutants, in order of their ids from the first one on.
    pub mutants: Vec<Mutant>,
    /// Methods that were left without mutants although they could have some, and why.
    pub skipped: Vec<Skipped>,
}

/// Mutants of a class, as they are collected.
pub(crate) struct Collected {
    pub(crate) operators: Operators,
    pub(crate) first: MutantId,
    pub(crate) mutants: Vec<Mutant>,
}

impl Collected {
    /// The next id.
    pub(crate) fn next(&self) -> u32 {
        self.first.0 + u32::try_from(self.mutants.len()).expect("a class has fewer than 2^32 mutants")
    }
}

/// Puts all mutants of the chosen operators, and the probes that `plan` asks for, into a copy of `class`. Mutants are
/// numbered from `first_mutant` on, which must not be [`NONE`]; how many there are depends on neither number.
///
/// The plan must not ask for branches: mutants stand where its probes would.
pub fn mutate(
    class: &ClassFile,
    plan: &ProbePlan,
    operators: Operators,
    first: ProbeId,
    first_mutant: MutantId,
) -> Mutated {
    assert!(first_mutant != NONE, "no mutant has the number of none");
    let mut done = crate::unchanged(class, first);
    let mut weaver = Weaver::new(class, plan);
    if unfit(class).is_none() && !class.access.contains(Access::ANNOTATION) {
        weaver.mutants = Some(Collected { operators, first: first_mutant, mutants: Vec::new() });
    }
    crate::weave_all(class, plan, &mut weaver, &mut done);
    let mutants = weaver.mutants.map(|collected| collected.mutants).unwrap_or_default();
    Mutated { class: done.class, map: done.map, mutants, skipped: done.skipped }
}
