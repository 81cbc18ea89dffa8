//! The walk over the state vectors: the field read last advances first, unread fields never.
//!
//! The fields read so far form a stack, in the order of their first reads. Since the predicate is
//! deterministic, changing the top of the stack leaves the reads below it as they were; so the stack is not
//! rebuilt for a candidate but only grows by what the candidate reads anew. All costs of a candidate are
//! those of the fields that differ from the candidate before.

use crate::range::{Pending, Range};
use crate::reachable::Reachable;
use crate::space::{Position, Segment, Space};
use crate::vm::{Ending, Sink, Vm};
use crate::walk::{Walk, allowed};

/// A search under way, or a part of one.
#[derive(Debug)]
pub struct Search<'s> {
    space: &'s Space,
    walk: Walk,
    pending: Pending,
    reads: Vec<Position>,
    reachable: Reachable,
    tally: Tally,
}

/// How many candidates were run, and how many of them were valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs of the predicate.
    pub explored: u64,
    /// Structures it accepted.
    pub valid: u64,
    /// Candidates on which it did not end well; they count as invalid.
    pub failed: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.explored += other.explored;
        self.valid += other.valid;
        self.failed += other.failed;
    }
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every candidate of its range has been run.
    Finished,
    /// The budget is spent; [`Search::rest`] says what is left.
    Budget,
    /// The machine is worn out; [`Search::rest`] says what is left.
    WornOut,
}

/// The vector to start from is none that this search would reach.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stranger(pub String);

impl<'s> Search<'s> {
    /// A search over a range. Writes the range's first vector to `vm`, whose positions all hold choice 0.
    pub fn new(space: &'s Space, range: &Range, vm: &mut impl Vm) -> Result<Self, Stranger> {
        range.check(space)?;
        let mut search = Self {
            space,
            walk: Walk::new(space),
            pending: Pending::Run,
            reads: Vec::with_capacity(space.len()),
            reachable: Reachable::new(space),
            tally: Tally::default(),
        };
        let walk = &mut search.walk;
        match range {
            Range::Whole => {}
            Range::From(vector) => {
                for (index, &choice) in vector.choices().iter().enumerate() {
                    walk.write(Position::from_index(index), choice, vm);
                }
            }
            Range::Part { stack, floor, pending } => {
                for &(position, choice) in stack {
                    walk.write(position, choice, vm);
                    walk.push(space, position, vm);
                }
                walk.floor = *floor;
                search.pending = *pending;
            }
        }
        Ok(search)
    }

    /// Runs at most `budget` candidates, or all that are left.
    pub fn run(&mut self, vm: &mut impl Vm, sink: &mut impl Sink, budget: u64) -> Stop {
        let end = self.tally.explored.saturating_add(budget);
        if self.pending == Pending::Run {
            if self.tally.explored == end {
                return Stop::Budget;
            }
            self.pending = Pending::Advance;
            self.try_present(vm, sink);
        }
        loop {
            if vm.worn_out() {
                return Stop::WornOut;
            }
            if self.stride(vm, sink, end) || vm.worn_out() {
                continue;
            }
            let Some(choice) = self.walk.advance(self.space, vm) else { return Stop::Finished };
            self.walk.choose(self.space, choice, vm);
            if self.tally.explored == end {
                self.pending = Pending::Run;
                return Stop::Budget;
            }
            self.try_present(vm, sink);
        }
    }

    /// Lets the machine go ahead on its own; false if it did not.
    fn stride(&mut self, vm: &mut impl Vm, sink: &mut impl Sink, end: u64) -> bool {
        let stride = vm.stride(&mut self.walk, end - self.tally.explored, sink.wants_valid());
        self.tally += stride.tally;
        if let Some(ending) = stride.last {
            self.judge(ending, vm, sink);
        }
        stride.tally.explored > 0
    }

    /// What is left to do, for another search to take up; none if nothing is.
    pub fn rest(&self) -> Option<Range> {
        let stack: Vec<_> = self
            .walk
            .stack
            .iter()
            .map(|entry| (entry.position, self.walk.vector[entry.position.index()]))
            .collect();
        let rest = Range::Part { stack, floor: self.walk.floor, pending: self.pending };
        (self.pending == Pending::Run || rest.next_vector(self.space).is_some()).then_some(rest)
    }

    /// Candidates run by this search so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The present vector.
    pub fn vector(&self) -> &[u32] {
        &self.walk.vector
    }

    /// How many choices each entry of the stack from `from` up has in its present surroundings.
    pub(crate) fn open_choices(&self, from: usize) -> Vec<u32> {
        let mut used = self.walk.used.clone();
        let mut open = Vec::new();
        for entry in self.walk.stack[from..].iter().rev() {
            if let Some((domain, before)) = entry.effect {
                used[domain.index()] = before;
            }
            open.push(allowed(self.space, entry.position, &used).map(Segment::len).sum());
        }
        open.reverse();
        open
    }

    /// Cuts the stack to `height` entries, all cut ones back at choice 0.
    pub(crate) fn cut(&mut self, height: usize, vm: &mut impl Vm) {
        while self.walk.stack.len() > height {
            self.walk.pop(vm);
        }
    }

    /// Makes the entry on top hold the choice with this rank among those allowed, and runs the predicate.
    pub(crate) fn try_choice(&mut self, rank: u32, vm: &mut impl Vm, sink: &mut impl Sink) {
        let position = self.walk.lift_top();
        let mut rank = rank;
        let choice = allowed(self.space, position, &self.walk.used)
            .find_map(|segment| {
                let found = (rank < segment.len()).then(|| segment.start + rank);
                rank = rank.saturating_sub(segment.len());
                found
            })
            .expect("the rank is below the number of allowed choices");
        self.walk.choose(self.space, choice, vm);
        self.try_present(vm, sink);
    }

    /// Runs the predicate on the present vector.
    pub(crate) fn try_present(&mut self, vm: &mut impl Vm, sink: &mut impl Sink) {
        let ending = vm.run(&mut self.reads);
        self.tally.explored += 1;
        self.learn(ending, vm, sink);
    }

    /// Takes in what one candidate read and how it ended.
    fn learn(&mut self, ending: Ending, vm: &mut impl Vm, sink: &mut impl Sink) {
        for index in 0..self.reads.len() {
            let position = self.reads[index];
            if !self.walk.on_stack[position.index()] {
                self.walk.push(self.space, position, vm);
            }
        }
        self.reads.clear();
        self.judge(ending, vm, sink);
    }

    /// Takes in how one candidate ended.
    fn judge(&mut self, ending: Ending, vm: &mut impl Vm, sink: &mut impl Sink) {
        match ending {
            Ending::Rejected => {}
            Ending::Failed(reason) => {
                self.tally.failed += 1;
                sink.failed(reason, &self.walk.vector);
            }
            Ending::Accepted => {
                self.tally.valid += 1;
                sink.valid(&self.walk.vector);
                self.push_reachable(vm);
            }
        }
    }

    /// Counts every field that the structure can reach as read, so that each of its values is met.
    fn push_reachable(&mut self, vm: &mut impl Vm) {
        let (on_stack, reads) = (&self.walk.on_stack, &mut self.reads);
        self.reachable.visit(self.space, &self.walk.vector, |position| {
            if !on_stack[position.index()] {
                reads.push(position);
            }
        });
        for index in 0..self.reads.len() {
            self.walk.push(self.space, self.reads[index], vm);
        }
        self.reads.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Fake, Heap, Keep, Read};
    use crate::finitization::Finitization;
    use crate::space::{ObjectId, Value};
    use crate::testing::shape;
    use std::collections::BTreeSet;

    fn search(space: &Space, predicate: fn(&mut Heap<'_>) -> bool) -> (Tally, Vec<Vec<u32>>, usize) {
        let (mut vm, mut keep) = (Fake::new(space, predicate), Keep::default());
        let mut search = Search::new(space, &Range::Whole, &mut vm).expect("the whole space");
        assert_eq!(search.run(&mut vm, &mut keep, u64::MAX), Stop::Finished);
        (search.tally(), keep.vectors, vm.writes)
    }

    fn derived(classes: &str, size: u32) -> Space {
        Space::new(&Finitization::derive(&shape(classes), size)).expect("a space")
    }

    /// What is reachable, as text that is the same for isomorphic structures: objects are named as first met.
    fn canonical(space: &Space, vector: &[u32]) -> String {
        let mut reachable = Reachable::new(space);
        let mut positions = Vec::new();
        reachable.visit(space, vector, |position| positions.push(position));
        let values =
            positions.iter().map(|&position| match space.value(position, vector[position.index()]) {
                Value::Object(object) if space.domain_of(*object).interchangeable => {
                    let met = reachable.found().iter().position(|found| found == object).expect("reached");
                    format!("{}@{met}", space.domain_of(*object).name)
                }
                other => space.value_name(other),
            });
        values.collect::<Vec<_>>().join(" ")
    }

    /// Every vector of the space, however many.
    fn all_vectors(space: &Space) -> impl Iterator<Item = Vec<u32>> {
        let sizes: Vec<u32> = (0..space.len())
            .map(|at| u32::try_from(space.choices(Position::from_index(at)).values.len()).expect("few"))
            .collect();
        let mut next = Some(vec![0; sizes.len()]);
        std::iter::from_fn(move || {
            let vector = next.take()?;
            let mut following = vector.clone();
            for (choice, size) in following.iter_mut().zip(&sizes).rev() {
                *choice = (*choice + 1) % size;
                if *choice != 0 {
                    next = Some(following);
                    break;
                }
            }
            Some(vector)
        })
    }

    /// The search must find each class of isomorphic valid structures exactly once.
    fn check_against_all_vectors(space: &Space, predicate: fn(&mut Heap<'_>) -> bool) -> usize {
        let (tally, found, _) = search(space, predicate);
        let distinct: BTreeSet<String> = found.iter().map(|vector| canonical(space, vector)).collect();
        assert_eq!(distinct.len(), found.len(), "some structure was found twice");
        let mut expected = BTreeSet::new();
        for vector in all_vectors(space) {
            let mut vm = Fake::new(space, predicate);
            for (at, &choice) in vector.iter().enumerate() {
                vm.write(Position::from_index(at), choice);
            }
            if vm.run(&mut Vec::new()) == Ending::Accepted {
                expected.insert(canonical(space, &vector));
            }
        }
        assert_eq!(distinct, expected);
        assert_eq!(tally.valid, expected.len() as u64);
        found.len()
    }

    #[test]
    fn the_lecture_s_nine_binary_trees_in_its_order() {
        fn depth_first(heap: &mut Heap<'_>, node: ObjectId, seen: &mut Vec<ObjectId>) -> bool {
            ["left", "right"].into_iter().all(|side| match heap.get(node, side).object() {
                None => true,
                Some(child) if seen.contains(&child) => false,
                Some(child) => {
                    seen.push(child);
                    depth_first(heap, child, seen)
                }
            })
        }
        let space = derived("T: N root\nN: N left; N right", 3);
        assert_eq!((space.len(), space.log2_size()), (7, 14.0));
        let (_, found, _) = search(&space, |heap| {
            let root = heap.root();
            heap.get(root, "root").object().is_none_or(|top| depth_first(heap, top, &mut vec![top]))
        });
        // root, N0.left, N0.right, N1.left, N1.right, N2.left, N2.right: 0 is null, 1 is N0, and so on.
        let expected = [
            [0, 0, 0, 0, 0, 0, 0],
            [1, 0, 0, 0, 0, 0, 0],
            [1, 0, 2, 0, 0, 0, 0],
            [1, 0, 2, 0, 3, 0, 0],
            [1, 0, 2, 3, 0, 0, 0],
            [1, 2, 0, 0, 0, 0, 0],
            [1, 2, 3, 0, 0, 0, 0],
            [1, 2, 0, 0, 3, 0, 0],
            [1, 2, 0, 3, 0, 0, 0],
        ];
        assert_eq!(found, expected.map(Vec::from));
    }

    #[test]
    fn fields_that_are_not_read_take_all_their_values_in_valid_structures() {
        let space = derived("T: N a; int x\nN: boolean b; java.lang.Object o", 1);
        let count = check_against_all_vectors(&space, |_| true);
        assert_eq!(count, 2 * (1 + 4));
        let none = search(&space, |heap| heap.get(heap.root(), "x").int() > 5);
        assert_eq!((none.0.explored, none.0.valid), (2, 0));
    }

    #[test]
    fn cyclic_and_doubly_linked_structures_are_found_once_each() {
        let ring = derived("N: N next", 4);
        check_against_all_vectors(&ring, |heap| {
            let (root, mut at) = (heap.root(), heap.root());
            for _ in 0..5 {
                match heap.get(at, "next").object() {
                    Some(next) if next == root => return true,
                    Some(next) => at = next,
                    None => return false,
                }
            }
            false
        });
        let double = derived("L: E first\nE: E next; E prev", 3);
        check_against_all_vectors(&double, |heap| {
            let (mut before, mut at) = (Read::Null, heap.get(heap.root(), "first"));
            while let Some(entry) = at.object() {
                if heap.get(entry, "prev") != before {
                    return false;
                }
                before = at;
                at = heap.get(entry, "next");
            }
            true
        });
    }

    #[test]
    fn hierarchies_share_the_domains_of_their_subtypes() {
        let space = derived("T: S a; A b\nabstract S\nA < S: S next\nB < S: A owner", 2);
        check_against_all_vectors(&space, |heap| {
            let root = heap.root();
            heap.get(root, "b") != Read::Null && heap.get(root, "a") != heap.get(root, "b")
        });
        check_against_all_vectors(&space, |_| true);
    }

    #[test]
    fn arrays_of_references_take_every_length() {
        let space = derived("G: N[] nodes\nN: N[] next", 2);
        check_against_all_vectors(&space, |heap| {
            let Some(nodes) = heap.get(heap.root(), "nodes").object() else { return false };
            (0..heap.length(nodes)).all(|index| {
                let node = heap.element(nodes, index).object();
                node.is_some_and(|node| heap.get(node, "next") != Read::Null)
            })
        });
        check_against_all_vectors(&derived("M: int[][] rows", 1), |_| true);
    }

    #[test]
    fn values_may_be_interchangeable_too() {
        let classes = shape("P: java.lang.Integer a; java.lang.Integer b; java.lang.Integer c");
        let count = |interchangeable: bool| {
            let field = |name| {
                format!(
                    "{name} = {{ null = false, min = 1, max = 3, interchangeable = {interchangeable} }}\n"
                )
            };
            let text = format!("[classes.P.fields]\n{}{}{}", field("a"), field("b"), field("c"));
            let space = Space::new(&Finitization::parse(&text, &classes).expect("good")).expect("a space");
            search(&space, |heap| {
                ["a", "b", "c"].iter().all(|name| heap.get(heap.root(), name) != Read::Null)
            })
            .0
            .valid
        };
        assert_eq!((count(false), count(true)), (27, 5));
    }

    #[test]
    fn only_changed_fields_are_written() {
        let space = crate::korat::BINARY_TREE.space(&[6]);
        let (tally, _, writes) = search(&space, crate::korat::BINARY_TREE.predicate);
        assert!((writes as u64) < 2 * tally.explored, "{writes} writes for {} candidates", tally.explored);
    }
}
