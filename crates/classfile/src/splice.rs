//! Puts code into a method: one mechanism for every kind of probe and rewrite.
//!
//! A [`Splice`] collects [`Fragment`]s with the places they go to; [`ClassFile::splice`] puts them all in at
//! once. Everything that refers to positions follows: jumps, switches, handlers, frames, line numbers, local
//! variables and annotations.
//!
//! # Where a fragment runs
//! For the instruction at label `i` there is one point where jumps to `i` land. Code can stand on either side:
//!
//! ```text
//!   instruction i-1
//!   fragments of after(i-1) and falling_into(i)      run when control falls through from i-1
//! ► jumps, switches and handlers that lead to i land here
//!   fragments of before(i)                           run however control gets to i
//!   instruction i, or the fragment of replace(i)
//! ```
//!
//! So code at a loop's head that counts iterations is `before(head)`, code that runs once on the way in is
//! `falling_into(head)`. [`Splice::entry`] is `falling_into` the first instruction: a jump back to the first
//! instruction does not run it. Fragments at one place run in the order in which they were added.
//!
//! [`Splice::on_jump`], [`Splice::on_handler`] and [`Splice::guard`] put their fragments behind the code, where
//! only that jump, that handler or that exception leads to.
//!
//! Handlers cover `before` fragments of the instructions they covered, and `after` fragments, but not what stands
//! before the landing point of their first instruction. Line numbers do the same.
//!
//! # Frames
//! Frames for jumps inside a fragment are found by following the code from the nearest frame before it, so the
//! caller gives none. Where paths meet inside a fragment their stacks must hold the same types.

mod apply;
mod attributes;
mod widen;

use thiserror::Error;

use crate::class::ClassFile;
use crate::code::Handler;
use crate::insn::{Insn, Label};
use crate::pool::{ClassIndex, PoolFull};

/// Code to be put into a method.
///
/// Labels count the fragment's own instructions; the one after the last is the way out at the end. A label made
/// by [`Label::outside`] is an instruction of the method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// The instructions.
    pub insns: Vec<Insn>,
    /// Handlers for exceptions thrown by the fragment, searched before those of the method.
    pub handlers: Vec<Handler>,
}

/// Code to be put into one method, and where.
///
/// ```
/// use jurat_classfile::{Access, ClassFile, Insn, InvokeOp, Label, Op, Splice};
///
/// let mut class = ClassFile::new("a/A", "java/lang/Object")?;
/// let method = class.add_method(Access::STATIC, "f", "()V", |code| {
///     code.push(Op::Return);
///     Ok(())
/// })?;
///
/// let hit = class.pool.add_method("a/Probe", "hit", "(I)V")?;
/// let mut splice = Splice::default();
/// splice.before(Label(0), vec![Insn::Bipush(7), Insn::Invoke { op: InvokeOp::Static, method: hit }]);
/// class.splice(method, &splice)?;
/// assert_eq!(class.methods[method].code().map(|code| code.insns.len()), Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Splice {
    inserts: Vec<Insert>,
    detours: Vec<Detour>,
}

/// A fragment between instructions.
#[derive(Clone, Debug)]
struct Insert {
    at: Label,
    place: Place,
    fragment: Fragment,
}

/// Where a fragment stands relative to the landing point of its instruction; in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Before,
    Behind,
    Instead,
}

/// A fragment behind the code.
#[derive(Clone, Debug)]
struct Detour {
    way: Way,
    fragment: Fragment,
}

/// What leads to a detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    Jump { from: Label, to: Label },
    Handler(usize),
    Guard { start: Label, end: Label, catch: Option<ClassIndex> },
}

/// Why a method was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpliceError {
    /// The method has no body.
    #[error("the method has no code")]
    NoCode,
    /// A label, jump or handler that the method does not have.
    #[error("the method has no {what} {index}")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// By which number.
        index: usize,
    },
    /// Code was to be put where control never gets to.
    #[error("code before instruction {0} would never run: the instruction before does not fall through")]
    Unreachable(usize),
    /// An instruction was to be replaced twice, or a replaced one to be jumped from.
    #[error("instruction {0} is already replaced")]
    Replaced(usize),
    /// A fragment behind the code has no way on.
    #[error("a fragment that guards a range must not fall out of its end")]
    OpenEnd,
    /// The method would be larger than the format allows.
    #[error("the method would take {size} bytes, more than 65535")]
    TooLong {
        /// The size it would have.
        size: usize,
    },
    /// The method would need more stack or locals than the format allows.
    #[error("the method would need more than 65535 words of stack or local variables")]
    TooDeep,
    /// A fragment calls a method or uses a field with a malformed descriptor.
    #[error("a fragment uses a member whose descriptor is malformed")]
    Descriptor,
    /// The method's own frames are broken.
    #[error("the method's stack map frames are broken: {0}")]
    BrokenFrames(String),
    /// The frames that the new code needs could not be found.
    #[error("no stack map frame can be found for instruction {0} of the new code")]
    NoFrame(usize),
    /// No room for another constant.
    #[error(transparent)]
    Pool(#[from] PoolFull),
}

impl Fragment {
    /// Instructions without handlers.
    pub fn new(insns: Vec<Insn>) -> Self {
        Self { insns, handlers: Vec::new() }
    }

    /// True if control leaves the fragment only by jumps, returns and exceptions, never at its end.
    fn is_closed(&self) -> bool {
        let mut reaches_end = false;
        for insn in &self.insns {
            insn.for_each_target(|target| reaches_end |= target.index() == self.insns.len());
        }
        !reaches_end && self.insns.last().is_some_and(Insn::ends_block)
    }
}

impl From<Vec<Insn>> for Fragment {
    fn from(insns: Vec<Insn>) -> Self {
        Self::new(insns)
    }
}

/// Marks labels that do not count the instructions they stand among.
pub(crate) const OUTSIDE: u32 = 1 << 31;

impl Label {
    /// In a [`Fragment`], the instruction at `self` of the method it is put into.
    #[must_use]
    pub fn outside(self) -> Self {
        Self(self.0 | OUTSIDE)
    }
}

impl Splice {
    /// True if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.inserts.is_empty() && self.detours.is_empty()
    }

    /// Runs once, when the method is called.
    pub fn entry(&mut self, fragment: impl Into<Fragment>) {
        self.falling_into(Label(0), fragment);
    }

    /// Runs whenever control gets to `at`, by falling through or by a jump.
    pub fn before(&mut self, at: Label, fragment: impl Into<Fragment>) {
        self.insert(at, Place::Behind, fragment);
    }

    /// Runs when the instruction at `at` is done and control goes on to the next one. Code that jumps to the next
    /// one does not run it. Must not follow an instruction that never falls through.
    pub fn after(&mut self, at: Label, fragment: impl Into<Fragment>) {
        self.falling_into(Label(at.0.saturating_add(1)), fragment);
    }

    /// Runs when control falls through to `at` from the instruction before, or enters the method there.
    pub fn falling_into(&mut self, at: Label, fragment: impl Into<Fragment>) {
        self.insert(at, Place::Before, fragment);
    }

    /// Runs instead of the instruction at `at`. An empty fragment takes the instruction away.
    pub fn replace(&mut self, at: Label, fragment: impl Into<Fragment>) {
        self.insert(at, Place::Instead, fragment);
    }

    /// Runs when the branch or switch at `from` jumps to `to`, and at no other time.
    pub fn on_jump(&mut self, from: Label, to: Label, fragment: impl Into<Fragment>) {
        self.detours.push(Detour { way: Way::Jump { from, to }, fragment: fragment.into() });
    }

    /// Runs when an exception is caught by the entry at `index` of the exception table, before the handler. Finds
    /// the exception on the stack, and must leave it there.
    pub fn on_handler(&mut self, index: usize, fragment: impl Into<Fragment>) {
        self.detours.push(Detour { way: Way::Handler(index), fragment: fragment.into() });
    }

    /// Runs when an exception leaves the instructions from `start` up to `end` that none of the method's handlers
    /// catches. Finds the exception on the stack and locals that have the same type everywhere in the range. Must
    /// not fall out of its end. In a constructor the range must begin after the call of the other constructor.
    pub fn guard(
        &mut self,
        start: Label,
        end: Label,
        catch: Option<ClassIndex>,
        fragment: impl Into<Fragment>,
    ) {
        self.detours.push(Detour { way: Way::Guard { start, end, catch }, fragment: fragment.into() });
    }

    fn insert(&mut self, at: Label, place: Place, fragment: impl Into<Fragment>) {
        self.inserts.push(Insert { at, place, fragment: fragment.into() });
    }

    fn fragments(&self) -> impl Iterator<Item = &Fragment> {
        let inserts = self.inserts.iter().map(|insert| &insert.fragment);
        inserts.chain(self.detours.iter().map(|detour| &detour.fragment))
    }
}

impl ClassFile {
    /// Puts code into the method at position `method`; if that is not possible the class stays as it was, but for
    /// constants. Attributes of the code that could not be decoded are dropped, since they may hold positions.
    pub fn splice(&mut self, method: usize, splice: &Splice) -> Result<(), SpliceError> {
        let code = apply::apply(self, method, splice)?;
        let method =
            self.methods.get_mut(method).ok_or(SpliceError::Missing { what: "method", index: method })?;
        *method.code_mut().ok_or(SpliceError::NoCode)? = code;
        Ok(())
    }
}
