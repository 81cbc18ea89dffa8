//! Literals: drawn fresh, or varied a little, so that distances can lead the way.

use jurat_base::Rng;
use jurat_protocol::{LiteralPool, Primitive, Text};

/// Strings made here are no longer than this.
const LONGEST: usize = 80;
/// How often a fresh literal is one that the subject's code mentions.
const MINED: f64 = 0.5;

/// Where literals come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literals<'a> {
    /// What the class mentions.
    pub(crate) own: &'a LiteralPool,
    /// What all classes mention.
    pub(crate) all: &'a LiteralPool,
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
        let mined = if rng.chance(0.7) { self.pick(rng, |pool| &pool.strings) } else { None };
        mined.unwrap_or_else(|| {
            let length = rng.below(6);
            Text::from_units(&(0..length).map(|_| letter_unit(rng)).collect::<Vec<_>>())
        })
    }

    /// The descriptor of a class literal.
    pub(crate) fn class(&self, rng: &mut Rng) -> String {
        let mined = self.pick(rng, |pool| &pool.classes);
        mined.unwrap_or_else(|| "Ljava/lang/String;".to_owned())
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
    pub(crate) fn near(&self, value: Primitive, peers: &[Primitive], rng: &mut Rng) -> Primitive {
        let letter = value.descriptor();
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
    pub(crate) fn near_text(&self, text: &Text, rng: &mut Rng) -> Text {
        let mut units = text.units();
        let at = rng.below(units.len() + 1);
        match rng.below(10) {
            0 => return self.text(rng),
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
        let literals = Literals { own: &pool, all: &pool };
        let mut rng = Seed(3).rng(0);
        for letter in ['Z', 'B', 'S', 'C', 'I', 'J', 'F', 'D'] {
            let mut value = literals.primitive(letter, &mut rng);
            for _ in 0..200 {
                value = literals.near(value, &[Primitive::Int(9), Primitive::double(0.5)], &mut rng);
                assert_eq!(value.descriptor(), letter);
            }
        }
    }

    #[test]
    fn small_steps_reach_a_distant_number() {
        let pool = LiteralPool::default();
        let literals = Literals { own: &pool, all: &pool };
        let mut rng = Seed(1).rng(0);
        let (mut best, mut tries) = (Primitive::Int(0), 0);
        let far = |value: Primitive| as_whole(value).map_or(u64::MAX, |number| number.abs_diff(918_273_645));
        while far(best) > 0 && tries < 20_000 {
            let next = literals.near(best, &[], &mut rng);
            best = if far(next) < far(best) { next } else { best };
            tries += 1;
        }
        assert!(tries < 5_000, "{tries} tries");
    }
}
