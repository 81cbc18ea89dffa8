//! The objects that structures are made of, and how their fields are reached.

use jurat_exhaustive::Position;
use jurat_instrument::watch::{CUT, EXIT};

use super::stride::Strides;
use crate::jni::{Id, Kind, Raw, Ref};

/// All objects, arrays and values of one enumeration; every reference is global.
pub(crate) struct Heap {
    /// The class that watched code calls.
    pub(super) runtime: Runtime,
    /// What the search in the JVM shares with the one outside.
    pub(super) strides: Strides,
    /// By object of the space.
    pub(super) objects: Vec<Thing>,
    /// By position of the vector.
    pub(super) places: Vec<Place>,
    /// By list of choices.
    pub(super) lists: Vec<List>,
    /// What the positions hold now.
    pub(super) vector: Vec<u32>,
    /// Ways in which the predicate failed: the class of what it threw, and what to say.
    pub(super) failures: Vec<(Ref, String)>,
    /// Whether the JVM should be replaced.
    pub(super) worn_out: bool,
}

/// The runtime class, its methods and the lists that it fills.
pub(super) struct Runtime {
    pub(super) class: Ref,
    pub(super) run: Id,
    pub(super) replay: Id,
    pub(super) count: Id,
    pub(super) wrote: Id,
    pub(super) thrown: Id,
    pub(super) last: Id,
    pub(super) depth: Id,
    pub(super) reads: Ref,
    pub(super) writes: Ref,
    pub(super) seen: Ref,
    /// How many writes are listed at most.
    pub(super) writes_room: usize,
    /// Its name, and how many back-edges a run may take: for saying what was thrown.
    pub(super) name: String,
    pub(super) fuel: u32,
}

impl Runtime {
    /// What to say of a run that threw this.
    pub(super) fn reason(&self, thrown: &str) -> String {
        match thrown.strip_prefix(self.name.as_str()) {
            Some(CUT) => format!("it looped: cut after {} iterations", self.fuel),
            Some(EXIT) => "it tried to end the JVM".to_owned(),
            _ => format!("it threw {thrown}"),
        }
    }
}

/// One object or array.
pub(super) enum Thing {
    /// An object, with the fields that hold its words of bits.
    Object { object: Ref, words: Vec<Id> },
    /// An array: one real one for each length from `min` on, and the one that stands for it now.
    Array {
        real: Vec<Ref>,
        min: u32,
        now: usize,
        element: Kind,
        /// Positions that may refer to it, and entries of lists that do.
        holders: Vec<Position>,
        listed: Vec<(usize, i32)>,
    },
}

impl Heap {
    /// A choice as the JVM sees it.
    pub(super) fn raw(&self, choice: Choice) -> Raw {
        choice.raw(&self.objects)
    }
}

impl Choice {
    pub(super) fn raw(self, things: &[Thing]) -> Raw {
        match self {
            Self::Reference(reference) => Raw::object(reference),
            Self::Bits(bits) => Raw::from_bits(bits),
            Self::Thing(thing) => Raw::object(things[thing].reference()),
        }
    }
}

impl Thing {
    /// The reference that stands for the object now.
    pub(super) fn reference(&self) -> Ref {
        match self {
            Self::Object { object, .. } => *object,
            Self::Array { real, now, .. } => real[*now],
        }
    }
}

/// How one position is written, and how its reads become known.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) object: usize,
    pub(super) list: usize,
    pub(super) kind: PlaceKind,
    /// Whether the JVM holds its reads for known.
    pub(super) known: bool,
}

#[derive(Clone, Copy)]
pub(super) enum PlaceKind {
    /// A field, the kind of its values, and its number.
    Field { id: Id, kind: Kind, number: u32 },
    /// The length of an array.
    Length,
    /// An element.
    Element(u32),
}

/// What positions may hold: the values, and the same as Java arrays.
pub(super) struct List {
    pub(super) values: Vec<Choice>,
    /// `Object[]`, or null.
    pub(super) references: Ref,
    /// `long[]`, or null.
    pub(super) bits: Ref,
}

/// One value that a position may hold.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// Null, or a reference that is no object of the structure.
    Reference(Ref),
    /// A primitive value, narrower ones in the lowest bits.
    Bits(u64),
    /// An object or array, by number.
    Thing(usize),
}
