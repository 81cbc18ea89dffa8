//! How fast the search is, beside the same candidates run without one.

use std::time::Duration;

use jurat_exhaustive::{Ending, Position, Range as Part, Search, Sink, Vm};

use super::Enumeration;
use super::heap::PlaceKind;
use super::machine::Machine;
use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Kind, Raw, Ref};
use crate::watchdog::{self, own_time};

/// Rounds before the one that counts: the compiler needs them.
const WARM_UP: usize = 4;

impl Enumeration {
    /// Nanoseconds per candidate of the search's first `candidates`, and of the predicate over the same ones.
    pub(crate) fn pace(&mut self, env: Env, jdk: &Jdk, candidates: u64) -> Result<(f64, f64), WorkerError> {
        // One call takes seconds, which is no reason to stop it.
        watchdog::set_running(false);
        let (tape, valid) = self.record(env, jdk, candidates)?;
        let runs = tape.iter().filter(|write| write.run).count();
        let mut search = f64::INFINITY;
        for _ in 0..=WARM_UP {
            search = search.min(self.timed_search(env, jdk, candidates)?);
        }
        let arguments = self.tape(env, jdk, &tape)?;
        let mut floor = f64::INFINITY;
        for _ in 0..=WARM_UP {
            // The tape begins where the search does.
            Machine::new(env, jdk, &self.space, &mut self.heap).reset();
            let runtime = &self.heap.runtime;
            let begun = own_time();
            let accepted = env.call_static(Kind::Int, runtime.class, runtime.replay, &arguments).bits();
            floor = floor.min(since(begun));
            jdk.checked(env, "a replay", ())?;
            self.heap.vector.copy_from_slice(&last_choices(&tape, self.space.len()));
            if accepted != valid {
                return Err(WorkerError::new("the replay met other candidates than the search"));
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let each = |seconds: f64| seconds * 1e9 / runs.max(1) as f64;
        Ok((each(search), each(floor)))
    }

    fn timed_search(&mut self, env: Env, jdk: &Jdk, candidates: u64) -> Result<f64, WorkerError> {
        let mut machine = Machine::new(env, jdk, &self.space, &mut self.heap);
        machine.reset();
        let begun = own_time();
        let search = Search::new(&self.space, &Part::Whole, &mut machine);
        let mut search = search.map_err(|error| WorkerError::new(error.0))?;
        search.run(&mut machine, &mut Nobody, candidates);
        Ok(since(begun))
    }

    /// What the search writes, after which writes it runs the predicate, and how often that accepts.
    fn record(&mut self, env: Env, jdk: &Jdk, candidates: u64) -> Result<(Vec<Write>, u64), WorkerError> {
        let mut machine = Machine::new(env, jdk, &self.space, &mut self.heap);
        machine.reset();
        let mut recorder = Recorder { machine, tape: Vec::new(), untaped: 0 };
        let search = Search::new(&self.space, &Part::Whole, &mut recorder);
        let mut search = search.map_err(|error| WorkerError::new(error.0))?;
        search.run(&mut recorder, &mut Nobody, candidates);
        // The first candidate comes before the first write, and is not on the tape.
        Ok((recorder.tape, search.tally().valid - recorder.untaped))
    }

    /// The tape as the arguments of the runtime's loop.
    fn tape(&self, env: Env, jdk: &Jdk, tape: &[Write]) -> Result<[Raw; 5], WorkerError> {
        let checked = |array: Ref| jdk.checked(env, "a tape", array);
        let class =
            |name: &str| jdk.load(env, name, Ref::NULL).map_err(|_| WorkerError::new("no array class"));
        let objects = class("java.lang.Object")?;
        let targets = checked(env.new_object_array(objects, tape.len()))?;
        let numbers = checked(env.new_primitive_array(Kind::Int, tape.len()))?;
        let references = checked(env.new_object_array(class("[Ljava.lang.Object;")?, tape.len()))?;
        let bits = checked(env.new_object_array(class("[J")?, tape.len()))?;
        let choices = checked(env.new_primitive_array(Kind::Int, tape.len()))?;
        for (index, write) in (0..).zip(tape) {
            let place = self.heap.places[write.position.index()];
            let PlaceKind::Field { number, .. } = place.kind else {
                return Err(WorkerError::new("structures with arrays cannot be replayed"));
            };
            let list = &self.heap.lists[place.list];
            let choice = write.choice.cast_signed();
            env.set_element(
                Kind::Object,
                targets,
                index,
                Raw::object(self.heap.objects[place.object].reference()),
            );
            env.set_element(Kind::Int, numbers, index, Raw::int(number.cast_signed()));
            env.set_element(Kind::Object, references, index, Raw::object(list.references));
            env.set_element(Kind::Object, bits, index, Raw::object(list.bits));
            env.set_element(Kind::Int, choices, index, Raw::int(if write.run { choice } else { !choice }));
        }
        Ok([targets, numbers, references, bits, choices].map(Raw::object))
    }
}

/// What positions hold after the writes.
fn last_choices(tape: &[Write], positions: usize) -> Vec<u32> {
    let mut choices = vec![0; positions];
    for write in tape {
        choices[write.position.index()] = write.choice;
    }
    choices
}

/// Seconds this thread has computed since: others who are busy on the machine do not count.
fn since(begun: Duration) -> f64 {
    own_time().saturating_sub(begun).as_secs_f64()
}

/// One write of a search.
struct Write {
    position: Position,
    choice: u32,
    /// Whether the predicate is run after it.
    run: bool,
}

/// Passes everything on and keeps the writes.
struct Recorder<'a> {
    machine: Machine<'a>,
    tape: Vec<Write>,
    /// Valid structures before the first write.
    untaped: u64,
}

impl Vm for Recorder<'_> {
    fn write(&mut self, position: Position, choice: u32) {
        self.tape.push(Write { position, choice, run: false });
        self.machine.write(position, choice);
    }

    fn known(&mut self, position: Position) {
        self.machine.known(position);
    }

    fn unknown(&mut self, position: Position) {
        self.machine.unknown(position);
    }

    fn run(&mut self, reads: &mut Vec<Position>) -> Ending {
        let ending = self.machine.run(reads);
        match self.tape.last_mut() {
            Some(last) => last.run = true,
            None => self.untaped += u64::from(ending == Ending::Accepted),
        }
        ending
    }
}

/// Is told nothing.
struct Nobody;

impl Sink for Nobody {
    fn valid(&mut self, _: &[u32]) {}
    fn failed(&mut self, _: u32, _: &[u32]) {}
    fn wants_valid(&self) -> bool {
        false
    }
}
