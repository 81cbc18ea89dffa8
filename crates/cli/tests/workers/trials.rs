//! Sequences with mutants, through the pool.

use jurat_classfile::ClassFile;
use jurat_classpath::jdk::Jdk;
use jurat_instrument::mutants::{Mutant, MutantId, Operators, mutate};
use jurat_instrument::{ProbeId, ProbePlan};
use jurat_pool::Trials;
use jurat_protocol::OperationKind::Static;
use jurat_protocol::{Mutants, Outcome, Probes, Sequence, Trial, Wants};

use crate::fixture::{Fixture, on_every_jdk};

/// A pool over `Keeper` with all of its mutants.
struct Mutated {
    fixture: Fixture,
    mutants: Vec<Mutant>,
}

impl Mutated {
    fn new(jdk: &Jdk) -> Self {
        let mut mutants = Vec::new();
        let fixture = Fixture::new(jdk, "mutants", |config| {
            let bytes = std::fs::read(config.class_path[0].join("Keeper.class")).expect("it was compiled");
            let class = ClassFile::read(&bytes).expect("javac writes classes");
            let plan = ProbePlan { lines: true, fuel: true, ..ProbePlan::default() };
            let done = mutate(&class, &plan, Operators::all(), ProbeId(0), MutantId(1));
            mutants = done.mutants;
            config.probes = Probes {
                lines: true,
                fuel: true,
                classes: vec![("Keeper".to_owned(), 0)],
                count: done.map.next().0,
                mutants: Some(Mutants { operators: Operators::all().bits(), first: vec![1] }),
                ..Probes::default()
            };
        });
        Self { fixture, mutants }
    }

    /// The number of the mutant of a method with this sentence.
    fn mutant(&self, method: &str, sentence: &str) -> u32 {
        let is_it = |mutant: &Mutant| mutant.method.name == method && mutant.change.to_string() == sentence;
        let known: Vec<String> = self.mutants.iter().map(|mutant| mutant.change.to_string()).collect();
        let at = self.mutants.iter().position(is_it).unwrap_or_else(|| panic!("{sentence} among {known:?}"));
        u32::try_from(at).expect("few") + 1
    }

    /// `Keeper.<method>(number)`, or without argument.
    fn call(&mut self, method: &str, number: Option<i32>) -> Sequence {
        let descriptor = if number.is_some() { "(I)I" } else { "()I" };
        let operation = self.fixture.operation(Static, &format!("Keeper.{method}"), descriptor);
        let mut sequence = Sequence::default();
        let inputs: Vec<_> = number.map(|number| sequence.int(number)).into_iter().collect();
        sequence.operate(operation, &inputs);
        sequence
    }

    /// What the last statement of each trial did, as text.
    fn run(&mut self, plain: &[Sequence], trials: &[(u32, usize, bool)]) -> Vec<String> {
        let mut batch = Trials::default();
        for (like, sequence) in (0..).zip(plain) {
            batch.sequences.push(sequence.clone());
            batch.trials.push(Trial { mutant: 0, like, fuel: 10_000, alone: false });
        }
        for &(mutant, like, alone) in trials {
            batch.sequences.push(plain[like].clone());
            let like = u32::try_from(like).expect("few");
            batch.trials.push(Trial { mutant, like, fuel: 10_000, alone });
        }
        let ran = self.fixture.pool.run_trials(vec![batch], Wants::default());
        let outcomes = ran.unwrap_or_else(|error| panic!("{error}")).remove(0);
        assert_eq!(outcomes.len(), plain.len() + trials.len());
        let last = |outcome: &Outcome| self.fixture.show(outcome.endings.last().expect("a statement"));
        outcomes[plain.len()..].iter().map(last).collect()
    }
}

#[test]
fn a_live_mutant_shows_and_is_gone_afterwards() {
    on_every_jdk(|jdk| {
        let mut mutated = Mutated::new(jdk);
        let wrong = mutated.mutant("spin", "`1` became `0`");
        let less = mutated.mutant("spin", "returns 0 instead of its result");
        let spin = mutated.call("spin", Some(4));
        let shown = mutated.run(&[spin], &[(wrong, 0, false), (less, 0, false), (9999, 0, false)]);
        assert_eq!(shown, ["TimedOut(Fuel)", "Int(0)", "Int(4)"]);
    });
}

#[test]
fn what_a_mutant_leaves_behind_is_not_taken_for_the_work_of_another() {
    on_every_jdk(|jdk| {
        let mut mutated = Mutated::new(jdk);
        let keeps = mutated.mutant("keep", "`>` became `<=`");
        let elsewhere = mutated.mutant("spin", "`1` became `0`");
        let (keep, read) = (mutated.call("keep", Some(5)), mutated.call("read", None));
        let shown =
            mutated.run(&[keep, read], &[(keeps, 0, false), (elsewhere, 1, false), (keeps, 1, false)]);
        assert_eq!(shown, ["Int(1)", "Int(3)", "Int(3)"]);
    });
}

#[test]
fn a_mutant_of_an_initializer_shows_in_fresh_state_only() {
    on_every_jdk(|jdk| {
        let mut mutated = Mutated::new(jdk);
        let start = mutated.mutant("start", "returns 0 instead of its result");
        let read = mutated.call("read", None);
        let shown =
            mutated.run(&[read], &[(start, 0, false), (start, 0, true), (start, 0, true), (start, 0, false)]);
        assert_eq!(shown, ["Int(3)", "Int(0)", "Int(0)", "Int(3)"]);
    });
}

#[test]
fn a_trial_that_costs_a_worker_costs_no_other_trial() {
    on_every_jdk(|jdk| {
        let mut mutated = Mutated::new(jdk);
        let endless = mutated.mutant("deep", "`-` became `+`");
        let zero = mutated.mutant("deep", "the call of `Keeper.deep` is gone, its result is 0");
        let wrong = mutated.mutant("spin", "returns 0 instead of its result");
        let (deep, spin) = (mutated.call("deep", Some(3)), mutated.call("spin", Some(2)));
        let plenty = 1_000_000_000;
        let mut batch = Trials { sequences: vec![deep.clone(), spin.clone()], trials: Vec::new() };
        batch.trials.extend([0, 1].map(|like| Trial { mutant: 0, like, fuel: plenty, alone: false }));
        for (mutant, like) in [(wrong, 1), (endless, 0), (wrong, 1), (zero, 0)] {
            batch.sequences.push([&deep, &spin][like as usize].clone());
            batch.trials.push(Trial { mutant, like, fuel: plenty, alone: false });
        }
        let ran = mutated.fixture.pool.run_trials(vec![batch], Wants::default());
        let outcomes = ran.unwrap_or_else(|error| panic!("{error}")).remove(0);
        let last = |outcome: &Outcome| mutated.fixture.show(outcome.endings.last().expect("a statement"));
        let shown: Vec<String> = outcomes.iter().map(last).collect();
        assert_eq!(shown[..3], ["Int(3)", "Int(2)", "Int(0)"]);
        assert!(shown[3].starts_with("java.lang.StackOverflowError"), "{shown:?}");
        assert_eq!(shown[4..], ["Int(0)", "Int(1)"]);
    });
}
