//! Objects of a test's own in the place of those that all tests have in common.

use std::collections::BTreeMap;

use jurat_base::{FxHashMap, FxHashSet, Rng};
use jurat_model::{
    Action, Candidate, JavaType, Literal, OpId, OperationKind, Outcome, Sequence, SequenceBuilder, Subject,
    Value, Var,
};

use crate::shared::is_common;

/// How the objects can be made that tests have in common otherwise: the latest sequence seen for each operation that
/// gives one.
#[derive(Debug)]
pub(crate) struct Makers {
    /// The operations that give what is common.
    common: FxHashSet<OpId>,
    by_type: FxHashMap<JavaType, BTreeMap<OpId, Candidate>>,
}

impl Makers {
    /// Those of a subject; none are known yet.
    pub(crate) fn of(subject: &Subject) -> Self {
        let own = subject.under_test().flat_map(|class| subject.operations_of(class));
        let common: Vec<OpId> = own.copied().filter(|op| is_common(subject, &subject[*op])).collect();
        let by_type = common.iter().map(|op| (subject[*op].result.clone(), BTreeMap::new())).collect();
        Self { common: common.into_iter().collect(), by_type }
    }

    /// Takes note of the objects that a candidate made.
    pub(crate) fn note(&mut self, subject: &Subject, candidate: &Candidate, outcome: &Outcome) {
        if self.by_type.is_empty() || candidate.sequence.has_mocks() {
            return;
        }
        for (at, op, _) in candidate.sequence.calls() {
            let makes = matches!(subject[op].kind, OperationKind::Constructor | OperationKind::StaticMethod);
            let value = outcome.value(at).filter(|value| **value != Value::Literal(Literal::Null));
            let Some(known) = self.by_type.get_mut(candidate.sequence.type_of(at)) else { continue };
            if makes
                && value.is_some()
                && let Some(sequence) = maker(&candidate.sequence, at)
                && !sequence.calls().any(|(_, op, _)| self.common.contains(&op))
            {
                known.insert(op, Candidate { sequence, ..candidate.clone() });
            }
        }
    }

    /// A candidate on objects of its own: each that it has in common with others is made in one of the ways known.
    pub(crate) fn own(&self, candidate: &Candidate, rng: &mut Rng) -> Option<Candidate> {
        let is_common = |op: &OpId| self.common.contains(op);
        if !candidate.sequence.calls().any(|(_, op, _)| is_common(&op)) {
            return None;
        }
        let mut package = candidate.package.clone();
        let mut builder = SequenceBuilder::default();
        let mut moved: Vec<Var> = Vec::new();
        let mut made: FxHashMap<OpId, Var> = FxHashMap::default();
        for statement in candidate.sequence.statements() {
            let common = match &statement.action {
                Action::Call { instance, .. } => Some(instance.operation).filter(is_common),
                _ => None,
            };
            let var = match common {
                Some(op) if made.contains_key(&op) => made[&op],
                Some(op) => {
                    let fits = |maker: &&Candidate| {
                        maker.package.is_none() || package.is_none() || maker.package == package
                    };
                    let known: Vec<&Candidate> =
                        self.by_type.get(&statement.ty)?.values().filter(fits).collect();
                    let maker = rng.pick(&known)?;
                    package = package.or_else(|| maker.package.clone());
                    let shift = builder.append(&maker.sequence);
                    let var = Var::from_index(maker.sequence.last()?.index() + shift);
                    made.insert(op, var);
                    var
                }
                None => {
                    let rename = |var: Var| moved[var.index()];
                    builder.push(statement.action.renamed(rename), statement.ty.clone())
                }
            };
            moved.push(var);
        }
        Some(Candidate { sequence: builder.build(), package, ..candidate.clone() })
    }
}

/// What makes a value, and nothing behind it.
fn maker(sequence: &Sequence, at: Var) -> Option<Sequence> {
    let needed = sequence.needed_for([at]);
    sequence.retaining(|var| needed[var.index()])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jurat_base::Seed;
    use jurat_model::{Ending, Technique};

    use super::*;

    fn candidate(subject: &Subject, calls: &[(&str, Option<usize>)]) -> Candidate {
        let mut builder = SequenceBuilder::default();
        for (name, on) in calls {
            let operation = jurat_testkit::operation(subject, "Point", name);
            let instance = Arc::new(subject.erased(operation, None).expect("it is plain"));
            let ty = instance.result.clone();
            let inputs = on.map(Var::from_index).into_iter().collect();
            builder.push(Action::Call { instance, inputs }, ty);
        }
        Candidate { sequence: builder.build(), package: None, technique: Technique::Random }
    }

    fn calls(subject: &Subject, candidate: &Candidate) -> Vec<(String, Vec<usize>)> {
        let name = |op: OpId| subject[op].name.to_string();
        let inputs = |inputs: &[Var]| inputs.iter().map(|var| var.index()).collect();
        candidate.sequence.calls().map(|(_, op, vars)| (name(op), inputs(vars))).collect()
    }

    #[test]
    fn what_all_tests_have_in_common_is_made_anew_once() {
        let subject = jurat_testkit::subject(
            "class Point { static final Point origin; mutable int x; static Point far(); int hash(); }",
        );
        let twice =
            candidate(&subject, &[("origin", None), ("hash", Some(0)), ("origin", None), ("hash", Some(2))]);
        let mut makers = Makers::of(&subject);
        let mut rng = Seed(0).rng(0);
        assert_eq!(makers.own(&twice, &mut rng), None, "nothing is known yet");
        let returns = Outcome { endings: vec![Ending::Returned(Value::Void); 2], ..Outcome::default() };
        makers.note(&subject, &candidate(&subject, &[("origin", None), ("hash", Some(0))]), &returns);
        assert_eq!(makers.own(&twice, &mut rng), None, "it is as common");
        makers.note(&subject, &candidate(&subject, &[("far", None), ("hash", Some(0))]), &returns);
        let own = makers.own(&twice, &mut rng).expect("it is known");
        let hash = || ("hash".to_owned(), vec![0]);
        assert_eq!(calls(&subject, &own), [("far".to_owned(), vec![]), hash(), hash()]);
        assert_eq!(makers.own(&own, &mut rng), None, "there is nothing left to do");
    }
}
