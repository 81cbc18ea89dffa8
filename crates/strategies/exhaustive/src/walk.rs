//! Where a search stands: the present vector, and the stack of the positions that were read.

use crate::space::{DomainId, Position, Segment, Space};
use crate::vm::Vm;

/// The present vector, the positions read in it, and what they refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The choice of each position.
    pub vector: Vec<u32>,
    /// The positions read, in order of first read.
    pub stack: Vec<Entry>,
    /// Whether a position is on the stack.
    pub on_stack: Vec<bool>,
    /// For each domain, how many of its members the root and the stack refer to.
    pub used: Vec<u32>,
    /// Entries below this height belong to other ranges and never advance.
    pub floor: usize,
}

/// A position on the stack, with what its value did to the count of used members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position.
    pub position: Position,
    /// The domain of the present value, and how many of its members were used before this entry.
    pub effect: Option<(DomainId, u32)>,
}

impl Walk {
    /// Nothing was read yet, and every position is at choice 0.
    pub(crate) fn new(space: &Space) -> Self {
        let root = space.object(space.root());
        let mut used = vec![0; space.domains().len()];
        used[root.domain.index()] = root.index + 1;
        Self {
            vector: vec![0; space.len()],
            stack: Vec::with_capacity(space.len()),
            on_stack: vec![false; space.len()],
            used,
            floor: 0,
        }
    }

    /// Pops exhausted entries, and gives the next choice of the one that advances; none at the end.
    pub(crate) fn advance(&mut self, space: &Space, vm: &mut impl Vm) -> Option<u32> {
        while self.stack.len() > self.floor {
            let position = self.lift_top();
            let choice = self.vector[position.index()];
            if let Some(next) = following(space, position, choice, &self.used) {
                return Some(next);
            }
            self.pop(vm);
        }
        None
    }

    /// Takes back what the top entry's value did to the counts; the entry itself stays.
    pub(crate) fn lift_top(&mut self) -> Position {
        let top = self.stack.last_mut().expect("only called on a stack that is not empty");
        if let Some((domain, before)) = top.effect.take() {
            self.used[domain.index()] = before;
        }
        top.position
    }

    /// Takes the top entry off, its position back at choice 0.
    pub(crate) fn pop(&mut self, vm: &mut impl Vm) {
        let position = self.lift_top();
        self.stack.pop();
        self.on_stack[position.index()] = false;
        vm.unknown(position);
        self.write(position, 0, vm);
    }

    /// Puts a position on the stack, whose value stays.
    pub(crate) fn push(&mut self, space: &Space, position: Position, vm: &mut impl Vm) {
        self.on_stack[position.index()] = true;
        vm.known(position);
        self.stack.push(Entry { position, effect: None });
        self.note_effect(space, position);
    }

    /// Gives the lifted top entry a new choice.
    pub(crate) fn choose(&mut self, space: &Space, choice: u32, vm: &mut impl Vm) {
        let position = self.stack.last().expect("an entry was lifted").position;
        self.write(position, choice, vm);
        self.note_effect(space, position);
    }

    /// Counts the member that the top entry's value refers to.
    fn note_effect(&mut self, space: &Space, position: Position) {
        let Some((domain, index)) = member(space, position, self.vector[position.index()]) else {
            return;
        };
        let used = &mut self.used[domain.index()];
        let top = self.stack.last_mut().expect("the position is on top");
        top.effect = Some((domain, *used));
        *used = (*used).max(index + 1);
    }

    /// Makes a position hold a choice.
    pub(crate) fn write(&mut self, position: Position, choice: u32, vm: &mut impl Vm) {
        if self.vector[position.index()] != choice {
            self.vector[position.index()] = choice;
            vm.write(position, choice);
        }
    }
}

/// The interchangeable member that a choice refers to, if any: its domain and its number there.
pub(crate) fn member(space: &Space, position: Position, choice: u32) -> Option<(DomainId, u32)> {
    space.choices(position).membership(choice).map(|member| (member.domain, member.index))
}

impl Segment {
    pub(crate) fn len(self) -> u32 {
        self.end - self.start
    }
}

/// The choices that give no structure isomorphic to an earlier one: in each domain at most one member past
/// those already used.
pub(crate) fn allowed<'a>(
    space: &'a Space,
    position: Position,
    used: &'a [u32],
) -> impl Iterator<Item = Segment> + 'a {
    space.choices(position).segments.iter().map(|segment| {
        let end = segment
            .domain
            .map_or(segment.end, |domain| segment.end.min(segment.start + used[domain.index()] + 1));
        Segment { end, ..*segment }
    })
}

/// The next allowed choice after one.
pub(crate) fn following(space: &Space, position: Position, choice: u32, used: &[u32]) -> Option<u32> {
    allowed(space, position, used).find_map(|segment| {
        let start = segment.start.max(choice + 1);
        (start < segment.end).then_some(start)
    })
}
