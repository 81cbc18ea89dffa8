//! Which names Java source can write.

/// True if `name` can be an identifier of a member or type in Java source.
///
/// Class files allow almost anything; other languages and obfuscators use that.
pub fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(starts)
        && letters.all(|letter| starts(letter) || continues(letter))
        && !is_reserved(name)
}

/// True for names that cannot be given to a type although a member may have them.
pub(crate) fn is_restricted_type_name(name: &str) -> bool {
    matches!(name, "var" | "yield" | "record" | "sealed" | "permits")
}

fn starts(letter: char) -> bool {
    letter == '_' || letter == '$' || letter.is_alphabetic() || is_currency_or_connector(letter)
}

fn continues(letter: char) -> bool {
    is_decimal_digit(letter) || is_mark(letter)
}

fn is_decimal_digit(letter: char) -> bool {
    letter.is_ascii_digit()
        || matches!(u32::from(letter), 0x660..=0x669 | 0x6F0..=0x6F9 | 0x966..=0x96F | 0xFF10..=0xFF19)
}

fn is_currency_or_connector(letter: char) -> bool {
    matches!(u32::from(letter), 0xA2..=0xA5 | 0x203F | 0x2040 | 0x20A0..=0x20C0 | 0xFF3F)
}

fn is_mark(letter: char) -> bool {
    matches!(u32::from(letter), 0x300..=0x36F | 0x1AB0..=0x1ABD | 0x1DC0..=0x1DFF | 0x20D0..=0x20DC | 0xFE20..=0xFE2F)
}

fn is_reserved(name: &str) -> bool {
    const WORDS: [&str; 54] = [
        "_",
        "abstract",
        "assert",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "goto",
        "if",
        "implements",
        "import",
        "instanceof",
        "int",
        "interface",
        "long",
        "native",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "strictfp",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "throws",
        "transient",
        "true",
        "try",
        "void",
        "volatile",
        "while",
    ];
    WORDS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_identifier;

    #[test]
    fn letters_digits_dollars_and_other_scripts_make_names() {
        for name in ["a", "A1", "$", "$1", "__", "naïve", "größe", "名前", "ключ", "€uro", "e\u{301}"]
        {
            assert!(is_identifier(name), "{name}");
        }
    }

    #[test]
    fn keywords_and_other_languages_names_do_not() {
        for name in
            ["", "1a", "a-b", "a b", "_", "while", "null", "true", "foo?", "copy$default:", "½a", "a²"]
        {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
