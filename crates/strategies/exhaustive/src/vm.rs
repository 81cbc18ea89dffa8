//! What the search asks of whatever runs the predicate.

use std::ops::Range;

use crate::space::Position;

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

    /// Tries choices of one known position until the predicate accepts, fails or reads a position that is not
    /// known. Gives the choice tried last, which the position then holds, and how that run ended.
    ///
    /// The choices are never empty. A machine that is far away overrides this: it turns many calls into one.
    /// It may stop early; the search then goes on after the choice tried last.
    fn sweep(&mut self, position: Position, choices: Range<u32>, reads: &mut Vec<Position>) -> (u32, Ending) {
        self.try_each(position, choices, reads)
    }

    /// What [`Vm::sweep`] does, by one [`Vm::write`] and one [`Vm::run`] for each choice.
    fn try_each(
        &mut self,
        position: Position,
        choices: Range<u32>,
        reads: &mut Vec<Position>,
    ) -> (u32, Ending) {
        let last = choices.end - 1;
        for choice in choices {
            self.write(position, choice);
            let ending = self.run(reads);
            if choice == last || ending != Ending::Rejected || !reads.is_empty() {
                return (choice, ending);
            }
        }
        unreachable!("a sweep has at least one choice")
    }

    /// Whether the machine should be replaced before it runs anything more.
    fn worn_out(&self) -> bool {
        false
    }
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
}
