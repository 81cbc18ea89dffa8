//! Literals: drawn fresh, or varied a little, so that distances can lead the way.

use jurat_base::Rng;
use jurat_protocol::{Compared, Literal, LiteralPool, Primitive, Relation, Text};

use crate::hint::{hinted, is_word};

/// Strings made here are no longer than this.
const LONGEST: usize = 80;
/// How often a fresh literal is one that the subject's code mentions.
const MINED: f64 = 0.5;
/// How often a literal is changed by the distance that was missed.
const LEAP: f64 = 0.45;
/// How often a string is changed to what a comparison asked for, if there was one.
const HINTED: f64 = 0.4;
/// Distances beyond this are not those of a string's length or units.
const LONG: f64 = 1_000.0;
/// How often a fresh string is one that some run compared with, if there are any.
const SEEN: f64 = 0.2;
/// How often a fresh unit is an odd one.
const ODD: f64 = 0.06;
/// Units that code with an eye to them treats apart: both halves of a letter beyond 16 bits, letters that are not ASCII, NUL.
const ODD_UNITS: [u16; 5] = [0xd83d, 0xde00, 0xe9, 0xdf, 0];
/// How often a fresh string is a small document.
const DOCUMENT: f64 = 0.08;
/// Texts in notations that parsers read: no step by step leads to one of them, but many steps lead on from there.
const DOCUMENTS: [&str; 14] = [
    "<a/>",
    "<a b=\"c\">d<e>f</e></a>",
    "{\"a\": [1, true, null, \"b\"]}",
    "a = b\n",
    "[a]\nb = c\n",
    "a: b\n",
    "a,b\n\"c\",d\n",
    "http://a.b:8080/c/d?e=f#g",
    "a@b.com",
    "127.0.0.1",
    "2020-02-29T12:30:00Z",
    "-1.5e3",
    "a.b(c)",
    "%s ${a} {0,number}",
];

/// What is known about where to go.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guide<'g> {
    /// The distance of the decision that went wrong.
    pub(crate) gap: Option<f64>,
    /// Strings and units that were compared and found different.
    pub(crate) compared: &'g [Compared],
}

/// Where literals come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literals<'a> {
    /// What the class mentions.
    pub(crate) own: &'a LiteralPool,
    /// What all classes mention.
    pub(crate) all: &'a LiteralPool,
    /// Strings that runs compared with.
    pub(crate) seen: &'a [Text],
}

impl Literals<'_> {
    /// A primitive of a type.
    pub(crate) fn primitive(&self, letter: char, rng: &mut Rng) -> Primitive {
        match letter {
            'Z' => Primitive::Boolean(rng.chance(0.5)),
            'F' | 'D' => real(letter, self.real(rng)),
            _ => whole(letter, self.whole(letter, rng)),
        }
    }

    fn whole(&self, letter: char, rng: &mut Rng) -> i64 {
        if rng.chance(MINED) {
            let mined = if letter == 'J' && rng.chance(0.5) {
                self.pick(rng, |pool| &pool.longs)
            } else {
                self.pick(rng, |pool| &pool.ints).map(i64::from)
            };
            if let Some(mined) = mined {
                return mined.wrapping_add([0, 0, 0, 1, -1][rng.below(5)]);
            }
        }
        let small = i64::try_from(rng.below(12)).unwrap_or_default();
        match letter {
            'C' => i64::from(letter_unit(rng)),
            _ if rng.chance(0.1) => stepped(0, rng),
            _ => small - 1,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "any number near the long will do")]
    fn real(&self, rng: &mut Rng) -> f64 {
        if rng.chance(MINED) {
            let double = self.pick(rng, |pool| &pool.doubles).map(f64::from_bits);
            let float = self.pick(rng, |pool| &pool.floats).map(|bits| f64::from(f32::from_bits(bits)));
            if let Some(mined) = if rng.chance(0.7) { double.or(float) } else { float.or(double) } {
                return mined;
            }
        }
        if rng.chance(0.05) {
            return [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX][rng.below(5)];
        }
        self.whole('I', rng) as f64 * [1.0, 0.5, 0.1][rng.below(3)]
    }

    /// A string.
    pub(crate) fn text(&self, rng: &mut Rng) -> Text {
        if rng.chance(DOCUMENT) {
            return document(rng);
        }
        if !self.seen.is_empty() && rng.chance(SEEN) {
            return self.seen[rng.below(self.seen.len())].clone();
        }
        let mined = if rng.chance(0.7) { self.pick(rng, |pool| &pool.strings) } else { None };
        mined.unwrap_or_else(|| {
            let length = rng.below(6);
            Text::from_units(&(0..length).map(|_| letter_unit(rng)).collect::<Vec<_>>())
        })
    }

    /// The descriptor of a class literal.
    pub(crate) fn class(&self, rng: &mut Rng) -> String {
        let mined = if rng.chance(MINED) { rng.pick(&self.own.classes) } else { None };
        let found = mined.or_else(|| rng.pick(&self.all.classes)).cloned();
        found.unwrap_or_else(|| "Ljava/lang/String;".to_owned())
    }

    fn pick<T: Clone>(&self, rng: &mut Rng, list: impl Fn(&LiteralPool) -> &Vec<T>) -> Option<T> {
        let own = list(self.own);
        if !own.is_empty() && rng.chance(0.85) {
            rng.pick(own).cloned()
        } else {
            rng.pick(list(self.all)).cloned()
        }
    }

    /// A primitive near another. `peers` are other numbers of the same sequence: conditions relate them.
    pub(crate) fn near(
        &self,
        value: Primitive,
        peers: &[Primitive],
        gap: Option<f64>,
        rng: &mut Rng,
    ) -> Primitive {
        let letter = value.descriptor();
        if letter != 'Z'
            && let Some(gap) = gap.filter(|_| rng.chance(LEAP))
        {
            return leap(value, gap, rng);
        }
        if rng.chance(0.12) {
            return self.primitive(letter, rng);
        }
        let peer = if rng.chance(0.15) { rng.pick(peers).copied() } else { None };
        if let Some(peer) = peer {
            return match (letter, as_whole(peer)) {
                ('Z', _) => value,
                ('F' | 'D', _) => real(letter, as_real(peer)),
                (_, Some(number)) => whole(letter, number),
                (_, None) => value,
            };
        }
        match (value, as_whole(value)) {
            (Primitive::Boolean(flag), _) => Primitive::Boolean(!flag),
            (_, Some(number)) => whole(letter, near_whole(number, rng)),
            (_, None) => real(letter, near_real(as_real(value), rng)),
        }
    }

    /// A string near another.
    pub(crate) fn near_text(&self, text: &Text, guide: Guide<'_>, rng: &mut Rng) -> Text {
        let hint = if rng.chance(HINTED) { rng.pick(guide.compared) } else { None };
        // What was asked about a unit says nothing of a string without it.
        let is_about = |hint: &&Compared| match Exchange::hinted(hint) {
            Some(Exchange::Unit(found, _)) => text.units().contains(&found),
            _ => true,
        };
        if let Some(hint) = hint.filter(is_about) {
            return hinted(text, hint, rng);
        }
        if let Some(gap) = guide.gap.filter(|gap| *gap < LONG && rng.chance(LEAP)) {
            return leap_text(text, gap, rng);
        }
        if let Some(number) = text.as_str().and_then(|text| text.parse::<i64>().ok())
            && rng.chance(0.4)
        {
            return Text::from(near_whole(number, rng).to_string());
        }
        let mut units = text.units();
        let at = rng.below(units.len() + 1);
        match rng.below(13) {
            0 => return self.text(rng),
            9 => return document(rng),
            8 => units = reworded(&units, &self.text(rng).units(), rng),
            1 => units.splice(at..at, self.text(rng).units()).for_each(drop),
            2 | 3 => units.insert(at, letter_unit(rng)),
            4 if at < units.len() => drop(units.remove(at)),
            5 if at < units.len() => units.truncate(at),
            6 if at < units.len() => units.insert(at, units[at]),
            7 if at < units.len() => {
                let other = rng.below(units.len());
                units.swap(at, other);
            }
            _ if at < units.len() => units[at] = near_unit(units[at], rng),
            _ => units.push(letter_unit(rng)),
        }
        units.truncate(LONGEST);
        Text::from_units(&units)
    }
}

fn document(rng: &mut Rng) -> Text {
    Text::from(DOCUMENTS[rng.below(DOCUMENTS.len())])
}

/// A string in which some word is another, wherever it occurs: what begins and ends with it still does.
fn reworded(units: &[u16], other: &[u16], rng: &mut Rng) -> Vec<u16> {
    let runs: Vec<&[u16]> = units.chunk_by(|one, next| is_word(*one) == is_word(*next)).collect();
    let words: Vec<&[u16]> = runs.iter().copied().filter(|run| run.iter().copied().all(is_word)).collect();
    let Some(word) = rng.pick(&words).copied() else { return units.to_vec() };
    runs.into_iter().flat_map(|run| if run == word { other } else { run }).copied().collect()
}

/// What becomes another wherever it occurs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exchange {
    /// A unit of strings, or a char.
    Unit(u16, u16),
    Number(Primitive, Primitive),
}

impl Exchange {
    /// Another unit instead of this one.
    pub(crate) fn unit(unit: u16, rng: &mut Rng) -> Self {
        Self::Unit(unit, near_unit(unit, rng))
    }

    /// The unit that was asked for instead of the one that was found, if a comparison was about units.
    pub(crate) fn hinted(compared: &Compared) -> Option<Self> {
        match (compared.text.units().as_slice(), compared.wanted.units().as_slice()) {
            ([found], [wanted]) if compared.relation == Relation::Equal => Some(Self::Unit(*found, *wanted)),
            _ => None,
        }
    }

    /// A literal after the exchange.
    pub(crate) fn apply(self, literal: &Literal) -> Literal {
        match (self, literal) {
            (Self::Unit(from, to), Literal::String(text)) => {
                let units: Vec<u16> =
                    text.units().into_iter().map(|unit| if unit == from { to } else { unit }).collect();
                Literal::String(Text::from_units(&units))
            }
            (Self::Unit(from, to), Literal::Primitive(Primitive::Char(unit))) if *unit == from => {
                Literal::Primitive(Primitive::Char(to))
            }
            (Self::Number(from, to), Literal::Primitive(value)) if *value == from => Literal::Primitive(to),
            _ => literal.clone(),
        }
    }
}

/// A number that is as far away as the decision was from going the other way: right at once where the condition adds up.
#[expect(clippy::cast_possible_truncation, reason = "a leap of any size is one")]
fn leap(value: Primitive, gap: f64, rng: &mut Rng) -> Primitive {
    let letter = value.descriptor();
    // Where an order is missed, the distance is one more than the difference.
    let gap = [gap, gap, gap, gap - 1.0, gap + 1.0][rng.below(5)];
    let by = if rng.chance(0.6) { 1.0 } else { [0.5, 1.0 / 3.0, 0.25, 0.2, 0.1, 2.0][rng.below(6)] };
    let step = if rng.chance(0.1) { gap.abs().sqrt() } else { gap * by };
    let step = if rng.chance(0.5) { step } else { -step };
    match as_whole(value) {
        Some(number) => whole(letter, number.wrapping_add(step.round() as i64)),
        None => real(letter, as_real(value) + step * [1.0, 1.0, 1.0 + rng.unit() * 1e-3][rng.below(3)]),
    }
}

/// A string that is as many units longer or shorter, or has a unit that is as far away, as the decision was from going the
/// other way.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "gaps of strings are small")]
fn leap_text(text: &Text, gap: f64, rng: &mut Rng) -> Text {
    let mut units = text.units();
    let step = [gap, gap, gap - 1.0][rng.below(3)].abs().round() as u16;
    let at = rng.below(units.len() + 1);
    match rng.below(3) {
        0 => units.extend((0..step).map(|_| letter_unit(rng))),
        1 => units.truncate(units.len().saturating_sub(usize::from(step))),
        _ if at < units.len() => {
            let up = rng.chance(0.5);
            units[at] = if up { units[at].wrapping_add(step) } else { units[at].wrapping_sub(step) };
        }
        _ => units.push(letter_unit(rng)),
    }
    units.truncate(LONGEST);
    Text::from_units(&units)
}

/// Steps of all sizes, each as likely as the next: a distance of any size is halved after a few tries.
fn stepped(number: i64, rng: &mut Rng) -> i64 {
    let most = if rng.chance(0.8) { 20 } else { 62 };
    let bits = 1 + rng.below(most);
    let step = 1 + i64::try_from(rng.below(1 << bits)).unwrap_or_default();
    if rng.chance(0.5) { number.wrapping_add(step) } else { number.wrapping_sub(step) }
}

fn near_whole(number: i64, rng: &mut Rng) -> i64 {
    match rng.below(12) {
        0 => number.wrapping_neg(),
        1 => number / 2,
        2 => number.wrapping_mul(2),
        3 => number ^ (1 << rng.below(31)),
        4..=6 => number.wrapping_add(if rng.chance(0.5) { 1 } else { -1 }),
        _ => stepped(number, rng),
    }
}

fn near_real(number: f64, rng: &mut Rng) -> f64 {
    if !number.is_finite() {
        return rng.unit();
    }
    let sign = if rng.chance(0.5) { 1.0 } else { -1.0 };
    match rng.below(10) {
        0 => -number,
        1 => number.round(),
        2 => number * 2.0,
        3 => number / 2.0,
        // The number beside it, in its last place.
        4 => f64::from_bits(if rng.chance(0.5) {
            number.to_bits().wrapping_add(1)
        } else {
            number.to_bits().wrapping_sub(1)
        }),
        5 => number + sign,
        _ => {
            let size = i32::try_from(rng.below(70)).unwrap_or_default() - 40;
            number + sign * rng.unit() * 2_f64.powi(size)
        }
    }
}

fn letter_unit(rng: &mut Rng) -> u16 {
    const LETTERS: &[u8] = b"abcxyzABCXYZ0123456789 -_.,:;/+*#@()[]{}<>=%$&!?'\"\\\n\t";
    if rng.chance(ODD) {
        return ODD_UNITS[rng.below(ODD_UNITS.len())];
    }
    match rng.pick(LETTERS) {
        Some(letter) if !rng.chance(0.3) => u16::from(*letter),
        _ => 0x20 + u16::try_from(rng.below(0x5f)).unwrap_or_default(),
    }
}

fn near_unit(unit: u16, rng: &mut Rng) -> u16 {
    match rng.below(4) {
        0 => letter_unit(rng),
        1 => unit ^ 0x20,
        _ => {
            let most = 1 << rng.below(6);
            let step = 1 + u16::try_from(rng.below(most)).unwrap_or_default();
            if rng.chance(0.5) { unit.wrapping_add(step) } else { unit.wrapping_sub(step) }
        }
    }
}

/// The number of a primitive that is no fraction.
fn as_whole(value: Primitive) -> Option<i64> {
    Some(match value {
        Primitive::Byte(value) => i64::from(value),
        Primitive::Short(value) => i64::from(value),
        Primitive::Char(value) => i64::from(value),
        Primitive::Int(value) => i64::from(value),
        Primitive::Long(value) => value,
        Primitive::Boolean(_) | Primitive::Float(_) | Primitive::Double(_) => return None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "any number near the long will do")]
fn as_real(value: Primitive) -> f64 {
    match value {
        Primitive::Float(bits) => f64::from(f32::from_bits(bits)),
        Primitive::Double(bits) => f64::from_bits(bits),
        other => as_whole(other).unwrap_or_default() as f64,
    }
}

/// A number as a primitive of a type, cut as Java cuts it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "Java's narrowing does the same")]
fn whole(letter: char, number: i64) -> Primitive {
    match letter {
        'B' => Primitive::Byte(number as i8),
        'S' => Primitive::Short(number as i16),
        'C' => Primitive::Char(number as u16),
        'J' => Primitive::Long(number),
        _ => Primitive::Int(number as i32),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "Java's narrowing does the same")]
fn real(letter: char, number: f64) -> Primitive {
    if letter == 'F' { Primitive::float(number as f32) } else { Primitive::double(number) }
}

#[cfg(test)]
mod tests {
    use jurat_base::Seed;

    use super::*;

    #[test]
    fn varied_literals_keep_their_type() {
        let pool =
            LiteralPool { ints: vec![70_000], doubles: vec![2.5_f64.to_bits()], ..LiteralPool::default() };
        let literals = Literals { own: &pool, all: &pool, seen: &[] };
        let mut rng = Seed(3).rng(0);
        for letter in ['Z', 'B', 'S', 'C', 'I', 'J', 'F', 'D'] {
            let mut value = literals.primitive(letter, &mut rng);
            for _ in 0..200 {
                value =
                    literals.near(value, &[Primitive::Int(9), Primitive::double(0.5)], Some(3.5), &mut rng);
                assert_eq!(value.descriptor(), letter);
            }
        }
    }

    #[test]
    fn a_string_comes_by_half_of_a_letter_beyond_16_bits() {
        let pool = LiteralPool::default();
        let literals = Literals { own: &pool, all: &pool, seen: &[] };
        let near =
            |index| literals.near_text(&"ab".into(), Guide::default(), &mut Seed(4).rng(index)).units();
        let is_high = |unit: &u16| (0xd800..0xdc00).contains(unit);
        assert!((0..1_000).any(|index| near(index).iter().any(is_high)));
    }

    #[test]
    fn classes_are_drawn_where_the_class_names_none() {
        let pool = |class: &str| LiteralPool { classes: vec![class.to_owned()], ..LiteralPool::default() };
        let (own, all) = (pool("Lp/Own;"), pool("I"));
        let drawn = |own| -> Vec<String> {
            (0..50)
                .map(|index| Literals { own, all: &all, seen: &[] }.class(&mut Seed(5).rng(index)))
                .collect()
        };
        assert!(["Lp/Own;", "I"].iter().all(|class| drawn(&own).iter().any(|one| one == class)));
        assert!(drawn(&LiteralPool::default()).iter().all(|one| one == "I"));
    }

    #[test]
    fn a_word_is_replaced_wherever_it_occurs() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let (text, other) = (units("<ab>1</ab>"), units("plist"));
        let found: Vec<String> = (0..20)
            .map(|index| String::from_utf16_lossy(&reworded(&text, &other, &mut Seed(6).rng(index))))
            .collect();
        assert!(found.iter().any(|text| text == "<plist>1</plist>"), "{found:?}");
        assert_eq!(reworded(&units("<>"), &other, &mut Seed(6).rng(0)), units("<>"));
    }

    #[test]
    fn what_is_exchanged_stays_equal() {
        let unit = Exchange::Unit(u16::from(b'a'), 0xd83d);
        let units = |text: &str| match unit.apply(&Literal::String(text.into())) {
            Literal::String(text) => text.units(),
            other => panic!("{other:?}"),
        };
        assert_eq!(units("aba"), [0xd83d, u16::from(b'b'), 0xd83d]);
        let char = |unit: u8| Literal::Primitive(Primitive::Char(u16::from(unit)));
        assert_eq!(unit.apply(&char(b'a')), Literal::Primitive(Primitive::Char(0xd83d)));
        assert_eq!(unit.apply(&char(b'b')), char(b'b'));
        let number = Exchange::Number(Primitive::Int(3), Primitive::Int(9));
        assert_eq!(
            number.apply(&Literal::Primitive(Primitive::Int(3))),
            Literal::Primitive(Primitive::Int(9))
        );
        let long = Literal::Primitive(Primitive::Long(3));
        assert_eq!(number.apply(&long), long);
    }

    #[test]
    fn small_steps_reach_a_distant_number() {
        let pool = LiteralPool::default();
        let literals = Literals { own: &pool, all: &pool, seen: &[] };
        let mut rng = Seed(1).rng(0);
        let (mut best, mut tries) = (Primitive::Int(0), 0);
        let far = |value: Primitive| as_whole(value).map_or(u64::MAX, |number| number.abs_diff(918_273_645));
        while far(best) > 0 && tries < 20_000 {
            let next = literals.near(best, &[], None, &mut rng);
            best = if far(next) < far(best) { next } else { best };
            tries += 1;
        }
        assert!(tries < 5_000, "{tries} tries");
    }

    #[test]
    fn a_leap_goes_where_the_distance_says() {
        let leaps = |value| -> Vec<Primitive> {
            (0..100).map(|index| leap(value, 40.0, &mut Seed(2).rng(index))).collect()
        };
        assert!(leaps(Primitive::Int(2)).contains(&Primitive::Int(42)));
        assert!(leaps(Primitive::double(0.5)).contains(&Primitive::double(39.5)));
        let text = |index| leap_text(&"ab".into(), 3.0, &mut Seed(2).rng(index)).units().len();
        assert!((0..100).any(|index| text(index) == 5));
    }
}
