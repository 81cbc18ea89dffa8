//! Parts of a search that can run apart: cut from one another, put in order, taken up again.

use std::fmt;
use std::str::FromStr;

use crate::search::Stranger;
use crate::space::{Position, Space};
use crate::walk::{allowed, following, member};

/// A part of the search. Its candidates come between those of its neighbours, so running the parts of a
/// search one after the other, or at the same time, gives the structures of the whole in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// Everything.
    Whole,
    /// Everything from this vector on.
    From(StateVector),
    /// What is left of a search that was under way.
    Part {
        /// The positions read so far and the choices they hold, in order.
        stack: Vec<(Position, u32)>,
        /// The first entries, which stay as they are.
        floor: usize,
        /// What comes first.
        pending: Pending,
    },
}

/// What a range starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// The vector has not been run yet.
    Run,
    /// The vector has been run; the next one comes first.
    Advance,
}

/// One assignment of choices to all positions, as people pass it on: numbers with dots between them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StateVector(Vec<u32>);

impl StateVector {
    /// The vector with these choices; those left out are 0.
    pub fn new(mut choices: Vec<u32>) -> Self {
        while choices.last() == Some(&0) {
            choices.pop();
        }
        Self(choices)
    }

    /// The choices up to the last that is not 0.
    pub fn choices(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for StateVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        write!(f, "{first}")?;
        rest.iter().try_for_each(|choice| write!(f, ".{choice}"))
    }
}

impl FromStr for StateVector {
    type Err = Stranger;

    fn from_str(text: &str) -> Result<Self, Stranger> {
        let choices = text.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>();
        choices.map(Self::new).map_err(|_| {
            Stranger(format!(
                "`{text}` is no vector: expected numbers with dots between them, as an interrupted run prints"
            ))
        })
    }
}

impl Range {
    /// Cuts the range in two, the second as large as possible; none if there is nothing to cut off.
    pub fn split(&self, space: &Space) -> Option<(Self, Self)> {
        let Self::Part { stack, floor, pending } = self else { return None };
        let cut = (*floor..stack.len()).find(|&height| next_choice(space, &stack[..=height]).is_some())?;
        let near = Self::Part { stack: stack.clone(), floor: cut + 1, pending: *pending };
        let far = Self::Part { stack: stack[..=cut].to_vec(), floor: *floor, pending: Pending::Advance };
        let nothing_near = *pending == Pending::Advance && near.next_vector(space).is_none();
        (!nothing_near).then_some((near, far))
    }

    /// The vector of the first candidate; none if the range is empty.
    pub fn next_vector(&self, space: &Space) -> Option<StateVector> {
        let (stack, floor, pending) = match self {
            Self::Whole => return Some(StateVector::default()),
            Self::From(vector) => return Some(vector.clone()),
            Self::Part { stack, floor, pending } => (stack, *floor, *pending),
        };
        if pending == Pending::Run {
            return Some(vector_of(stack));
        }
        (floor..stack.len()).rev().find_map(|height| {
            let choice = next_choice(space, &stack[..=height])?;
            let mut stack = stack[..=height].to_vec();
            stack[height].1 = choice;
            Some(vector_of(&stack))
        })
    }

    /// How much of the whole search lies before this range, between 0 and 1, if all branches were alike.
    pub fn behind(&self, space: &Space) -> f64 {
        let Self::Part { stack, .. } = self else { return 0.0 };
        let (mut behind, mut width) = (0.0, 1.0);
        for height in 0..stack.len() {
            let (before, count) = rank(space, &stack[..=height]);
            width /= f64::from(count.max(1));
            behind += width * f64::from(before);
        }
        behind
    }

    /// Says what is wrong with a range that comes from outside.
    pub(crate) fn check(&self, space: &Space) -> Result<(), Stranger> {
        let pairs: Vec<(usize, u32)> = match self {
            Self::Whole => Vec::new(),
            Self::From(vector) => vector.0.iter().copied().enumerate().collect(),
            Self::Part { stack, .. } => stack.iter().map(|&(p, choice)| (p.index(), choice)).collect(),
        };
        for (position, choice) in pairs {
            if position >= space.len() {
                return Err(Stranger(format!(
                    "the vector has more than the {} numbers that these bounds give",
                    space.len()
                )));
            }
            let position = Position::from_index(position);
            let count = space.choices(position).values.len();
            if choice as usize >= count {
                return Err(Stranger(format!(
                    "the vector gives {} the choice {choice}, but it has only 0 to {}",
                    space.position_name(position),
                    count - 1
                )));
            }
        }
        Ok(())
    }
}

fn vector_of(stack: &[(Position, u32)]) -> StateVector {
    let length = stack.iter().map(|(position, _)| position.index() + 1).max().unwrap_or(0);
    let mut choices = vec![0; length];
    for (position, choice) in stack {
        choices[position.index()] = *choice;
    }
    StateVector::new(choices)
}

/// How many members of each domain the entries refer to.
fn used_by(space: &Space, stack: &[(Position, u32)]) -> Vec<u32> {
    let mut used = vec![0; space.domains().len()];
    let root = space.object(space.root());
    used[root.domain.index()] = root.index + 1;
    for &(position, choice) in stack {
        if let Some((domain, index)) = member(space, position, choice) {
            used[domain.index()] = used[domain.index()].max(index + 1);
        }
    }
    used
}

/// The choice that the last entry would advance to.
fn next_choice(space: &Space, stack: &[(Position, u32)]) -> Option<u32> {
    let (&(position, choice), below) = stack.split_last()?;
    following(space, position, choice, &used_by(space, below))
}

/// How many allowed choices the last entry has passed, and how many it has.
fn rank(space: &Space, stack: &[(Position, u32)]) -> (u32, u32) {
    let Some((&(position, choice), below)) = stack.split_last() else { return (0, 1) };
    let used = used_by(space, below);
    allowed(space, position, &used).fold((0, 0), |(before, count), segment| {
        let passed = choice.clamp(segment.start, segment.end) - segment.start;
        (before + passed, count + segment.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Fake, Keep};
    use crate::korat::{BINARY_TREE, Structure, run};
    use crate::search::{Search, Stop, Tally};

    /// Runs a range in bites of `bite` candidates, cutting what is left in two as often as possible.
    fn cut_up(
        structure: &Structure,
        space: &Space,
        range: &Range,
        bite: u64,
        found: &mut (Tally, Vec<Vec<u32>>),
    ) {
        let (mut vm, mut keep) = (Fake::new(space, structure.predicate), Keep::default());
        let mut search = Search::new(space, range, &mut vm).expect("a range of the search");
        let stop = search.run(&mut vm, &mut keep, bite);
        found.0 += search.tally();
        found.1.extend(keep.vectors);
        let Some(rest) = search.rest() else {
            return assert_eq!(stop, Stop::Finished);
        };
        assert_eq!(stop, Stop::Budget);
        if let Some((near, far)) = rest.split(space) {
            cut_up(structure, space, &near, bite, found);
            cut_up(structure, space, &far, bite, found);
        } else {
            cut_up(structure, space, &rest, bite, found);
        }
    }

    #[test]
    fn parts_give_the_structures_of_the_whole_in_their_order() {
        let space = BINARY_TREE.space(&[5, 0, 5]);
        let whole = run(&BINARY_TREE, &[5, 0, 5]);
        for bite in [1, 2, 3, 10, 100, 10_000] {
            let mut found = (Tally::default(), Vec::new());
            cut_up(&BINARY_TREE, &space, &Range::Whole, bite, &mut found);
            assert_eq!(found, whole, "in bites of {bite}");
        }
    }

    #[test]
    fn a_search_goes_on_from_the_vector_where_it_stopped() {
        let space = BINARY_TREE.space(&[4, 0, 4]);
        let whole = run(&BINARY_TREE, &[4, 0, 4]);
        for budget in 0..whole.0.explored {
            let (mut vm, mut keep) = (Fake::new(&space, BINARY_TREE.predicate), Keep::default());
            let mut search = Search::new(&space, &Range::Whole, &mut vm).expect("the whole space");
            assert_eq!(search.run(&mut vm, &mut keep, budget), Stop::Budget);
            let next = search.rest().and_then(|rest| rest.next_vector(&space)).expect("more to come");
            let from = Range::From(next.to_string().parse().expect("what was printed is read back"));
            let mut vm = Fake::new(&space, BINARY_TREE.predicate);
            let mut second = Search::new(&space, &from, &mut vm).expect("a vector of the search");
            assert_eq!(second.run(&mut vm, &mut keep, u64::MAX), Stop::Finished);
            assert_eq!(search.tally().explored + second.tally().explored, whole.0.explored);
            assert_eq!(keep.vectors, whole.1, "stopped after {budget}");
        }
    }

    #[test]
    fn what_is_behind_grows_from_nothing_to_all() {
        let space = BINARY_TREE.space(&[4, 0, 4]);
        let (mut vm, mut keep) = (Fake::new(&space, BINARY_TREE.predicate), Keep::default());
        let mut search = Search::new(&space, &Range::Whole, &mut vm).expect("the whole space");
        let mut last = 0.0;
        while search.run(&mut vm, &mut keep, 1) == Stop::Budget {
            let behind = search.rest().expect("not finished").behind(&space);
            assert!(behind > last && behind < 1.0, "{behind} after {last}");
            last = behind;
        }
        assert!(last > 0.8, "{last} at the end");
    }

    #[test]
    fn vectors_from_elsewhere_are_refused() {
        let space = BINARY_TREE.space(&[2]);
        let check = |text: &str, expected: &str| {
            let error = match text.parse::<StateVector>() {
                Ok(vector) => Range::From(vector).check(&space).expect_err("a stranger"),
                Err(error) => error,
            };
            assert!(error.to_string().contains(expected), "{error}");
        };
        check("1.x", "no vector");
        check("3", "gives root the choice 3, but it has only 0 to 2");
        check("1.0.0.0.0.0.1", "more than the 6 numbers");
    }
}
