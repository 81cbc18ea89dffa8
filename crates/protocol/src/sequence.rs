//! Sequences as a worker runs them: statements whose inputs are values made by earlier statements.

use serde::{Deserialize, Serialize};

use crate::{Primitive, Text, frame};

/// The value that the statement at this position made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Var(pub u32);

/// A list of statements, the last of which may be observers.
///
/// The inputs of all statements stand in one list, in order, so that a sequence costs two allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sequence {
    statements: Vec<Statement>,
    inputs: Vec<Var>,
    observers: u32,
}

/// One statement. Its inputs are kept by the [`Sequence`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Statement {
    /// A value written down.
    Literal(Literal),
    /// Uses an entry of the operation table.
    Operate {
        /// Position in the table.
        operation: u32,
        /// How many inputs: receiver first, then arguments.
        inputs: u8,
    },
    /// `new T[] {inputs}`.
    NewArray {
        /// The descriptor of `T`: `I`, `Ljava/lang/String;`, `[J`.
        element: String,
        /// How many inputs.
        length: u32,
    },
    /// `new T[length]`, all elements zero or null.
    EmptyArray {
        /// The descriptor of `T`.
        element: String,
        /// The length.
        length: u32,
    },
    /// `inputs[0][inputs[1]]`.
    ArrayGet,
    /// `inputs[0][inputs[1]] = inputs[2]`.
    ArraySet,
    /// `inputs[0].length`.
    ArrayLength,
    /// A stand-in for an interface or an abstract class. Its inputs are the values its answers name.
    Mock(Box<Mock>),
}

/// A value written down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Literal {
    /// `null`.
    Null,
    /// A primitive.
    Primitive(Primitive),
    /// A string; equal literals are the same object, as in Java.
    String(Text),
    /// `T.class`, by descriptor: `I`, `Ljava/lang/String;`, `[J`.
    Class(String),
}

/// A stand-in whose answers are chosen beforehand. Constructors are skipped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mock {
    /// The interface or abstract class, by binary name.
    pub class: String,
    /// Whether methods with a body keep it, as in a lambda; otherwise every method that can be overridden
    /// answers as told, as in Mockito.
    pub keep_bodies: bool,
    /// What methods answer. A method without answers, or out of them, answers zero, false or null.
    pub answers: Vec<MockAnswers>,
}

/// How the names of the classes that workers make for mocks end. Lambdas have others.
pub const MOCK_CLASS: &str = "$JuratMock";

/// The answers of one method, in order; the last is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MockAnswers {
    /// The method's name; empty for the only abstract method of a functional interface.
    pub name: String,
    /// The method's descriptor; empty together with the name.
    pub descriptor: String,
    /// What it answers.
    pub answers: Vec<Answer>,
}

/// What a mock does when asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Answer {
    /// Returns a value.
    Value(Var),
    /// Returns the argument at this position.
    Argument(u8),
    /// Throws a value.
    Throw(Var),
}

impl Answer {
    /// The value the answer needs.
    pub fn var(self) -> Option<Var> {
        match self {
            Self::Value(var) | Self::Throw(var) => Some(var),
            Self::Argument(_) => None,
        }
    }
}

/// Why a sequence is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SequenceError {
    /// A statement uses a value that no earlier statement made.
    #[error("statement {statement} uses value {}, which is made later or never", var.0)]
    Forward {
        /// The statement.
        statement: usize,
        /// The value.
        var: Var,
    },
    /// The list of inputs does not fit the statements.
    #[error("the statements take {expected} inputs, {found} are given")]
    Inputs {
        /// What the statements need.
        expected: usize,
        /// What there is.
        found: usize,
    },
    /// More observers than statements.
    #[error("{observers} observers among {statements} statements")]
    Observers {
        /// How many observers.
        observers: u32,
        /// How many statements.
        statements: usize,
    },
}

impl Statement {
    /// How many inputs the statement takes from the sequence's list.
    #[inline]
    pub fn input_count(&self) -> usize {
        // Most are one, and a comparison is cheaper than a jump by table.
        if let Self::Operate { inputs, .. } = self {
            return usize::from(*inputs);
        }
        match self {
            Self::Operate { .. } | Self::Literal(_) | Self::EmptyArray { .. } | Self::Mock(_) => 0,
            Self::NewArray { length, .. } => *length as usize,
            Self::ArrayGet => 2,
            Self::ArraySet => 3,
            Self::ArrayLength => 1,
        }
    }
}

impl Sequence {
    /// Appends a literal.
    pub fn literal(&mut self, literal: Literal) -> Var {
        self.push(Statement::Literal(literal), &[])
    }

    /// Appends an `int`.
    pub fn int(&mut self, value: i32) -> Var {
        self.literal(Literal::Primitive(Primitive::Int(value)))
    }

    /// Appends a string.
    pub fn string(&mut self, text: &str) -> Var {
        self.literal(Literal::String(text.into()))
    }

    /// Appends a use of an operation: receiver first, then arguments.
    pub fn operate(&mut self, operation: u32, inputs: &[Var]) -> Var {
        let count = u8::try_from(inputs.len()).expect("Java methods take at most 255 arguments");
        self.push(Statement::Operate { operation, inputs: count }, inputs)
    }

    /// Appends an array of these elements.
    pub fn array(&mut self, element: &str, inputs: &[Var]) -> Var {
        let length = u32::try_from(inputs.len()).expect("a sequence has fewer than 2^32 values");
        self.push(Statement::NewArray { element: element.to_owned(), length }, inputs)
    }

    /// Appends a mock.
    pub fn mock(&mut self, mock: Mock) -> Var {
        self.push(Statement::Mock(Box::new(mock)), &[])
    }

    /// Appends any statement.
    pub fn push(&mut self, statement: Statement, inputs: &[Var]) -> Var {
        debug_assert_eq!(statement.input_count(), inputs.len());
        let var =
            Var(u32::try_from(self.statements.len()).expect("a sequence has fewer than 2^32 statements"));
        self.statements.push(statement);
        self.inputs.extend_from_slice(inputs);
        var
    }

    /// Says that the last `count` statements observe: each runs if its inputs were made, whatever the others do.
    pub fn observe_last(&mut self, count: u32) {
        self.observers = count;
    }

    /// Becomes the sequence that bytes begin with, in the same memory, and gives the bytes behind it.
    pub(crate) fn read<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], postcard::Error> {
        /// Where [`Statement::Operate`] stands among statements. Most are one.
        const OPERATE: u8 = 1;
        let (count, mut rest) = frame::take_number(bytes)?;
        self.statements.clear();
        // Exactly, and at most what there can be: sequences then lie one behind the other, as they are run.
        self.statements.reserve_exact(rest.len().min(count as usize));
        for _ in 0..count {
            if let [OPERATE, behind @ ..] = rest {
                let (operation, behind) = frame::take_number(behind)?;
                let [inputs, behind @ ..] = behind else {
                    return Err(postcard::Error::DeserializeUnexpectedEnd);
                };
                self.statements.push(Statement::Operate { operation, inputs: *inputs });
                rest = behind;
            } else {
                let (statement, behind) = postcard::take_from_bytes(rest)?;
                self.statements.push(statement);
                rest = behind;
            }
        }
        let (count, mut rest) = frame::take_number(rest)?;
        self.inputs.clear();
        self.inputs.reserve_exact(rest.len().min(count as usize));
        for _ in 0..count {
            let (var, behind) = frame::take_number(rest)?;
            self.inputs.push(Var(var));
            rest = behind;
        }
        let (observers, rest) = frame::take_number(rest)?;
        self.observers = observers;
        Ok(rest)
    }

    /// All statements, observers included.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The inputs of all statements, in order.
    pub fn inputs(&self) -> &[Var] {
        &self.inputs
    }

    /// How many statements come before the observers.
    pub fn body(&self) -> usize {
        self.statements.len().saturating_sub(self.observers as usize)
    }

    /// Checks what the sequence can check by itself; a sequence from elsewhere is checked before it is run.
    pub fn check(&self) -> Result<(), SequenceError> {
        let expected: usize = self.statements.iter().map(Statement::input_count).sum();
        if expected != self.inputs.len() {
            return Err(SequenceError::Inputs { expected, found: self.inputs.len() });
        }
        if self.observers as usize > self.statements.len() {
            return Err(SequenceError::Observers {
                observers: self.observers,
                statements: self.statements.len(),
            });
        }
        let mut next = 0;
        for position in 0..self.statements.len() {
            next += self.inputs_from(next, position)?.len();
        }
        Ok(())
    }

    /// The inputs of the statement at `position`, which are at `start` in the list of all, if earlier statements make them.
    #[inline]
    pub fn inputs_from(&self, start: usize, position: usize) -> Result<&[Var], SequenceError> {
        let statement = &self.statements[position];
        let end = start + statement.input_count();
        let inputs = self.inputs.get(start..end);
        let inputs = inputs.ok_or(SequenceError::Inputs { expected: end, found: self.inputs.len() })?;
        let forward = |var: &Var| var.0 as usize >= position;
        let mut found = inputs.iter().copied().find(forward);
        if let Statement::Mock(_) = statement {
            found = found.or_else(|| statement.mock_vars().into_iter().find(forward));
        }
        match found {
            Some(var) => Err(SequenceError::Forward { statement: position, var }),
            None => Ok(inputs),
        }
    }
}

impl Statement {
    fn mock_vars(&self) -> Vec<Var> {
        let Self::Mock(mock) = self else { return Vec::new() };
        let answers = mock.answers.iter().flat_map(|method| &method.answers);
        answers.filter_map(|answer| answer.var()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_built_in_order_is_sound() {
        let mut sequence = Sequence::default();
        let one = sequence.int(1);
        let list = sequence.operate(0, &[one]);
        sequence.array("Ljava/lang/Object;", &[list, list]);
        assert_eq!(sequence.check(), Ok(()));
        assert_eq!(sequence.body(), 3);
        sequence.observe_last(1);
        assert_eq!(sequence.body(), 2);
    }

    #[test]
    fn a_value_made_later_is_refused() {
        let mut sequence = Sequence::default();
        sequence.operate(0, &[Var(0)]);
        assert_eq!(sequence.check(), Err(SequenceError::Forward { statement: 0, var: Var(0) }));
    }

    #[test]
    fn inputs_that_do_not_fit_are_refused() {
        let sequence = Sequence { statements: vec![Statement::ArrayGet], ..Sequence::default() };
        assert_eq!(sequence.check(), Err(SequenceError::Inputs { expected: 2, found: 0 }));
    }

    #[test]
    fn a_mock_may_only_answer_with_what_exists() {
        let mut sequence = Sequence::default();
        let answers = vec![Answer::Argument(0), Answer::Value(Var(3))];
        sequence.mock(Mock {
            class: "java/util/function/Function".to_owned(),
            keep_bodies: true,
            answers: vec![MockAnswers { name: String::new(), descriptor: String::new(), answers }],
        });
        assert_eq!(sequence.check(), Err(SequenceError::Forward { statement: 0, var: Var(3) }));
    }
}
