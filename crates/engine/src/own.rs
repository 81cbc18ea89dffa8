//! Objects of a test's own in the place of those that all tests have in common.

use std::collections::BTreeMap;

use jurat_base::{FxHashMap, FxHashSet, Rng};
use jurat_model::{
    Action, Candidate, JavaType, OpId, OperationKind, Outcome, Sequence, SequenceBuilder, Subject, Value,
    Var, Visibility,
};

use crate::shared::is_replaceable;

/// How objects can be made of which tests have others in common: by each operation that gives a new one, a sequence.
#[derive(Debug)]
pub(crate) struct Makers {
    /// The operations that give what is common.
    common: FxHashSet<OpId>,
    by_type: BTreeMap<JavaType, BTreeMap<OpId, Maker>>,
}

#[derive(Debug)]
struct Maker {
    candidate: Candidate,
    /// Whether what it makes is new each time. A method may give what it gave before, and who asks for number zero may get
    /// the constant that all have in common.
    is_proven: bool,
}

/// A sequence that makes an object twice, to see whether it is the same.
#[derive(Debug)]
pub(crate) struct Proof {
    op: OpId,
    ty: JavaType,
    pub(crate) sequence: Sequence,
}

impl Makers {
    /// Those of a subject; none are known yet.
    pub(crate) fn of(subject: &Subject) -> Self {
        let all = subject.under_test().flat_map(|class| subject.operations_of(class));
        let common: FxHashSet<OpId> =
            all.copied().filter(|op| is_replaceable(subject, &subject[*op])).collect();
        let by_type = common.iter().map(|op| (subject[*op].result.clone(), BTreeMap::new())).collect();
        Self { common, by_type }
    }

    /// The objects that a sequence has in common with others.
    pub(crate) fn common_in(&self, sequence: &Sequence) -> Vec<OpId> {
        sequence.calls().map(|(_, op, _)| op).filter(|op| self.common.contains(op)).collect()
    }

    /// Takes note of the objects that a candidate made.
    pub(crate) fn note(&mut self, subject: &Subject, candidate: &Candidate, outcome: &Outcome) {
        if self.common.is_empty() {
            return;
        }
        for (at, op, _) in candidate.sequence.calls() {
            let kind = subject[op].kind;
            let makes = matches!(kind, OperationKind::Constructor | OperationKind::StaticMethod);
            let is_object = matches!(outcome.value(at), Some(Value::Object(_)));
            let Some(known) = self.by_type.get_mut(candidate.sequence.type_of(at)) else { continue };
            if !makes || !is_object || known.get(&op).is_some_and(|maker| maker.is_proven) {
                continue;
            }
            let sequence = candidate.sequence.making([at]);
            let is_private = |op: OpId| subject[op].visibility == Visibility::Private;
            let is_unfit = |op: OpId| self.common.contains(&op) || is_private(op);
            if !sequence.has_mocks() && !sequence.calls().any(|(_, op, _)| is_unfit(op)) {
                let candidate = Candidate { sequence, ..candidate.clone() };
                known.insert(op, Maker { candidate, is_proven: kind == OperationKind::Constructor });
            }
        }
    }

    /// What shows of those not yet proven whether they make something new.
    pub(crate) fn proofs(&self) -> Vec<Proof> {
        let all =
            self.by_type.iter().flat_map(|(ty, known)| known.iter().map(move |(op, maker)| (ty, op, maker)));
        let proof = |(ty, op, maker): (&JavaType, &OpId, &Maker)| {
            let mut builder = SequenceBuilder::after(&maker.candidate.sequence);
            builder.append(&maker.candidate.sequence);
            Proof { op: *op, ty: ty.clone(), sequence: builder.build() }
        };
        all.filter(|(.., maker)| !maker.is_proven).map(proof).collect()
    }

    /// Keeps who made something new twice, and forgets who did not: it may with other arguments.
    pub(crate) fn prove(&mut self, proof: &Proof, outcome: &Outcome) {
        let Some(known) = self.by_type.get_mut(&proof.ty) else { return };
        let value = proof.sequence.last().and_then(|last| outcome.value(last));
        let is_new = matches!(value, Some(Value::Object(object)) if object.same_as.is_none());
        if !is_new || outcome.is_unsafe {
            known.remove(&proof.op);
        } else if let Some(maker) = known.get_mut(&proof.op) {
            maker.is_proven = true;
        }
    }

    /// Candidates one after the other on objects of their own: each that they have in common with others is made in one
    /// of the ways known.
    pub(crate) fn own(&self, parts: &[&Candidate], rng: &mut Rng) -> Option<Candidate> {
        let mut bound = parts.iter().filter_map(|part| part.package.clone());
        let mut package = bound.next();
        if bound.any(|other| package.as_ref() != Some(&other)) {
            return None;
        }
        let mut builder = SequenceBuilder::default();
        let mut made: FxHashMap<OpId, Var> = FxHashMap::default();
        for part in parts {
            let mut moved: Vec<Var> = Vec::new();
            for statement in part.sequence.statements() {
                let common = match &statement.action {
                    Action::Call { instance, .. } => Some(instance.operation),
                    _ => None,
                };
                let var = match common.filter(|op| self.common.contains(op)) {
                    Some(op) if made.contains_key(&op) => made[&op],
                    Some(op) => {
                        let maker = self.maker(&statement.ty, package.as_ref(), rng)?;
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
        }
        let last = parts.last()?;
        Some(Candidate { sequence: builder.build(), package, technique: last.technique })
    }

    /// One that makes objects of a type.
    fn maker(
        &self,
        ty: &JavaType,
        package: Option<&std::sync::Arc<str>>,
        rng: &mut Rng,
    ) -> Option<&Candidate> {
        let fits = |maker: &&Maker| {
            let bound = maker.candidate.package.as_ref();
            maker.is_proven && (bound.is_none() || package.is_none() || bound == package)
        };
        let known: Vec<&Maker> = self.by_type.get(ty)?.values().filter(fits).collect();
        rng.pick(&known).map(|maker| &maker.candidate)
    }
}

#[cfg(test)]
mod tests {
    use jurat_base::Seed;
    use jurat_model::{Ending, ObjectValue, Technique};

    use super::*;

    const POINT: &str = "class Point { static final Point origin; mutable int x; static Point far();
                          static Point copy(Point other); int hash(); }";

    fn candidate(subject: &Subject, calls: &[(&str, Option<usize>)]) -> Candidate {
        let sequence = jurat_testkit::calls(subject, "Point", calls);
        Candidate { sequence, package: None, technique: Technique::Random }
    }

    fn calls(subject: &Subject, candidate: &Candidate) -> Vec<(String, Vec<usize>)> {
        let name = |op: OpId| subject[op].name.to_string();
        let inputs = |inputs: &[Var]| inputs.iter().map(|var| var.index()).collect();
        candidate.sequence.calls().map(|(_, op, vars)| (name(op), inputs(vars))).collect()
    }

    /// Each statement gives an object; the last may be an earlier one.
    fn objects(count: usize, same_as: Option<Var>) -> Outcome {
        let object = |same_as| {
            let object = ObjectValue {
                class: "Point".into(),
                fingerprint: None,
                same_as,
                is_mock: false,
                elements: None,
            };
            Ending::Returned(Value::Object(object))
        };
        let mut endings = vec![object(None); count - 1];
        endings.push(object(same_as));
        Outcome { endings, ..Outcome::default() }
    }

    #[test]
    fn what_all_tests_have_in_common_is_made_anew_once() {
        let subject = jurat_testkit::subject(POINT);
        let once = candidate(&subject, &[("origin", None), ("hash", Some(0))]);
        let mut makers = Makers::of(&subject);
        let mut rng = Seed(0).rng(0);
        assert_eq!(makers.own(&[&once, &once], &mut rng), None, "nothing is known yet");
        makers.note(
            &subject,
            &candidate(&subject, &[("origin", None), ("copy", Some(0))]),
            &objects(2, None),
        );
        assert!(makers.proofs().is_empty(), "what is made of a common object may be the same");
        makers.note(&subject, &candidate(&subject, &[("far", None)]), &objects(1, None));
        let proofs = makers.proofs();
        assert_eq!(makers.own(&[&once, &once], &mut rng), None, "nothing is proven");
        makers.prove(&proofs[0], &objects(2, None));
        let own = makers.own(&[&once, &once], &mut rng).expect("it is known");
        let hash = || ("hash".to_owned(), vec![0]);
        assert_eq!(calls(&subject, &own), [("far".to_owned(), vec![]), hash(), hash()]);
        assert_eq!(makers.common_in(&own.sequence), []);
    }

    #[test]
    fn who_gives_the_same_object_again_makes_none() {
        let subject = jurat_testkit::subject(POINT);
        let mut makers = Makers::of(&subject);
        makers.note(&subject, &candidate(&subject, &[("far", None)]), &objects(1, None));
        let proofs = makers.proofs();
        assert_eq!(proofs.iter().map(|proof| proof.sequence.len()).collect::<Vec<_>>(), [2]);
        makers.prove(&proofs[0], &objects(2, Some(Var::from_index(0))));
        let once = candidate(&subject, &[("origin", None), ("hash", Some(0))]);
        assert_eq!(makers.own(&[&once], &mut Seed(0).rng(0)), None);
        assert!(makers.proofs().is_empty());
    }

    #[test]
    fn constants_of_enums_have_no_others_in_their_place() {
        let subject =
            jurat_testkit::subject("enum Level { LOW; mutable int weight; static final Level usual; }");
        assert!(Makers::of(&subject).common.is_empty());
    }
}
