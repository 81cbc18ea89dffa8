//! The first line of an emitted file: a hash of the rest, by which an edited file is told from one that is
//! still as it was written.

use xxhash_rust::xxh3::xxh3_64;

/// How the line begins; what follows is the hash.
const BEFORE: &str = "// Written by Jurat (";
/// How the line ends.
const AFTER: &str = "). Edit it and it is yours: Jurat leaves edited files alone.";

/// What became of a file since Jurat wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It is as it was written.
    Untouched,
    /// Somebody edited it.
    Edited,
    /// Jurat never wrote it.
    NotOurs,
}

/// The text with the line that says who wrote it on top.
pub fn stamp(text: &str) -> String {
    format!("{BEFORE}{:016x}{AFTER}\n{text}", hash(text))
}

/// Tells whether a file is still as Jurat wrote it. Other line ends are no edit: version control changes them.
pub fn touch(text: &str) -> Touch {
    let Some(position) = text.find(BEFORE) else { return Touch::NotOurs };
    let stamped = &text[position + BEFORE.len()..];
    let (line, body) = stamped.split_once('\n').unwrap_or((stamped, ""));
    let known = line.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if position == 0 && known == Some(hash(body)) { Touch::Untouched } else { Touch::Edited }
}

fn hash(body: &str) -> u64 {
    xxh3_64(body.replace("\r\n", "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_untouched_until_somebody_edits_it() {
        let written = stamp("package a;\n\nclass T {\n}\n");
        assert!(written.starts_with("// Written by Jurat ("));
        assert_eq!(touch(&written), Touch::Untouched);
        assert_eq!(touch(&written.replace('\n', "\r\n")), Touch::Untouched);
        for edited in [
            written.replace("class T", "class U"),
            format!("{written}// mine\n"),
            format!("// Copyright\n{written}"),
            written.replacen("Jurat (", "Jurat (0", 1),
            written.lines().next().unwrap_or_default().to_owned(),
        ] {
            assert_eq!(touch(&edited), Touch::Edited, "{edited}");
        }
        assert_eq!(touch("class T {\n}\n"), Touch::NotOurs);
        assert_eq!(touch(""), Touch::NotOurs);
    }
}
