//! Looks for tests that have their objects for themselves, where those known use what all tests have in common.

use jurat_base::{FxHashSet, Rng};
use jurat_model::Candidate;

use super::Explorer;
use crate::archive::Goal;
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// How often it is tried for a goal.
const TRIES: u32 = 4;
/// For how many sequences in a round.
const MOST: usize = 32;
/// How many others go before a sequence, one at a time: they may be why it reaches what it does.
const OTHERS: usize = 3;
/// The most statements of what is tried.
const LENGTH: usize = 40;

impl Explorer<'_> {
    /// Runs what was found with objects in common again with objects of its own.
    pub(super) fn make_own(&mut self, runner: &mut dyn Runner) -> Result<(), RunError> {
        if self.archive.unowned().is_empty() {
            return Ok(());
        }
        self.prove_makers(runner)?;
        let (goals, variants) = self.variants();
        for goal in goals {
            *self.owned.entry(goal).or_default() += 1;
        }
        self.keep_agreed(&variants, runner)?;
        Ok(())
    }

    /// Asks of those that make objects whether they make new ones.
    fn prove_makers(&mut self, runner: &mut dyn Runner) -> Result<(), RunError> {
        let proofs = self.archive.makers.proofs();
        if proofs.is_empty() {
            return Ok(());
        }
        let jobs: Vec<Job> = proofs.iter().map(|proof| proof.sequence.clone().into()).collect();
        for (proof, outcome) in proofs.iter().zip(&runner.run(&jobs, Mode::Explore)?) {
            self.archive.makers.prove(proof, outcome);
        }
        Ok(())
    }

    /// What may reach goals with objects of its own, and these goals.
    fn variants(&self) -> (Vec<Goal>, Vec<Candidate>) {
        let mut rng = self.seed.derive("own").rng(u64::from(self.round));
        let mut seen = FxHashSet::default();
        let is_wanted = |goal: &&Goal| self.owned.get(goal).is_none_or(|tries| *tries < TRIES);
        let unowned = self.archive.unowned().into_iter();
        let open = unowned.filter(|(_, goals)| goals.iter().any(is_wanted));
        let tried = open.filter_map(|(candidate, goals)| {
            let own = self.variants_of(candidate, &mut rng).into_iter();
            let own: Vec<Candidate> = own.filter(|own| seen.insert(own.clone())).collect();
            (!own.is_empty()).then(|| (goals.into_iter().cloned().collect(), own))
        });
        let (goals, variants): (Vec<Vec<Goal>>, Vec<Vec<Candidate>>) = tried.take(MOST).unzip();
        (goals.concat(), variants.concat())
    }

    /// A sequence with objects of its own: the same, twice the same, the same after others.
    fn variants_of(&self, candidate: &Candidate, rng: &mut Rng) -> Vec<Candidate> {
        let makers = &self.archive.makers;
        let others = self.archive.users(&makers.common_in(&candidate.sequence));
        let drawn: Vec<&Candidate> = (0..OTHERS).filter_map(|_| rng.pick(&others).copied()).collect();
        let before = drawn.into_iter().map(|other| vec![other, candidate]);
        let all = [vec![candidate], vec![candidate, candidate]].into_iter().chain(before);
        let fits = |own: &Candidate| own.sequence.len() <= LENGTH && !self.is_risky(own);
        all.filter_map(|parts| makers.own(&parts, rng)).filter(fits).collect()
    }
}

#[cfg(test)]
mod tests {
    use jurat_base::{FxHashMap, Seed};
    use jurat_model::{
        Ending, ObjectValue, OpId, Outcome, ProbeId, Sequence, Subject, Technique, Value, Var,
    };

    use super::*;
    use crate::coverage::ProbeTable;

    /// Points of which `hash` reaches probe 1, and probe 2 when it was called before, as it always was on the constant.
    struct Points {
        origin: OpId,
        hash: OpId,
    }

    impl Points {
        fn outcome(&self, sequence: &Sequence) -> Outcome {
            let mut hashed: FxHashMap<Var, bool> = FxHashMap::default();
            let mut hits = Vec::new();
            for (at, op, inputs) in sequence.calls() {
                hashed.insert(at, op == self.origin);
                if op == self.hash {
                    hits.push(ProbeId(1));
                    hits.extend(hashed.insert(inputs[0], true).filter(|was| *was).map(|_| ProbeId(2)));
                }
            }
            hits.sort_unstable();
            hits.dedup();
            let object = ObjectValue {
                class: "Point".into(),
                fingerprint: None,
                same_as: None,
                is_mock: false,
                elements: None,
            };
            let endings = vec![Ending::Returned(Value::Object(object)); sequence.len()];
            Outcome { endings, hits, ..Outcome::default() }
        }
    }

    impl Runner for Points {
        fn run(&mut self, jobs: &[Job], _: Mode) -> Result<Vec<Outcome>, RunError> {
            Ok(jobs.iter().map(|job| self.outcome(&job.sequence)).collect())
        }
    }

    fn alone(sequence: Sequence) -> Candidate {
        Candidate { sequence, package: None, technique: Technique::Random }
    }

    const POINT: &str =
        "class Point { static final Point origin; mutable int x; static Point far(); int hash(); }";

    /// `hash` on the constant, with what the runner says of it and more, and a maker of points are in the archive.
    fn explorer<'a>(
        subject: &'a Subject,
        probes: &'a ProbeTable,
        points: &Points,
        more: &[ProbeId],
    ) -> Explorer<'a> {
        let mut explorer = Explorer::new(subject, probes, Seed(1), true);
        for calls in [&[("origin", None), ("hash", Some(0))][..], &[("far", None)]] {
            let candidate = alone(jurat_testkit::calls(subject, "Point", calls));
            let mut outcome = points.outcome(&candidate.sequence);
            outcome.hits.extend(more.iter().filter(|_| calls.len() > 1));
            explorer.archive.consider(&candidate, &outcome);
        }
        explorer
    }

    fn points(subject: &Subject) -> Points {
        let op = |name: &str| jurat_testkit::operation(subject, "Point", name);
        Points { origin: op("origin"), hash: op("hash") }
    }

    #[test]
    fn what_others_did_to_a_constant_is_done_to_an_object_of_its_own() {
        let (subject, probes) = (jurat_testkit::subject(POINT), ProbeTable::default());
        let mut points = points(&subject);
        let mut explorer = explorer(&subject, &probes, &points, &[]);
        assert_eq!(explorer.archive.unowned().len(), 1);
        explorer.make_own(&mut points).expect("it does not fail");
        assert_eq!(explorer.archive.unowned(), []);
        let shape = |candidate: &Candidate| {
            let ops: Vec<OpId> = candidate.sequence.calls().map(|(_, called, _)| called).collect();
            (ops.contains(&points.origin), ops.iter().filter(|called| **called == points.hash).count())
        };
        let drafts = explorer.archive.into_drafts();
        let second = Goal::Probe(ProbeId(2));
        let of_second = drafts.iter().filter(|(_, goals)| goals.contains(&second));
        let shapes: Vec<_> = of_second.map(|(candidate, _)| shape(candidate)).collect();
        assert_eq!(shapes, [(true, 1), (false, 2)]);
    }

    #[test]
    fn what_nothing_of_its_own_reaches_is_tried_a_few_times() {
        let (subject, probes) = (jurat_testkit::subject(POINT), ProbeTable::default());
        let mut points = points(&subject);
        let mut explorer = explorer(&subject, &probes, &points, &[ProbeId(9)]);
        for _ in 0..TRIES {
            explorer.make_own(&mut points).expect("it does not fail");
            assert_eq!(explorer.archive.unowned().len(), 1);
        }
        assert!(explorer.owned.values().any(|tries| *tries == TRIES));
        assert_eq!(explorer.variants().1, []);
    }
}
