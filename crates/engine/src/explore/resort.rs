//! The last resort: what sessions leave open is tried with private members and with mocks.
//!
//! A round composes calls of what is open, runs them, lets their mocks answer what they were asked, draws other
//! answers a few times, and hands over what reached something new.

use jurat_base::{FxHashMap, Rng};
use jurat_model::{Candidate, ClassId, JavaType, OpId, ProbeId, Technique};
use jurat_protocol::{Asked, Isolation, Outcome, Sequence, Statement, Usable, Var};
use jurat_search::Permits;

use super::compose::Composer;
use super::retype::retype;
use super::stock::Stock;
use super::{Explorer, Goal};
use crate::error::RunError;
use crate::runner::Runner;
use crate::wire::send;

/// Candidates of a round.
const ROUND: usize = 256;
/// The least of them, however few steps there are.
const LEAST: usize = 16;
/// How often a candidate's mocks get other answers.
const GENERATIONS: usize = 6;
/// How deep inputs are made of inputs.
const DEPTH: u32 = 4;
/// How often an answer is drawn anew.
const REDRAW: f64 = 0.5;
/// How often private fields are written before a call.
const WRITES: f64 = 0.5;
/// The most fields written before a call.
const FIELDS: usize = 3;
/// How often a call starts from a sequence that reached something.
const FROM_ARCHIVE: f64 = 0.6;

/// A sequence to try, in code of a package.
struct Attempt {
    sequence: Sequence,
    focus: usize,
}

/// Candidates by the class that they are about.
type Homes<'a> = FxHashMap<ClassId, Vec<&'a Candidate>>;

/// An operation with something left open in it.
struct Target {
    focus: usize,
    op: OpId,
    open: usize,
}

impl Explorer<'_> {
    /// One round of about `most` sequences. Gives their number.
    pub(crate) fn resort(
        &mut self,
        permits: Permits,
        most: usize,
        isolation: Isolation,
        runner: &mut dyn Runner,
    ) -> Result<u64, RunError> {
        if permits.is_none() {
            return Ok(0);
        }
        let targets = self.targets();
        self.resorts += 1;
        let mut rng = self.seed.derive("resort").rng(self.resorts);
        let mut attempts: Vec<Attempt> = Vec::new();
        let stock = Stock::new(self.subject, &self.charted, self.archive.candidates());
        if !targets.is_empty() {
            let count = ROUND.min(most / GENERATIONS).max(LEAST);
            let homes = self.homes();
            let attempt = |_| self.attempt(&targets, &homes, &stock, permits, &mut rng);
            attempts.extend((0..count).filter_map(attempt));
        }
        let mut steps = 0;
        for _ in 0..GENERATIONS {
            if attempts.is_empty() {
                break;
            }
            let sequences: Vec<Sequence> = attempts.iter().map(|attempt| attempt.sequence.clone()).collect();
            let outcomes = runner.execute(&sequences, isolation)?;
            steps += sequences.len() as u64;
            for (sequence, outcome) in sequences.iter().zip(&outcomes) {
                self.note_end(outcome, |at| sequence.statements().get(at));
            }
            let reached = self.reached(&attempts, &outcomes);
            self.keep_agreed(&reached, runner)?;
            attempts = attempts
                .iter()
                .zip(&outcomes)
                .filter_map(|(attempt, outcome)| {
                    self.next(attempt, &outcome.asked, (&stock, permits), &mut rng)
                })
                .collect();
        }
        self.settle(Vec::new());
        Ok(steps)
    }

    /// What is open, by the operation it is in.
    fn targets(&self) -> Vec<Target> {
        let mut targets = Vec::new();
        for (number, class) in self.charted.focuses.iter().enumerate() {
            let name = &self.subject[*class].internal_name;
            for op in self.subject.operations_of(*class) {
                let operation = &self.subject[*op];
                let probes = self.probes.of_method(name, &operation.name, &operation.descriptor);
                let open = probes.filter(|probe| !self.archive.holds(&Goal::Probe(*probe))).count();
                let is_left_alone = self.exploration.set_aside.contains_key(op);
                if open > 0 && operation.kind.is_call() && !is_left_alone {
                    targets.push(Target { focus: number, op: *op, open });
                }
            }
        }
        targets
    }

    /// What the archive holds, by the class it is about.
    fn homes(&self) -> Homes<'_> {
        let mut homes = Homes::default();
        for candidate in self.archive.candidates() {
            if let Some(home) = jurat_oracle::home(self.subject, &candidate.sequence) {
                homes.entry(home).or_default().push(candidate);
            }
        }
        homes
    }

    fn attempt(
        &self,
        targets: &[Target],
        homes: &Homes<'_>,
        stock: &Stock<'_>,
        permits: Permits,
        rng: &mut Rng,
    ) -> Option<Attempt> {
        let whole: usize = targets.iter().map(|target| target.open).sum();
        let mut at = rng.below(whole);
        let target = targets.iter().find(|target| {
            let is_it = at < target.open;
            at = at.saturating_sub(target.open);
            is_it
        })?;
        let by_private = rng.chance(permits.private);
        let permits = if by_private { permits } else { Permits { private: 0.0, ..permits } };
        let chart = &self.charted.chart;
        let charted = &chart.operations[target.op.index()];
        let is_private = matches!(charted.usable, Usable::Privately(_));
        if charted.usable == Usable::Nowhere || is_private && !by_private {
            return None;
        }
        let focus = &chart.focuses[target.focus];
        let (start, receiver) = self.start(target, homes, rng);
        let mut composer = Composer {
            chart,
            package: focus.package,
            pool: charted.pool,
            permits,
            rng,
            stock: Some(stock),
            barred: &self.exploration.set_aside,
            seen: &self.seen,
            sequence: start,
        };
        let is_method = charted.has_receiver && self.subject[target.op].kind.has_receiver();
        let receiver = match receiver {
            Some(receiver) => Some(receiver),
            None if is_method => Some(composer.receiver(*charted.inputs.first()?, DEPTH)?),
            None => None,
        };
        if by_private && composer.rng.chance(WRITES) {
            self.write_fields(&mut composer, &focus.private_operations, receiver)?;
        }
        composer.call(target.op.0, receiver, DEPTH)?;
        let sequence = composer.sequence;
        // Sessions do the rest better.
        let is_special = by_private || has_mock(&sequence);
        is_special.then_some(Attempt { sequence, focus: target.focus })
    }

    /// A sequence that reached something and holds an object to call upon, if there is one.
    fn start(&self, target: &Target, homes: &Homes<'_>, rng: &mut Rng) -> (Sequence, Option<Var>) {
        let operation = &self.subject[target.op];
        let classes = self.subject.classes();
        let none = (Sequence::default(), None);
        if !operation.kind.has_receiver() || !rng.chance(FROM_ARCHIVE) {
            return none;
        }
        let owner = JavaType::class(operation.owner);
        let candidates = homes.get(&operation.owner).map(Vec::as_slice).unwrap_or_default();
        let Some(candidate) = rng.pick(candidates) else { return none };
        let sequence = &candidate.sequence;
        let fitting = sequence
            .vars()
            .rev()
            .find(|var| classes.is_assignable(&classes.erasure(sequence.type_of(*var)), &owner));
        let Some(var) = fitting else { return none };
        let sent = send(self.subject, &sequence.prefix(var.index() + 1), &[]);
        let receiver = sent.value(var);
        (sent.sequence, receiver)
    }

    /// Writes to some private fields of the receiver, or static ones.
    fn write_fields(
        &self,
        composer: &mut Composer<'_>,
        private: &[u32],
        receiver: Option<Var>,
    ) -> Option<()> {
        let fits = |op: &u32| {
            let operation = &self.subject[OpId(*op)];
            operation.kind.is_set() && (receiver.is_some() || !operation.kind.has_receiver())
        };
        let mut fields: Vec<u32> = private.iter().copied().filter(fits).collect();
        for _ in 0..=composer.rng.below(FIELDS.min(fields.len())) {
            if fields.is_empty() {
                break;
            }
            let field = fields.swap_remove(composer.rng.below(fields.len()));
            let has_receiver = self.subject[OpId(field)].kind.has_receiver();
            composer.call(field, receiver.filter(|_| has_receiver), DEPTH)?;
        }
        Some(())
    }

    /// What reached something that the archive does not hold, with Java's types.
    fn reached(&self, attempts: &[Attempt], outcomes: &[Outcome]) -> Vec<Candidate> {
        let is_new = |outcome: &Outcome| {
            let mut hits = outcome.coverage.own.iter();
            hits.any(|probe| !self.archive.holds(&Goal::Probe(ProbeId(*probe))))
        };
        let found = attempts.iter().zip(outcomes).filter(|(_, outcome)| is_new(outcome));
        let typed = found.filter_map(|(attempt, outcome)| {
            let package = self.charted.chart.focuses[attempt.focus].package;
            // What follows a statement that threw was never run.
            let all: Vec<usize> = (0..outcome.endings.len()).collect();
            let package = &self.charted.packages[package as usize];
            let typed = retype(self.subject, package, &attempt.sequence, &all, &|_| None)?;
            Some(Candidate { technique: Technique::Search, ..typed })
        });
        typed.collect()
    }

    /// The same with answers to what was asked, or with other answers.
    fn next(
        &self,
        attempt: &Attempt,
        asked: &[Asked],
        (stock, permits): (&Stock<'_>, Permits),
        rng: &mut Rng,
    ) -> Option<Attempt> {
        if asked.is_empty() || !has_mock(&attempt.sequence) {
            return None;
        }
        let package = self.charted.chart.focuses[attempt.focus].package;
        let stand_ins = Permits { stand_ins: true, ..Permits::default() };
        let adapted = self.composed(&attempt.sequence, package, asked, (Some(stock), stand_ins, 0.0), rng)?;
        let sequence = if adapted == attempt.sequence {
            self.composed(&attempt.sequence, package, asked, (Some(stock), permits, REDRAW), rng)?
        } else {
            adapted
        };
        Some(Attempt { sequence, focus: attempt.focus })
    }

    /// A sequence with mocks that answer what they were asked, and nothing else; none if that cannot be planned.
    pub(super) fn replan(
        &self,
        sequence: &Sequence,
        package: u32,
        asked: &[Asked],
        rng: &mut Rng,
    ) -> Option<Sequence> {
        let permits = Permits { stand_ins: true, ..Permits::default() };
        self.composed(sequence, package, asked, (None, permits, 0.0), rng)
    }

    fn composed(
        &self,
        sequence: &Sequence,
        package: u32,
        asked: &[Asked],
        (stock, permits, redraw): (Option<&Stock<'_>>, Permits, f64),
        rng: &mut Rng,
    ) -> Option<Sequence> {
        let chart = &self.charted.chart;
        let calls = sequence.statements().iter().filter_map(|statement| match statement {
            Statement::Operate { operation, .. } => chart.operations.get(*operation as usize),
            _ => None,
        });
        let pool = calls.map(|charted| charted.pool).rfind(|pool| *pool > 0).unwrap_or(0);
        let (barred, seen) = (&self.exploration.set_aside, self.seen.as_slice());
        let sequence_so_far = Sequence::default();
        let mut composer =
            Composer { chart, package, pool, permits, rng, stock, barred, seen, sequence: sequence_so_far };
        composer.replan(sequence, asked, redraw)?;
        Some(composer.sequence)
    }
}

pub(super) fn has_mock(sequence: &Sequence) -> bool {
    let is_mock = |statement: &Statement| matches!(statement, Statement::Mock(mock) if !mock.keep_bodies);
    sequence.statements().iter().any(is_mock)
}
