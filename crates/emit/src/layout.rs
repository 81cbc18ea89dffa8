//! Breaks long statements into lines.
//!
//! Where a line may be broken is marked in the text by a character that Java source never contains; how
//! deep inside parentheses a mark stands is read off the text itself.

/// A place where a line may end. Not part of any text that is written.
pub(crate) const BREAK: char = '\u{1}';

/// The widest line that is written if it can be helped.
pub(crate) const WIDTH: usize = 100;

/// How far continued lines are indented beyond the first.
const CONTINUED: usize = 8;

/// The text without its marks.
pub(crate) fn flat(text: &str) -> String {
    text.replace(BREAK, "")
}

/// How wide the text is on one line.
pub(crate) fn width(text: &str) -> usize {
    text.chars().filter(|letter| *letter != BREAK).count()
}

/// The text as lines with this indentation.
pub(crate) fn lines(text: &str, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.to_owned();
    let mut margin = indent;
    while margin + width(&rest) > WIDTH {
        let Some(at) = best_break(&rest, WIDTH - margin) else { break };
        let tail = rest.split_off(at);
        lines.push(indented(&rest, margin));
        tail.trim_start_matches([BREAK, ' ']).clone_into(&mut rest);
        margin = indent + CONTINUED;
    }
    lines.push(indented(&rest, margin));
    lines
}

fn indented(text: &str, margin: usize) -> String {
    format!("{}{}", " ".repeat(margin), flat(text).trim_end())
}

/// Among the marks that leave a line short enough, the last of the outermost ones; if none does, the first.
fn best_break(text: &str, room: usize) -> Option<usize> {
    let marks = marks(text);
    let mut fitting = marks.iter().filter(|mark| mark.column <= room);
    let outermost = fitting.clone().map(|mark| mark.depth).min();
    fitting.rfind(|mark| Some(mark.depth) == outermost).or(marks.first()).map(|mark| mark.offset)
}

struct Mark {
    offset: usize,
    column: usize,
    depth: usize,
}

/// The marks of a text, the one at its very start left out.
fn marks(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let (mut column, mut depth) = (0, 0_usize);
    let mut quote = None;
    let mut is_escaped = false;
    for (offset, letter) in text.char_indices() {
        if letter == BREAK {
            if column > 0 {
                found.push(Mark { offset, column, depth });
            }
            continue;
        }
        column += 1;
        match (quote, letter) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(lines(&text.replace('|', "\u{1}"), 8), expected);
    }

    #[test]
    fn short_statements_stay_on_their_line() {
        check("Foo foo = |new Foo(|1, |2);", &["        Foo foo = new Foo(1, 2);"]);
    }

    #[test]
    fn outer_places_are_broken_before_inner_ones() {
        let name = "x".repeat(62);
        check(
            &format!("Foo foo = |new Foo(|{name}, |second(|1));"),
            &["        Foo foo =", &format!("                new Foo({name}, second(1));")],
        );
        check(
            &format!("assertEquals(|\"a(b\", |new Foo(|{name}, |{name}));"),
            &[
                "        assertEquals(\"a(b\",",
                &format!("                new Foo({name},"),
                &format!("                {name}));"),
            ],
        );
    }

    #[test]
    fn what_cannot_be_broken_stays_long() {
        let name = "x".repeat(120);
        check(&format!("{name};"), &[&format!("        {name};")]);
    }
}
