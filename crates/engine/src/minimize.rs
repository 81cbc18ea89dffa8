//! Makes tests smaller without losing the goals they are there for: first fewer statements, then simpler
//! literals, then fewer tests.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};

use jurat_base::FxHashSet;
use jurat_model::{Action, Candidate, JavaString, Literal, Sequence, Statement, Var};

use crate::archive::{Goal, cost, goals};
use crate::deadline::Deadline;
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// A sequence that will become a test.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// What it runs.
    pub(crate) candidate: Candidate,
    /// The goals it must keep.
    pub(crate) required: BTreeSet<Goal>,
    /// All goals it reaches.
    pub(crate) reached: BTreeSet<Goal>,
}

/// The most variants of one draft that are tried at once.
const VARIANTS: usize = 24;

/// Shrinks every draft as far as the deadline allows; at any moment what is there is complete.
pub(crate) fn shrink(
    drafts: &mut [Draft],
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<(), RunError> {
    let passes: [fn(&Sequence) -> Vec<Sequence>; 2] = [shorter, simpler];
    for variants in passes {
        let mut active: Vec<usize> = (0..drafts.len()).collect();
        while !active.is_empty() && deadline.may_minimize() {
            active = shrink_once(drafts, &active, variants, runner)?;
        }
    }
    Ok(())
}

/// Tries variants of the active drafts; gives those that shrank, which are worth another try.
fn shrink_once(
    drafts: &mut [Draft],
    active: &[usize],
    variants: fn(&Sequence) -> Vec<Sequence>,
    runner: &mut dyn Runner,
) -> Result<Vec<usize>, RunError> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut ranges = Vec::new();
    for &number in active {
        let mut tries = variants(&drafts[number].candidate.sequence);
        tries.truncate(VARIANTS);
        ranges.push((number, jobs.len()..jobs.len() + tries.len()));
        jobs.extend(tries.into_iter().map(Job::from));
    }
    let outcomes = runner.run(&jobs, Mode::Confirm)?;
    let mut shrunk = Vec::new();
    for (number, range) in ranges {
        let draft = &mut drafts[number];
        let best = range
            .filter_map(|at| {
                let sequence = &jobs[at].sequence;
                let outcome = &outcomes[at];
                let reached: BTreeSet<Goal> = goals(sequence, outcome).into_iter().collect();
                let complete = outcome.endings.len() == sequence.len();
                let good = !outcome.is_unsafe && complete && draft.required.is_subset(&reached);
                good.then_some((weight(sequence), at, reached))
            })
            .min_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
        if let Some((better, at, reached)) = best
            && better < weight(&draft.candidate.sequence)
        {
            draft.candidate.sequence = jobs[at].sequence.clone();
            draft.reached = reached;
            shrunk.push(number);
        }
    }
    Ok(shrunk)
}

/// What a sequence costs its reader: calls, statements, then how odd its literals are.
fn weight(sequence: &Sequence) -> (usize, usize, usize) {
    let (calls, length) = cost(sequence);
    let oddness = sequence.statements().iter().map(|statement| oddness(&statement.action)).sum();
    (calls, length, oddness)
}

/// The sequence without one statement and what depends on it; the last statement always stays.
fn shorter(sequence: &Sequence) -> Vec<Sequence> {
    let Some(last) = sequence.last() else { return Vec::new() };
    let needed = sequence.needed_for([last]);
    let mut variants = Vec::new();
    let only_needed = sequence.retaining(|var| needed[var.index()]);
    variants.extend(only_needed.filter(|shorter| shorter.len() < sequence.len()));
    for dropped in sequence.vars().rev().filter(|var| !needed[var.index()]) {
        variants.extend(without(sequence, dropped));
    }
    variants.extend(shortcuts(sequence));
    variants
}

/// Drops a statement, what uses it, and what only it used.
fn without(sequence: &Sequence, dropped: Var) -> Option<Sequence> {
    let mut gone = vec![false; sequence.len()];
    gone[dropped.index()] = true;
    for var in sequence.vars() {
        if sequence.statement(var).action.inputs().any(|input| gone[input.index()]) {
            gone[var.index()] = true;
        }
    }
    let last = sequence.last()?;
    if gone[last.index()] {
        return None;
    }
    let kept = sequence.retaining(|var| !gone[var.index()])?;
    Some(without_idle_values(&kept))
}

/// Drops literals, arrays, casts and lambdas that no call uses.
fn without_idle_values(sequence: &Sequence) -> Sequence {
    let calls = sequence.calls().map(|(var, ..)| var).chain(sequence.last());
    let used = sequence.needed_for(calls);
    sequence.retaining(|var| used[var.index()]).expect("what a kept statement uses is used")
}

/// Replaces an input by an earlier value of the same type, so that what made the input can go.
fn shortcuts(sequence: &Sequence) -> Vec<Sequence> {
    let mut variants = Vec::new();
    for (call, _, inputs) in sequence.calls() {
        for (position, input) in inputs.iter().enumerate() {
            let ty = sequence.type_of(*input);
            let earlier =
                sequence.vars().find(|var| var < input && sequence.type_of(*var) == ty && ty.is_reference());
            if let Some(earlier) = earlier {
                variants.extend(with_input(sequence, call, position, earlier));
            }
        }
    }
    variants
}

fn with_input(sequence: &Sequence, call: Var, position: usize, value: Var) -> Option<Sequence> {
    let mut statements = sequence.statements().to_vec();
    if let Action::Call { inputs, .. } = &mut statements[call.index()].action {
        inputs[position] = value;
    }
    let replaced = Sequence::new(statements)?;
    let shorter = without_idle_values(&replaced);
    (shorter.len() < sequence.len()).then_some(shorter)
}

/// The sequence with one literal made simpler.
fn simpler(sequence: &Sequence) -> Vec<Sequence> {
    let mut variants = Vec::new();
    for var in sequence.vars() {
        let Action::Literal(literal) = &sequence.statement(var).action else { continue };
        for simple in simpler_literals(literal) {
            let mut statements: Vec<Statement> = sequence.statements().to_vec();
            statements[var.index()].action = Action::Literal(simple);
            variants.extend(Sequence::new(statements));
        }
    }
    variants
}

fn simpler_literals(literal: &Literal) -> Vec<Literal> {
    let numbers = [0_i8, 1, -1, 2, 3];
    let candidates: Vec<Literal> = match literal {
        Literal::Int(_) => numbers.map(|number| Literal::Int(number.into())).to_vec(),
        Literal::Long(_) => numbers.map(|number| Literal::Long(number.into())).to_vec(),
        Literal::Short(_) => numbers.map(|number| Literal::Short(number.into())).to_vec(),
        Literal::Byte(_) => numbers.map(Literal::Byte).to_vec(),
        Literal::Double(_) => numbers.map(|number| Literal::Double(f64::from(number).to_bits())).to_vec(),
        Literal::Float(_) => numbers.map(|number| Literal::Float(f32::from(number).to_bits())).to_vec(),
        Literal::Char(_) => ['a', '0', ' '].map(|letter| Literal::Char(letter as u16)).to_vec(),
        Literal::String(text) => simpler_strings(text),
        Literal::Null | Literal::Boolean(_) | Literal::Class(_) => Vec::new(),
    };
    let limit = literal_oddness(literal);
    candidates.into_iter().filter(|simple| literal_oddness(simple) < limit).collect()
}

fn simpler_strings(text: &JavaString) -> Vec<Literal> {
    let units = text.units();
    let half = JavaString::from_units(units[..units.len() / 2].to_vec());
    let tail = JavaString::from_units(units[units.len() / 2..].to_vec());
    [JavaString::from(""), JavaString::from("a"), half, tail].into_iter().map(Literal::String).collect()
}

fn oddness(action: &Action) -> usize {
    match action {
        Action::Literal(literal) => literal_oddness(literal),
        _ => 0,
    }
}

/// How much a literal asks of its reader: 0 for zero, more for what is longer or less usual.
fn literal_oddness(literal: &Literal) -> usize {
    let number = |value: i64| match value {
        0 => 0,
        1 => 1,
        -1 => 2,
        2..=9 => 3,
        10..=999 => 4,
        _ => 5,
    };
    match literal {
        Literal::Null | Literal::Boolean(_) | Literal::Class(_) => 0,
        Literal::Byte(value) => number((*value).into()),
        Literal::Short(value) => number((*value).into()),
        Literal::Int(value) => number((*value).into()),
        Literal::Long(value) => number(*value),
        Literal::Float(bits) => float_oddness(f32::from_bits(*bits).into()),
        Literal::Double(bits) => float_oddness(f64::from_bits(*bits)),
        Literal::Char(unit) => match u8::try_from(*unit) {
            Ok(b'a') => 0,
            Ok(b'0'..=b'9' | b'A'..=b'Z' | b'b'..=b'z') => 1,
            Ok(b' '..=b'~') => 2,
            _ => 4,
        },
        Literal::String(text) => {
            let odd = |unit: &&u16| !(32..127).contains(*unit);
            text.units().len() + 4 * text.units().iter().filter(odd).count()
        }
    }
}

#[expect(clippy::float_cmp, reason = "these numbers are exact")]
fn float_oddness(value: f64) -> usize {
    if value == 0.0 && value.is_sign_positive() {
        0
    } else if value == 1.0 {
        1
    } else if value == -1.0 {
        2
    } else if value.fract() == 0.0 && value.abs() < 10.0 {
        3
    } else if value.is_finite() {
        5
    } else {
        6
    }
}

/// Drops drafts all of whose goals others reach: what wins most goals per statement is kept first.
///
/// Greedy cover with lazy re-evaluation: a gain can only fall, so the top of the heap is final as soon as it
/// still is the top after its gain was computed anew.
pub(crate) fn reduce(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut open: FxHashSet<&Goal> = drafts.iter().flat_map(|draft| &draft.reached).collect();
    let mut heap: BinaryHeap<(Gain, Reverse<usize>)> =
        drafts.iter().enumerate().map(|(at, draft)| (Gain::of(draft, &open), Reverse(at))).collect();
    let mut kept = vec![false; drafts.len()];
    while let Some((_, Reverse(at))) = heap.pop() {
        let now = Gain::of(&drafts[at], &open);
        if now.won == 0 {
            continue;
        }
        if heap.peek().is_some_and(|(next, _)| *next > now) {
            heap.push((now, Reverse(at)));
            continue;
        }
        for goal in &drafts[at].reached {
            open.remove(goal);
        }
        kept[at] = true;
    }
    drafts.into_iter().zip(kept).filter_map(|(draft, kept)| kept.then_some(draft)).collect()
}

/// Goals won per statement to be read, compared as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gain {
    won: usize,
    price: usize,
}

impl Gain {
    fn of(draft: &Draft, open: &FxHashSet<&Goal>) -> Self {
        let won = draft.reached.iter().filter(|goal| open.contains(goal)).count();
        Self { won, price: 2 + draft.candidate.sequence.calls().count() }
    }
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.won * other.price).cmp(&(other.won * self.price)).then(other.price.cmp(&self.price))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use jurat_model::{Ending, Instance, JavaType, OpId, Outcome, ProbeId, Substitution, Value};

    use super::*;
    use crate::deadline::{Budget, Stop};

    fn literal(value: i32) -> Statement {
        Statement { action: Action::Literal(Literal::Int(value)), ty: JavaType::INT }
    }

    fn call(op: u32, inputs: &[u32]) -> Statement {
        let instance = Instance {
            operation: OpId(op),
            receiver: None,
            params: vec![JavaType::INT; inputs.len()],
            result: JavaType::INT,
            throws: Vec::new(),
            chosen: Substitution::default(),
        };
        let inputs = inputs.iter().copied().map(Var).collect();
        Statement { action: Action::Call { instance: Arc::new(instance), inputs }, ty: JavaType::INT }
    }

    fn sequence(statements: &[Statement]) -> Sequence {
        Sequence::new(statements.to_vec()).expect("inputs come first")
    }

    fn goal(id: u32) -> Goal {
        Goal::Probe(ProbeId(id))
    }

    fn draft(statements: &[Statement], reached: &[u32]) -> Draft {
        let reached: BTreeSet<Goal> = reached.iter().copied().map(goal).collect();
        let candidate = Candidate { sequence: sequence(statements), package: None };
        Draft { candidate, required: reached.clone(), reached }
    }

    /// A subject in which probe 1 is reached by calling operation 7 while some literal is above 9.
    struct Straw;

    impl Runner for Straw {
        fn run(&mut self, jobs: &[Job], _: Mode) -> Result<Vec<Outcome>, RunError> {
            let outcome = |job: &Job| {
                let statements = job.sequence.statements();
                let large = |statement: &Statement| matches!(&statement.action, Action::Literal(Literal::Int(value)) if *value > 9);
                let called = job.sequence.calls().any(|(_, op, _)| op == OpId(7));
                let reached = called && statements.iter().any(large);
                Outcome {
                    endings: vec![Ending::Returned(Value::Void); statements.len()],
                    hits: if reached { vec![ProbeId(1)] } else { Vec::new() },
                    ..Outcome::default()
                }
            };
            Ok(jobs.iter().map(outcome).collect())
        }
    }

    fn shrunk(statements: &[Statement]) -> Sequence {
        let mut drafts = [draft(statements, &[1])];
        let deadline = Deadline::start(Budget::Time(Duration::from_secs(600)), Stop::default());
        shrink(&mut drafts, &mut Straw, &deadline).expect("straw does not fail");
        drafts[0].candidate.sequence.clone()
    }

    #[test]
    fn calls_that_do_not_matter_go_and_the_last_one_stays() {
        let whole = [literal(5), call(3, &[0]), literal(77), call(3, &[2]), call(7, &[2])];
        assert_eq!(shrunk(&whole), sequence(&[literal(77), call(7, &[0])]));
    }

    #[test]
    fn literals_become_simpler_as_far_as_the_goal_allows() {
        let whole = [literal(77), literal(500), call(7, &[0, 1])];
        // One of the two must stay large; the other need not.
        let small = shrunk(&whole);
        let values: Vec<_> = small.statements().iter().map(|statement| &statement.action).collect();
        assert!(values.contains(&&Action::Literal(Literal::Int(0))), "{values:?}");
    }

    #[test]
    fn a_draft_whose_goals_others_reach_goes() {
        let long = draft(&[literal(0), call(1, &[0]), call(2, &[1]), call(3, &[2])], &[1, 2]);
        let (one, two) = (draft(&[literal(0), call(1, &[0])], &[1, 3]), draft(&[call(2, &[])], &[2]));
        let kept = reduce(vec![long, one.clone(), two.clone()]);
        let goals: Vec<_> = kept.iter().map(|draft| draft.reached.clone()).collect();
        assert_eq!(goals, [one.reached, two.reached]);
    }
}
