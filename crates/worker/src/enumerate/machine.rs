//! The search's view of the JVM.

use std::sync::atomic::Ordering;

use jurat_exhaustive::{Ending, ObjectId, Position, Space, Stride, Vm, Walk};
use jurat_instrument::watch::DEEPEST;
use jurat_protocol::shared as layout;

use super::heap::{Choice, Heap, Place, PlaceKind, Thing};
use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::shared::cell;
use crate::watchdog;

/// The JVM of this thread, holding one structure at a time.
pub(super) struct Machine<'a> {
    pub(super) env: Env,
    pub(super) jdk: &'a Jdk,
    pub(super) space: &'a Space,
    pub(super) heap: &'a mut Heap,
    pub(super) buffer: Vec<i32>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(env: Env, jdk: &'a Jdk, space: &'a Space, heap: &'a mut Heap) -> Self {
        Self { env, jdk, space, heap, buffer: Vec::with_capacity(space.len()) }
    }

    /// Puts every position back to choice 0, its reads unknown.
    pub(super) fn reset(&mut self) {
        for index in (0..self.space.len()).rev() {
            let position = Position::from_index(index);
            if self.heap.vector[index] != 0 {
                self.write(position, 0);
            }
            if self.heap.places[index].known {
                self.unknown(position);
            }
        }
    }

    /// Writes every position anew, whatever it is thought to hold.
    pub(super) fn write_all(&mut self) {
        for index in 0..self.space.len() {
            self.write(Position::from_index(index), self.heap.vector[index]);
        }
    }

    /// What a failure's number stands for.
    pub(super) fn reason(&self, number: u32) -> String {
        self.heap.failures.get(number as usize).map_or_else(String::new, |(_, reason)| reason.clone())
    }

    /// Calls the runtime class; none if the watchdog stopped the call outside the predicate.
    pub(super) fn call(&self, kind: Kind, method: Id, arguments: &[Raw]) -> Option<u64> {
        // The watchdog measures from one change of this cell to the next, and the pool takes it for a sign of life.
        cell(layout::NOW).fetch_add(1, Ordering::Relaxed);
        let returned = self.env.call_static(kind, self.heap.runtime.class, method, arguments).bits();
        if watchdog::was_cut() && self.env.take_exception().is_some() {
            return None;
        }
        Some(returned)
    }

    /// The value that a position holds, as the JVM sees it.
    fn held(&self, position: Position) -> Raw {
        let place = self.heap.places[position.index()];
        let choice = self.heap.vector[position.index()] as usize;
        self.heap.raw(self.heap.lists[place.list].values[choice])
    }

    /// Makes the JVM's memory agree with the vector at one position.
    fn store(&mut self, position: Position) {
        let Place { object, kind, .. } = self.heap.places[position.index()];
        match (kind, &self.heap.objects[object]) {
            (PlaceKind::Field { id, kind, .. }, thing) => {
                self.env.set(kind, thing.reference(), id, self.held(position));
            }
            (PlaceKind::Element(index), Thing::Array { real, now, min, element, .. }) => {
                // What stands past the end is written when the array grows.
                if u64::from(index) < u64::from(*min) + *now as u64 {
                    let index = index.cast_signed();
                    self.env.set_element(*element, real[*now], index, self.held(position));
                }
            }
            _ => self.resize(object, position),
        }
    }

    /// Makes another real array stand for an array, as long as the vector says.
    fn resize(&mut self, object: usize, length: Position) {
        let choice = self.heap.vector[length.index()] as usize;
        let Thing::Array { now, .. } = &mut self.heap.objects[object] else { return };
        *now = choice;
        self.env.set_static(Kind::Object, self.heap.runtime.class, self.heap.runtime.last, Raw::ZERO);
        let Thing::Array { real, min, listed, holders, .. } = &self.heap.objects[object] else { return };
        let (array, count, min) = (real[choice], choice, *min as usize);
        for &(list, index) in listed {
            self.env.set_element(Kind::Object, self.heap.lists[list].references, index, Raw::object(array));
        }
        let holders: Vec<Position> = holders.clone();
        self.retarget(object, array);
        for element in 1..=count + min {
            self.store(Position(length.0 + u32::try_from(element).expect("lengths are small")));
        }
        for holder in holders {
            if self.refers_to(holder, object) {
                self.store(holder);
            }
        }
    }

    /// Has strides write to another real array.
    fn retarget(&self, object: usize, array: Ref) {
        for position in self.space.positions_of(ObjectId::from_index(object)) {
            let index = position.0.cast_signed();
            self.env.set_element(Kind::Object, self.heap.strides.targets, index, Raw::object(array));
        }
    }

    fn refers_to(&self, position: Position, object: usize) -> bool {
        let list = &self.heap.lists[self.heap.places[position.index()].list];
        matches!(list.values[self.heap.vector[position.index()] as usize], Choice::Thing(thing) if thing == object)
    }

    /// Tells the JVM whether reads of a position are known.
    fn mark(&mut self, position: Position, known: bool) {
        let place = &mut self.heap.places[position.index()];
        place.known = known;
        let place = *place;
        if let (PlaceKind::Field { number, .. }, Thing::Object { object, words }) =
            (place.kind, &self.heap.objects[place.object])
        {
            let Some(word) = words.get(number as usize / 32) else { return };
            let bit = 1 << (number % 32);
            let bits = self.env.get(Kind::Int, *object, *word).bits();
            let bits = if known { bits | bit } else { bits & !bit };
            self.env.set(Kind::Int, *object, *word, Raw::from_bits(bits));
        } else {
            let index = position.0.cast_signed();
            let value = Raw::from_bits(u64::from(known));
            self.env.set_element(Kind::Boolean, self.heap.runtime.seen, index, value);
        }
    }

    /// Takes over what the JVM listed about the last run.
    fn take_reads(&mut self, count: usize, reads: &mut Vec<Position>) {
        if count == 0 {
            return;
        }
        self.list(self.heap.runtime.reads, count);
        for index in 0..count {
            let position = Position(self.buffer[index].cast_unsigned());
            self.heap.places[position.index()].known = true;
            reads.push(position);
        }
    }

    /// Copies the first `count` numbers of a list of the runtime class.
    fn list(&mut self, list: Ref, count: usize) {
        self.buffer.resize(count, 0);
        self.env.ints(list, &mut self.buffer);
    }

    /// Puts back what the predicate wrote.
    fn undo_writes(&mut self) {
        let count = self.static_int(self.heap.runtime.wrote);
        if count >= self.heap.runtime.writes_room {
            return self.write_all();
        }
        self.list(self.heap.runtime.writes, count);
        for index in 0..count {
            let position = Position(self.buffer[index].cast_unsigned());
            self.store(position);
        }
    }

    pub(super) fn static_int(&self, field: Id) -> usize {
        let value = self.env.get_static(Kind::Int, self.heap.runtime.class, field).bits();
        usize::try_from(value & 0xffff_ffff).expect("32 bits")
    }

    pub(super) fn ending(&mut self, code: u64) -> Ending {
        match code {
            0 => Ending::Rejected,
            1 => Ending::Accepted,
            STOPPED => Ending::Failed(self.stopped()),
            _ => Ending::Failed(self.failure()),
        }
    }

    /// The number of the way in which the last run failed.
    fn failure(&mut self) -> u32 {
        if watchdog::was_cut() {
            return self.stopped();
        }
        let (env, jdk, runtime) = (self.env, self.jdk, &self.heap.runtime);
        let thrown = env.get_static(Kind::Object, runtime.class, runtime.thrown).as_ref();
        let class = env.class_of(thrown);
        let said = || runtime.reason(&jdk.describe(env, thrown));
        let known = self.heap.failures.iter().any(|(known, _)| env.same(*known, class));
        let reason = if known { String::new() } else { said() };
        let number = self.named_failure(class, || reason);
        // A stack that really overflowed may have done so anywhere; one that was cut has done no harm.
        let overflowed = env.same(class, jdk.stack_overflow)
            && self.static_int(self.heap.runtime.depth) <= DEEPEST.unsigned_abs() as usize;
        self.heap.worn_out |= overflowed || env.same(class, jdk.out_of_memory);
        env.delete_local(class);
        env.delete_local(thrown);
        number
    }

    /// The number of runs that the watchdog stopped. A JVM with a stopped thread is not to be trusted any more.
    fn stopped(&mut self) -> u32 {
        self.heap.worn_out = true;
        self.named_failure(Ref::NULL, || SLOW.to_owned())
    }

    /// The number of the failures with this class, which get this name if they are the first.
    fn named_failure(&mut self, class: Ref, reason: impl FnOnce() -> String) -> u32 {
        let env = self.env;
        let known = self.heap.failures.iter().position(|(known, _)| env.same(*known, class));
        let number = known.unwrap_or_else(|| {
            self.heap.failures.push((env.new_global(class), reason()));
            self.heap.failures.len() - 1
        });
        u32::try_from(number).expect("few classes of exceptions")
    }
}

/// How a run ended that was stopped outside the predicate, beside the endings that the runtime class tells.
const STOPPED: u64 = 3;
/// What to say of a run that the watchdog stopped.
const SLOW: &str = "it did not come back and was stopped";

impl Vm for Machine<'_> {
    fn write(&mut self, position: Position, choice: u32) {
        self.heap.vector[position.index()] = choice;
        self.store(position);
    }

    fn known(&mut self, position: Position) {
        // The JVM knows by itself what it reported.
        if !self.heap.places[position.index()].known {
            self.mark(position, true);
        }
    }

    fn unknown(&mut self, position: Position) {
        self.mark(position, false);
    }

    fn run(&mut self, reads: &mut Vec<Position>) -> Ending {
        let runtime = &self.heap.runtime;
        let returned = self.call(Kind::Int, runtime.run, &[]);
        // Stopped before or after the predicate: the run counts as one that did not come back.
        let code = returned.map_or(STOPPED, |code| code & 3);
        let (count, wrote) = (self.static_int(runtime.count), self.static_int(runtime.wrote));
        let ending = self.ending(code);
        self.take_reads(count, reads);
        if wrote > 0 {
            self.undo_writes();
        }
        ending
    }

    fn stride(&mut self, walk: &mut Walk, most: u64, keeps: bool) -> Stride {
        self.go_ahead(walk, most, keeps)
    }

    fn worn_out(&self) -> bool {
        self.heap.worn_out
    }
}
