//! Strides of the search inside the JVM: its tables, and the state that is copied in and out.

use std::time::{Duration, Instant};

use jurat_exhaustive::{DomainId, DomainKind, Entry, ObjectId, Position, Stride, Tally, Value, Walk};
use jurat_instrument::watch::{STRIDE, descriptor, walk};

use super::heap::{List, Place, PlaceKind, Thing};
use super::machine::Machine;
use super::setup::Maker;
use crate::WorkerError;
use crate::jni::{Env, Id, Kind, Raw, Ref};

/// Candidates of a stride at most.
const LONGEST: u32 = 1 << 10;
/// Strides that take less are made longer, those that take more are made shorter. What a stride takes must not look to
/// the watchdog as if it never came back, and candidates may be slow.
const BRISK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(4);

/// What the runtime class and the search outside share.
pub(super) struct Strides {
    stride: Id,
    height: Id,
    explored: Id,
    valid: Id,
    vector: Ref,
    stack: Ref,
    stacked: Ref,
    effects: Ref,
    before: Ref,
    used: Ref,
    /// By position, the object that is written.
    pub(super) targets: Ref,
    /// Candidates of the next stride.
    length: u32,
}

impl Strides {
    /// Hands the runtime class the tables that its search needs.
    pub(super) fn new(
        maker: &Maker<'_>,
        class: Ref,
        things: &[Thing],
        lists: &[List],
        places: &[Place],
    ) -> Result<Self, WorkerError> {
        let tables = Tables { maker, class };
        tables.of_choices()?;
        tables.of_objects()?;
        let targets: Vec<Ref> = places.iter().map(|place| things[place.object].reference()).collect();
        let references: Vec<Ref> = places.iter().map(|place| lists[place.list].references).collect();
        let bits: Vec<Ref> = places.iter().map(|place| lists[place.list].bits).collect();
        tables.rows(walk::REFERENCES, &references)?;
        tables.rows(walk::BITS, &bits)?;
        let number = |place: &Place| match place.kind {
            PlaceKind::Field { number, .. } => number.cast_signed(),
            PlaceKind::Element(index) => index.cast_signed(),
            PlaceKind::Length => -1,
        };
        tables.numbers(walk::NUMBERS, &places.iter().map(number).collect::<Vec<_>>())?;
        let (positions, domains) = (places.len(), maker.space.domains().len());
        let method = maker.env.static_method(class, c"stride", &text(STRIDE.1)?);
        Ok(Self {
            stride: method.ok_or_else(|| WorkerError::new("the watching class has no stride"))?,
            height: maker.static_field(class, walk::HEIGHT, "I")?,
            explored: maker.static_field(class, walk::EXPLORED, "I")?,
            valid: maker.static_field(class, walk::VALID, "I")?,
            vector: tables.zeros(walk::VECTOR, positions)?,
            stack: tables.zeros(walk::STACK, positions)?,
            stacked: tables.zeros(walk::STACKED, positions)?,
            effects: tables.zeros(walk::EFFECTS, positions)?,
            before: tables.zeros(walk::BEFORE, positions)?,
            used: tables.zeros(walk::USED, domains)?,
            targets: tables.rows(walk::TARGETS, &targets)?,
            length: 1,
        })
    }

    /// Copies the state of a search into the JVM.
    fn send(&self, env: Env, walk: &Walk, buffer: &mut Vec<i32>) {
        let mut copy = |array: Ref, numbers: &mut dyn Iterator<Item = i32>| {
            buffer.clear();
            buffer.extend(numbers);
            env.set_ints(array, buffer);
        };
        let effect = |entry: &Entry| entry.effect;
        copy(self.vector, &mut walk.vector.iter().map(|choice| choice.cast_signed()));
        copy(self.stacked, &mut walk.on_stack.iter().map(|on_stack| (*on_stack).into()));
        copy(self.used, &mut walk.used.iter().map(|used| used.cast_signed()));
        copy(self.stack, &mut walk.stack.iter().map(|entry| entry.position.0.cast_signed()));
        copy(
            self.effects,
            &mut walk
                .stack
                .iter()
                .map(|entry| effect(entry).map_or(-1, |(domain, _)| domain.0.cast_signed())),
        );
        copy(
            self.before,
            &mut walk.stack.iter().map(|entry| effect(entry).map_or(0, |(_, before)| before.cast_signed())),
        );
    }

    /// Copies the state of a search, whose stack has `height` entries now, out of the JVM.
    fn fetch(&self, env: Env, walk: &mut Walk, height: usize, buffer: &mut Vec<i32>) {
        let mut copy = |array: Ref, length: usize| {
            buffer.resize(length, 0);
            env.ints(array, buffer);
            buffer.iter().map(|number| number.cast_unsigned()).collect::<Vec<u32>>()
        };
        walk.vector = copy(self.vector, walk.vector.len());
        walk.used = copy(self.used, walk.used.len());
        walk.on_stack.fill(false);
        walk.stack.clear();
        let (effects, before) = (copy(self.effects, height), copy(self.before, height));
        for ((position, domain), before) in copy(self.stack, height).into_iter().zip(effects).zip(before) {
            let effect = (domain != u32::MAX).then_some((DomainId(domain), before));
            walk.stack.push(Entry { position: Position(position), effect });
            walk.on_stack[position as usize] = true;
        }
    }

    /// Makes the next stride about as long as it should take.
    fn learn(&mut self, took: Duration) {
        if took < BRISK {
            self.length = (self.length * 2).min(LONGEST);
        } else if took > SLOW {
            self.length = (self.length / 4).max(1);
        }
    }
}

impl Machine<'_> {
    /// Lets the JVM search on its own.
    #[expect(clippy::disallowed_methods, reason = "how much one call does; nothing found depends on it")]
    pub(super) fn go_ahead(&mut self, walk: &mut Walk, most: u64, keeps: bool) -> Stride {
        if most == 0 || walk.stack.len() <= walk.floor {
            return Stride::default();
        }
        let (env, strides) = (self.env, &self.heap.strides);
        strides.send(env, walk, &mut self.buffer);
        let most = u32::try_from(most).unwrap_or(u32::MAX).min(strides.length);
        let small =
            |number: usize| Raw::int(i32::try_from(number).expect("a stack is as long as the vector"));
        let arguments = [
            small(walk.stack.len()),
            small(walk.floor),
            Raw::int(most.cast_signed()),
            Raw::from_bits(keeps.into()),
        ];
        let begun = Instant::now();
        let Some(code) = self.call(Kind::Int, strides.stride, &arguments) else {
            // Stopped between two runs. What this JVM holds is not known; the next one does the stride again.
            self.heap.worn_out = true;
            return Stride::default();
        };
        self.heap.strides.learn(begun.elapsed());
        self.arrive(walk, code)
    }

    /// Takes over what a stride did.
    fn arrive(&mut self, walk: &mut Walk, code: u64) -> Stride {
        let strides = &self.heap.strides;
        let height = self.static_int(strides.height);
        let (explored, valid) = (self.static_int(strides.explored), self.static_int(strides.valid));
        strides.fetch(self.env, walk, height, &mut self.buffer);
        self.heap.vector.copy_from_slice(&walk.vector);
        for (place, on_stack) in self.heap.places.iter_mut().zip(&walk.on_stack) {
            place.known = *on_stack;
        }
        let tally = Tally { explored: explored as u64, valid: valid as u64, failed: 0 };
        let last = (code & 3 != 0).then(|| self.ending(code & 3));
        Stride { tally, last }
    }
}

/// Makes the tables.
struct Tables<'a> {
    maker: &'a Maker<'a>,
    class: Ref,
}

impl Tables<'_> {
    /// What choices refer to, by position.
    fn of_choices(&self) -> Result<(), WorkerError> {
        let space = self.maker.space;
        let (mut domains, mut indices, mut ends, mut members) = (vec![], vec![], vec![], vec![]);
        for choices in space.choice_lists() {
            let membership: Vec<_> =
                (0..).zip(&choices.values).map(|(at, _)| choices.membership(at)).collect();
            let table = |number: &dyn Fn(jurat_exhaustive::Membership) -> u32| {
                membership.iter().map(|of| of.map_or(-1, |of| number(of).cast_signed())).collect::<Vec<i32>>()
            };
            domains.push(self.ints(&table(&|of| of.domain.0))?);
            indices.push(self.ints(&table(&|of| of.index))?);
            ends.push(self.ints(&table(&|of| of.end))?);
            let object = |value: &Value| match value {
                Value::Object(object) => object.0.cast_signed(),
                _ => -1,
            };
            members.push(self.ints(&choices.values.iter().map(object).collect::<Vec<_>>())?);
        }
        for (table, lists) in [
            (walk::DOMAINS, &domains),
            (walk::INDICES, &indices),
            (walk::ENDS, &ends),
            (walk::MEMBERS, &members),
        ] {
            let list = |index: usize| lists[space.choice_list(Position::from_index(index))];
            self.rows(table, &(0..space.len()).map(list).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Which positions objects have.
    fn of_objects(&self) -> Result<(), WorkerError> {
        let space = self.maker.space;
        let (mut firsts, mut sizes, mut grows) = (vec![], vec![], vec![]);
        for (index, object) in space.objects().iter().enumerate() {
            let kind = &space.domain_of(ObjectId::from_index(index)).kind;
            let (size, is_array) = match kind {
                DomainKind::Array { min_length, .. } => (1 + min_length, true),
                _ => (object.positions, false),
            };
            firsts.push(object.first.0.cast_signed());
            sizes.push(size.cast_signed());
            grows.push(i32::from(is_array));
        }
        self.numbers(walk::FIRSTS, &firsts)?;
        self.numbers(walk::SIZES, &sizes)?;
        self.numbers(walk::GROWS, &grows)?;
        self.zeros(walk::MET, space.objects().len())?;
        self.zeros(walk::VISITS, space.objects().len())?;
        self.maker.set(self.class, walk::ROOT, "I", Raw::int(space.root().0.cast_signed()))
    }

    /// A new `int[]`.
    fn ints(&self, numbers: &[i32]) -> Result<Ref, WorkerError> {
        let Maker { env, jdk, .. } = self.maker;
        let array = jdk.checked(*env, "a table", env.new_primitive_array(Kind::Int, numbers.len()))?;
        env.set_ints(array, numbers);
        Ok(env.new_global(array))
    }

    /// Sets a field to a new `int[]`.
    fn numbers(&self, field: &str, numbers: &[i32]) -> Result<Ref, WorkerError> {
        let array = self.ints(numbers)?;
        self.maker.set(self.class, field, "[I", Raw::object(array))?;
        Ok(array)
    }

    fn zeros(&self, field: &str, length: usize) -> Result<Ref, WorkerError> {
        self.numbers(field, &vec![0; length])
    }

    /// Sets a field to a new array of references.
    fn rows(&self, field: &str, rows: &[Ref]) -> Result<Ref, WorkerError> {
        let Maker { env, jdk, .. } = self.maker;
        let descriptor = descriptor(field).ok_or_else(|| WorkerError::new("an unknown table"))?;
        let element = descriptor[1..].replace('/', ".");
        let element = element.strip_prefix('L').map_or(element.as_str(), |name| name.trim_end_matches(';'));
        let array = env.new_object_array(self.maker.class(element)?, rows.len());
        let array = env.new_global(jdk.checked(*env, "a table", array)?);
        for (index, row) in (0..).zip(rows) {
            env.set_element(Kind::Object, array, index, Raw::object(*row));
        }
        jdk.checked(*env, "a table", ())?;
        self.maker.set(self.class, field, descriptor, Raw::object(array))?;
        Ok(array)
    }
}

fn text(text: &str) -> Result<std::ffi::CString, WorkerError> {
    std::ffi::CString::new(text).map_err(|_| WorkerError::new("a name holds a zero byte"))
}
