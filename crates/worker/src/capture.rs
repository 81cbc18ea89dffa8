//! Values of the subject, turned into data without running any of its code.

use jurat_protocol::{Ending, Limits, ObjectValue, Primitive, Taint, Text, Thrown, Value};

use crate::classes::{Classes, Jdk, Sort, hash_string, text_of};
use crate::jni::{Env, Kind, Raw, Ref};

/// What capturing needs.
pub(crate) struct Capture<'a> {
    pub(crate) env: Env,
    pub(crate) jdk: &'a Jdk,
    pub(crate) classes: &'a mut Classes,
    pub(crate) limits: Limits,
    /// Whether array elements are wanted.
    pub(crate) elements: bool,
}

impl Capture<'_> {
    /// A value of any kind. `last` is the class, and its number, that a value from the same place had before.
    pub(crate) fn value(&mut self, kind: Kind, raw: Raw, last: &mut (Ref, u32)) -> Value {
        match primitive(kind, raw) {
            Some(primitive) => Value::Primitive(primitive),
            None if kind == Kind::Void => Value::Void,
            None => self.object(raw.as_ref(), last),
        }
    }

    fn object(&mut self, object: Ref, last: &mut (Ref, u32)) -> Value {
        if object.is_null() {
            return Value::Null;
        }
        self.look_at(object, last);
        let number = last.1;
        match self.classes.info(number).sort {
            Sort::Plain => self.plain(number, None, Vec::new()),
            Sort::Array(element) => self.array(number, element, object),
            Sort::Boxed(kind, field) => {
                let inside = primitive(kind, self.env.get(kind, object, field));
                Value::Boxed(inside.expect("boxes hold primitives"))
            }
            Sort::String => self.string(object),
            Sort::Class => Value::Class(self.jdk.class_name(self.env, object).into()),
            Sort::Enum => {
                let name = self.env.get(Kind::Object, object, self.jdk.enum_name).as_ref();
                let text = if name.is_null() { Text::from("?") } else { text_of(self.env, name, 1024) };
                Value::Enum(self.classes.position(number), text)
            }
        }
    }

    /// Sets `last` to the class of an object, and that class's number.
    fn look_at(&mut self, object: Ref, last: &mut (Ref, u32)) {
        let class = self.env.class_of(object);
        if last.0.is_null() || !self.env.same(class, last.0) {
            let number = self.classes.number(self.env, self.jdk, class);
            *last = (self.classes.info(number).class, number);
        }
        self.env.delete_local(class);
    }

    /// The class of an object about which there is nothing else to tell; none for arrays, strings and their like.
    pub(crate) fn only_class(&mut self, object: Ref, last: &mut (Ref, u32)) -> Option<u32> {
        self.look_at(object, last);
        matches!(self.classes.info(last.1).sort, Sort::Plain).then(|| self.classes.position(last.1))
    }

    fn plain(&mut self, number: u32, length: Option<u32>, elements: Vec<Value>) -> Value {
        let class = self.classes.position(number);
        Value::Object(ObjectValue { class, length, elements, fingerprint: None, same_as: None })
    }

    fn array(&mut self, number: u32, element: Kind, array: Ref) -> Value {
        let length = self.env.array_length(array);
        let mut elements = Vec::new();
        if self.elements {
            // Arrays in arrays are told by class and length only.
            self.elements = false;
            let shown = length.min(self.limits.elements as usize);
            let mut last = (Ref::NULL, 0);
            for index in 0..shown {
                let index = i32::try_from(index).expect("array indices fit");
                let raw = self.env.element(element, array, index);
                elements.push(self.value(element, raw, &mut last));
                if element == Kind::Object {
                    self.env.delete_local(raw.as_ref());
                }
            }
            self.elements = true;
        }
        self.plain(number, Some(u32::try_from(length).expect("array lengths fit")), elements)
    }

    fn string(&mut self, string: Ref) -> Value {
        let length = self.env.string_length(string);
        let limit = self.limits.text_units as usize;
        let text = text_of(self.env, string, limit);
        if length <= limit {
            return Value::String(text);
        }
        let whole = u32::try_from(length).expect("string lengths fit");
        Value::LongString(text, whole, hash_string(self.env, string))
    }

    /// The ending of a statement that threw, and what that does to the worker.
    pub(crate) fn thrown(&mut self, thrown: Ref, taint: &mut Taint) -> Ending {
        let env = self.env;
        taint.stack_overflow |= env.instance_of(thrown, self.jdk.stack_overflow);
        taint.out_of_memory |= env.instance_of(thrown, self.jdk.out_of_memory);
        let number = self.classes.number(env, self.jdk, env.class_of(thrown));
        let class = self.classes.position(number);
        let message = self.jdk.message(env, thrown, self.limits.text_units as usize);
        Ending::Threw(Thrown { class, message, at: None })
    }

    /// The `NullPointerException` that a call on `null` is.
    pub(crate) fn null_receiver(&mut self) -> Ending {
        let number = self.classes.number(self.env, self.jdk, self.jdk.null_pointer);
        Ending::Threw(Thrown { class: self.classes.position(number), message: None, at: None })
    }
}

/// The primitive in a raw value, if its kind is one.
#[expect(clippy::cast_possible_truncation, reason = "narrow kinds sit in the lowest bits")]
pub(crate) fn primitive(kind: Kind, raw: Raw) -> Option<Primitive> {
    let bits = raw.bits();
    Some(match kind {
        Kind::Void | Kind::Object => return None,
        Kind::Boolean => Primitive::Boolean(bits & 1 != 0),
        Kind::Byte => Primitive::Byte((bits as u8).cast_signed()),
        Kind::Char => Primitive::Char(bits as u16),
        Kind::Short => Primitive::Short((bits as u16).cast_signed()),
        Kind::Int => Primitive::Int((bits as u32).cast_signed()),
        Kind::Long => Primitive::Long(bits.cast_signed()),
        Kind::Float => Primitive::Float(bits as u32),
        Kind::Double => Primitive::Double(bits),
    })
}

/// The other way: kind and raw value of a primitive.
pub(crate) fn raw(primitive: Primitive) -> (Kind, Raw) {
    match primitive {
        Primitive::Boolean(value) => (Kind::Boolean, Raw::from_bits(u64::from(value))),
        Primitive::Byte(value) => (Kind::Byte, Raw::from_bits(u64::from(value.cast_unsigned()))),
        Primitive::Char(value) => (Kind::Char, Raw::from_bits(u64::from(value))),
        Primitive::Short(value) => (Kind::Short, Raw::from_bits(u64::from(value.cast_unsigned()))),
        Primitive::Int(value) => (Kind::Int, Raw::int(value)),
        Primitive::Long(value) => (Kind::Long, Raw::long(value)),
        Primitive::Float(bits) => (Kind::Float, Raw::from_bits(u64::from(bits))),
        Primitive::Double(bits) => (Kind::Double, Raw::from_bits(bits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_pass_through_raw_values_unchanged() {
        for value in [
            Primitive::Boolean(true),
            Primitive::Byte(-3),
            Primitive::Char(0xffff),
            Primitive::Short(-2),
            Primitive::Int(i32::MIN),
            Primitive::Long(i64::MIN),
            Primitive::float(f32::NAN),
            Primitive::double(-0.0),
        ] {
            let (kind, raw) = raw(value);
            assert_eq!(primitive(kind, raw), Some(value));
        }
    }
}
