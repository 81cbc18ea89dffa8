//! Constants mined from class files.

use std::fmt;
use std::sync::Arc;

use crate::types::JavaType;

/// A string as Java has it: UTF-16 units, lone surrogates included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JavaString(Arc<[u16]>);

impl JavaString {
    /// A string of these UTF-16 units.
    pub fn from_units(units: impl Into<Arc<[u16]>>) -> Self {
        Self(units.into())
    }

    /// The UTF-16 units.
    pub fn units(&self) -> &[u16] {
        &self.0
    }

    /// The text, or none if it holds a lone surrogate.
    pub fn to_text(&self) -> Option<String> {
        String::from_utf16(&self.0).ok()
    }
}

impl From<&str> for JavaString {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

/// Lone surrogates are shown as U+FFFD.
impl fmt::Display for JavaString {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::decode_utf16(self.0.iter().copied())
            .try_for_each(|unit| write!(out, "{}", unit.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

impl fmt::Debug for JavaString {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.to_string())
    }
}

/// A constant found in a class file. Floating-point values are kept as bits, so that constants can
/// be compared and NaN stays what it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constant {
    /// An int; also what `boolean`, `byte`, `short` and `char` constants are in class files.
    Int(i32),
    /// A long.
    Long(i64),
    /// The bits of a float.
    Float(u32),
    /// The bits of a double.
    Double(u64),
    /// A string.
    String(JavaString),
    /// A class literal, as an erased type.
    Class(JavaType),
}
