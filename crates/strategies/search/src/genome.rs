//! A sequence as it is varied: statements with their inputs, in the package its code would be in.

use jurat_protocol::{Answer, Sequence, Statement, Var};

/// A statement and the values it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gene {
    /// What is done.
    pub statement: Statement,
    /// Its inputs; the values that a mock answers with are named in the statement itself.
    pub inputs: Vec<Var>,
}

impl Gene {
    /// All values it uses.
    pub fn uses(&self) -> Vec<Var> {
        let mut uses = self.inputs.clone();
        if let Statement::Mock(mock) = &self.statement {
            let answers = mock.answers.iter().flat_map(|method| &method.answers);
            uses.extend(answers.filter_map(|answer| answer.var()));
        }
        uses
    }

    /// The same on other values; none if one of them has no other.
    pub fn renamed(&self, rename: impl Fn(Var) -> Option<Var>) -> Option<Self> {
        let inputs = self.inputs.iter().map(|input| rename(*input)).collect::<Option<_>>()?;
        let mut statement = self.statement.clone();
        if let Statement::Mock(mock) = &mut statement {
            for answer in mock.answers.iter_mut().flat_map(|method| &mut method.answers) {
                *answer = match *answer {
                    Answer::Value(var) => Answer::Value(rename(var)?),
                    Answer::Throw(var) => Answer::Throw(rename(var)?),
                    argument @ Answer::Argument(_) => argument,
                };
            }
        }
        Some(Self { statement, inputs })
    }

    /// A mock on other values, without the answers whose values have no other: it gets new ones once it is asked. None
    /// for lambdas, which need theirs.
    pub(crate) fn forgetting(&self, rename: impl Fn(Var) -> Option<Var>) -> Option<Self> {
        let mut gene = self.clone();
        let Statement::Mock(mock) = &mut gene.statement else { return None };
        if mock.keep_bodies {
            return None;
        }
        for method in &mut mock.answers {
            let kept = method.answers.iter().filter_map(|answer| match *answer {
                Answer::Value(var) => rename(var).map(Answer::Value),
                Answer::Throw(var) => rename(var).map(Answer::Throw),
                argument @ Answer::Argument(_) => Some(argument),
            });
            method.answers = kept.collect();
        }
        mock.answers.retain(|method| !method.answers.is_empty());
        Some(gene)
    }

    /// True if it only makes a value: without a use it does nothing.
    fn is_passive(&self) -> bool {
        !matches!(self.statement, Statement::Operate { .. } | Statement::ArraySet)
    }
}

/// A sequence to be varied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Genome {
    /// The number of the package from which it calls.
    pub package: u32,
    genes: Vec<Gene>,
}

impl Genome {
    /// Nothing yet.
    pub fn new(package: u32) -> Self {
        Self { package, genes: Vec::new() }
    }

    /// A sequence as it came from elsewhere.
    pub fn from_sequence(package: u32, sequence: &Sequence) -> Self {
        let mut inputs = sequence.inputs().iter().copied();
        let genes = sequence.statements()[..sequence.body()].iter().map(|statement| Gene {
            statement: statement.clone(),
            inputs: inputs.by_ref().take(statement.input_count()).collect(),
        });
        Self { package, genes: genes.collect() }
    }

    /// What a worker runs.
    pub fn to_sequence(&self) -> Sequence {
        let mut sequence = Sequence::default();
        for gene in &self.genes {
            sequence.push(gene.statement.clone(), &gene.inputs);
        }
        sequence
    }

    /// The statements in order.
    pub fn genes(&self) -> &[Gene] {
        &self.genes
    }

    /// A statement, to be changed in place; what it uses must be made before it.
    pub fn gene_mut(&mut self, at: usize) -> Option<&mut Gene> {
        self.genes.get_mut(at)
    }

    /// How many statements there are.
    pub fn len(&self) -> usize {
        self.genes.len()
    }

    /// True without statements.
    pub fn is_empty(&self) -> bool {
        self.genes.is_empty()
    }

    /// The first statements.
    #[must_use]
    pub fn prefix(&self, length: usize) -> Self {
        Self { package: self.package, genes: self.genes[..length.min(self.len())].to_vec() }
    }

    /// Appends a statement.
    pub fn push(&mut self, statement: Statement, inputs: &[Var]) -> Var {
        self.push_gene(Gene { statement, inputs: inputs.to_vec() })
    }

    pub(crate) fn push_gene(&mut self, gene: Gene) -> Var {
        debug_assert!(gene.uses().iter().all(|var| (var.0 as usize) < self.genes.len()), "inputs come first");
        self.genes.push(gene);
        Var(u32::try_from(self.genes.len() - 1).expect("genomes are short"))
    }

    /// Marks what these statements are made of, themselves included.
    pub(crate) fn needed_for(&self, wanted: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut needed: Vec<bool> = (0..self.len()).map(wanted).collect();
        for at in (0..self.len()).rev() {
            if needed[at] {
                for var in self.genes[at].uses() {
                    needed[var.0 as usize] = true;
                }
            }
        }
        needed
    }

    /// Without values that nothing uses.
    #[must_use]
    pub(crate) fn compact(&self) -> Self {
        let needed = self.needed_for(|at| !self.genes[at].is_passive());
        let mut renamed: Vec<Option<Var>> = vec![None; self.len()];
        let mut kept = Self::new(self.package);
        for (at, gene) in self.genes.iter().enumerate().filter(|(at, _)| needed[*at]) {
            let moved = gene.renamed(|var| renamed[var.0 as usize]);
            renamed[at] = moved.map(|gene| kept.push_gene(gene));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use jurat_protocol::{Mock, MockAnswers};

    use super::*;

    fn sequence() -> Sequence {
        let mut sequence = Sequence::default();
        let unused = sequence.int(1);
        let two = sequence.int(2);
        let answers = vec![Answer::Value(two)];
        let answers = vec![MockAnswers { name: String::new(), descriptor: String::new(), answers }];
        let mock = sequence.mock(Mock { class: "a/F".to_owned(), keep_bodies: true, answers });
        sequence.operate(7, &[mock]);
        sequence.array("I", &[unused]);
        sequence
    }

    #[test]
    fn a_sequence_survives_being_a_genome() {
        assert_eq!(Genome::from_sequence(0, &sequence()).to_sequence(), sequence());
    }

    #[test]
    fn a_mock_forgets_answers_that_are_gone_and_a_lambda_cannot() {
        let answers = vec![Answer::Value(Var(0)), Answer::Value(Var(1))];
        let answers = vec![MockAnswers { name: "f".to_owned(), descriptor: "()I".to_owned(), answers }];
        let gene = |keep_bodies| {
            let mock = Mock { class: "a/F".to_owned(), keep_bodies, answers: answers.clone() };
            Gene { statement: Statement::Mock(Box::new(mock)), inputs: Vec::new() }
        };
        let first_is_gone = |var: Var| var.0.checked_sub(1).map(Var);
        assert_eq!(gene(false).forgetting(first_is_gone).map(|gene| gene.uses()), Some(vec![Var(0)]));
        assert_eq!(gene(true).forgetting(first_is_gone), None);
    }

    #[test]
    fn what_nothing_uses_goes_and_answers_of_mocks_are_uses() {
        let compact = Genome::from_sequence(0, &sequence()).compact();
        assert_eq!(compact.len(), 3);
        assert_eq!(compact.genes()[1].uses(), [Var(0)]);
        assert_eq!(compact.to_sequence().check(), Ok(()));
    }
}
