//! Explores a subject on live values: sessions that grow call by call, each call executed once.
//!
//! The loop runs in the worker, beside the JVM, and knows it only as a [`Vm`]. What reaches something new is
//! reported with the session's history; the engine cuts the history down ([`slice()`]) and replays it in fresh
//! state. `docs/strategies/random.md` tells what is chosen how often, and why.

mod atlas;
mod call;
mod history;
mod input;
mod literal;
mod session;

use jurat_base::{FxHashSet, Seed};
use jurat_protocol::{Chart, Finished, Given, Roam, Roamed, Statement, Trouble, Var};

use atlas::Atlas;
pub use history::{Width, slice};
use session::Session;

/// A JVM, as a session sees it.
pub trait Vm {
    /// Begins a session: no values, probes at zero.
    fn begin(&mut self, session: u32);
    /// Runs the statement at a position of the session.
    fn run(&mut self, position: usize, statement: &Statement, inputs: &[Var]) -> Ended;
    /// How much the statement that was run last computed; by a measure that is the same in every run, unless the clock ends
    /// the order.
    fn cost(&self) -> u64;
    /// The types of the chart that objects of a class can be used as.
    fn types_of(&mut self, class: u32) -> Vec<u32>;
    /// Appends the probes that were hit for the first time in this session since the last call of this.
    fn hits(&mut self, into: &mut Vec<u32>);
    /// The position of a class in the reply's table of names.
    fn list(&mut self, class: u32) -> u32;
    /// The hash ([`hash_name`]) of the name at a position of that table.
    fn name_hash(&mut self, position: u32) -> u64;
    /// The operation of this session that was the first to start a thread.
    fn starter(&self) -> Option<u32>;
    /// Whether the time for the order is over.
    fn is_late(&self) -> bool;
    /// Lets go of the session's values; says why the JVM cannot be used any more, if so.
    fn end(&mut self) -> Option<Trouble>;
}

/// How a statement of a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It made something.
    Made(Made),
    /// It threw an exception of the class at this position of the table of names.
    Threw(u32),
    /// The session cannot go on.
    Trouble(Trouble),
    /// It could not be run.
    Unfit,
}

/// What a statement made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Nothing.
    Nothing,
    /// A primitive: the letter of its type, and its kind.
    Primitive(char, Given),
    /// `null`.
    Null,
    /// An object of this class.
    Object(u32),
    /// An empty string, of this class.
    EmptyString(u32),
}

/// A hash of the name of a class, the same in every process.
pub fn hash_name(name: &str) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = jurat_base::FxBuildHasher.build_hasher();
    hasher.write(name.as_bytes());
    hasher.finish()
}

/// Runs the sessions of an order.
pub fn roam<V: Vm>(chart: &Chart, order: &Roam, vm: &mut V) -> Roamed {
    let mut atlas = Atlas::new(chart, order);
    let mut roamed = Roamed { next: order.sessions.0, ..Roamed::default() };
    let mut thrown: FxHashSet<(u32, u64)> =
        order.thrown.iter().map(|(operation, class)| (*operation, hash_name(class))).collect();
    let mut returned: FxHashSet<(u32, Given)> = order.returned.iter().copied().collect();
    let mut known = order.known.clone();
    let seed = Seed(order.seed);
    let mut finished = Finished::Reusable;
    while roamed.next < order.sessions.1 {
        if vm.is_late() {
            roamed.next = order.sessions.1;
            break;
        }
        let number = roamed.next;
        roamed.next += 1;
        let mut session = Session::new(&mut atlas, vm, seed.rng(u64::from(number)));
        session.known = std::mem::take(&mut known);
        session.thrown = std::mem::take(&mut thrown);
        session.returned = std::mem::take(&mut returned);
        session.live_through(number);
        let trouble = session.trouble();
        roamed.tally.calls += u64::from(session.calls());
        roamed.tally.threw += u64::from(session.threw());
        roamed.tally.sessions += 1;
        let find = session.find();
        (known, thrown) = (std::mem::take(&mut session.known), std::mem::take(&mut session.thrown));
        returned = std::mem::take(&mut session.returned);
        drop(session);
        let told = trouble.filter(|(operation, trouble)| atlas.note(*operation, *trouble));
        roamed.troubles.extend(told);
        // What leaves threads behind cannot become a test; to replay it would cost seconds.
        let stuck = vm.end().is_some();
        roamed.finds.extend(find.filter(|_| !stuck));
        if stuck {
            roamed.troubles.extend(vm.starter().map(|operation| (operation, Trouble::Left)));
        }
        if stuck {
            finished = if roamed.next == order.sessions.1 { Finished::Spent } else { Finished::Retired };
            break;
        }
    }
    roamed.finished = Some(finished);
    roamed
}

#[cfg(test)]
mod tests;
