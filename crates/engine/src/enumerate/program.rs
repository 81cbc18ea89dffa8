//! Recipes as workers run them.

use std::collections::BTreeMap;

use jurat_emit::structures::{Recipe, Step, Term};
use jurat_model::Literal;
use jurat_protocol::{
    Literal as WireLiteral, Operation, OperationKind, Primitive, Sequence, Statement, Text, Var,
};

/// The operations that programs use, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) operations: Vec<Operation>,
    known: BTreeMap<Operation, u32>,
}

impl Table {
    /// The number of an operation.
    pub(super) fn number(&mut self, operation: Operation) -> u32 {
        if let Some(number) = self.known.get(&operation) {
            return *number;
        }
        let number = u32::try_from(self.operations.len()).expect("operations are few");
        self.operations.push(operation.clone());
        self.known.insert(operation, number);
        number
    }
}

/// A recipe under way to a worker.
#[derive(Debug)]
pub(super) struct Program<'t> {
    table: &'t mut Table,
    pub(super) sequence: Sequence,
    /// What each step of the recipe made.
    made: Vec<Var>,
}

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

impl<'t> Program<'t> {
    /// The statements that make a structure.
    pub(super) fn new(table: &'t mut Table, recipe: &Recipe) -> Self {
        let mut program = Self { table, sequence: Sequence::default(), made: Vec::new() };
        for step in &recipe.steps {
            let var = program.step(step);
            program.made.push(var);
        }
        program
    }

    /// Goes on with statements that were written before.
    pub(super) fn resume(table: &'t mut Table, sequence: Sequence) -> Self {
        Self { table, sequence, made: Vec::new() }
    }

    /// The value that a step made.
    pub(super) fn made(&self, step: usize) -> Var {
        self.made[step]
    }

    /// How many statements there are so far.
    pub(super) fn len(&self) -> usize {
        self.sequence.statements().len()
    }

    /// Calls a member.
    pub(super) fn operate(&mut self, kind: OperationKind, member: (&str, &str, &str), inputs: &[Var]) -> Var {
        let (class, name, descriptor) = member;
        let number = self.table.number(Operation::new(kind, class, name, descriptor));
        self.sequence.operate(number, inputs)
    }

    fn step(&mut self, step: &Step) -> Var {
        match step {
            Step::New { class, descriptor, args } => {
                let inputs = self.args(descriptor, args);
                self.operate(OperationKind::Constructor, (class, "<init>", descriptor), &inputs)
            }
            Step::Allocate { class } => {
                let descriptor = format!("L{UNSAFE};");
                let maker = self.operate(OperationKind::GetStatic, (UNSAFE, "theUnsafe", &descriptor), &[]);
                let class = self.sequence.literal(WireLiteral::Class(format!("L{class};")));
                let descriptor = "(Ljava/lang/Class;)Ljava/lang/Object;";
                self.operate(
                    OperationKind::Virtual,
                    (UNSAFE, "allocateInstance", descriptor),
                    &[maker, class],
                )
            }
            Step::Array { element, elements } => {
                let inputs: Vec<Var> = elements.iter().map(|value| self.term(value, element)).collect();
                self.sequence.array(element, &inputs)
            }
            Step::Call { class, name, descriptor, receiver, args } => {
                let mut inputs = vec![self.made[*receiver]];
                inputs.extend(self.args(descriptor, args));
                self.operate(OperationKind::Virtual, (class, name, descriptor), &inputs)
            }
            Step::Set { object, class, field, descriptor, value } => {
                let inputs = [self.made[*object], self.term(value, descriptor)];
                self.operate(OperationKind::SetField, (class, field, descriptor), &inputs)
            }
            Step::Store { array, index, value } => {
                let index = self.sequence.int(i32::try_from(*index).unwrap_or(i32::MAX));
                let value = self.term(value, "Ljava/lang/Object;");
                self.sequence.push(Statement::ArraySet, &[self.made[*array], index, value])
            }
        }
    }

    /// Arguments for parameters of these types.
    pub(super) fn args(&mut self, descriptor: &str, args: &[Term]) -> Vec<Var> {
        let types = parameters(descriptor);
        args.iter().zip(&types).map(|(value, ty)| self.term(value, ty)).collect()
    }

    /// A value for a place of this type, boxed where the type is a reference.
    pub(super) fn term(&mut self, value: &Term, wanted: &str) -> Var {
        match value {
            Term::Null => self.sequence.literal(WireLiteral::Null),
            Term::Made(step) => self.made[*step],
            Term::Fresh => {
                self.operate(OperationKind::Constructor, ("java/lang/Object", "<init>", "()V"), &[])
            }
            Term::Array(element, elements) => {
                let inputs: Vec<Var> = elements.iter().map(|value| self.term(value, element)).collect();
                self.sequence.array(element, &inputs)
            }
            Term::Constant(class, name) => {
                self.operate(OperationKind::GetStatic, (class, name, &format!("L{class};")), &[])
            }
            Term::Literal(literal) => self.literal(literal, wanted),
        }
    }

    fn literal(&mut self, literal: &Literal, wanted: &str) -> Var {
        let (primitive, boxed) = match literal {
            Literal::Boolean(value) => (Primitive::Boolean(*value), "java/lang/Boolean"),
            Literal::Byte(value) => (Primitive::Byte(*value), "java/lang/Byte"),
            Literal::Short(value) => (Primitive::Short(*value), "java/lang/Short"),
            Literal::Char(value) => (Primitive::Char(*value), "java/lang/Character"),
            Literal::Int(value) => (Primitive::Int(*value), "java/lang/Integer"),
            Literal::Long(value) => (Primitive::Long(*value), "java/lang/Long"),
            Literal::Float(bits) => (Primitive::Float(*bits), "java/lang/Float"),
            Literal::Double(bits) => (Primitive::Double(*bits), "java/lang/Double"),
            Literal::String(text) => {
                return self.sequence.literal(WireLiteral::String(Text::from_units(text.units())));
            }
            Literal::Null | Literal::Class(_) => return self.sequence.literal(WireLiteral::Null),
        };
        let plain = self.sequence.literal(WireLiteral::Primitive(primitive));
        if !wanted.starts_with(['L', '[']) {
            return plain;
        }
        let descriptor = format!("({})L{boxed};", primitive.descriptor());
        self.operate(OperationKind::Static, (boxed, "valueOf", &descriptor), &[plain])
    }
}

/// The descriptors of a method's parameters.
pub(super) fn parameters(descriptor: &str) -> Vec<String> {
    let inside =
        descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or("", |(inside, _)| inside);
    let mut found = Vec::new();
    let mut rest = inside;
    while !rest.is_empty() {
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let end = if rest[dimensions..].starts_with('L') {
            rest.find(';').map_or(rest.len(), |at| at + 1)
        } else {
            (dimensions + 1).min(rest.len())
        };
        found.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_cut_into_its_parameters() {
        assert_eq!(
            parameters("(I[[Ljava/lang/String;J[ZLa/B;)V"),
            ["I", "[[Ljava/lang/String;", "J", "[Z", "La/B;"]
        );
        assert!(parameters("()V").is_empty());
    }
}
