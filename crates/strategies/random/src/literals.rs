//! Literals to draw from: a few that programs often treat specially, and those mined from the
//! classes under test.

use jurat_base::{FxHashMap, Rng};
use jurat_model::{Constant, JavaString, JavaType, Literal, OpId, Primitive, Subject};

/// Pools of literals.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    common: Pools,
    by_operation: FxHashMap<OpId, Pools>,
}

#[derive(Debug, Default)]
struct Pools {
    ints: Vec<i32>,
    longs: Vec<i64>,
    floats: Vec<u32>,
    doubles: Vec<u64>,
    strings: Vec<JavaString>,
    classes: Vec<JavaType>,
}

const INTS: [i32; 9] = [0, 1, -1, 2, 3, 5, 10, 100, -7];
const ODD_INTS: [i32; 4] = [i32::MAX, i32::MIN, 255, 65536];
const CHARS: &str = "ab zA0 9-.,/\n\u{e9}";
const STRINGS: [&str; 8] = ["", "a", "b", "abc", "A", "0", "1.5", " "];
/// How often a literal comes from the operation's own code.
const OWN: f64 = 0.3;
/// How often a large or otherwise odd number is drawn.
const ODD: f64 = 0.08;

impl Literals {
    /// The literals of all classes under test.
    pub(crate) fn mined(subject: &Subject) -> Self {
        let mut literals = Self::default();
        for class in subject.under_test() {
            literals.common.take(&subject[class].constants);
        }
        for operation in subject.operations_under_test() {
            literals.common.take(&operation.constants);
            let mut own = Pools::default();
            own.take(&subject[operation.owner].constants);
            own.take(&operation.constants);
            literals.by_operation.insert(operation.id, own);
        }
        literals
    }

    /// A literal of a primitive type for a call of `op`.
    pub(crate) fn primitive(&self, op: OpId, primitive: Primitive, rng: &mut Rng) -> Literal {
        match primitive {
            Primitive::Boolean => Literal::Boolean(rng.chance(0.5)),
            Primitive::Byte => Literal::Byte(i8::from_le_bytes([low_half(self.int(op, rng))[0]])),
            Primitive::Short => Literal::Short(i16::from_le_bytes(low_half(self.int(op, rng)))),
            Primitive::Char => self.char(op, rng),
            Primitive::Int => Literal::Int(self.int(op, rng)),
            Primitive::Long => self.long(op, rng),
            Primitive::Float => self.float(op, rng),
            Primitive::Double => self.double(op, rng),
        }
    }

    /// A string for a call of `op`.
    pub(crate) fn string(&self, op: OpId, rng: &mut Rng) -> JavaString {
        let mined = self.mined_from(op, rng, |pools| &pools.strings);
        match mined {
            Some(text) if rng.chance(0.6) => text,
            _ => rng.pick(&STRINGS).map_or_else(|| "".into(), |text| JavaString::from(*text)),
        }
    }

    /// A class for a call of `op`.
    pub(crate) fn class(&self, op: OpId, rng: &mut Rng) -> Option<JavaType> {
        self.mined_from(op, rng, |pools| &pools.classes)
    }

    fn mined_from<T: Clone>(&self, op: OpId, rng: &mut Rng, pool: impl Fn(&Pools) -> &Vec<T>) -> Option<T> {
        let own = self.by_operation.get(&op).map(&pool);
        match own {
            Some(own) if !own.is_empty() && rng.chance(0.7) => rng.pick(own).cloned(),
            _ => rng.pick(pool(&self.common)).cloned(),
        }
    }

    fn int(&self, op: OpId, rng: &mut Rng) -> i32 {
        if rng.chance(OWN)
            && let Some(mined) = self.mined_from(op, rng, |pools| &pools.ints)
        {
            // One beside a constant is where conditions turn.
            return mined.wrapping_add([0, 0, 1, -1][rng.below(4)]);
        }
        let pool: &[i32] = if rng.chance(ODD) { &ODD_INTS } else { &INTS };
        rng.pick(pool).copied().unwrap_or(0)
    }

    fn long(&self, op: OpId, rng: &mut Rng) -> Literal {
        let mined = self.mined_from(op, rng, |pools| &pools.longs).filter(|_| rng.chance(OWN));
        Literal::Long(match mined {
            Some(mined) => mined,
            None if rng.chance(ODD) => [i64::MAX, i64::MIN][rng.below(2)],
            None => i64::from(self.int(op, rng)),
        })
    }

    fn char(&self, op: OpId, rng: &mut Rng) -> Literal {
        let from_string = self.string(op, rng);
        if !from_string.units().is_empty() && rng.chance(0.4) {
            return Literal::Char(from_string.units()[rng.below(from_string.units().len())]);
        }
        if rng.chance(0.3) {
            return Literal::Char(u16::from_le_bytes(low_half(self.int(op, rng))));
        }
        let units: Vec<u16> = CHARS.encode_utf16().collect();
        Literal::Char(units[rng.below(units.len())])
    }

    #[expect(clippy::cast_precision_loss, reason = "any float near the int will do")]
    fn float(&self, op: OpId, rng: &mut Rng) -> Literal {
        let mined = self.mined_from(op, rng, |pools| &pools.floats).filter(|_| rng.chance(OWN));
        Literal::Float(match mined {
            Some(mined) => mined,
            None if rng.chance(ODD) => [f32::NAN, f32::INFINITY, -0.0, f32::MAX][rng.below(4)].to_bits(),
            None => (self.int(op, rng) as f32 * [1.0, 0.5][rng.below(2)]).to_bits(),
        })
    }

    fn double(&self, op: OpId, rng: &mut Rng) -> Literal {
        let mined = self.mined_from(op, rng, |pools| &pools.doubles).filter(|_| rng.chance(OWN));
        Literal::Double(match mined {
            Some(mined) => mined,
            None if rng.chance(ODD) => {
                [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX][rng.below(5)].to_bits()
            }
            None => (f64::from(self.int(op, rng)) * [1.0, 0.5][rng.below(2)]).to_bits(),
        })
    }
}

impl Pools {
    fn take(&mut self, constants: &[Constant]) {
        for constant in constants {
            match constant {
                Constant::Int(value) => insert(&mut self.ints, *value),
                Constant::Long(value) => insert(&mut self.longs, *value),
                Constant::Float(bits) => insert(&mut self.floats, *bits),
                Constant::Double(bits) => insert(&mut self.doubles, *bits),
                Constant::String(text) => insert(&mut self.strings, text.clone()),
                Constant::Class(ty) => insert(&mut self.classes, ty.clone()),
            }
        }
    }
}

fn insert<T: PartialEq>(pool: &mut Vec<T>, value: T) {
    if !pool.contains(&value) {
        pool.push(value);
    }
}

/// The low half of an int, as Java's narrowing casts keep it.
fn low_half(value: i32) -> [u8; 2] {
    let [first, second, ..] = value.to_le_bytes();
    [first, second]
}
