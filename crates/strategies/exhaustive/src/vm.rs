//! What the search asks of whatever runs the predicate.

use crate::search::Tally;
use crate::space::Position;
use crate::walk::Walk;

/// Holds one structure per state vector and runs the predicate on it.
///
/// The search tells the machine which positions it already knows the predicate to read. A machine may leave
/// those out of what it reports, so that the cost of a candidate is what is new in it.
pub trait Vm {
    /// Makes a position hold one of its choices. At the start every position holds choice 0.
    fn write(&mut self, position: Position, choice: u32);

    /// From now on reads of the position need not be reported.
    fn known(&mut self, position: Position);

    /// From now on the first read of the position in each run must be reported again.
    fn unknown(&mut self, position: Position);

    /// Runs the predicate once and appends the positions it read, in order; repetitions do no harm.
    fn run(&mut self, reads: &mut Vec<Position>) -> Ending;

    /// Searches on its own, as far as it can and for at most `most` candidates, exactly as [`crate::Search`] would.
    ///
    /// A machine that is far away overrides this: it turns many calls into one. It may stop at any candidate, and
    /// leaves the walk as it is after that candidate's reads were put on the stack. With `keeps` it stops at valid
    /// structures; without, it counts them and puts what they reach on the stack.
    fn stride(&mut self, _walk: &mut Walk, _most: u64, _keeps: bool) -> Stride {
        Stride::default()
    }

    /// Whether the machine should be replaced before it runs anything more.
    fn worn_out(&self) -> bool {
        false
    }
}

/// What a machine did on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stride {
    /// What it ran. How the last run ended is not counted if [`Stride::last`] tells.
    pub tally: Tally,
    /// How the last run ended, if that is left to the search: its candidate is the present vector.
    pub last: Option<Ending>,
}

/// How one run of the predicate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It returned true.
    Accepted,
    /// It returned false.
    Rejected,
    /// It threw, looped or tried to exit: invalid, for the reason the machine keeps under this number.
    Failed(u32),
}

/// Receives what the search finds, in order.
pub trait Sink {
    /// The vector is a valid structure.
    fn valid(&mut self, vector: &[u32]);

    /// The predicate did not end well on this vector.
    fn failed(&mut self, reason: u32, vector: &[u32]);

    /// Whether it wants to hear of valid structures, or has enough of them.
    fn wants_valid(&self) -> bool {
        true
    }
}
