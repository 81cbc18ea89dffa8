//! Strings that a regular expression matches, drawn from its text. What is not understood is passed over: the subject
//! tells whether the string matches.

use jurat_base::Rng;

/// How often `*`, `+` and `{n,}` repeat beyond their least at most.
const MORE: usize = 4;
/// Strings do not become longer than this.
const LONGEST: usize = 120;

/// A string that the pattern matches, as far as it is understood.
pub(crate) fn matching(pattern: &str, rng: &mut Rng) -> String {
    let letters: Vec<char> = pattern.chars().collect();
    let mut reader = Reader { letters: &letters, at: 0, rng };
    let mut drawn = String::new();
    while !reader.is_over() {
        drawn.push_str(&reader.alternatives());
        // A bracket too many.
        reader.at += 1;
    }
    drawn.chars().take(LONGEST).collect()
}

struct Reader<'p, 'r> {
    letters: &'p [char],
    at: usize,
    rng: &'r mut Rng,
}

impl Reader<'_, '_> {
    fn is_over(&self) -> bool {
        self.at >= self.letters.len()
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek();
        self.at += 1;
        letter
    }

    fn eat(&mut self, letter: char) -> bool {
        let found = self.peek() == Some(letter);
        self.at += usize::from(found);
        found
    }

    /// What stands between brackets, up to the one that closes.
    fn alternatives(&mut self) -> String {
        let mut all = vec![self.sequence()];
        while self.eat('|') {
            all.push(self.sequence());
        }
        let chosen = self.rng.below(all.len());
        all.swap_remove(chosen)
    }

    fn sequence(&mut self) -> String {
        let mut drawn = String::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let start = self.at;
            let once = self.atom();
            let end = self.at;
            let times = self.times();
            let after = self.at;
            if times > 0 {
                drawn.push_str(&once);
            }
            for _ in 1..times.min(LONGEST) {
                // Each repetition draws anew.
                self.at = start;
                drawn.push_str(&self.atom());
                debug_assert_eq!(self.at, end);
            }
            self.at = after;
            if drawn.len() > LONGEST {
                break;
            }
        }
        // What is left of a sequence that became too long.
        while !matches!(self.peek(), None | Some('|' | ')')) {
            self.atom();
        }
        drawn
    }

    fn atom(&mut self) -> String {
        match self.next() {
            Some('(') => {
                self.group_start();
                let drawn = self.alternatives();
                self.eat(')');
                drawn
            }
            Some('[') => self.class().map(String::from).unwrap_or_default(),
            Some('\\') => self.escape(),
            Some('.') => self.any().to_string(),
            Some('^' | '$') | None => String::new(),
            Some(letter) => letter.to_string(),
        }
    }

    /// Passes over `?:`, `?<name>` and the like.
    fn group_start(&mut self) {
        if !self.eat('?') {
            return;
        }
        if self.eat('<') && !matches!(self.peek(), Some('=' | '!')) {
            while !matches!(self.next(), None | Some('>')) {}
            return;
        }
        while matches!(self.peek(), Some(':' | '=' | '!' | '>' | 'a'..='z' | '-')) {
            if self.next() == Some(':') {
                break;
            }
        }
    }

    fn escape(&mut self) -> String {
        let Some(letter) = self.next() else { return String::new() };
        match letter {
            'b' | 'B' | 'A' | 'z' | 'Z' | 'G' | 'Q' | 'E' => String::new(),
            'p' | 'P' => {
                if self.eat('{') {
                    while !matches!(self.next(), None | Some('}')) {}
                }
                self.pick("aZq")
            }
            other => self.pick(set(other).unwrap_or_else(|| literal(other)).as_str()),
        }
    }

    /// One letter of a class.
    fn class(&mut self) -> Option<char> {
        let negated = self.eat('^');
        let mut members: Vec<(char, char)> = Vec::new();
        let mut first = true;
        while let Some(letter) = self.next() {
            match letter {
                ']' if !first => break,
                '[' => members.extend(self.class().map(|inner| (inner, inner))),
                '&' if self.peek() == Some('&') => self.at += 1,
                '\\' => {
                    let escaped = self.next()?;
                    let letters = set(escaped).unwrap_or_else(|| literal(escaped));
                    members.extend(letters.chars().map(|letter| (letter, letter)));
                }
                low => {
                    let is_range = self.peek() == Some('-')
                        && self.letters.get(self.at + 1).is_some_and(|next| *next != ']');
                    let high = if is_range {
                        self.at += 1;
                        self.next()
                            .map_or(low, |high| if high == '\\' { self.next().unwrap_or(low) } else { high })
                    } else {
                        low
                    };
                    members.push((low, high.max(low)));
                }
            }
            first = false;
        }
        if negated {
            let free = ('!'..='~').chain([' ']);
            let free: Vec<char> = free
                .filter(|letter| !members.iter().any(|(low, high)| (low..=high).contains(&letter)))
                .collect();
            return self.rng.pick(&free).copied();
        }
        let (low, high) = *self.rng.pick(&members)?;
        let width = u32::from(high) - u32::from(low) + 1;
        let step = u32::try_from(self.rng.below(width as usize)).ok()?;
        char::from_u32(u32::from(low) + step).or(Some(low))
    }

    fn any(&mut self) -> char {
        const ANY: [char; 8] = ['a', 'Z', '0', ' ', '-', '.', 'q', '7'];
        ANY[self.rng.below(ANY.len())]
    }

    fn pick(&mut self, letters: &str) -> String {
        let letters: Vec<char> = letters.chars().collect();
        self.rng.pick(&letters).map(char::to_string).unwrap_or_default()
    }

    /// How often the atom before is repeated.
    fn times(&mut self) -> usize {
        let (least, most) = match self.peek() {
            Some('*') => (0, MORE),
            Some('+') => (1, 1 + MORE),
            Some('?') => (0, 1),
            Some('{') => return self.counted(),
            _ => return 1,
        };
        self.at += 1;
        self.eagerness();
        least + self.rng.below(most - least + 1)
    }

    fn counted(&mut self) -> usize {
        self.at += 1;
        let least = self.number().unwrap_or(0);
        let most = if self.eat(',') { self.number().unwrap_or(least + MORE) } else { least };
        while !matches!(self.next(), None | Some('}')) {}
        self.eagerness();
        least + self.rng.below(most.saturating_sub(least) + 1)
    }

    fn number(&mut self) -> Option<usize> {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        digits.parse().ok()
    }

    /// `?` and `+` after a quantifier: how eager a matcher is makes no difference here.
    fn eagerness(&mut self) {
        if matches!(self.peek(), Some('?' | '+')) {
            self.at += 1;
        }
    }
}

/// The letters that an escape such as `\d` stands for, some of them.
fn set(letter: char) -> Option<String> {
    let letters = match letter {
        'd' => "0123456789",
        'w' => "abcXYZ0129_",
        's' | 'h' | 'v' => " \t",
        'D' => "aZ -",
        'W' => " -.!",
        'S' => "aZ09.",
        _ => return None,
    };
    Some(letters.to_owned())
}

/// The letter that any other escape is.
fn literal(letter: char) -> String {
    match letter {
        't' => '\t',
        'n' => '\n',
        'r' => '\r',
        'f' => '\u{c}',
        'e' => '\u{1b}',
        '0'..='9' => return String::new(),
        other => other,
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use jurat_base::Seed;

    use super::*;

    fn all(pattern: &str) -> Vec<String> {
        (0..200).map(|index| matching(pattern, &mut Seed(1).rng(index))).collect()
    }

    #[test]
    fn classes_and_counts_are_followed() {
        for drawn in all(r"[A-Z]{2}-\d{4}") {
            let letters: Vec<char> = drawn.chars().collect();
            assert_eq!(letters.len(), 7, "{drawn}");
            assert!(letters[..2].iter().all(char::is_ascii_uppercase) && letters[2] == '-', "{drawn}");
            assert!(letters[3..].iter().all(char::is_ascii_digit), "{drawn}");
        }
    }

    #[test]
    fn alternatives_in_groups_are_chosen_each_time() {
        let drawn = all(r"^(?:a|bc)+(?<end>x|\.)?$");
        assert!(drawn.iter().any(|text| text == "a") && drawn.iter().any(|text| text == "bca."), "{drawn:?}");
        let fits =
            |text: &String| text.trim_end_matches(['x', '.']).replace("bc", "").chars().all(|c| c == 'a');
        assert!(drawn.iter().all(fits), "{drawn:?}");
    }

    #[test]
    fn negated_classes_avoid_their_letters() {
        assert!(
            all("[^a-y0-9]").iter().all(|text| !text.contains(|letter: char| ('a'..='y').contains(&letter)))
        );
    }

    #[test]
    fn nonsense_comes_to_an_end() {
        for nonsense in ["(", ")", "[", "a{", "\\", "(?", "[]", "a{9999}", "((a)*)*", "*"] {
            all(nonsense);
        }
    }
}
