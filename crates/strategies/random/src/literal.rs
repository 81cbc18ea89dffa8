//! Draws literals: small ones that programs often treat specially, and those mined from the subject.

use jurat_base::Rng;
use jurat_protocol::{Chart, Literal, LiteralPool, Primitive, Text};

const INTS: [i32; 12] = [0, 1, -1, 2, 3, 4, 5, 7, 10, 16, 100, -2];
const ODD_INTS: [i32; 8] = [i32::MAX, i32::MIN, 255, 256, 65535, 65536, 1000, -1000];
const ODD_LONGS: [i64; 6] = [i64::MAX, i64::MIN, 1 << 32, i32::MAX as i64 + 1, i32::MIN as i64 - 1, 1 << 53];
const CHARS: &str = "ab zA0 9-.,/\n\"'\\_:;%#+()=<>[]{}*?!$@&|\u{e9}\u{0}";
const STRINGS: [&str; 22] = [
    "", "a", "b", "abc", "A", "0", "1", "-1", "1.5", " ", "a b", "ab", "Abc", "true", "\0", "a,b", "\u{e9}",
    "10", "0x1F", "aa", "null", "\n",
];
/// How often a literal comes from the code of the class that takes it.
const OWN: f64 = 0.35;
/// From here on an int is large, and drawn less often.
const LARGE: u32 = 1 << 20;
const LARGE_KEPT: f64 = 0.4;
/// How often a large number is drawn anew where a modest one is wanted.
const MODEST: u32 = 3;
/// How often a large or otherwise odd number is drawn.
const ODD: f64 = 0.05;

/// How often a string is one that the subject compared with at run time, if such are known.
const SEEN: f64 = 0.15;

/// Draws from a pool, or from what is always there.
pub(crate) struct Literals<'a> {
    own: &'a LiteralPool,
    all: &'a LiteralPool,
    /// Strings that the subject compared with at run time.
    seen: &'a [Text],
}

impl<'a> Literals<'a> {
    /// The literals for operations with this pool; none if the chart has none at all.
    pub(crate) fn of(chart: &'a Chart, seen: &'a [Text], pool: u32) -> Option<Self> {
        let all = chart.pools.first()?;
        Some(Self { own: chart.pools.get(pool as usize).unwrap_or(all), all, seen })
    }

    /// A literal of a primitive type.
    pub(crate) fn primitive(&self, letter: char, rng: &mut Rng) -> Primitive {
        match letter {
            'Z' => Primitive::Boolean(rng.chance(0.5)),
            'B' => Primitive::Byte(i8::from_le_bytes([self.int(rng).to_le_bytes()[0]])),
            'S' => Primitive::Short(low_half(self.int(rng)).cast_signed()),
            'C' => Primitive::Char(self.char(rng)),
            'J' => Primitive::Long(self.long(rng)),
            'F' => Primitive::Float(self.float(rng)),
            'D' => Primitive::Double(self.double(rng)),
            _ => Primitive::Int(self.int(rng)),
        }
    }

    /// The same, for an operation that ran out of something before: most likely not a large one.
    pub(crate) fn modest(&self, letter: char, rng: &mut Rng) -> Primitive {
        let mut drawn = self.primitive(letter, rng);
        for _ in 0..MODEST {
            if !is_large(drawn) {
                break;
            }
            drawn = self.primitive(letter, rng);
        }
        drawn
    }

    fn pick<T: Clone>(&self, rng: &mut Rng, pool: impl Fn(&LiteralPool) -> &Vec<T>) -> Option<T> {
        let own = pool(self.own);
        if !own.is_empty() && rng.chance(0.8) {
            return rng.pick(own).cloned();
        }
        rng.pick(pool(self.all)).cloned()
    }

    fn int(&self, rng: &mut Rng) -> i32 {
        if rng.chance(OWN)
            && let Some(mined) = self.pick(rng, |pool| &pool.ints)
        {
            // As a size, a large constant costs as much as a thousand calls.
            if mined.unsigned_abs() < LARGE || rng.chance(LARGE_KEPT) {
                // One beside a constant is where conditions turn.
                return mined.wrapping_add([0, 0, 0, 1, -1][rng.below(5)]);
            }
        }
        let pool: &[i32] = if rng.chance(ODD) { &ODD_INTS } else { &INTS };
        rng.pick(pool).copied().unwrap_or_default()
    }

    fn long(&self, rng: &mut Rng) -> i64 {
        if rng.chance(OWN)
            && let Some(mined) = self.pick(rng, |pool| &pool.longs)
        {
            return mined.wrapping_add([0, 0, 0, 1, -1][rng.below(5)]);
        }
        if rng.chance(ODD) {
            return rng.pick(&ODD_LONGS).copied().unwrap_or_default();
        }
        i64::from(self.int(rng))
    }

    fn char(&self, rng: &mut Rng) -> u16 {
        if rng.chance(0.4) {
            let units = self.word(rng).units();
            if let Some(unit) = rng.pick(&units) {
                return *unit;
            }
        }
        if rng.chance(0.25) {
            return low_half(self.int(rng));
        }
        if rng.chance(ODD / 2.0) {
            return u16::MAX;
        }
        let units: Vec<u16> = CHARS.encode_utf16().collect();
        rng.pick(&units).copied().unwrap_or_default()
    }

    #[expect(clippy::cast_precision_loss, reason = "any float near the int will do")]
    fn float(&self, rng: &mut Rng) -> u32 {
        if rng.chance(OWN)
            && let Some(mined) = self.pick(rng, |pool| &pool.floats)
        {
            return mined;
        }
        if rng.chance(ODD) {
            let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MAX, f32::MIN_POSITIVE];
            return odd[rng.below(odd.len())].to_bits();
        }
        (self.int(rng) as f32 * [1.0, 0.5, 0.1][rng.below(3)]).to_bits()
    }

    fn double(&self, rng: &mut Rng) -> u64 {
        if rng.chance(OWN)
            && let Some(mined) = self.pick(rng, |pool| &pool.doubles)
        {
            return mined;
        }
        if rng.chance(ODD) {
            let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX, f64::MIN_POSITIVE];
            return odd[rng.below(odd.len())].to_bits();
        }
        (f64::from(self.int(rng)) * [1.0, 0.5, 0.1, 0.25][rng.below(4)]).to_bits()
    }

    /// A string.
    pub(crate) fn text(&self, rng: &mut Rng) -> Text {
        let first = self.word(rng);
        match rng.below(18) {
            4 | 5 => self.runs(rng),
            0 => joined(&first, &self.word(rng)),
            1 => {
                let separators = [" ", ",", "-", ":", "/", ".", "=", "_"];
                let separator = Text::from(separators[rng.below(separators.len())]);
                joined(&joined(&first, &separator), &self.word(rng))
            }
            2 => part(&first, rng),
            3 => changed(&first, rng),
            _ => first,
        }
    }

    /// A few letters, each once or several times: what patterns and formats are made of.
    fn runs(&self, rng: &mut Rng) -> Text {
        let mut units = Vec::new();
        for _ in 0..=rng.below(4) {
            let mined = self.pick(rng, |pool| &pool.ints).and_then(|int| u16::try_from(int).ok());
            let letter = match mined.filter(|unit| (0x20..0x7f).contains(unit)) {
                Some(mined) if rng.chance(0.7) => mined,
                _ => self.char(rng),
            };
            units.extend(std::iter::repeat_n(letter, 1 + rng.below(4)));
        }
        Text::from_units(&units)
    }

    fn word(&self, rng: &mut Rng) -> Text {
        if !self.seen.is_empty() && rng.chance(SEEN) {
            return self.seen[rng.below(self.seen.len())].clone();
        }
        if rng.chance(0.55)
            && let Some(mined) = self.pick(rng, |pool| &pool.strings)
        {
            return mined;
        }
        if rng.chance(0.12) {
            return Text::from(self.int(rng).to_string());
        }
        Text::from(STRINGS[rng.below(STRINGS.len())])
    }

    /// A class literal.
    pub(crate) fn class(&self, rng: &mut Rng) -> Literal {
        const USUAL: [&str; 4] = ["Ljava/lang/String;", "Ljava/lang/Object;", "Ljava/lang/Integer;", "I"];
        let mined = if rng.chance(0.6) { self.pick(rng, |pool| &pool.classes) } else { None };
        Literal::Class(mined.unwrap_or_else(|| USUAL[rng.below(USUAL.len())].to_owned()))
    }
}

fn is_large(primitive: Primitive) -> bool {
    match primitive {
        Primitive::Int(value) => value.unsigned_abs() >= LARGE,
        Primitive::Long(value) => value.unsigned_abs() >= u64::from(LARGE),
        _ => false,
    }
}

fn joined(first: &Text, second: &Text) -> Text {
    let mut units = first.units();
    units.extend(second.units());
    units.truncate(LONGEST);
    Text::from_units(&units)
}

/// The beginning or the end of a string.
fn part(text: &Text, rng: &mut Rng) -> Text {
    let units = text.units();
    let at = rng.below(units.len() + 1);
    Text::from_units(if rng.chance(0.5) { &units[..at] } else { &units[at..] })
}

/// A string with one unit changed, or one too many.
fn changed(text: &Text, rng: &mut Rng) -> Text {
    let letters: Vec<u16> = CHARS.encode_utf16().collect();
    let letter = letters[rng.below(letters.len())];
    let mut units = text.units();
    let at = rng.below(units.len() + 1);
    if at < units.len() && rng.chance(0.5) {
        units[at] = letter;
    } else {
        units.insert(at, letter);
    }
    Text::from_units(&units)
}

/// Strings made here are no longer than this.
const LONGEST: usize = 60;

/// The low half of an int, as Java's narrowing casts keep it.
fn low_half(value: i32) -> u16 {
    let [first, second, ..] = value.to_le_bytes();
    u16::from_le_bytes([first, second])
}
