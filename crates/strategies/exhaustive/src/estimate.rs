//! How long a search will be, told from a few random descents before it starts.

use jurat_base::{Rng, Seed};

use crate::range::Range;
use crate::search::Search;
use crate::space::Space;
use crate::vm::{Sink, Vm};

/// Searches longer than this would run for days.
pub const ENDLESS: f64 = 3e11;

/// Estimates how many candidates a search explores, running the predicate about `runs` times.
///
/// Knuth's method (*Estimating the efficiency of backtrack programs*, 1975): descend by random choices and
/// multiply what there was to choose from. Most choices are dead ends, so each step looks at all of them and
/// descends where there is most to choose from next. The size of the space says little: most of it is never met.
/// The machine is left as it was found, every position at choice 0.
pub fn estimate(space: &Space, vm: &mut impl Vm, runs: u64) -> f64 {
    let mut rng = Seed(0).derive("estimate").rng(0);
    let mut search = Search::new(space, &Range::Whole, vm).expect("the whole space is a range of it");
    let (mut total, mut descents) = (0.0, 0.0);
    while descents == 0.0 || search.tally().explored < runs && !vm.worn_out() {
        total += descend(&mut search, vm, &mut rng);
        descents += 1.0;
    }
    total / descents
}

/// A candidate that differs from its parent in one entry of the stack.
struct Child {
    /// The height of the stack above which it may be changed further.
    floor: usize,
    /// The rank of the choice that the entry below `floor` takes.
    rank: u32,
    /// How many children it has itself.
    children: u64,
}

/// One descent: the estimate it gives.
fn descend(search: &mut Search<'_>, vm: &mut impl Vm, rng: &mut Rng) -> f64 {
    search.try_present(vm, &mut Nowhere);
    let (mut total, mut weight, mut path) = (1.0, 1.0, Vec::new());
    let mut floor = 0;
    loop {
        let family = children(search, vm, floor, &path);
        let grandchildren: u64 = family.iter().map(|child| child.children).sum();
        total += weight * real(family.len() as u64);
        let Some(picked) = pick(family, grandchildren, rng) else { break };
        weight *= real(grandchildren) / real(picked.children);
        floor = picked.floor;
        path.push((picked.floor, picked.rank));
        replay(search, vm, &path);
        if weight > ENDLESS * 1e6 || vm.worn_out() {
            break;
        }
    }
    search.cut(0, vm);
    total
}

/// Runs every child of the present candidate.
fn children(search: &mut Search<'_>, vm: &mut impl Vm, floor: usize, path: &[(usize, u32)]) -> Vec<Child> {
    let mut family = Vec::new();
    for (index, count) in search.open_choices(floor).into_iter().enumerate().rev() {
        let floor = floor + index + 1;
        for rank in 1..count {
            search.cut(floor, vm);
            search.try_choice(rank, vm, &mut Nowhere);
            let children = search.open_choices(floor).iter().map(|&count| u64::from(count) - 1).sum();
            family.push(Child { floor, rank, children });
        }
    }
    replay(search, vm, path);
    family
}

/// Goes back to the candidate at the end of a path.
fn replay(search: &mut Search<'_>, vm: &mut impl Vm, path: &[(usize, u32)]) {
    search.cut(0, vm);
    search.try_present(vm, &mut Nowhere);
    for &(floor, rank) in path {
        search.cut(floor, vm);
        search.try_choice(rank, vm, &mut Nowhere);
    }
}

/// One of the children, each as likely as it has children itself; none if all are childless.
fn pick(family: Vec<Child>, grandchildren: u64, rng: &mut Rng) -> Option<Child> {
    let mut at = rng.below(usize::try_from(grandchildren).unwrap_or(usize::MAX)) as u64;
    family.into_iter().filter(|child| child.children > 0).find(|child| {
        let found = at < child.children;
        at = at.saturating_sub(child.children);
        found
    })
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs no 53 bits")]
fn real(number: u64) -> f64 {
    number as f64
}

/// Drops what it is told.
struct Nowhere;

impl Sink for Nowhere {
    fn valid(&mut self, _: &[u32]) {}
    fn failed(&mut self, _: u32, _: &[u32]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use crate::korat::BINARY_TREE;

    #[test]
    fn the_estimate_is_of_the_right_order_and_leaves_no_trace() {
        for (nodes, explored) in [(3, 63.0), (6, 3653.0), (8, 54418.0)] {
            let space = BINARY_TREE.space(&[nodes]);
            let mut vm = Fake::new(&space, BINARY_TREE.predicate);
            let guess = estimate(&space, &mut vm, 20_000);
            assert!(guess > explored / 2.0 && guess < explored * 2.0, "{guess} for {explored}");
            assert!(vm.known.is_empty());
            let mut search = Search::new(&space, &Range::Whole, &mut vm).expect("the whole space");
            search.run(&mut vm, &mut Nowhere, u64::MAX);
            assert!((real(search.tally().explored) - explored).abs() < 0.5);
        }
    }

    #[test]
    fn a_search_that_never_ends_is_recognized_at_once() {
        let space = BINARY_TREE.space(&[25]);
        let mut vm = Fake::new(&space, BINARY_TREE.predicate);
        assert!(estimate(&space, &mut vm, 1000) > ENDLESS);
    }
}
