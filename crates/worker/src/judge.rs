//! Weighs answers: by how much did a call such as `String.equals` miss the other one?
//!
//! Probes call this on the subject's thread, in the middle of a statement. Objects are looked at, not asked: only
//! collections of the JDK are, for their elements.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jurat_instrument::judged::{JUDGED, Relation};
use jurat_protocol::{Compared, Relation as Asked, Text};
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jobject};

use crate::capture::primitive;
use crate::classes::Jdk;
use crate::jni::{Env, Id, Kind, Native, Raw, Ref};

/// Strings are looked at so far.
const UNITS: usize = 200;
/// Elements of arrays and collections are looked at so far.
const ELEMENTS: usize = 32;
/// So many pairs of strings are reported of one sequence.
const PAIRS: usize = 24;
/// So many pairs there may be for one more of units: there are many more of them.
const UNIT_PAIRS: usize = 12;
/// What a missing unit or element costs: more than the widest gap between two that are there, as letters go.
const MISSING: f64 = 128.0;
/// What cannot be told.
const UNKNOWN: f64 = 0.0;

/// What is needed to look into objects; all references are global.
struct Judge {
    string: Ref,
    boxes: Vec<(Ref, Kind, Id)>,
    /// Classes of arrays, and what they hold.
    arrays: Vec<(Ref, Kind)>,
    matcher_text: Option<Id>,
    matcher_pattern: Option<Id>,
    pattern_text: Option<Id>,
    get_name: Option<Id>,
    to_array: Option<Id>,
    key_set: Option<Id>,
    /// Collections and maps around others, and the field that holds these.
    wrappers: Vec<(Ref, Id)>,
}

/// The views of `java.util.Collections` through which another collection or map answers.
const WRAPPERS: [(&CStr, &CStr, &CStr); 6] = [
    (c"java/util/Collections$UnmodifiableCollection", c"c", c"Ljava/util/Collection;"),
    (c"java/util/Collections$SynchronizedCollection", c"c", c"Ljava/util/Collection;"),
    (c"java/util/Collections$CheckedCollection", c"c", c"Ljava/util/Collection;"),
    (c"java/util/Collections$UnmodifiableMap", c"m", c"Ljava/util/Map;"),
    (c"java/util/Collections$SynchronizedMap", c"m", c"Ljava/util/Map;"),
    (c"java/util/Collections$CheckedMap", c"m", c"Ljava/util/Map;"),
];
/// So many of them are looked through.
const WRAPPED: usize = 8;

struct State {
    judge: Option<Judge>,
    compared: BTreeSet<Compared>,
}

static STATE: Mutex<State> = Mutex::new(State { judge: None, compared: BTreeSet::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The methods that probes call.
pub(crate) fn natives() -> [Native; 2] {
    let objects = c"(ZILjava/lang/Object;Ljava/lang/Object;)D";
    [
        Native { name: c"weigh", descriptor: objects, function: weigh as *mut c_void },
        Native { name: c"weighUnit", descriptor: c"(ZII)D", function: weigh_unit as *mut c_void },
    ]
}

/// Finds what is needed; what this JDK does not have is not weighed.
pub(crate) fn open(env: Env, jdk: &Jdk) {
    let class = |name: &CStr| env.find_class(name).map(|class| env.new_global(class));
    let field =
        |class: Option<Ref>, name, descriptor| class.and_then(|class| env.field(class, name, descriptor));
    let method =
        |name, called, descriptor| class(name).and_then(|class| env.method(class, called, descriptor));
    let (matcher, pattern) = (class(c"java/util/regex/Matcher"), class(c"java/util/regex/Pattern"));
    let arrays = [
        (c"[I", Kind::Int),
        (c"[J", Kind::Long),
        (c"[C", Kind::Char),
        (c"[B", Kind::Byte),
        (c"[S", Kind::Short),
        (c"[Z", Kind::Boolean),
        (c"[F", Kind::Float),
        (c"[D", Kind::Double),
        (c"[Ljava/lang/Object;", Kind::Object),
    ]
    .into_iter();
    let wrapper = |(name, of, descriptor): (&CStr, &CStr, &CStr)| {
        let class = class(name)?;
        Some((class, env.field(class, of, descriptor)?))
    };
    let judge = Judge {
        string: jdk.string,
        boxes: jdk.boxes.iter().map(|boxed| (boxed.class, boxed.kind, boxed.value)).collect(),
        arrays: arrays.filter_map(|(name, kind)| class(name).map(|class| (class, kind))).collect(),
        matcher_text: field(matcher, c"text", c"Ljava/lang/CharSequence;"),
        matcher_pattern: field(matcher, c"parentPattern", c"Ljava/util/regex/Pattern;"),
        pattern_text: field(pattern, c"pattern", c"Ljava/lang/String;"),
        get_name: method(c"java/lang/Class", c"getName", c"()Ljava/lang/String;"),
        to_array: method(c"java/util/Collection", c"toArray", c"()[Ljava/lang/Object;"),
        key_set: method(c"java/util/Map", c"keySet", c"()Ljava/util/Set;"),
        wrappers: WRAPPERS.into_iter().filter_map(wrapper).collect(),
    };
    env.clear_exception();
    state().judge = Some(judge);
}

/// The strings and units that were compared since the last time and found different.
pub(crate) fn take() -> Vec<Compared> {
    std::mem::take(&mut state().compared).into_iter().collect()
}

/// What the call at a position in the list tells.
fn relation(number: jint) -> Option<Relation> {
    Some(JUDGED.get(usize::try_from(number).ok()?)?.relation)
}

extern "system" fn weigh(
    env: *mut JNIEnv,
    _class: jclass,
    answer: jboolean,
    number: jint,
    one: jobject,
    other: jobject,
) -> f64 {
    let weighed = std::panic::catch_unwind(|| {
        let relation = relation(number)?;
        let (env, one, other) = (Env::from_raw(env), Ref::from_raw(one), Ref::from_raw(other));
        if answer != 0 {
            // Any change will do.
            return Some(1.0);
        }
        // Collections may call back: the state is not held meanwhile.
        let judge = state().judge.take()?;
        let looked = judge.look(env, relation, one, other);
        let mut state = state();
        state.judge = Some(judge);
        let (distance, compared) = looked?;
        let room = PAIRS.saturating_sub(state.compared.len());
        state.compared.extend(compared.into_iter().take(room));
        Some(distance)
    });
    weighed.ok().flatten().unwrap_or(UNKNOWN)
}

extern "system" fn weigh_unit(
    _env: *mut JNIEnv,
    _class: jclass,
    answer: jboolean,
    number: jint,
    unit: jint,
) -> f64 {
    let weighed = std::panic::catch_unwind(|| {
        let Relation::Unit(like) = relation(number)? else { return None };
        if answer != 0 {
            return Some(1.0);
        }
        if let Ok(unit) = u16::try_from(unit) {
            let mut state = state();
            if state.compared.len() < UNIT_PAIRS {
                let [text, wanted] = [unit, like].map(|unit| Text::from_units(&[unit]));
                state.compared.insert(Compared { relation: Asked::Equal, text, wanted });
            }
        }
        Some(1.0 + f64::from(unit.abs_diff(i32::from(like))))
    });
    weighed.ok().flatten().unwrap_or(UNKNOWN)
}

impl Judge {
    /// The distance to the other answer, and the strings that were compared.
    fn look(&self, env: Env, relation: Relation, one: Ref, other: Ref) -> Option<(f64, Vec<Compared>)> {
        if !env.push_frame(ELEMENTS + 16) {
            env.clear_exception();
            return None;
        }
        let mut look = Look { env, judge: self, compared: Vec::new() };
        let distance = look.distance(relation, one, other);
        env.clear_exception();
        env.pop_frame(Ref::NULL);
        Some((distance, look.compared))
    }
}

struct Look<'j> {
    env: Env,
    judge: &'j Judge,
    compared: Vec<Compared>,
}

impl Look<'_> {
    fn distance(&mut self, relation: Relation, one: Ref, other: Ref) -> f64 {
        match relation {
            Relation::Equal => self.equal(one, other),
            Relation::Arrays => self.arrays(one, other),
            Relation::Element => self.element(one, other),
            Relation::Key => {
                let keys = self.call(self.unwrapped(one), self.judge.key_set);
                keys.map_or(UNKNOWN, |keys| self.element(keys, other))
            }
            Relation::Matcher => self.matcher(one),
            Relation::Empty => self.units(one).map_or(UNKNOWN, |units| count(units.len())),
            _ => match (self.units(one), self.units(other)) {
                (Some(one), Some(other)) => self.texts(relation, &one, &other),
                _ => UNKNOWN,
            },
        }
    }

    fn texts(&mut self, relation: Relation, one: &[u16], other: &[u16]) -> f64 {
        let (asked, distance) = match relation {
            Relation::EqualIgnoringCase => (Asked::Equal, gap(&lower(one), &lower(other))),
            Relation::Prefix => (Asked::Prefix, gap(&one[..one.len().min(other.len())], other)),
            Relation::Suffix => (Asked::Suffix, gap(&one[one.len().saturating_sub(other.len())..], other)),
            Relation::Inside => (Asked::Inside, gap_inside(one, other)),
            Relation::Pattern => (Asked::Pattern, UNKNOWN),
            Relation::PatternFirst => {
                self.note(Asked::Pattern, other, one);
                return UNKNOWN;
            }
            _ => (Asked::Equal, gap(one, other)),
        };
        self.note(asked, one, other);
        distance
    }

    fn note(&mut self, relation: Asked, text: &[u16], wanted: &[u16]) {
        self.compared.push(Compared {
            relation,
            text: Text::from_units(text),
            wanted: Text::from_units(wanted),
        });
    }

    fn equal(&mut self, one: Ref, other: Ref) -> f64 {
        if one.is_null() || other.is_null() {
            return UNKNOWN;
        }
        if let (Some(one), Some(other)) = (self.units(one), self.units(other)) {
            return self.texts(Relation::Equal, &one, &other);
        }
        match (self.number(one), self.number(other)) {
            (Some(one), Some(other)) => (one - other).abs().clamp(f64::MIN_POSITIVE, f64::MAX),
            _ => UNKNOWN,
        }
    }

    /// The nearest element of a collection of the JDK.
    fn element(&mut self, collection: Ref, value: Ref) -> f64 {
        let collection = self.unwrapped(collection);
        let Some(array) = self.call(collection, self.judge.to_array) else { return UNKNOWN };
        let count = self.env.array_length(array).min(ELEMENTS);
        let mut nearest = UNKNOWN;
        for index in 0..count {
            let element = self.env.element(Kind::Object, array, i32::try_from(index).unwrap_or(0)).as_ref();
            let distance = self.equal(value, element);
            if distance > UNKNOWN && (nearest <= UNKNOWN || distance < nearest) {
                nearest = distance;
            }
            self.env.delete_local(element);
        }
        nearest
    }

    fn matcher(&mut self, matcher: Ref) -> f64 {
        let get = |object: Ref, field: Option<Id>| {
            let value = field.filter(|_| !object.is_null()).map(|id| self.env.get(Kind::Object, object, id));
            value.map_or(Ref::NULL, Raw::as_ref)
        };
        let text = get(matcher, self.judge.matcher_text);
        let pattern = get(get(matcher, self.judge.matcher_pattern), self.judge.pattern_text);
        if let (Some(text), Some(pattern)) = (self.units(text), self.units(pattern)) {
            self.note(Asked::Pattern, &text, &pattern);
        }
        UNKNOWN
    }

    /// What answers for a collection or map.
    fn unwrapped(&self, object: Ref) -> Ref {
        let mut object = object;
        for _ in 0..WRAPPED {
            let is_it = |(class, _): &&(Ref, Id)| self.env.instance_of(object, *class);
            match self.judge.wrappers.iter().find(is_it).filter(|_| !object.is_null()) {
                Some((_, field)) => object = self.env.get(Kind::Object, object, *field).as_ref(),
                None => break,
            }
        }
        object
    }

    fn arrays(&mut self, one: Ref, other: Ref) -> f64 {
        if one.is_null() || other.is_null() {
            return UNKNOWN;
        }
        let found = self.judge.arrays.iter().find(|(class, _)| self.env.instance_of(one, *class));
        let Some(&(_, kind)) = found else { return UNKNOWN };
        let lengths = (self.env.array_length(one), self.env.array_length(other));
        let mut sum = count(lengths.0.abs_diff(lengths.1)) * MISSING * MISSING;
        for index in 0..lengths.0.min(lengths.1).min(ELEMENTS) {
            let index = i32::try_from(index).unwrap_or(0);
            sum += self.elements(kind, one, other, index);
        }
        sum.min(f64::MAX)
    }

    /// How far two arrays are apart at one place.
    fn elements(&mut self, kind: Kind, one: Ref, other: Ref, index: i32) -> f64 {
        let [one, other] = [one, other].map(|array| self.env.element(kind, array, index));
        if kind == Kind::Object {
            let [one, other] = [one, other].map(Raw::as_ref);
            let distance = if one.is_null() == other.is_null() { self.equal(one, other) } else { MISSING };
            self.env.delete_local(one);
            self.env.delete_local(other);
            return distance;
        }
        let [one, other] = [one, other].map(|raw| primitive(kind, raw).map_or(0.0, value_of));
        let distance = (one - other).abs();
        // What is no number is none of the other's.
        if distance.is_nan() { 1.0 } else { distance }
    }

    /// The units of a string.
    fn units(&self, string: Ref) -> Option<Vec<u16>> {
        if string.is_null() || !self.env.instance_of(string, self.judge.string) {
            return None;
        }
        let mut units = vec![0; self.env.string_length(string).min(UNITS)];
        self.env.string_region(string, 0, &mut units);
        Some(units)
    }

    /// The number in a box.
    fn number(&self, object: Ref) -> Option<f64> {
        let found = self.judge.boxes.iter().find(|(class, ..)| self.env.instance_of(object, *class));
        let (_, kind, field) = found?;
        primitive(*kind, self.env.get(*kind, object, *field)).map(value_of)
    }

    fn call(&self, object: Ref, method: Option<Id>) -> Option<Ref> {
        if object.is_null() || !self.is_of_jdk(object) {
            return None;
        }
        let given = self.env.call(Kind::Object, object, method?, &[]).as_ref();
        if self.env.take_exception().is_some() { None } else { given.some() }
    }

    /// Whether an object's class is one of the JDK's collections: others may do anything when asked, and so may those
    /// whose views such abstract classes give.
    fn is_of_jdk(&self, object: Ref) -> bool {
        let class = self.env.class_of(object);
        let name = self.judge.get_name.map(|id| self.env.call(Kind::Object, class, id, &[]).as_ref());
        let units = name.and_then(|name| self.units(name)).unwrap_or_default();
        let name = String::from_utf16_lossy(&units);
        name.starts_with("java.util.") && !name.starts_with("java.util.Abstract")
    }
}

#[expect(clippy::cast_precision_loss, reason = "a distance that is nearly right")]
fn value_of(value: jurat_protocol::Primitive) -> f64 {
    use jurat_protocol::Primitive as P;
    match value {
        P::Boolean(value) => f64::from(u8::from(value)),
        P::Byte(value) => f64::from(value),
        P::Char(value) => f64::from(value),
        P::Short(value) => f64::from(value),
        P::Int(value) => f64::from(value),
        P::Long(value) => value as f64,
        P::Float(bits) => f64::from(f32::from_bits(bits)),
        P::Double(bits) => f64::from_bits(bits),
    }
}

fn lower(units: &[u16]) -> Vec<u16> {
    String::from_utf16_lossy(units).to_lowercase().encode_utf16().collect()
}

/// How far two strings are apart: unit by unit, and what one has too many.
fn gap(one: &[u16], other: &[u16]) -> f64 {
    let units = one.iter().zip(other).map(|(one, other)| f64::from(one.abs_diff(*other)).min(MISSING - 1.0));
    units.sum::<f64>() + MISSING * count(one.len().abs_diff(other.len()))
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

/// How far a string is from holding another: the nearest place.
fn gap_inside(text: &[u16], wanted: &[u16]) -> f64 {
    if text.len() < wanted.len() {
        return gap(text, wanted);
    }
    text.windows(wanted.len().max(1)).map(|part| gap(part, wanted)).fold(gap(text, wanted), f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn nearer_letters_and_lengths_are_nearer() {
        let gap = |one, other| gap(&units(one), &units(other));
        assert!(gap("abc", "abc") <= 0.0);
        assert!(gap("abd", "abc") < gap("abz", "abc"));
        assert!(gap("abz", "abc") < gap("ab", "abc"));
        assert!(gap("a\u{ffff}", "ab") < gap("a", "ab"));
    }

    #[test]
    fn what_is_inside_is_sought_everywhere() {
        assert!(gap_inside(&units("xxneedleyy"), &units("needle")) <= 0.0);
        assert!(
            gap_inside(&units("xxneedmeyy"), &units("needle")) < gap_inside(&units("hay"), &units("needle"))
        );
    }
}
