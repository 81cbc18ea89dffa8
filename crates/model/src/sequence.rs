//! Sequences: straight-line programs over operations, as structure and never as results.
//!
//! A sequence is a list of statements; the value a statement makes is named by its position, so two
//! sequences that differ only in the names of their variables are equal.

use std::sync::Arc;

use crate::constant::JavaString;
use crate::instance::Instance;
use crate::operation::OpId;
use crate::types::JavaType;

jurat_base::typed_id! {
    /// The value one statement made: the statement's position in its sequence.
    pub Var
}

/// A literal of the Java language. Floating-point values are kept as bits, so that literals can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A byte.
    Byte(i8),
    /// A short.
    Short(i16),
    /// A UTF-16 unit.
    Char(u16),
    /// An int.
    Int(i32),
    /// A long.
    Long(i64),
    /// The bits of a float.
    Float(u32),
    /// The bits of a double.
    Double(u64),
    /// A string.
    String(JavaString),
    /// A class literal, as an erased type.
    Class(JavaType),
}

/// What a lambda does with its arguments: as little as possible, the same every time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LambdaBody {
    /// Does nothing, or gives this value.
    Gives(Option<Var>),
    /// Gives its argument at this position.
    Echoes(u8),
}

/// One planned answer of a mock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer {
    /// The method that is asked.
    pub op: OpId,
    /// What it gives the first time, the second time, …; the last one from then on.
    pub values: Vec<Var>,
}

/// What one statement does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Makes a literal.
    Literal(Literal),
    /// Applies an operation to its receiver, if it has one, and its arguments.
    Call {
        /// The operation, with its types chosen.
        instance: Arc<Instance>,
        /// Receiver first, then the arguments.
        inputs: Vec<Var>,
    },
    /// Makes an array with these elements.
    Array {
        /// Its elements in order.
        elements: Vec<Var>,
    },
    /// Sees a value at a narrower type.
    Cast {
        /// The value.
        value: Var,
    },
    /// Makes a lambda.
    Lambda(LambdaBody),
    /// Makes a stand-in for an interface or abstract class.
    Mock {
        /// What it answers.
        answers: Vec<Answer>,
    },
}

impl Action {
    /// The values it uses, in order.
    pub fn inputs(&self) -> impl Iterator<Item = Var> + '_ {
        let (list, single): (&[Var], Option<Var>) = match self {
            Self::Literal(_) | Self::Lambda(LambdaBody::Echoes(_)) | Self::Mock { .. } => (&[], None),
            Self::Call { inputs, .. } => (inputs, None),
            Self::Array { elements } => (elements, None),
            Self::Cast { value } => (&[], Some(*value)),
            Self::Lambda(LambdaBody::Gives(value)) => (&[], *value),
        };
        let answers: &[Answer] = if let Self::Mock { answers } = self { answers } else { &[] };
        let answered = answers.iter().flat_map(|answer| answer.values.iter().copied());
        list.iter().copied().chain(single).chain(answered)
    }

    /// The same action on other values.
    #[must_use]
    pub fn renamed(&self, rename: impl Fn(Var) -> Var) -> Self {
        let all = |vars: &[Var]| vars.iter().map(|var| rename(*var)).collect();
        match self {
            Self::Literal(_) | Self::Lambda(LambdaBody::Echoes(_)) => self.clone(),
            Self::Call { instance, inputs } => Self::Call { instance: instance.clone(), inputs: all(inputs) },
            Self::Array { elements } => Self::Array { elements: all(elements) },
            Self::Cast { value } => Self::Cast { value: rename(*value) },
            Self::Lambda(LambdaBody::Gives(value)) => Self::Lambda(LambdaBody::Gives(value.map(rename))),
            Self::Mock { answers } => Self::Mock {
                answers: answers
                    .iter()
                    .map(|answer| Answer { op: answer.op, values: all(&answer.values) })
                    .collect(),
            },
        }
    }
}

/// One step of a sequence: an action and the static type of the value it makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// What is done.
    pub action: Action,
    /// The ground type of what comes of it; `void` if nothing does.
    pub ty: JavaType,
}

/// An immutable list of statements; each uses only values made before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sequence {
    statements: Arc<Vec<Statement>>,
}

impl Sequence {
    /// The sequence of these statements, or none if one uses a value that is not made before it.
    pub fn new(statements: Vec<Statement>) -> Option<Self> {
        let ordered = statements
            .iter()
            .enumerate()
            .all(|(position, statement)| statement.action.inputs().all(|var| var.index() < position));
        ordered.then(|| Self { statements: Arc::new(statements) })
    }

    /// The statements in order.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// How many statements it has.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// True without statements.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The statement that makes a value.
    pub fn statement(&self, var: Var) -> &Statement {
        &self.statements[var.index()]
    }

    /// The static type of a value.
    pub fn type_of(&self, var: Var) -> &JavaType {
        &self.statement(var).ty
    }

    /// The value of the last statement.
    pub fn last(&self) -> Option<Var> {
        self.len().checked_sub(1).map(Var::from_index)
    }

    /// All values in order.
    pub fn vars(&self) -> impl DoubleEndedIterator<Item = Var> + ExactSizeIterator + use<> {
        (0..self.len()).map(Var::from_index)
    }

    /// The calls, with their position.
    pub fn calls(&self) -> impl Iterator<Item = (Var, OpId, &[Var])> {
        self.vars().zip(self.statements.iter()).filter_map(|(var, statement)| match &statement.action {
            Action::Call { instance, inputs } => Some((var, instance.operation, inputs.as_slice())),
            _ => None,
        })
    }

    /// True if something in it is a mock.
    pub fn has_mocks(&self) -> bool {
        self.statements.iter().any(|statement| matches!(statement.action, Action::Mock { .. }))
    }

    /// True if a value is a mock, seen at whatever type.
    pub fn is_mock(&self, var: Var) -> bool {
        match &self.statement(var).action {
            Action::Mock { .. } => true,
            Action::Cast { value } => self.is_mock(*value),
            _ => false,
        }
    }

    /// The first `length` statements.
    #[must_use]
    pub fn prefix(&self, length: usize) -> Self {
        if length >= self.len() {
            return self.clone();
        }
        Self { statements: Arc::new(self.statements[..length].to_vec()) }
    }

    /// Keeps the statements for which `keep` is true; none if one of them uses a value that is not kept.
    pub fn retaining(&self, keep: impl Fn(Var) -> bool) -> Option<Self> {
        let mut renumbered = vec![None; self.len()];
        let mut kept = Vec::new();
        for (var, statement) in self.vars().zip(self.statements.iter()) {
            if !keep(var) {
                continue;
            }
            if statement.action.inputs().any(|input| renumbered[input.index()].is_none()) {
                return None;
            }
            let rename = |input: Var| renumbered[input.index()].unwrap_or(input);
            kept.push(Statement { action: statement.action.renamed(rename), ty: statement.ty.clone() });
            renumbered[var.index()] = Some(Var::from_index(kept.len() - 1));
        }
        Some(Self { statements: Arc::new(kept) })
    }

    /// The sequence with nothing but what these values are computed from, themselves included.
    #[must_use]
    pub fn making(&self, vars: impl IntoIterator<Item = Var>) -> Self {
        let needed = self.needed_for(vars);
        self.retaining(|var| needed[var.index()]).expect("what is needed is there with its inputs")
    }

    /// The values that `var` is computed from, itself included: marks by position.
    pub fn needed_for(&self, vars: impl IntoIterator<Item = Var>) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        for var in vars {
            needed[var.index()] = true;
        }
        for position in (0..self.len()).rev() {
            if needed[position] {
                for input in self.statements[position].action.inputs() {
                    needed[input.index()] = true;
                }
            }
        }
        needed
    }
}

/// Builds a sequence statement by statement, taking over whole sequences as prefixes.
#[derive(Clone, Debug, Default)]
pub struct SequenceBuilder {
    statements: Vec<Statement>,
}

impl SequenceBuilder {
    /// Goes on where `sequence` ends.
    pub fn after(sequence: &Sequence) -> Self {
        Self { statements: sequence.statements().to_vec() }
    }

    /// Appends a statement; its inputs must have been made before.
    pub fn push(&mut self, action: Action, ty: JavaType) -> Var {
        debug_assert!(action.inputs().all(|var| var.index() < self.statements.len()), "inputs come first");
        self.statements.push(Statement { action, ty });
        Var::from_index(self.statements.len() - 1)
    }

    /// Appends a whole sequence and says by how much its values moved.
    pub fn append(&mut self, sequence: &Sequence) -> usize {
        let shift = self.statements.len();
        let moved = |var: Var| Var::from_index(var.index() + shift);
        self.statements.extend(sequence.statements().iter().map(|statement| Statement {
            action: statement.action.renamed(moved),
            ty: statement.ty.clone(),
        }));
        shift
    }

    /// How many statements there are so far.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// True without statements.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The static type of a value made so far.
    pub fn type_of(&self, var: Var) -> &JavaType {
        &self.statements[var.index()].ty
    }

    /// True if a value is the literal `null`.
    pub fn is_null(&self, var: Var) -> bool {
        self.statements[var.index()].action == Action::Literal(Literal::Null)
    }

    /// The values made so far.
    pub fn vars(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.statements.len()).map(Var::from_index)
    }

    /// The finished sequence.
    pub fn build(self) -> Sequence {
        Sequence { statements: Arc::new(self.statements) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i32) -> Action {
        Action::Literal(Literal::Int(value))
    }

    fn call(op: u32, inputs: &[u32]) -> Action {
        let instance = Instance {
            operation: OpId(op),
            receiver: None,
            params: vec![JavaType::INT; inputs.len()],
            result: JavaType::INT,
            throws: Vec::new(),
            chosen: crate::Substitution::default(),
        };
        Action::Call { instance: Arc::new(instance), inputs: inputs.iter().copied().map(Var).collect() }
    }

    fn sequence(actions: &[Action]) -> Sequence {
        let statements =
            actions.iter().map(|action| Statement { action: action.clone(), ty: JavaType::INT }).collect();
        Sequence::new(statements).expect("inputs come first")
    }

    #[test]
    fn a_value_must_be_made_before_it_is_used() {
        let late = vec![Statement { action: call(0, &[0]), ty: JavaType::INT }];
        assert_eq!(Sequence::new(late), None);
    }

    #[test]
    fn dropping_a_statement_renumbers_the_rest() {
        let whole = sequence(&[int(1), int(2), call(7, &[1])]);
        assert_eq!(whole.retaining(|var| var != Var(0)), Some(sequence(&[int(2), call(7, &[0])])));
        assert_eq!(whole.retaining(|var| var != Var(1)), None);
    }

    #[test]
    fn appending_moves_the_values_of_the_second_part() {
        let mut builder = SequenceBuilder::after(&sequence(&[int(1), call(1, &[0])]));
        assert_eq!(builder.append(&sequence(&[int(2), call(2, &[0])])), 2);
        assert_eq!(builder.build(), sequence(&[int(1), call(1, &[0]), int(2), call(2, &[2])]));
    }

    #[test]
    fn what_a_value_needs_is_followed_to_the_start() {
        let whole = sequence(&[int(1), int(2), call(1, &[0]), call(2, &[2])]);
        assert_eq!(whole.needed_for([Var(3)]), [true, false, true, true]);
    }
}
