//! The class file's own text encoding: UTF-8 with NUL as two bytes and surrogates encoded one by one.

use std::borrow::Cow;

/// Decodes modified UTF-8; what no `str` can hold (lone surrogates, broken bytes) becomes U+FFFD.
///
/// ```
/// assert_eq!(jurat_classfile::mutf8::decode(b"a\xC0\x80b"), "a\0b");
/// ```
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    // Plain UTF-8 without four-byte forms is what nearly every entry is.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(String::from_utf16_lossy(&utf16(bytes))),
    }
}

/// Decodes modified UTF-8 into the chars a Java string would hold; broken bytes become U+FFFD.
pub fn utf16(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((unit, length)) = first_unit(rest) {
        units.push(unit);
        rest = &rest[length..];
    }
    units
}

/// Encodes text as modified UTF-8.
///
/// ```
/// assert_eq!(&*jurat_classfile::mutf8::encode("a\0b"), b"a\xC0\x80b");
/// ```
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|byte| byte != 0 && byte < 0xF0) {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(encode_utf16(text.encode_utf16()))
}

/// Encodes Java chars, lone surrogates included, as modified UTF-8.
pub fn encode_utf16(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        let [high, low] = unit.to_be_bytes();
        let middle = (high & 0x07) << 2 | low >> 6;
        match unit {
            1..=0x7F => bytes.push(low),
            0..=0x7FF => bytes.extend([0xC0 | middle, 0x80 | low & 0x3F]),
            _ => bytes.extend([0xE0 | high >> 4, 0x80 | (high & 0x0F) << 2 | low >> 6, 0x80 | low & 0x3F]),
        }
    }
    bytes
}

/// The char that opens `bytes` and how many bytes it takes.
fn first_unit(bytes: &[u8]) -> Option<(u16, usize)> {
    const REPLACEMENT: u16 = 0xFFFD;
    let tail = |index: usize| {
        bytes.get(index).filter(|byte| **byte & 0xC0 == 0x80).map(|byte| u16::from(*byte & 0x3F))
    };
    let first = *bytes.first()?;
    let unit = u16::from(first);
    Some(match first {
        0x00..=0x7F => (unit, 1),
        0xC0..=0xDF => tail(1).map_or((REPLACEMENT, 1), |low| ((unit & 0x1F) << 6 | low, 2)),
        0xE0..=0xEF => match (tail(1), tail(2)) {
            (Some(middle), Some(low)) => ((unit & 0x0F) << 12 | middle << 6 | low, 3),
            _ => (REPLACEMENT, 1),
        },
        _ => (REPLACEMENT, 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_survives_the_round_trip(text in any::<String>()) {
            let encoded = encode(&text);
            prop_assert_eq!(decode(&encoded), text.as_str());
        }

        #[test]
        fn any_chars_survive_the_round_trip(units in any::<Vec<u16>>()) {
            prop_assert_eq!(utf16(&encode_utf16(units.iter().copied())), units);
        }

        #[test]
        fn broken_bytes_decode_to_something(bytes in any::<Vec<u8>>()) {
            prop_assert!(utf16(&bytes).len() <= bytes.len());
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn a_supplementary_character_takes_six_bytes() {
        assert_eq!(encode("\u{1F600}").len(), 6);
        assert_eq!(decode(&encode("\u{1F600}")), "\u{1F600}");
    }
}
