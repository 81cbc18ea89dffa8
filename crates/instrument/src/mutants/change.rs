//! What a mutant changes, as data and as a sentence about the source.

use std::fmt;

use jurat_classfile::{BranchOp, Op};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// A condition holds when it did not.
    Negate,
    /// `<` becomes `<=`, and so on.
    Boundary,
    /// `+` becomes `-`, and so on; a sign goes.
    Arithmetic,
    /// `&` becomes `|`, `<<` becomes `>>`, and so on.
    Bits,
    /// `i++` becomes `i--`.
    Increment,
    /// A method returns an empty value, zero, true, false or null.
    Return,
    /// A number is another one.
    Constant,
    /// A call of a method that returns nothing is not made.
    VoidCall,
    /// A call of a method that returns something is not made.
    Call,
    /// A `case` is gone.
    Switch,
}

impl Operator {
    /// Every kind of change, in order.
    pub const ALL: [Self; 10] = [
        Self::Negate,
        Self::Boundary,
        Self::Arithmetic,
        Self::Bits,
        Self::Increment,
        Self::Return,
        Self::Constant,
        Self::VoidCall,
        Self::Call,
        Self::Switch,
    ];

    /// The word for it on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Negate => "negate",
            Self::Boundary => "boundary",
            Self::Arithmetic => "arithmetic",
            Self::Bits => "bits",
            Self::Increment => "increment",
            Self::Return => "return",
            Self::Constant => "constant",
            Self::VoidCall => "void-call",
            Self::Call => "call",
            Self::Switch => "switch",
        }
    }
}

/// A choice of kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operators(u16);

impl Operators {
    /// All kinds.
    pub fn all() -> Self {
        Self::of(&Operator::ALL)
    }

    /// Those that mutation testing tools use by default: the ones that seldom make a mutant that nobody could tell
    /// from the original.
    pub fn standard() -> Self {
        let left_out = [Operator::Constant, Operator::Call, Operator::Switch];
        Self(Self::all().0 & !Self::of(&left_out).0)
    }

    /// Some kinds.
    pub fn of(operators: &[Operator]) -> Self {
        Self(operators.iter().fold(0, |bits, operator| bits | 1 << (*operator as u16)))
    }

    /// The choice as a number, to be sent elsewhere.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The choice that a number stands for; bits without a meaning are left out.
    pub fn from_bits(bits: u16) -> Self {
        Self(bits & Self::all().0)
    }

    /// Whether this kind is chosen.
    pub fn contains(self, operator: Operator) -> bool {
        self.0 & 1 << (operator as u16) != 0
    }
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The branch goes the other way.
    Negated(BranchOp),
    /// The branch treats equal operands the other way.
    Boundary(BranchOp),
    /// One operator instead of another.
    Replaced {
        /// The operator that was.
        from: Op,
        /// The one that is.
        to: Op,
    },
    /// The sign is not changed.
    SignKept(Op),
    /// A local variable is changed by the opposite amount.
    Increment {
        /// The amount that was.
        by: i16,
    },
    /// The method returns this.
    Returns(Returned),
    /// A number is another one.
    Constant {
        /// The number that was.
        from: Constant,
        /// The one that is.
        to: Constant,
    },
    /// A call is not made; if it had a result, that is zero, false, null or the receiver.
    CallGone {
        /// The class that the call names, without its package.
        class: String,
        /// The method.
        name: String,
        /// What stands for the result; none for a method that returns nothing.
        result: Option<Returned>,
    },
    /// A case of a switch is gone: its key leads to the default.
    CaseGone {
        /// The key.
        key: Key,
        /// The line its code begins at.
        line: Option<u16>,
    },
}

/// A value that stands for the real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Returned {
    /// `true`, also in a box.
    True,
    /// `false`, also in a box.
    False,
    /// `0`, also in a box.
    Zero,
    /// `null`.
    Null,
    /// `""`.
    EmptyString,
    /// `Optional.empty()` or its like.
    EmptyOptional,
    /// An empty collection or map.
    EmptyCollection,
    /// The object that the method was called on.
    Receiver,
}

/// A number in code. Floating point is kept as bits, so that every value equals itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An `int`, or what counts as one.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`, as bits.
    Float(u32),
    /// A `double`, as bits.
    Double(u64),
}

/// The key of a case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A number or character.
    Number(i32),
    /// A string.
    Text(String),
    /// A constant of an enum, whose name is in another class: known by its line only.
    Constant,
}

impl Change {
    /// The kind of change.
    pub fn operator(&self) -> Operator {
        match self {
            Self::Negated(_) => Operator::Negate,
            Self::Boundary(_) => Operator::Boundary,
            Self::Replaced { from, .. } if is_bitwise(*from) => Operator::Bits,
            Self::Replaced { .. } | Self::SignKept(_) => Operator::Arithmetic,
            Self::Increment { .. } => Operator::Increment,
            Self::Returns(_) => Operator::Return,
            Self::Constant { .. } => Operator::Constant,
            Self::CallGone { result: None, .. } => Operator::VoidCall,
            Self::CallGone { .. } => Operator::Call,
            Self::CaseGone { .. } => Operator::Switch,
        }
    }

    /// The change as a sentence. A compiler may write `a < b` as a jump taken if `a >= b` or as one taken if
    /// `a < b`; the source line, if there is one, tells which.
    pub fn sentence(&self, source: Option<&str>) -> String {
        let (branch, became) = match self {
            Self::Constant { from: Constant::Int(from), to: Constant::Int(to) } => {
                let quoted = |value: i32| letter(value).map(|letter| format!("'{letter}'"));
                return match (quoted(*from), quoted(*to)) {
                    (Some(from), Some(to)) if source.is_some_and(|line| line.contains(&from)) => {
                        format!("`{from}` became `{to}`")
                    }
                    _ => self.to_string(),
                };
            }
            Self::Negated(op) => (*op, op.inverse()),
            Self::Boundary(op) => (*op, boundary(*op)),
            _ => return self.to_string(),
        };
        let Some(became) = became else { return self.to_string() };
        // Most conditions are written as a jump over what they guard: the source has the opposite of the jump.
        let usual = branch.inverse().zip(became.inverse()).unwrap_or((branch, became));
        let has =
            |op: BranchOp| symbol(op).is_some_and(|symbol| source.is_some_and(|line| mentions(line, symbol)));
        let (from, to) = if !has(usual.0) && has(branch) { (branch, became) } else { usual };
        let negated = matches!(self, Self::Negated(_));
        match (symbol(from), symbol(to)) {
            (Some(from), Some(to)) if source.is_none() || has_either(source, branch) => {
                format!("`{from}` became `{to}`")
            }
            _ if negated => "the condition is negated".to_owned(),
            _ => "the bound of the comparison is off by one".to_owned(),
        }
    }
}

/// The printable character that a number stands for.
fn letter(value: i32) -> Option<char> {
    let letter = u8::try_from(value).ok().map(char::from)?;
    letter.is_ascii_graphic().then_some(letter)
}

fn has_either(source: Option<&str>, branch: BranchOp) -> bool {
    let both = [Some(branch), branch.inverse()];
    let mut symbols = both.into_iter().flatten().filter_map(symbol);
    symbols.any(|symbol| source.is_some_and(|line| mentions(line, symbol)))
}

/// Whether a line has an operator, and not only as a part of a longer one.
fn mentions(line: &str, symbol: &str) -> bool {
    line.match_indices(symbol).any(|(at, _)| {
        let joins = |c: Option<char>| c.is_some_and(|c| "<>=!-".contains(c));
        !joins(line[..at].chars().next_back()) && !joins(line[at + symbol.len()..].chars().next())
    })
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Negated(_) | Self::Boundary(_) => f.write_str(&self.sentence(None)),
            Self::Replaced { from, to } => {
                write!(f, "`{}` became `{}`", operator_symbol(*from), operator_symbol(*to))
            }
            Self::SignKept(_) => f.write_str("the minus sign is gone"),
            Self::Increment { by } => {
                let (from, to) =
                    if *by < 0 { ("decremented", "incremented") } else { ("incremented", "decremented") };
                write!(f, "the variable is {to} by {0} instead of {from} by {0}", by.unsigned_abs())
            }
            Self::Returns(value) => write!(f, "returns {value} instead of its result"),
            Self::Constant { from, to } => write!(f, "`{from}` became `{to}`"),
            Self::CallGone { class, name, result: None } => write!(f, "the call of `{class}.{name}` is gone"),
            Self::CallGone { class, name, result: Some(result) } => {
                write!(f, "the call of `{class}.{name}` is gone, its result is {result}")
            }
            Self::CaseGone { key, line } => {
                match key {
                    Key::Number(number) => write!(f, "the case {number}")?,
                    Key::Text(text) => write!(f, "the case {text:?}")?,
                    Key::Constant => f.write_str("a case")?,
                }
                if let Some(line) = line {
                    write!(f, " (line {line})")?;
                }
                f.write_str(" is gone")
            }
        }
    }
}

impl fmt::Display for Returned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::True => "true",
            Self::False => "false",
            Self::Zero => "0",
            Self::Null => "null",
            Self::EmptyString => "\"\"",
            Self::EmptyOptional => "an empty optional",
            Self::EmptyCollection => "an empty collection",
            Self::Receiver => "its receiver",
        })
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Long(value) => write!(f, "{value}L"),
            Self::Float(bits) => write!(f, "{:?}f", f32::from_bits(*bits)),
            Self::Double(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
        }
    }
}

/// The branch that treats equal operands the other way; none if it asks for equality only.
pub(crate) fn boundary(op: BranchOp) -> Option<BranchOp> {
    Some(match op {
        BranchOp::Iflt => BranchOp::Ifle,
        BranchOp::Ifle => BranchOp::Iflt,
        BranchOp::Ifgt => BranchOp::Ifge,
        BranchOp::Ifge => BranchOp::Ifgt,
        BranchOp::IfIcmplt => BranchOp::IfIcmple,
        BranchOp::IfIcmple => BranchOp::IfIcmplt,
        BranchOp::IfIcmpgt => BranchOp::IfIcmpge,
        BranchOp::IfIcmpge => BranchOp::IfIcmpgt,
        _ => return None,
    })
}

/// What a branch compares with, as the source writes it.
fn symbol(op: BranchOp) -> Option<&'static str> {
    Some(match op {
        BranchOp::Ifeq | BranchOp::IfIcmpeq | BranchOp::IfAcmpeq | BranchOp::Ifnull => "==",
        BranchOp::Ifne | BranchOp::IfIcmpne | BranchOp::IfAcmpne | BranchOp::Ifnonnull => "!=",
        BranchOp::Iflt | BranchOp::IfIcmplt => "<",
        BranchOp::Ifge | BranchOp::IfIcmpge => ">=",
        BranchOp::Ifgt | BranchOp::IfIcmpgt => ">",
        BranchOp::Ifle | BranchOp::IfIcmple => "<=",
        BranchOp::Goto | BranchOp::Jsr => return None,
    })
}

/// The operator that stands in for another one.
pub(crate) fn replacement(op: Op) -> Option<Op> {
    Some(match op {
        Op::Iadd => Op::Isub,
        Op::Ladd => Op::Lsub,
        Op::Fadd => Op::Fsub,
        Op::Dadd => Op::Dsub,
        Op::Isub => Op::Iadd,
        Op::Lsub => Op::Ladd,
        Op::Fsub => Op::Fadd,
        Op::Dsub => Op::Dadd,
        Op::Imul => Op::Idiv,
        Op::Lmul => Op::Ldiv,
        Op::Fmul => Op::Fdiv,
        Op::Dmul => Op::Ddiv,
        Op::Idiv | Op::Irem => Op::Imul,
        Op::Ldiv | Op::Lrem => Op::Lmul,
        Op::Fdiv | Op::Frem => Op::Fmul,
        Op::Ddiv | Op::Drem => Op::Dmul,
        Op::Iand => Op::Ior,
        Op::Land => Op::Lor,
        Op::Ior | Op::Ixor => Op::Iand,
        Op::Lor | Op::Lxor => Op::Land,
        Op::Ishl => Op::Ishr,
        Op::Lshl => Op::Lshr,
        Op::Ishr | Op::Iushr => Op::Ishl,
        Op::Lshr | Op::Lushr => Op::Lshl,
        _ => return None,
    })
}

fn is_bitwise(op: Op) -> bool {
    (Op::Ishl as u8..=Op::Lxor as u8).contains(&(op as u8))
}

fn operator_symbol(op: Op) -> &'static str {
    match op {
        Op::Iadd | Op::Ladd | Op::Fadd | Op::Dadd => "+",
        Op::Isub | Op::Lsub | Op::Fsub | Op::Dsub => "-",
        Op::Imul | Op::Lmul | Op::Fmul | Op::Dmul => "*",
        Op::Idiv | Op::Ldiv | Op::Fdiv | Op::Ddiv => "/",
        Op::Irem | Op::Lrem | Op::Frem | Op::Drem => "%",
        Op::Ishl | Op::Lshl => "<<",
        Op::Ishr | Op::Lshr => ">>",
        Op::Iushr | Op::Lushr => ">>>",
        Op::Iand | Op::Land => "&",
        Op::Ior | Op::Lor => "|",
        Op::Ixor | Op::Lxor => "^",
        other => other.mnemonic(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_told_as_the_source_has_it() {
        let jump = Change::Boundary(BranchOp::IfIcmpge);
        assert_eq!(jump.sentence(None), "`<` became `<=`");
        assert_eq!(jump.sentence(Some("while (i < n) {")), "`<` became `<=`");
        assert_eq!(jump.sentence(Some("if (i >= n || done) {")), "`>=` became `>`");
        assert_eq!(jump.sentence(Some("i -> x << 2")), "the bound of the comparison is off by one");
        let negated = Change::Negated(BranchOp::Ifeq);
        assert_eq!(negated.sentence(Some("if (isEmpty()) {")), "the condition is negated");
        assert_eq!(negated.sentence(Some("if (n == 0 || m) {")), "`==` became `!=`");
        let letter = Change::Constant { from: Constant::Int(121), to: Constant::Int(122) };
        assert_eq!(letter.sentence(Some("if (c == 'y') {")), "`'y'` became `'z'`");
        assert_eq!(letter.sentence(Some("if (c == 121) {")), "`121` became `122`");
    }

    #[test]
    fn a_choice_survives_its_number() {
        let some = Operators::of(&[Operator::Negate, Operator::Switch]);
        assert_eq!(Operators::from_bits(some.bits()), some);
        assert!(some.contains(Operator::Switch) && !some.contains(Operator::Call));
        assert!(!Operators::standard().contains(Operator::Constant));
    }
}
