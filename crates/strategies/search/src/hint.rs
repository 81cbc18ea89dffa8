//! What comparisons at run time tell: strings that would have made them come out the other way.

use jurat_base::Rng;
use jurat_protocol::{Compared, Relation, Text};

use crate::pattern::matching;

/// A string instead of one that may have taken part in a comparison.
pub(crate) fn hinted(text: &Text, compared: &Compared, rng: &mut Rng) -> Text {
    let (own, seen, wanted) = (text.units(), compared.text.units(), compared.wanted.units());
    if own == wanted && own != seen {
        return compared.text.clone();
    }
    let better = satisfying(compared, &seen, &wanted, rng);
    let units = if own == seen {
        better
    } else if let Some(middle) = middle(&own, &seen, &better) {
        middle
    } else if let Some(at) = position(&own, &seen) {
        [&own[..at], &better[..], &own[at + seen.len()..]].concat()
    } else {
        match rng.below(4) {
            0 | 1 => better,
            2 => [own, wanted].concat(),
            _ => part(&wanted, rng),
        }
    };
    Text::from_units(&units)
}

/// A string for which the comparison holds.
fn satisfying(compared: &Compared, seen: &[u16], wanted: &[u16], rng: &mut Rng) -> Vec<u16> {
    match compared.relation {
        Relation::Equal => wanted.to_vec(),
        Relation::Prefix => [wanted, seen].concat(),
        Relation::Suffix => [seen, wanted].concat(),
        Relation::Inside => {
            let at = rng.below(seen.len() + 1);
            [&seen[..at], wanted, &seen[at..]].concat()
        }
        Relation::Pattern => matching(&String::from_utf16_lossy(wanted), rng).encode_utf16().collect(),
    }
}

/// If what was seen is `own` with something around it: what `own` must be for the whole to be better.
fn middle(own: &[u16], seen: &[u16], better: &[u16]) -> Option<Vec<u16>> {
    let at = position(seen, own)?;
    let (before, after) = (&seen[..at], &seen[at + own.len()..]);
    let fits =
        better.len() >= before.len() + after.len() && better.starts_with(before) && better.ends_with(after);
    fits.then(|| better[before.len()..better.len() - after.len()].to_vec())
}

/// Where a string that is not empty begins in another.
fn position(text: &[u16], wanted: &[u16]) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    text.windows(wanted.len()).position(|part| part == wanted)
}

/// A part of a string, as if something had been put between two of them.
fn part(units: &[u16], rng: &mut Rng) -> Vec<u16> {
    let words: Vec<&[u16]> = units.split(|unit| !is_word(*unit)).filter(|word| !word.is_empty()).collect();
    rng.pick(&words).map(|word| word.to_vec()).unwrap_or_default()
}

/// Whether a unit is part of a word.
pub(crate) fn is_word(unit: u16) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use jurat_base::Seed;

    use super::*;

    fn check(text: &str, relation: Relation, seen: &str, wanted: &str, expected: &str) {
        let compared = Compared { relation, text: seen.into(), wanted: wanted.into() };
        assert_eq!(hinted(&text.into(), &compared, &mut Seed(0).rng(0)), expected.into());
    }

    #[test]
    fn what_was_compared_becomes_what_it_should_have_been() {
        check("abc", Relation::Equal, "abc", "needle", "needle");
        check("needle", Relation::Equal, "abc", "needle", "abc");
        check("abc", Relation::Prefix, "abc", "http", "httpabc");
        check("abc", Relation::Suffix, "abc", ".pdf", "abc.pdf");
    }

    #[test]
    fn a_part_of_what_was_compared_is_changed_where_it_is() {
        check("x", Relation::Equal, "<x>", "<needle>", "needle");
        check("k=v", Relation::Equal, "v", "needle", "k=needle");
    }

    #[test]
    fn a_pattern_is_followed() {
        check("x", Relation::Pattern, "x", "a{3}", "aaa");
    }
}
