//! Runs each mutant with the tests that reach it until one of them notices.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use jurat_pool::{Pool, Trials};
use jurat_protocol::{Ending, Outcome, Sequence, Statement, Trial, Var, Wants};

use super::baseline::{Baseline, Passing, is_assumption};
use super::table::Known;
use super::{Judged, Kill, Mutate, MutateProgress, Mutation, Verdict};
use crate::error::RunError;
use crate::pooled::run_error;

/// What a test with a mutant may take more than without: a loop that runs longer is not endless yet. So little that
/// endless recursion is cut before the stack overflows, which would cost a worker.
const FUEL_FACTOR: u64 = 10;
const FUEL_MORE: u64 = 30_000;

/// Fewer trials are not worth a class loader of their own, more should be shared among workers.
const BATCH: std::ops::RangeInclusive<usize> = 64..=1024;
/// About how many batches a round is cut into.
const BATCHES: usize = 8;

/// The most statements that tests have which are run together for a mutant of an initializer.
const TOGETHER: usize = 20_000;

/// Judges all mutants.
#[expect(
    clippy::disallowed_methods,
    reason = "the report tells how fast mutants were run; nothing depends on it"
)]
pub(crate) fn judge(
    run: &Mutate<'_>,
    pool: &mut Pool,
    baseline: Baseline,
    progress: &mut dyn MutateProgress,
) -> Result<Mutation, RunError> {
    let known = run.table.known();
    let mut baseline = baseline;
    let mut court = Court::new(run, &known, std::mem::take(&mut baseline.tests));
    let start = Instant::now();
    while let Some(round) = court.next_round() {
        if run.stop.is_requested() {
            break;
        }
        let batches = round.iter().map(|batch| court.trials(batch)).collect();
        let outcomes = pool.run_trials(batches, Wants::default()).map_err(|error| run_error(&error))?;
        for (batch, outcomes) in round.iter().zip(outcomes) {
            court.learn(pool, batch, &outcomes);
        }
        progress.update("judging mutants", court.judged(), known.len());
    }
    let seconds = start.elapsed().as_secs_f64();
    let interrupted = court.judged() < known.len();
    let verdicts = court.cases.iter().map(|case| case.verdict.clone().unwrap_or(Verdict::NotReached));
    let mutants = known.iter().zip(verdicts).map(|(known, verdict)| Judged {
        class: known.class.replace('/', "."),
        mutant: known.mutant.clone(),
        verdict,
    });
    let mutants = mutants.collect();
    let tests = court.tests.iter().take(court.named).map(|test| test.name.clone()).collect();
    let Baseline { skipped, costly, .. } = baseline;
    Ok(Mutation { tests, skipped, costly, lost: court.lost, mutants, runs: court.runs, seconds, interrupted })
}

/// One mutant before the court.
struct Case {
    id: u32,
    /// Tests to be run, the next one last.
    tests: Vec<usize>,
    /// Whether each run needs a class loader of its own.
    alone: bool,
    verdict: Option<Verdict>,
}

/// One run to be made: a mutant and a test.
#[derive(Clone, Copy)]
struct Run {
    case: usize,
    test: usize,
}

struct Court {
    /// The tests, and behind them sequences of several of them.
    tests: Vec<Passing>,
    /// How many of those are tests.
    named: usize,
    /// For sequences of several tests: which, and where each begins.
    joined: BTreeMap<usize, Vec<(usize, usize)>>,
    cases: Vec<Case>,
    /// How many tests of a mutant are run together in the next round.
    width: usize,
    runs: usize,
    lost: usize,
}

impl Court {
    fn new(run: &Mutate<'_>, known: &[Known<'_>], tests: Vec<Passing>) -> Self {
        let named = tests.len();
        let mut court =
            Self { tests, named, joined: BTreeMap::new(), cases: Vec::new(), width: 1, runs: 0, lost: 0 };
        let mut order: Vec<usize> = (0..named).collect();
        order.sort_by_key(|test| (court.tests[*test].fuel, *test));
        let (mut reaching, mut first_reaching) = (BTreeMap::new(), BTreeMap::new());
        for &test in order.iter().rev() {
            let passing = &court.tests[test];
            for &probe in &passing.hits {
                reaching.entry(probe).or_insert_with(Vec::new).push(test);
            }
            for &probe in &passing.first_hits {
                first_reaching.entry(probe).or_insert_with(Vec::new).push(test);
            }
        }
        let ranges = run.table.probes_of_classes();
        let mut together: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for known in known {
            let reach = |by: &BTreeMap<u32, Vec<usize>>| {
                known.probe.and_then(|probe| by.get(&probe)).cloned().unwrap_or_default()
            };
            let usual = reach(&reaching);
            let case = if usual.is_empty() && !reach(&first_reaching).is_empty() {
                // Only initializers get here, so whoever uses the class may notice.
                let range = ranges.get(known.class).cloned().unwrap_or_default();
                let users = court.users(&order, &range);
                let joined = *together.entry(users.clone()).or_insert_with(|| court.join(&users));
                Case { id: known.id, tests: vec![joined], alone: true, verdict: None }
            } else {
                let verdict = usual.is_empty().then_some(Verdict::NotReached);
                Case { id: known.id, tests: usual, alone: false, verdict }
            };
            court.cases.push(case);
        }
        court
    }

    /// Tests that use a class, cheapest first.
    fn users(&self, order: &[usize], probes: &std::ops::Range<u32>) -> Vec<usize> {
        let uses = |test: &&usize| {
            let passing = &self.tests[**test];
            let mut all = passing.hits.range(probes.clone()).chain(passing.first_hits.range(probes.clone()));
            all.next().is_some()
        };
        order.iter().filter(uses).copied().collect()
    }

    /// Makes one sequence of several tests, and gives its position.
    fn join(&mut self, tests: &[usize]) -> usize {
        let (mut sequence, mut parts, mut fuel) = (Sequence::default(), Vec::new(), 0);
        for &test in tests {
            let own = &self.tests[test].sequence;
            if sequence.statements().len() + own.statements().len() > TOGETHER {
                break;
            }
            parts.push((test, sequence.statements().len()));
            append(&mut sequence, own);
            fuel += self.tests[test].fuel;
        }
        let name = self.tests[tests[0]].name.clone();
        let (hits, first_hits) = (BTreeSet::new(), BTreeSet::new());
        self.tests.push(Passing { name, sequence, fuel, hits, first_hits, alone: true });
        self.joined.insert(self.tests.len() - 1, parts);
        self.tests.len() - 1
    }

    /// The next runs, cut into batches; none if all mutants are judged.
    fn next_round(&mut self) -> Option<Vec<Vec<Run>>> {
        let mut runs = Vec::new();
        for (number, case) in self.cases.iter_mut().enumerate().filter(|(_, case)| case.verdict.is_none()) {
            for _ in 0..self.width {
                let Some(test) = case.tests.pop() else { break };
                runs.push(Run { case: number, test });
            }
        }
        if runs.is_empty() {
            return None;
        }
        self.width = (self.width * 2).min(64);
        let size = (runs.len() / BATCHES).clamp(*BATCH.start(), *BATCH.end());
        Some(runs.chunks(size).map(<[Run]>::to_vec).collect())
    }

    fn trials(&self, batch: &[Run]) -> Trials {
        let used: BTreeSet<usize> = batch.iter().map(|run| run.test).collect();
        let positions: BTreeMap<usize, u32> = used.iter().copied().zip(0..).collect();
        let fuel = |test: usize| self.tests[test].fuel * FUEL_FACTOR + FUEL_MORE;
        let mut trials = Trials::default();
        for (&test, &like) in &positions {
            trials.sequences.push(self.tests[test].sequence.clone());
            trials.trials.push(Trial { mutant: 0, like, fuel: fuel(test), alone: false });
        }
        for Run { case, test } in batch {
            let (case, passing) = (&self.cases[*case], &self.tests[*test]);
            trials.sequences.push(passing.sequence.clone());
            let alone = case.alone || passing.alone;
            trials.trials.push(Trial { mutant: case.id, like: positions[test], fuel: fuel(*test), alone });
        }
        trials
    }

    fn learn(&mut self, pool: &Pool, batch: &[Run], outcomes: &[Outcome]) {
        self.runs += batch.len();
        let used: BTreeSet<usize> = batch.iter().map(|run| run.test).collect();
        let usual: BTreeMap<usize, &Outcome> = used.into_iter().zip(outcomes).collect();
        for (run, outcome) in batch.iter().zip(&outcomes[usual.len()..]) {
            self.lost += usize::from(usual[&run.test].endings.is_empty() || outcome.endings.is_empty());
            let kill = kill(pool, usual[&run.test], outcome);
            let by = self.blamed(run.test, outcome);
            let case = &mut self.cases[run.case];
            match kill {
                Some(how) if case.verdict.is_none() => case.verdict = Some(Verdict::Killed { by, how }),
                _ => {}
            }
        }
        for run in batch {
            let case = &mut self.cases[run.case];
            if case.verdict.is_none() && case.tests.is_empty() {
                case.verdict = Some(Verdict::Survived);
            }
        }
    }

    /// The test that an outcome belongs to: of several, the one that ended unusually.
    fn blamed(&self, test: usize, outcome: &Outcome) -> usize {
        let Some(parts) = self.joined.get(&test) else { return test };
        let last = outcome.endings.len().saturating_sub(1);
        parts.iter().rev().find(|(_, start)| *start <= last).map_or(0, |(test, _)| *test)
    }

    fn judged(&self) -> usize {
        self.cases.iter().filter(|case| case.verdict.is_some()).count()
    }
}

/// How a test noticed a mutant, if it did.
fn kill(pool: &Pool, usual: &Outcome, outcome: &Outcome) -> Option<Kill> {
    if usual.endings.is_empty() || outcome.endings.is_empty() || outcome.agrees_with(usual) {
        return None;
    }
    let returned = |ending: &&Ending| !matches!(ending, Ending::Returned(_));
    let odd = outcome.endings.iter().chain(outcome.observations.iter().flatten()).find(returned);
    match odd {
        // A count of failures that is not zero.
        None => Some(Kill::Assertion),
        Some(Ending::TimedOut(_)) => Some(Kill::Timeout),
        Some(Ending::Threw(thrown)) => {
            let class = pool.class_name(thrown.class);
            if is_assumption(class) {
                None
            } else if is_assertion(class) {
                Some(Kill::Assertion)
            } else {
                Some(Kill::Exception(class.to_owned()))
            }
        }
        Some(_) => Some(Kill::Crash),
    }
}

fn is_assertion(class: &str) -> bool {
    let simple = class.rsplit('.').next().unwrap_or(class);
    ["AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailuresError"].contains(&simple)
        || simple.ends_with("AssertionError")
}

/// Appends the statements of one sequence to another. What comes after a test is part of it then.
fn append(to: &mut Sequence, from: &Sequence) {
    let offset = u32::try_from(to.statements().len()).expect("a bounded sequence");
    let mut next = 0;
    for statement in from.statements() {
        let count = Statement::input_count(statement);
        let inputs: Vec<Var> =
            from.inputs()[next..next + count].iter().map(|input| Var(input.0 + offset)).collect();
        next += count;
        to.push(statement.clone(), &inputs);
    }
}
