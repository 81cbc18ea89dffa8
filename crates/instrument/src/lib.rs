//! Splices probes into class files: a pure function from a class and a [`ProbePlan`] to a class and a [`ProbeMap`].
//!
//! A probe is a call of a static method of [`runtime::CLASS`], which this crate synthesizes as well. Probes only
//! look: they duplicate the operands they report and leave control flow alone. Ids are given out in the order of
//! methods and instructions, so an engine that instruments a class by itself, without a JVM, gets the same map as
//! the worker that runs it.
//!
//! ```
//! use jurat_classfile::{Access, ClassFile, Op};
//! use jurat_instrument::{ProbeId, ProbePlan, instrument};
//!
//! let mut class = ClassFile::new("a/A", "java/lang/Object")?;
//! class.add_method(Access::STATIC, "f", "()V", |code| {
//!     code.push(Op::Return);
//!     Ok(())
//! })?;
//! let plan = ProbePlan { entries: true, ..ProbePlan::default() };
//! let done = instrument(&class, &plan, ProbeId(100));
//! assert_eq!((done.map.first, done.map.next()), (ProbeId(100), ProbeId(101)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod branch;
pub mod control;
mod exclude;
pub mod judged;
mod line;
mod map;
mod method;
pub mod mutants;
mod plan;
mod rewrite;
pub mod runtime;
pub mod trace;
pub mod watch;

use std::fmt;

use jurat_classfile::{Access, ClassFile};

pub use exclude::excluded;
pub use map::{Edge, MethodName, Probe, ProbeId, ProbeKind, ProbeMap};
pub use plan::{Branches, Calls, ProbePlan, Rewrite, TracePlan};

use method::Weaver;

/// A class with its probes.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The class.
    pub class: ClassFile,
    /// What the probes stand for.
    pub map: ProbeMap,
    /// Methods with code that were left as they are.
    pub skipped: Vec<Skipped>,
}

/// A method that has no probes, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The method.
    pub method: MethodName,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.method, self.reason)
    }
}

/// Puts the probes that `plan` asks for into a copy of `class`, numbered from `first` on.
///
/// The number of ids used does not depend on `first`.
pub fn instrument(class: &ClassFile, plan: &ProbePlan, first: ProbeId) -> Instrumented {
    let mut done = unchanged(class, first);
    weave_all(class, plan, &mut Weaver::new(class, plan), &mut done);
    done
}

/// The class as it is, before anything is put into it.
fn unchanged(class: &ClassFile, first: ProbeId) -> Instrumented {
    let name = class.name().into_owned();
    let map = ProbeMap { class: name, first, methods: Vec::new(), probes: Vec::new() };
    Instrumented { class: class.clone(), map, skipped: Vec::new() }
}

/// Why nothing can be put into a class, if so.
fn unfit(class: &ClassFile) -> Option<&'static str> {
    excluded(&class.name()).or_else(|| class.access.contains(Access::MODULE).then_some("not a class"))
}

/// Puts what the weaver has for them into all methods.
fn weave_all(class: &ClassFile, plan: &ProbePlan, weaver: &mut Weaver<'_>, done: &mut Instrumented) {
    let unfit = unfit(class);
    if unfit.is_none() && !plan.rewrites.is_empty() {
        // Without room for a few constants no method has room either, and the reason is told there.
        let _ = rewrite::rewrite_handles(&mut done.class, &plan.rewrites);
    }
    for index in 0..class.methods.len() {
        if class.methods[index].code().is_none() {
            continue;
        }
        let added = unfit.map_or_else(|| weaver.weave(done, index), |reason| Err(reason.to_owned()));
        if let Err(reason) = added {
            let method = MethodName::of(class, index);
            done.skipped.push(Skipped { method, reason });
        }
    }
}

/// How many ids [`instrument`] uses for a class.
pub fn count(class: &ClassFile, plan: &ProbePlan) -> u32 {
    instrument(class, plan, ProbeId(0)).map.count()
}
