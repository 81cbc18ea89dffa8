//! Literals as a person writes them.
//!
//! Everything comes out as ASCII, so that the file means the same under every `-encoding`.

use jurat_model::{JavaString, Literal};

use crate::layout::BREAK;

/// Longer strings are cut into pieces that are joined with `+`.
const LONGEST_PIECE: usize = 72;

/// Where a number literal stands, which decides how much must be said about its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Nothing else says what it is: `1L`, `(byte) 1`.
    Own,
    /// It is converted to the type wanted: `1`.
    Wanted,
}

/// The text of a literal, or none for class literals. `named` gives the text for a class of `java.lang`, to
/// which a class of the subject may have taken the simple name.
pub(crate) fn text(
    literal: &Literal,
    width: Width,
    named: &mut impl FnMut(&str) -> String,
) -> Option<String> {
    Some(match literal {
        Literal::Null => "null".into(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(i8::MIN) => named("Byte") + ".MIN_VALUE",
        Literal::Byte(i8::MAX) => named("Byte") + ".MAX_VALUE",
        Literal::Byte(value) => small(i64::from(*value), "byte", width),
        Literal::Short(i16::MIN) => named("Short") + ".MIN_VALUE",
        Literal::Short(i16::MAX) => named("Short") + ".MAX_VALUE",
        Literal::Short(value) => small(i64::from(*value), "short", width),
        Literal::Char(u16::MAX) => named("Character") + ".MAX_VALUE",
        Literal::Char(unit) => char_text(*unit),
        Literal::Int(i32::MIN) => named("Integer") + ".MIN_VALUE",
        Literal::Int(i32::MAX) => named("Integer") + ".MAX_VALUE",
        Literal::Int(value) => value.to_string(),
        Literal::Long(i64::MIN) => named("Long") + ".MIN_VALUE",
        Literal::Long(i64::MAX) => named("Long") + ".MAX_VALUE",
        Literal::Long(value) if width == Width::Wanted && i32::try_from(*value).is_ok() => value.to_string(),
        Literal::Long(value) => format!("{value}L"),
        Literal::Float(bits) => {
            let value = f32::from_bits(*bits);
            match odd_name(f64::from(value), value.abs().to_bits() == 1, f64::from(f32::MAX)) {
                Some((sign, name)) => format!("{sign}{}.{name}", named("Float")),
                None => format!("{value:?}f"),
            }
        }
        Literal::Double(bits) => {
            let value = f64::from_bits(*bits);
            match odd_name(value, value.abs().to_bits() == 1, f64::MAX) {
                Some((sign, name)) => format!("{sign}{}.{name}", named("Double")),
                None => format!("{value:?}"),
            }
        }
        Literal::String(string) => string_text(string),
        Literal::Class(_) => return None,
    })
}

fn small(value: i64, keyword: &str, width: Width) -> String {
    match width {
        Width::Wanted => value.to_string(),
        Width::Own => format!("({keyword}) {value}"),
    }
}

/// The sign and the name of the constant for a floating-point value that is not written in digits.
fn odd_name(value: f64, is_least: bool, most: f64) -> Option<(&'static str, &'static str)> {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        Some(("", "NaN"))
    } else if value.is_infinite() {
        Some(("", if sign.is_empty() { "POSITIVE_INFINITY" } else { "NEGATIVE_INFINITY" }))
    } else if value.abs().to_bits() == most.to_bits() {
        Some((sign, "MAX_VALUE"))
    } else {
        is_least.then_some((sign, "MIN_VALUE"))
    }
}

fn char_text(unit: u16) -> String {
    match unit {
        0x27 => "'\\''".into(),
        0x22 => "'\"'".into(),
        _ => format!("'{}'", escaped(unit)),
    }
}

/// One UTF-16 unit inside a string literal. Line ends have escapes of their own: as `\u000a` they would
/// end the line before the compiler sees the string.
fn escaped(unit: u16) -> String {
    match unit {
        0x08 => "\\b".into(),
        0x09 => "\\t".into(),
        0x0a => "\\n".into(),
        0x0c => "\\f".into(),
        0x0d => "\\r".into(),
        0x22 => "\\\"".into(),
        0x5c => "\\\\".into(),
        0x20..=0x7e => char::from_u32(u32::from(unit)).map(String::from).unwrap_or_default(),
        _ => format!("\\u{unit:04x}"),
    }
}

fn string_text(string: &JavaString) -> String {
    let mut pieces = vec![String::new()];
    let mut ends_well = false;
    for unit in string.units() {
        let piece = escaped(*unit);
        let current = pieces.last().map_or(0, String::len);
        // A piece ends after a blank or a line end if one comes in time.
        if current + piece.len() > LONGEST_PIECE || ends_well && current > LONGEST_PIECE * 2 / 3 {
            pieces.push(String::new());
        }
        if let Some(last) = pieces.last_mut() {
            last.push_str(&piece);
        }
        ends_well = matches!(unit, 0x20 | 0x0a);
    }
    let quoted: Vec<String> = pieces.iter().map(|piece| format!("\"{piece}\"")).collect();
    quoted.join(&format!(" {BREAK}+ "))
}

/// True if the text of the literal is more than one token joined by an operator.
pub(crate) fn is_joined(text: &str) -> bool {
    text.contains(BREAK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(literal: &Literal, expected: &str) {
        assert_eq!(written(literal, Width::Own), expected);
    }

    fn written(literal: &Literal, width: Width) -> String {
        text(literal, width, &mut str::to_owned).expect("it is no class literal")
    }

    fn double(value: f64) -> Literal {
        Literal::Double(value.to_bits())
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        check(&Literal::Int(-1), "-1");
        check(&Literal::Int(i32::MAX), "Integer.MAX_VALUE");
        check(&Literal::Long(7), "7L");
        check(&Literal::Long(i64::MIN), "Long.MIN_VALUE");
        check(&Literal::Byte(-3), "(byte) -3");
        check(&Literal::Byte(127), "Byte.MAX_VALUE");
        check(&Literal::Short(127), "(short) 127");
        check(&Literal::Short(i16::MAX), "Short.MAX_VALUE");
        check(&double(-0.0), "-0.0");
        check(&double(1e300), "1e300");
        check(&double(0.1), "0.1");
        check(&double(f64::NEG_INFINITY), "Double.NEGATIVE_INFINITY");
        check(&double(-f64::MAX), "-Double.MAX_VALUE");
        check(&double(f64::NAN), "Double.NaN");
        check(&Literal::Float(1.5_f32.to_bits()), "1.5f");
        assert_eq!(written(&Literal::Long(7), Width::Wanted), "7");
        assert_eq!(written(&Literal::Long(1 << 40), Width::Wanted), "1099511627776L");
    }

    #[test]
    fn characters_and_strings_are_escaped_to_ascii() {
        check(&Literal::Char(0x61), "'a'");
        check(&Literal::Char(0x27), "'\\''");
        check(&Literal::Char(0x22), "'\"'");
        check(&Literal::Char(0), "'\\u0000'");
        check(&Literal::Char(u16::MAX), "Character.MAX_VALUE");
        check(&Literal::String("tab\t\"quoted\" \\ é\n".into()), r#""tab\t\"quoted\" \\ \u00e9\n""#);
        check(&Literal::String(JavaString::from_units([0xd800_u16])), "\"\\ud800\"");
    }

    #[test]
    fn long_strings_are_cut_after_blanks() {
        let long = "word ".repeat(20);
        let found = written(&Literal::String(long.as_str().into()), Width::Own);
        let pieces: Vec<&str> = found.split(BREAK).collect();
        assert_eq!(pieces.len(), 2);
        assert!(pieces[0].ends_with("word \" "), "{found:?}");
        assert_eq!(found.replace(&format!("\" {BREAK}+ \""), ""), format!("\"{long}\""));
    }
}
