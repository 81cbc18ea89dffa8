//! Extends sequences that behaved with one more call chosen at random.
//!
//! After Pacheco, Lahiri, Ernst and Ball, "Feedback-directed Random Test Generation" (2007): see
//! `docs/strategies/random.md` for what is kept and what is changed.

mod compose;
mod corpus;
mod literals;

use std::hash::BuildHasher;
use std::sync::Arc;

use jurat_base::{FxHashSet, Rng};
use jurat_model::{Candidate, Lesson, ObjectValue, OpId, Round, Sequence, Strategy, Subject, Value, Var};

use compose::Composer;
use corpus::Corpus;
use literals::Literals;

/// How many tries one candidate gets before its place in the round stays empty.
const TRIES: usize = 12;
/// Sequences longer than this are not extended.
const LONGEST: usize = 40;

/// The random strategy.
#[derive(Debug)]
pub struct Random {
    targets: Vec<Target>,
    corpus: Corpus,
    literals: Literals,
    seen: FxHashSet<u64>,
}

/// An operation under test and what became of it.
#[derive(Debug)]
struct Target {
    op: OpId,
    package: Arc<str>,
    proposed: u32,
    returned: u32,
}

impl Random {
    /// A strategy for all operations under test that code in their test's package can call.
    pub fn new(subject: &Subject) -> Self {
        let mut targets = Vec::new();
        for class in subject.under_test() {
            let package = subject.test_package(class);
            for &op in subject.operations_of(class) {
                if subject.check_operation(op, &package).is_ok() {
                    targets.push(Target { op, package: package.clone(), proposed: 0, returned: 0 });
                }
            }
        }
        Self {
            targets,
            corpus: Corpus::default(),
            literals: Literals::mined(subject),
            seen: FxHashSet::default(),
        }
    }

    /// The operations it calls on purpose.
    pub fn targets(&self) -> impl Iterator<Item = OpId> + '_ {
        self.targets.iter().map(|target| target.op)
    }

    fn candidate(&mut self, subject: &Subject, rng: &mut Rng) -> Option<Candidate> {
        let target = self.choose(rng)?;
        self.targets[target].proposed += 1;
        let Target { op, package, .. } = &self.targets[target];
        let composer = Composer::new(subject, &self.corpus, &self.literals, package, rng);
        let candidate = composer.call(*op)?;
        (candidate.sequence.len() <= LONGEST && self.seen.insert(hash(&candidate.sequence)))
            .then_some(candidate)
    }

    /// Draws two operations and takes the one that has returned less often: what is hard to satisfy
    /// gets more tries without starving the rest.
    fn choose(&self, rng: &mut Rng) -> Option<usize> {
        if self.targets.is_empty() {
            return None;
        }
        let (one, other) = (rng.below(self.targets.len()), rng.below(self.targets.len()));
        let success = |target: &Target| (target.returned, target.proposed);
        Some(if success(&self.targets[one]) <= success(&self.targets[other]) { one } else { other })
    }

    fn learn_one(&mut self, subject: &Subject, lesson: &Lesson<'_>) {
        let Lesson { candidate, outcome, is_new } = lesson;
        let sequence = &candidate.sequence;
        if outcome.is_unsafe || !outcome.returned(sequence.len()) {
            return;
        }
        if let Some((_, op, _)) = sequence.calls().last()
            && let Ok(position) = self.targets.binary_search_by_key(&op, |target| target.op)
        {
            self.targets[position].returned += 1;
        }
        for &(var, fingerprint) in &outcome.finals {
            if let Some(Value::Object(object)) = outcome.value(var) {
                self.offer(subject, candidate, var, object, fingerprint, *is_new);
            }
        }
    }

    fn offer(
        &mut self,
        subject: &Subject,
        candidate: &Candidate,
        var: Var,
        object: &ObjectValue,
        fingerprint: u64,
        is_new: bool,
    ) {
        // A second name for the same object adds nothing.
        if object.same_as.is_none() {
            self.corpus.add(subject, candidate, var, &object.class, fingerprint, is_new);
        }
    }
}

impl Strategy for Random {
    fn propose(&mut self, round: &Round<'_>) -> Vec<Candidate> {
        let mut candidates = Vec::with_capacity(round.size);
        for index in round.first..round.first + round.size as u64 {
            let mut rng = round.seed.rng(index);
            for _ in 0..TRIES {
                if let Some(candidate) = self.candidate(round.subject, &mut rng) {
                    candidates.push(candidate);
                    break;
                }
            }
        }
        candidates
    }

    fn learn(&mut self, subject: &Subject, lessons: &[Lesson<'_>]) {
        for lesson in lessons {
            self.learn_one(subject, lesson);
        }
    }
}

fn hash(sequence: &Sequence) -> u64 {
    jurat_base::FxBuildHasher.hash_one(sequence)
}
