//! What a structure consists of: the positions that its root reaches.

use crate::space::{ObjectId, Position, Space, Value};

/// Visits the positions of a structure, first found first; keeps its memory between visits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reachable {
    found: Vec<ObjectId>,
    /// The visit in which an object was last found.
    seen: Vec<u32>,
    visit: u32,
}

impl Reachable {
    pub(crate) fn new(space: &Space) -> Self {
        let objects = space.objects().len();
        Self { found: Vec::with_capacity(objects), seen: vec![0; objects], visit: 0 }
    }

    /// Calls `each` for every position of every object that the root reaches in `vector`.
    pub(crate) fn visit(&mut self, space: &Space, vector: &[u32], mut each: impl FnMut(Position)) {
        self.visit = self.visit.wrapping_add(1);
        if self.visit == 0 {
            self.seen.fill(0);
            self.visit = 1;
        }
        self.found.clear();
        self.find(space.root());
        let mut next = 0;
        while let Some(&object) = self.found.get(next) {
            next += 1;
            for position in members(space, vector, object) {
                each(position);
                if let Value::Object(target) = space.value(position, vector[position.index()]) {
                    self.find(*target);
                }
            }
        }
    }

    /// The objects found by the last visit, in order.
    pub(crate) fn found(&self) -> &[ObjectId] {
        &self.found
    }

    fn find(&mut self, object: ObjectId) {
        let seen = &mut self.seen[object.index()];
        if *seen != self.visit {
            *seen = self.visit;
            self.found.push(object);
        }
    }
}

/// The positions an object has in `vector`: those of an array end with its length.
pub(crate) fn members(
    space: &Space,
    vector: &[u32],
    object: ObjectId,
) -> impl Iterator<Item = Position> + use<> {
    use crate::space::{DomainKind, Scalar};
    let first = space.object(object).first;
    let count = match space.domain_of(object).kind {
        DomainKind::Array { .. } => match space.value(first, vector[first.index()]) {
            Value::Scalar(Scalar::Whole(_, length)) => {
                1 + usize::try_from(*length).expect("lengths are never negative")
            }
            _ => unreachable!("the first position of an array is its length"),
        },
        _ => space.object(object).positions as usize,
    };
    space.positions_of(object).take(count)
}
