//! Which checks of a suite earn their place: those that notice mutants that nothing else notices.
//!
//! Tests are still sequences here. Each runs without mutants, and then with those whose lines it reaches; what differs
//! tells which of its checks would fail.

mod choose;

use std::collections::{BTreeMap, BTreeSet};

use jurat_base::FxHashMap;
use jurat_model::{
    Check, Ending, Literal, Observed, Outcome, Sequence, Subject, Suite, Test, Thrown, Value, Var,
};
use jurat_oracle::{Look, Observation};
use jurat_pool::{Pool, PoolConfig, Trials};
use jurat_protocol::{Outcome as WireOutcome, Trial, Wants};

use crate::deadline::Deadline;
use crate::error::RunError;
use crate::mutate::{MutantTable, twice};
use crate::pooled::run_error;
use crate::runner::{Job, Mode, Runner};
use crate::wire::{Receiver, Sent, operation_table, send};
use choose::{CheckKills, TestKills, choose};

/// How many tests are tried with a mutant at first; those that no test killed are tried with more.
const FIRST: usize = 8;

/// How many runs are made before the clock is looked at, at first and at most: what a class does when it is initialized
/// may make each of them slow.
const SLICES: [usize; 2] = [64, 4096];
/// What a slice may take of a budget of time, if the next is to be larger.
const QUICK: f64 = 0.05;

/// How many runs share a class loader, at most; a slice has several such batches, for several workers.
const BATCH: usize = 512;
const BATCHES: usize = 4;

/// What a test with a mutant may take: so little that endless recursion is cut before the stack overflows, which would
/// cost a worker.
const FUEL_FACTOR: u64 = 10;
const FUEL_MORE: u64 = 20_000;

/// What choosing checks did to a suite.
#[derive(Debug, Default)]
pub struct Strength {
    /// All mutants of the classes under test; none if there was no time to try them.
    pub total: usize,
    /// Mutants that the suite kills with every check it had.
    pub killed_before: usize,
    /// Checks before and after.
    pub checks: (usize, usize),
    /// Tests before and after.
    pub tests: (usize, usize),
    /// How many times a test was run with a mutant.
    pub runs: usize,
    known: FxHashMap<Sequence, Known>,
}

/// What is known of one test.
#[derive(Debug)]
struct Known {
    by_itself: BTreeSet<u32>,
    checks: Vec<(Check, BTreeSet<u32>)>,
}

impl Strength {
    /// How many mutants a suite kills that was made of these tests by taking tests and checks away.
    pub fn killed(&self, suite: &Suite) -> usize {
        let mut killed: BTreeSet<u32> = BTreeSet::new();
        for test in suite.classes.iter().flat_map(|class| &class.tests) {
            let Some(known) = self.known.get(&test.sequence) else { continue };
            killed.extend(&known.by_itself);
            let kept = known.checks.iter().filter(|(check, _)| test.checks.contains(check));
            killed.extend(kept.flat_map(|(_, kills)| kills));
        }
        killed.len()
    }
}

/// Takes checks and tests away that kill nothing that the rest does not kill. What there is no time for stays.
pub fn strengthen(
    subject: &Subject,
    suite: &mut Suite,
    table: &MutantTable,
    config: &PoolConfig,
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<Strength, RunError> {
    let tests: Vec<Test> = suite.classes.iter().flat_map(|class| class.tests.clone()).collect();
    let mut strength = Strength::default();
    let count = |tests: &[Test]| tests.iter().map(|test| test.checks.len()).sum::<usize>();
    (strength.checks.0, strength.tests.0) = (count(&tests), tests.len());
    if !tests.is_empty() && !table.is_empty() && deadline.may_assert() {
        let covers = covers(&tests, runner)?;
        let mut trying = Trying::new(subject, tests, table, config.clone())?;
        trying.run(deadline)?;
        for (kills, covers) in trying.kills.iter_mut().zip(covers) {
            kills.covers = covers;
        }
        take_out(suite, &choose(&trying.kills));
        strength.runs = trying.runs;
        // If the time was over before the first was tried, there is nothing to tell of them.
        strength.total = if strength.runs > 0 { table.len() } else { 0 };
        strength.known = trying.into_known();
    }
    strength.killed_before = strength.known.values().flat_map(all_kills).collect::<BTreeSet<_>>().len();
    let left: Vec<Test> = suite.classes.iter().flat_map(|class| class.tests.clone()).collect();
    (strength.checks.1, strength.tests.1) = (count(&left), left.len());
    Ok(strength)
}

fn all_kills(known: &Known) -> impl Iterator<Item = u32> + '_ {
    known.by_itself.iter().chain(known.checks.iter().flat_map(|(_, kills)| kills)).copied()
}

/// The probes each test hits, in whichever order they run.
fn covers(tests: &[Test], runner: &mut dyn Runner) -> Result<Vec<BTreeSet<u32>>, RunError> {
    let jobs: Vec<Job> = tests.iter().map(|test| test.sequence.clone().into()).collect();
    let outcomes = runner.run(&jobs, Mode::Probe)?;
    Ok(outcomes.iter().map(|outcome| outcome.hits.iter().map(|probe| probe.0).collect()).collect())
}

/// Leaves in the suite what is chosen.
fn take_out(suite: &mut Suite, kept: &[Option<Vec<bool>>]) {
    let mut kept = kept.iter();
    for class in &mut suite.classes {
        class.tests.retain_mut(|test| {
            let Some(Some(kept)) = kept.next() else { return false };
            let mut kept = kept.iter();
            test.checks.retain(|_| kept.next() == Some(&true));
            true
        });
    }
    suite.classes.retain(|class| !class.tests.is_empty());
}

/// Tests that are being tried with mutants.
struct Trying<'a> {
    subject: &'a Subject,
    pool: Pool,
    receiver: Receiver,
    tests: Vec<Test>,
    sent: Vec<Sent>,
    looks: Vec<Vec<Observation>>,
    fuel: Vec<u64>,
    kills: Vec<TestKills>,
    /// Tests that reach each mutant, the next one last.
    waiting: BTreeMap<u32, Vec<usize>>,
    runs: usize,
}

/// A mutant and a test.
type Pair = (usize, u32);

impl<'a> Trying<'a> {
    fn new(
        subject: &'a Subject,
        tests: Vec<Test>,
        table: &MutantTable,
        mut config: PoolConfig,
    ) -> Result<Self, RunError> {
        config.probes = table.setup();
        config.operations = operation_table(subject);
        let mut pool = Pool::start(config).map_err(|error| run_error(&error))?;
        let looks: Vec<Vec<Observation>> = tests.iter().map(looks).collect();
        let sent: Vec<Sent> =
            tests.iter().zip(&looks).map(|(test, looks)| send(subject, &test.sequence, looks)).collect();
        let sequences: Vec<_> = sent.iter().map(|sent| sent.sequence.clone()).collect();
        let seen = twice(&mut pool, &sequences)?;
        let kills = tests.iter().map(|test| TestKills {
            checks: test.checks.iter().map(|check| check_kills(test, check)).collect(),
            ..TestKills::default()
        });
        let mut trying = Self {
            subject,
            pool,
            receiver: Receiver::default(),
            kills: kills.collect(),
            fuel: seen.iter().map(|[_, second]| second.fuel_used * FUEL_FACTOR + FUEL_MORE).collect(),
            tests,
            sent,
            looks,
            waiting: BTreeMap::new(),
            runs: 0,
        };
        trying.wait(table, &seen);
        Ok(trying)
    }

    /// Lines up the tests of each mutant, the cheapest last.
    fn wait(&mut self, table: &MutantTable, seen: &[[WireOutcome; 2]]) {
        let mut order: Vec<usize> = (0..seen.len()).collect();
        order.sort_by_key(|at| (self.fuel[*at], *at));
        let mut reaching: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &at in order.iter().rev() {
            let [first, second] = &seen[at];
            if second.endings.is_empty() || !second.agrees_with(first) {
                // It depends on what ran before: nothing can be learned from it here.
                self.kills[at].locked = true;
                continue;
            }
            for probe in second.coverage.own.iter().chain(&second.coverage.others) {
                reaching.entry(*probe).or_default().push(at);
            }
        }
        for known in table.known() {
            if let Some(tests) = known.probe.and_then(|probe| reaching.get(&probe)) {
                self.waiting.insert(known.id, tests.clone());
            }
        }
    }

    /// Tries mutants until each is killed or no test is left, or there is no more time.
    fn run(&mut self, deadline: &Deadline) -> Result<(), RunError> {
        let (mut width, mut room) = (FIRST, SLICES[0]);
        while !self.waiting.is_empty() {
            let mut pairs: Vec<Pair> = Vec::new();
            for (mutant, tests) in &mut self.waiting {
                let from = tests.len().saturating_sub(width);
                pairs.extend(tests.drain(from..).map(|test| (test, *mutant)));
            }
            // Runs of one test side by side need it without a mutant only once.
            pairs.sort_unstable();
            let mut rest = pairs.as_slice();
            while !rest.is_empty() {
                let (slice, others) = rest.split_at(room.min(rest.len()));
                rest = others;
                if !deadline.may_assert() || deadline.is_stopped() {
                    for (test, _) in slice {
                        self.kills[*test].locked = true;
                    }
                    continue;
                }
                let before = deadline.spent();
                self.slice(slice)?;
                room = paced(room, deadline.spent() - before);
            }
            let killed: BTreeSet<u32> = self
                .kills
                .iter()
                .flat_map(|test| {
                    test.by_itself.iter().chain(test.checks.iter().flat_map(|check| &check.kills)).copied()
                })
                .collect();
            self.waiting.retain(|mutant, tests| !tests.is_empty() && !killed.contains(mutant));
            width *= 2;
        }
        Ok(())
    }

    fn slice(&mut self, pairs: &[Pair]) -> Result<(), RunError> {
        self.runs += pairs.len();
        let batches: Vec<&[Pair]> = pairs.chunks(BATCH.min(pairs.len().div_ceil(BATCHES))).collect();
        let trials = batches.iter().map(|batch| self.trials(batch)).collect();
        let wants = Wants { aliases: true, elements: true, ..Wants::default() };
        let outcomes = self.pool.run_trials(trials, wants).map_err(|error| run_error(&error))?;
        for (batch, outcomes) in batches.into_iter().zip(outcomes) {
            let plain = distinct(batch);
            let usual: BTreeMap<usize, Outcome> = plain
                .iter()
                .zip(&outcomes)
                .map(|(test, outcome)| (*test, self.receive(*test, outcome)))
                .collect();
            for ((test, mutant), outcome) in batch.iter().zip(&outcomes[plain.len()..]) {
                // A test whose mock is asked something else is skipped: it notices nothing.
                let is_skipped = self.sent[*test].is_surprised(outcome);
                if is_skipped || outcome.endings.is_empty() || usual[test].endings.is_empty() {
                    continue;
                }
                let outcome = self.receive(*test, outcome);
                self.compare(*test, *mutant, &usual[test], &outcome);
            }
        }
        Ok(())
    }

    fn trials(&self, batch: &[Pair]) -> Trials {
        let plain = distinct(batch);
        let positions: BTreeMap<usize, u32> = plain.iter().copied().zip(0..).collect();
        let mut trials = Trials::default();
        let mut add = |test: usize, mutant| {
            trials.sequences.push(self.sent[test].sequence.clone());
            let trial = Trial { mutant, like: positions[&test], fuel: self.fuel[test], alone: false };
            trials.trials.push(trial);
        };
        let without = plain.iter().map(|test| (*test, 0));
        for (test, mutant) in without.chain(batch.iter().copied()) {
            add(test, mutant);
        }
        trials
    }

    fn receive(&mut self, test: usize, outcome: &WireOutcome) -> Outcome {
        let Self { subject, pool, receiver, sent, .. } = self;
        let class_name = |class: u32| pool.class_name(class);
        receiver.receive(subject, &sent[test], outcome, &class_name)
    }

    /// Learns what a test makes of a mutant.
    fn compare(&mut self, at: usize, mutant: u32, usual: &Outcome, outcome: &Outcome) {
        let (test, looks, kills) = (&self.tests[at], &self.looks[at], &mut self.kills[at]);
        if !ends_alike(self.subject, test, usual, outcome) {
            kills.by_itself.insert(mutant);
            return;
        }
        for (check, known) in test.checks.iter().zip(&mut kills.checks) {
            if fails(check, looks, usual, outcome) {
                known.kills.insert(mutant);
            }
        }
    }

    fn into_known(self) -> FxHashMap<Sequence, Known> {
        let known = self.tests.into_iter().zip(self.kills).map(|(test, kills)| {
            let checks = test.checks.into_iter().zip(kills.checks.into_iter().map(|check| check.kills));
            (test.sequence, Known { by_itself: kills.by_itself, checks: checks.collect() })
        });
        known.collect()
    }
}

/// How many runs the next slice makes, by what the last one took of the budget.
fn paced(room: usize, took: f64) -> usize {
    let next = if took < QUICK { room * 2 } else { room / 2 };
    next.clamp(SLICES[0], SLICES[1])
}

/// The tests of some pairs, each once, in order.
fn distinct(pairs: &[Pair]) -> Vec<usize> {
    let mut tests: Vec<usize> = pairs.iter().map(|(test, _)| *test).collect();
    tests.dedup();
    tests
}

fn check_kills(test: &Test, check: &Check) -> CheckKills {
    CheckKills { rank: rank(test, check), kills: BTreeSet::new() }
}

/// How far a check is from what a reader looks for: the result of the method under test, then what it did to its
/// object, then the rest.
fn rank(test: &Test, check: &Check) -> u8 {
    let last = test.sequence.calls().last();
    let result = last.map(|(var, ..)| var);
    let receiver = last.and_then(|(_, _, inputs)| inputs.first().copied());
    match check {
        Check::Result { var, .. } | Check::Same { var, .. } if Some(*var) == result => 0,
        Check::Result { .. } | Check::Same { .. } | Check::Law { .. } => 1,
        Check::NotNull { .. } => 2,
        Check::Contents { var, .. } | Check::State { receiver: var, .. } if Some(*var) == result => 2,
        Check::Contents { var, .. } | Check::State { receiver: var, .. } if Some(*var) == receiver => 3,
        Check::Contents { .. } | Check::State { .. } => 4,
    }
}

/// What has to be looked at after a test's last statement to know whether its checks hold.
fn looks(test: &Test) -> Vec<Observation> {
    let mut looks = Vec::new();
    for check in &test.checks {
        looks.extend(match check {
            Check::State { receiver, observer, .. } => {
                Some(Observation { receiver: *receiver, look: Look::Call(*observer) })
            }
            Check::Result { var, expected } | Check::Contents { var, expected } => {
                look_at(expected).map(|look| Observation { receiver: *var, look })
            }
            Check::Same { .. } | Check::NotNull { .. } | Check::Law { .. } => None,
        });
    }
    looks
}

/// How the value was looked at of which this is known.
fn look_at(expected: &Observed) -> Option<Look> {
    match expected {
        Observed::List(_) | Observed::Set(_) => Some(Look::Elements),
        Observed::Optional(_) => Some(Look::Held),
        Observed::Array { .. } => Some(Look::Array),
        Observed::Literal(_) | Observed::Enum(_) => None,
    }
}

/// Whether a test comes to an end that passes for the same: the same statements return, and what is thrown is what the
/// test asserts.
fn ends_alike(subject: &Subject, test: &Test, one: &Outcome, other: &Outcome) -> bool {
    let alike = |(one, other): (&Ending, &Ending)| match (one, other) {
        (Ending::Returned(_), Ending::Returned(_)) => true,
        (Ending::Threw(one), Ending::Threw(other)) => one == other || is_asserted(subject, test, other),
        (one, other) => one == other,
    };
    one.endings.len() == other.endings.len() && one.endings.iter().zip(&other.endings).all(alike)
}

/// Whether a test that asserts an exception takes one of this class for it. With mocks, it takes any.
fn is_asserted(subject: &Subject, test: &Test, thrown: &str) -> bool {
    let classes = subject.classes();
    let Some(Thrown { asserted }) = test.thrown else { return false };
    test.sequence.has_mocks()
        || asserted == classes.throwable()
        || classes.find(thrown).is_some_and(|thrown| classes.is_subclass(thrown, asserted))
}

/// Whether a check that holds of `usual` does not hold of `outcome`.
fn fails(check: &Check, looks: &[Observation], usual: &Outcome, outcome: &Outcome) -> bool {
    let seen = |var: Var, look: Look| {
        let at = looks.iter().position(|seen| seen.receiver == var && seen.look == look);
        at.is_some_and(|at| usual.observations.get(at) != outcome.observations.get(at))
    };
    match check {
        Check::Result { var, expected } => match look_at(expected) {
            Some(look) => is_null(outcome, *var) || seen(*var, look),
            None => usual.value(*var) != outcome.value(*var),
        },
        Check::Same { var, .. } => usual.value(*var) != outcome.value(*var),
        Check::NotNull { var } => is_null(outcome, *var),
        Check::Contents { var, expected } => look_at(expected).is_some_and(|look| seen(*var, look)),
        Check::State { receiver, observer, .. } => seen(*receiver, Look::Call(*observer)),
        Check::Law { .. } => false,
    }
}

fn is_null(outcome: &Outcome, var: Var) -> bool {
    outcome.value(var) == Some(&Value::Literal(Literal::Null))
}

#[cfg(test)]
mod tests {
    use jurat_model::{Action, JavaType, SequenceBuilder};
    use jurat_testkit::{operation, subject, ty};

    use super::*;

    #[test]
    fn an_exception_of_another_class_is_noticed_only_by_tests_that_assert_the_class() {
        let subject = subject(
            "class A { A(); void go(); } class Slip extends Throwable { } class Slide extends Slip { }
             class Fall extends Throwable { }",
        );
        let class = |name: &str| ty(&subject, name).class_id().expect("a class");
        let ended = |class: &str| Outcome {
            endings: vec![Ending::Returned(Value::Void), Ending::Threw(class.into())],
            ..Outcome::default()
        };
        let test = |asserted: &str, first: Action| {
            let mut builder = SequenceBuilder::default();
            builder.push(first, JavaType::INT);
            let (sequence, focus) = (builder.build(), operation(&subject, "A", "go"));
            Test { sequence, focus, checks: Vec::new(), thrown: Some(Thrown { asserted: class(asserted) }) }
        };
        let zero = || Action::Literal(Literal::Int(0));
        let notices = |test: &Test, thrown: &str| !ends_alike(&subject, test, &ended("Slip"), &ended(thrown));
        let noticed = |test: &Test| ["Slip", "Slide", "Fall", "Unknown"].map(|class| notices(test, class));
        assert_eq!(noticed(&test("Slip", zero())), [false, false, true, true]);
        assert_eq!(noticed(&test("Slip", Action::Mock { answers: Vec::new() })), [false; 4]);
        let unnamed =
            Test { thrown: Some(Thrown { asserted: subject.classes().throwable() }), ..test("Slip", zero()) };
        assert_eq!(noticed(&unnamed), [false; 4]);
    }

    #[test]
    fn slices_grow_while_they_are_quick_and_shrink_when_they_are_not() {
        assert_eq!(paced(SLICES[0], 0.0), 2 * SLICES[0]);
        assert_eq!(paced(1024, 0.2), 512);
        assert_eq!([paced(SLICES[0], 0.2), paced(SLICES[1], 0.0)], SLICES);
    }
}
