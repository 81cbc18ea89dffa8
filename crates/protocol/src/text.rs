//! Java strings: any run of UTF-16 units, also ones that are not Unicode text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A Java string. Text that is valid Unicode is always held as `Utf8`, so equal strings are equal here.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Text {
    /// Valid Unicode.
    Utf8(String),
    /// Holds an unpaired surrogate.
    Utf16(Vec<u16>),
}

impl Text {
    /// The string with these UTF-16 units.
    pub fn from_units(units: &[u16]) -> Self {
        if let Some(ascii) = ascii(units) {
            return Self::Utf8(ascii);
        }
        String::from_utf16(units).map_or_else(|_| Self::Utf16(units.to_vec()), Self::Utf8)
    }

    /// Its UTF-16 units.
    pub fn units(&self) -> Vec<u16> {
        match self {
            Self::Utf8(text) => text.encode_utf16().collect(),
            Self::Utf16(units) => units.clone(),
        }
    }

    /// The text, if it is valid Unicode.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Utf8(text) => Some(text),
            Self::Utf16(_) => None,
        }
    }
}

fn ascii(units: &[u16]) -> Option<String> {
    let bytes = units.iter().map(|&unit| u8::try_from(unit).ok().filter(u8::is_ascii));
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Utf8(text.to_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Utf8(text)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Utf8(text) => write!(f, "{text:?}"),
            Self::Utf16(units) => write!(f, "utf16{units:04x?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_units_survive(units: Vec<u16>) {
            prop_assert_eq!(Text::from_units(&units).units(), units);
        }

        #[test]
        fn valid_text_is_held_as_utf8(text: String) {
            let units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(Text::from_units(&units), Text::from(text));
        }
    }
}
