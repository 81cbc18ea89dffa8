//! Makes the objects of an enumeration and tells watched code about them.

use std::ffi::CString;

use jurat_exhaustive::{DomainKind, FieldType, Member, ObjectId, Position, Primitive, Scalar, Space, Value};
use jurat_instrument::watch::{self, BASE, BITS, HASH, field};
use jurat_protocol::{ClassBound, Watch};

use super::Enumeration;
use super::heap::{Choice, Heap, List, Place, PlaceKind, Runtime, Thing};
use super::machine::Machine;
use super::stride::Strides;
use super::wire::finitization;
use crate::WorkerError;
use crate::classes::Jdk;
use crate::epoch::Epoch;
use crate::jni::{Env, Id, Kind, Raw, Ref};

/// Writes of one run that are remembered one by one; past it everything is written anew.
const WRITES: usize = 256;

/// Makes all objects, every position at its first choice.
pub(super) fn prepare(env: Env, jdk: &Jdk, epoch: &Epoch, watch: &Watch) -> Result<Enumeration, WorkerError> {
    let space = Space::new(&finitization(watch)?).map_err(|error| WorkerError::new(error.to_string()))?;
    let maker = Maker { env, jdk, loader: epoch.loader, watch, space: &space };
    let mut heap = maker.heap()?;
    let mut machine = Machine::new(env, jdk, &space, &mut heap);
    machine.write_all();
    jdk.checked(env, "the first structure", ())?;
    Ok(Enumeration { space, heap })
}

pub(super) struct Maker<'a> {
    pub(super) env: Env,
    pub(super) jdk: &'a Jdk,
    loader: Ref,
    watch: &'a Watch,
    pub(super) space: &'a Space,
}

impl Maker<'_> {
    fn heap(&self) -> Result<Heap, WorkerError> {
        let runtime_class = self.class(&self.watch.runtime)?;
        let objects = self.objects()?;
        let lists = self.lists(&objects)?;
        let places = self.places()?;
        let runtime = self.runtime(runtime_class, &objects)?;
        let strides = Strides::new(self, runtime_class, &objects, &lists, &places)?;
        let mut heap = Heap {
            runtime,
            strides,
            objects,
            places,
            lists,
            vector: vec![0; self.space.len()],
            failures: Vec::new(),
            worn_out: false,
        };
        find_holders(&mut heap);
        Ok(heap)
    }

    /// Loads a class and runs its initializer.
    pub(super) fn class(&self, name: &str) -> Result<Ref, WorkerError> {
        let class = self.jdk.load(self.env, name, self.loader);
        let class = class.map_err(|thrown| self.error(&format!("class {name}"), thrown))?;
        Ok(self.env.new_global(class))
    }

    fn error(&self, what: &str, thrown: Ref) -> WorkerError {
        WorkerError::new(format!("{what}: {}", self.jdk.describe(self.env, thrown)))
    }

    fn class_bound(&self, name: &str) -> Option<&ClassBound> {
        self.watch.classes.iter().find(|class| class.class == name)
    }

    fn objects(&self) -> Result<Vec<Thing>, WorkerError> {
        let mut things = Vec::new();
        let mut base = 1;
        for domain in self.space.domains() {
            match &domain.kind {
                DomainKind::Class(_) => {
                    let numbers = self.class_bound(&domain.name).map_or(0, |bound| bound.numbers);
                    let class = self.class(&domain.name)?;
                    for _ in 0..domain.count {
                        let hash = i32::try_from(things.len()).unwrap_or(0);
                        things.push(self.object(class, numbers, base, hash)?);
                        base += numbers.max(1);
                    }
                }
                DomainKind::Array { element, min_length, max_length } => {
                    for _ in 0..domain.count {
                        things.push(self.array(element, *min_length, *max_length)?);
                    }
                }
                DomainKind::Values => {}
            }
        }
        self.set_outer_instances(&things)?;
        Ok(things)
    }

    /// An object made by the constructor without parameters, or, if there is none or it throws, by no constructor.
    fn object(&self, class: Ref, numbers: u32, base: u32, hash: i32) -> Result<Thing, WorkerError> {
        let env = self.env;
        let made =
            env.method(class, c"<init>", c"()V").map(|constructor| env.new_object(class, constructor, &[]));
        env.clear_exception();
        let object = match made.and_then(Ref::some) {
            Some(object) => object,
            None => self.jdk.checked(env, "an object", env.alloc(class))?,
        };
        let object = env.new_global(object);
        let mut words = Vec::new();
        if numbers > 0 {
            env.set(Kind::Int, object, self.field(class, BASE, "I")?, Raw::int(base.cast_signed()));
            env.set(Kind::Int, object, self.field(class, HASH, "I")?, Raw::int(hash));
            for word in 0..numbers.div_ceil(BITS) {
                // Fields that do not vary count as known; those that do are cleared one by one.
                let id = self.field(class, &watch::seen(word), "I")?;
                env.set(Kind::Int, object, id, Raw::int(-1));
                words.push(id);
            }
        }
        Ok(Thing::Object { object, words })
    }

    /// Gives objects of inner classes the first object of the class around them.
    fn set_outer_instances(&self, things: &[Thing]) -> Result<(), WorkerError> {
        for (index, thing) in things.iter().enumerate() {
            let name = &self.space.domain_of(ObjectId::from_index(index)).name;
            let Some((outer, _)) = name.rsplit_once('$') else { continue };
            let Some(first) = self.space.objects_of(outer).first().copied() else { continue };
            let class = self.env.class_of(thing.reference());
            let descriptor = FieldType::Class(outer.to_owned()).descriptor();
            if let Ok(id) = self.field(class, "this$0", &descriptor) {
                let outer = things[first.index()].reference();
                self.env.set(Kind::Object, thing.reference(), id, Raw::object(outer));
            }
        }
        self.jdk.checked(self.env, "an inner class", ())
    }

    fn array(&self, element: &FieldType, min: u32, max: u32) -> Result<Thing, WorkerError> {
        let kind = kind_of(element);
        let class = match element {
            FieldType::Primitive(_) => None,
            reference => Some(self.class(&loadable(reference))?),
        };
        let mut real = Vec::new();
        for length in min..=max {
            let array = match class {
                None => self.env.new_primitive_array(kind, length as usize),
                Some(class) => self.env.new_object_array(class, length as usize),
            };
            real.push(self.env.new_global(self.jdk.checked(self.env, "an array", array)?));
        }
        Ok(Thing::Array { real, min, now: 0, element: kind, holders: Vec::new(), listed: Vec::new() })
    }

    fn field(&self, class: Ref, name: &str, descriptor: &str) -> Result<Id, WorkerError> {
        let text = |text: &str| CString::new(text).map_err(|_| WorkerError::new("a name holds a zero byte"));
        let id = self.env.field(class, &text(name)?, &text(descriptor)?);
        id.ok_or_else(|| {
            self.env.clear_exception();
            WorkerError::new(format!("there is no field {name} of type {descriptor}"))
        })
    }

    fn places(&self) -> Result<Vec<Place>, WorkerError> {
        let mut places = Vec::with_capacity(self.space.len());
        for index in 0..self.space.len() {
            let position = Position::from_index(index);
            let slot = self.space.slot(position);
            let kind = match slot.member {
                Member::Length => PlaceKind::Length,
                Member::Element(index) => PlaceKind::Element(index),
                Member::Field(number) => {
                    let bound = self.class_bound(&self.space.domain_of(slot.object).name);
                    let field = bound.and_then(|bound| bound.fields.get(number as usize));
                    let field = field.ok_or_else(|| WorkerError::new("a field has no bound"))?;
                    let class = self.class(&field.declared_in)?;
                    let id = self.field(class, &field.name, &field.descriptor)?;
                    let kind = Kind::of(&field.descriptor).unwrap_or(Kind::Object);
                    PlaceKind::Field { id, kind, number: field.number }
                }
            };
            let list = self.space.choice_list(position);
            // Fields start with all bits set, array positions with none: the first reset makes them alike.
            let known = matches!(kind, PlaceKind::Field { .. });
            places.push(Place { object: slot.object.index(), list, kind, known });
        }
        Ok(places)
    }

    fn lists(&self, things: &[Thing]) -> Result<Vec<List>, WorkerError> {
        self.space
            .choice_lists()
            .iter()
            .map(|choices| self.list(&choices.ty, &choices.values, things))
            .collect()
    }

    fn list(&self, ty: &FieldType, values: &[Value], things: &[Thing]) -> Result<List, WorkerError> {
        let is_reference = !matches!(ty, FieldType::Primitive(_));
        let choices =
            values.iter().map(|value| self.choice(value, is_reference)).collect::<Result<Vec<_>, _>>()?;
        let (mut references, mut bits) = (Ref::NULL, Ref::NULL);
        let array = if is_reference {
            let object = self.class("java.lang.Object")?;
            let array = self.env.new_object_array(object, values.len());
            references = self.env.new_global(self.jdk.checked(self.env, "values", array)?);
            references
        } else {
            let array = self.env.new_primitive_array(Kind::Long, values.len());
            bits = self.env.new_global(self.jdk.checked(self.env, "values", array)?);
            bits
        };
        for (index, choice) in (0..).zip(&choices) {
            let kind = if is_reference { Kind::Object } else { Kind::Long };
            self.env.set_element(kind, array, index, choice.raw(things));
        }
        self.jdk.checked(self.env, "values", ())?;
        Ok(List { values: choices, references, bits })
    }

    fn choice(&self, value: &Value, is_reference: bool) -> Result<Choice, WorkerError> {
        Ok(match value {
            Value::Null => Choice::Reference(Ref::NULL),
            Value::Object(object) => Choice::Thing(object.index()),
            Value::Scalar(scalar) if is_reference => self.boxed(*scalar)?,
            Value::Scalar(scalar) => Choice::Bits(raw(*scalar).bits()),
            Value::Text(text) => {
                let units: Vec<u16> = text.encode_utf16().collect();
                let string = self.jdk.checked(self.env, "a string", self.env.new_string(&units))?;
                let string = self.env.call(Kind::Object, string, self.jdk.intern, &[]).as_ref();
                Choice::Reference(self.env.new_global(string))
            }
            Value::Constant { class, name } => {
                let descriptor = FieldType::Class(class.clone()).descriptor();
                Choice::Reference(self.static_object(class, name, &descriptor)?)
            }
        })
    }

    fn static_object(&self, class: &str, name: &str, descriptor: &str) -> Result<Ref, WorkerError> {
        let loaded = self.class(class)?;
        let id = self.static_field(loaded, name, descriptor)?;
        let value = self.env.get_static(Kind::Object, loaded, id).as_ref();
        Ok(self.env.new_global(self.jdk.checked(self.env, name, value)?))
    }

    pub(super) fn static_field(&self, class: Ref, name: &str, descriptor: &str) -> Result<Id, WorkerError> {
        let text = |text: &str| CString::new(text).map_err(|_| WorkerError::new("a name holds a zero byte"));
        let id = self.env.static_field(class, &text(name)?, &text(descriptor)?);
        let missing = || WorkerError::new(format!("there is no static field {name} of type {descriptor}"));
        self.jdk.checked(self.env, name, ())?;
        id.ok_or_else(missing)
    }

    /// `Integer.valueOf` and its like.
    fn boxed(&self, scalar: Scalar) -> Result<Choice, WorkerError> {
        let primitive = match scalar {
            Scalar::Truth(_) => Primitive::Boolean,
            Scalar::Whole(primitive, _) | Scalar::Floating(primitive, _) => primitive,
        };
        let wrapper = FieldType::Class(primitive.boxed().to_owned()).descriptor();
        let descriptor = format!("({}){wrapper}", primitive.letter());
        let class = self.class(primitive.boxed())?;
        let descriptor = CString::new(descriptor).expect("built from letters and names");
        let method = self.env.static_method(class, c"valueOf", &descriptor);
        let method = method.ok_or_else(|| WorkerError::new(format!("no {wrapper}.valueOf")))?;
        let made = self.env.call_static(Kind::Object, class, method, &[raw(scalar)]).as_ref();
        Ok(Choice::Reference(self.env.new_global(self.jdk.checked(self.env, "a number", made)?)))
    }

    /// Hands its lists to the runtime class.
    fn runtime(&self, class: Ref, things: &[Thing]) -> Result<Runtime, WorkerError> {
        let env = self.env;
        let ints = |length: usize| -> Result<Ref, WorkerError> {
            Ok(env.new_global(self.jdk.checked(env, "a list", env.new_primitive_array(Kind::Int, length))?))
        };
        let reads = ints(self.space.len() + 1)?;
        let writes = ints(WRITES)?;
        let seen = env.new_global(env.new_primitive_array(Kind::Boolean, self.space.len().max(1)));
        self.set(class, field::READS, "[I", Raw::object(reads))?;
        self.set(class, field::WRITES, "[I", Raw::object(writes))?;
        self.set(class, field::SEEN, "[Z", Raw::object(seen))?;
        self.set(class, field::POSITIONS, "[I", Raw::object(self.positions(&ints)?))?;
        self.set_arrays(class, things, &ints)?;
        self.set(class, field::BUDGET, "I", Raw::int(i32::try_from(self.watch.fuel).unwrap_or(i32::MAX)))?;
        let root = things[self.space.root().index()].reference();
        self.set(class, field::ROOT, "Ljava/lang/Object;", Raw::object(root))?;
        let method = |name, descriptor| {
            let id = env.static_method(class, name, descriptor);
            id.ok_or_else(|| WorkerError::new("the watching class lacks a method"))
        };
        Ok(Runtime {
            run: method(c"run", c"()I")?,
            replay: method(c"replay", c"([Ljava/lang/Object;[I[[Ljava/lang/Object;[[J[I)I")?,
            count: self.static_field(class, "count", "I")?,
            wrote: self.static_field(class, "wrote", "I")?,
            thrown: self.static_field(class, field::THROWN, "Ljava/lang/Throwable;")?,
            last: self.static_field(class, field::LAST, "Ljava/lang/Object;")?,
            depth: self.static_field(class, field::DEPTH, "I")?,
            class,
            reads,
            writes,
            seen,
            writes_room: WRITES,
            name: self.watch.runtime.clone(),
            fuel: self.watch.fuel,
        })
    }

    pub(super) fn set(
        &self,
        class: Ref,
        name: &str,
        descriptor: &str,
        value: Raw,
    ) -> Result<(), WorkerError> {
        let id = self.static_field(class, name, descriptor)?;
        self.env.set_static(Kind::of(descriptor).unwrap_or(Kind::Object), class, id, value);
        Ok(())
    }

    /// For each base plus field number, the position plus one.
    fn positions(&self, ints: &impl Fn(usize) -> Result<Ref, WorkerError>) -> Result<Ref, WorkerError> {
        let mut table = vec![0];
        for (index, object) in self.space.objects().iter().enumerate() {
            let domain = self.space.domain_of(ObjectId::from_index(index));
            let Some(bound) = self.class_bound(&domain.name) else { continue };
            let start = table.len();
            table.resize(start + bound.numbers.max(1) as usize, 0);
            for (offset, field) in (0..).zip(&bound.fields) {
                if bound.numbers > 0 {
                    let position = object.first.0 + offset;
                    table[start + field.number as usize] = position.cast_signed() + 1;
                }
            }
        }
        let array = ints(table.len())?;
        for (index, position) in (0..).zip(&table) {
            self.env.set_element(Kind::Int, array, index, Raw::int(*position));
        }
        Ok(array)
    }

    /// Lists every real array with the position of its length.
    fn set_arrays(
        &self,
        class: Ref,
        things: &[Thing],
        ints: &impl Fn(usize) -> Result<Ref, WorkerError>,
    ) -> Result<(), WorkerError> {
        let mut all = Vec::new();
        for (index, thing) in things.iter().enumerate() {
            if let Thing::Array { real, .. } = thing {
                let first = self.space.object(ObjectId::from_index(index)).first;
                all.extend(real.iter().map(|array| (*array, first.0.cast_signed() + 1)));
            }
        }
        let object = self.class("java.lang.Object")?;
        let arrays = self.jdk.checked(self.env, "arrays", self.env.new_object_array(object, all.len()))?;
        let bases = ints(all.len())?;
        for (index, (array, base)) in (0..).zip(&all) {
            self.env.set_element(Kind::Object, arrays, index, Raw::object(*array));
            self.env.set_element(Kind::Int, bases, index, Raw::int(*base));
        }
        self.set(class, field::ARRAYS, "[Ljava/lang/Object;", Raw::object(arrays))?;
        self.set(class, field::BASES, "[I", Raw::object(bases))
    }
}

/// Notes for each array where references to it may stand.
fn find_holders(heap: &mut Heap) {
    for (number, list) in heap.lists.iter().enumerate() {
        for (index, choice) in (0..).zip(&list.values) {
            let Choice::Thing(thing) = choice else { continue };
            if let Thing::Array { listed, holders, .. } = &mut heap.objects[*thing] {
                listed.push((number, index));
                let places = (0..).zip(&heap.places).filter(|(_, place)| place.list == number);
                holders.extend(places.map(|(position, _)| Position(position)));
            }
        }
    }
}

fn kind_of(ty: &FieldType) -> Kind {
    Kind::of(&ty.descriptor()).unwrap_or(Kind::Object)
}

/// The name by which `Class.forName` finds a reference type.
fn loadable(ty: &FieldType) -> String {
    match ty {
        FieldType::Class(name) => name.clone(),
        other => other.descriptor().replace('/', "."),
    }
}

/// The bits of a primitive value, narrower ones in the lowest.
fn raw(scalar: Scalar) -> Raw {
    match scalar {
        Scalar::Truth(truth) => Raw::from_bits(truth.into()),
        Scalar::Whole(_, number) => Raw::long(number),
        Scalar::Floating(Primitive::Float, number) => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the nearest float is what a float field can hold"
            )]
            let narrow = number as f32;
            Raw::from_bits(narrow.to_bits().into())
        }
        Scalar::Floating(_, number) => Raw::from_bits(number.to_bits()),
    }
}
