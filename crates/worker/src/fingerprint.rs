//! Structural fingerprints: two values that look alike, field by field, have the same one.
//!
//! The walk reads fields by JNI and runs no code of the subject. It is bounded, follows cycles once, and leaves out
//! what may differ between alike values: counters of changes, views made on demand, what the collector may clear.

use std::collections::VecDeque;
use std::sync::Arc;

use jurat_base::FxHashMap;
use xxhash_rust::xxh3::Xxh3Default;

use crate::classes::{Classes, Jdk, Sort, hash_string};
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::jvmti;

/// An instance field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldSlot {
    pub(crate) id: Id,
    pub(crate) kind: Kind,
}

/// How many elements of a primitive array are looked at.
const ELEMENTS: usize = 4096;

/// How often a walk is tried again because the collector moved objects meanwhile.
const TRIES: u32 = 4;

/// Walks values.
pub(crate) struct Walker<'a> {
    pub(crate) env: Env,
    pub(crate) jdk: &'a Jdk,
    pub(crate) classes: &'a mut Classes,
    /// The most objects one walk looks into.
    pub(crate) limit: usize,
}

/// One walk under way.
struct Walk {
    hash: Xxh3Default,
    /// The objects met, by address, in the order they were met.
    met: FxHashMap<usize, u64>,
    waiting: VecDeque<Ref>,
}

impl Walker<'_> {
    /// The fingerprint of an object; null has one too.
    pub(crate) fn fingerprint(&mut self, object: Ref) -> u64 {
        for _ in 0..TRIES {
            let collections = jvmti::collections();
            let found = self.walk(object);
            // Addresses told objects apart, so nothing may have moved.
            if jvmti::collections() == collections {
                return found;
            }
        }
        0
    }

    fn walk(&mut self, object: Ref) -> u64 {
        if object.is_null() || !self.env.push_frame(64) {
            return 0;
        }
        let mut walk = Walk { hash: Xxh3Default::new(), met: FxHashMap::default(), waiting: VecDeque::new() };
        walk.meet(object);
        let mut looked_into = 0;
        while let Some(next) = walk.waiting.pop_front() {
            looked_into += 1;
            self.look_into(&mut walk, next, looked_into <= self.limit);
        }
        self.env.pop_frame(Ref::NULL);
        walk.hash.digest()
    }

    fn look_into(&mut self, walk: &mut Walk, object: Ref, deeply: bool) {
        let env = self.env;
        let class = env.class_of(object);
        let number = self.classes.number(env, self.jdk, class);
        env.delete_local(class);
        let info = self.classes.info(number);
        walk.feed(info.name_hash);
        match info.sort {
            Sort::String => {
                walk.feed(hash_string(env, object));
            }
            Sort::Boxed(kind, field) => walk.feed(env.get(kind, object, field).bits()),
            Sort::Class => {
                let number = self.classes.number(env, self.jdk, object);
                walk.feed(self.classes.info(number).name_hash);
            }
            Sort::Enum => {
                let name = env.get(Kind::Object, object, self.jdk.enum_name).as_ref();
                if !name.is_null() {
                    walk.feed(hash_string(env, name));
                }
            }
            _ if !deeply => {}
            Sort::Array(Kind::Object) => walk.references(env, object, self.limit),
            Sort::Array(kind) => walk.primitives(env, object, kind),
            Sort::Plain => {
                for slot in self.classes.layout(env, self.jdk, number).iter() {
                    let value = env.get(slot.kind, object, slot.id);
                    if slot.kind == Kind::Object {
                        walk.reference(value);
                    } else {
                        walk.feed(value.bits());
                    }
                }
            }
        }
    }
}

impl Walk {
    fn feed(&mut self, word: u64) {
        self.hash.update(&word.to_le_bytes());
    }

    /// Notes an object that was not met before, and says at which position it was met.
    fn meet(&mut self, object: Ref) -> u64 {
        let position = self.met.len() as u64;
        let known = *self.met.entry(object.address()).or_insert(position);
        if known == position {
            self.waiting.push_back(object);
        }
        known
    }

    fn reference(&mut self, value: Raw) {
        let object = value.as_ref();
        let position = if object.is_null() { u64::MAX } else { self.meet(object) };
        self.feed(position);
    }

    fn references(&mut self, env: Env, array: Ref, limit: usize) {
        let length = env.array_length(array);
        self.feed(length as u64);
        for index in 0..length.min(limit) {
            self.reference(env.element(
                Kind::Object,
                array,
                i32::try_from(index).expect("array indices fit"),
            ));
        }
    }

    fn primitives(&mut self, env: Env, array: Ref, kind: Kind) {
        let length = env.array_length(array);
        self.feed(length as u64);
        let count = length.min(ELEMENTS);
        let mut bytes = vec![0_u64; count];
        let shown = i32::try_from(count).expect("array indices fit");
        env.region(kind, array, 0, shown, bytes.as_mut_ptr().cast());
        // Elements narrower than eight bytes fill the front; the rest is zero.
        for word in bytes {
            self.feed(word);
        }
    }
}

/// Fields that are left out, by the class that declares them; without names, all of them.
const LEFT_OUT: &[(&str, &[&str])] = &[
    // Threads and loaders are told apart by what subclasses add, if anything.
    ("java.lang.Thread", &[]),
    ("java.lang.ThreadGroup", &[]),
    ("java.lang.ClassLoader", &[]),
    ("java.lang.Module", &[]),
    // The collector may clear them at any time.
    ("java.lang.ref.Reference", &[]),
    ("java.lang.Throwable", &["stackTrace", "depth", "suppressedExceptions"]),
    // Views and results that are made on demand and kept.
    ("java.util.AbstractMap", &["keySet", "values"]),
    ("java.util.HashMap", &["entrySet"]),
    ("java.util.TreeMap", &["entrySet", "navigableKeySet", "descendingMap"]),
    (
        "java.math.BigInteger",
        &["bitCountPlusOne", "bitLengthPlusOne", "lowestSetBitPlusTwo", "firstNonzeroIntNumPlusTwo"],
    ),
    ("java.math.BigDecimal", &["stringCache", "precision"]),
];

/// Whether a field is left out, by the class that declares it and its own name.
pub(crate) fn is_left_out(class: &str, field: &str) -> bool {
    let listed = LEFT_OUT.iter().find(|(name, _)| *name == class);
    listed.is_some_and(|(_, fields)| fields.is_empty() || fields.contains(&field))
        || (field == "modCount" && class.starts_with("java.util."))
}

/// Instance fields of a class, its superclasses' first.
pub(crate) type Layout = Arc<[FieldSlot]>;
