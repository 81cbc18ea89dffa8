//! A machine for tests: structures are state vectors, predicates are Rust functions that read them.

use jurat_base::FxHashSet;

use crate::space::{DomainKind, ObjectId, Position, Scalar, Space, Value};
use crate::vm::{Ending, Sink, Vm};

/// Runs a predicate over the state vector itself.
pub(crate) struct Fake<'s> {
    heap: Heap<'s>,
    predicate: fn(&mut Heap<'_>) -> bool,
    pub(crate) writes: usize,
    pub(crate) known: FxHashSet<Position>,
}

/// A structure as predicates see it; remembers what they read.
pub(crate) struct Heap<'s> {
    space: &'s Space,
    vector: Vec<u32>,
    reads: Vec<Position>,
}

/// What a predicate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Read {
    Null,
    Object(ObjectId),
    Int(i64),
}

impl Read {
    /// The object, or none for null.
    pub(crate) fn object(self) -> Option<ObjectId> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(crate) fn int(self) -> i64 {
        match self {
            Self::Int(number) => number,
            other => panic!("{other:?} is no number"),
        }
    }
}

impl Heap<'_> {
    pub(crate) fn root(&self) -> ObjectId {
        self.space.root()
    }

    /// Reads a field.
    pub(crate) fn get(&mut self, object: ObjectId, name: &str) -> Read {
        let DomainKind::Class(fields) = &self.space.domain_of(object).kind else {
            panic!("arrays have no fields")
        };
        let field = fields.iter().position(|field| field.name == name).expect("a field of the class");
        self.read(self.space.object(object).first.index() + field)
    }

    /// Reads the length of an array.
    pub(crate) fn length(&mut self, array: ObjectId) -> i64 {
        self.read(self.space.object(array).first.index()).int()
    }

    /// Reads an element of an array, and with it the length.
    pub(crate) fn element(&mut self, array: ObjectId, index: i64) -> Read {
        assert!(index < self.length(array), "index out of bounds");
        let index = usize::try_from(index).expect("an index of the array");
        self.read(self.space.object(array).first.index() + 1 + index)
    }

    fn read(&mut self, position: usize) -> Read {
        let position = Position::from_index(position);
        self.reads.push(position);
        match self.space.value(position, self.vector[position.index()]) {
            Value::Object(object) => Read::Object(*object),
            Value::Scalar(Scalar::Whole(_, number)) => Read::Int(*number),
            Value::Scalar(Scalar::Truth(truth)) => Read::Int((*truth).into()),
            _ => Read::Null,
        }
    }
}

impl<'s> Fake<'s> {
    pub(crate) fn new(space: &'s Space, predicate: fn(&mut Heap<'_>) -> bool) -> Self {
        let heap = Heap { space, vector: vec![0; space.len()], reads: Vec::new() };
        Self { heap, predicate, writes: 0, known: FxHashSet::default() }
    }
}

impl Vm for Fake<'_> {
    fn write(&mut self, position: Position, choice: u32) {
        self.writes += 1;
        self.heap.vector[position.index()] = choice;
    }

    fn known(&mut self, position: Position) {
        assert!(self.known.insert(position), "told twice");
    }

    fn unknown(&mut self, position: Position) {
        assert!(self.known.remove(&position), "never told");
    }

    fn run(&mut self, reads: &mut Vec<Position>) -> Ending {
        self.heap.reads.clear();
        let accepted = (self.predicate)(&mut self.heap);
        reads.extend(self.heap.reads.iter().filter(|position| !self.known.contains(position)));
        if accepted { Ending::Accepted } else { Ending::Rejected }
    }
}

/// Keeps every valid vector.
#[derive(Debug, Default)]
pub(crate) struct Keep {
    pub(crate) vectors: Vec<Vec<u32>>,
}

impl Sink for Keep {
    fn valid(&mut self, vector: &[u32]) {
        self.vectors.push(vector.to_vec());
    }

    fn failed(&mut self, _: u32, _: &[u32]) {}
}
