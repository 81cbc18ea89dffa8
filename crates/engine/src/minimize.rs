//! Makes tests smaller without losing the goals they are there for: first fewer statements, then simpler
//! literals, then fewer tests.

mod stand_in;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jurat_base::FxHashMap;
use jurat_model::{
    Action, Candidate, JavaString, JavaType, Literal, Outcome, Sequence, Statement, Subject, Var,
};

use crate::archive::{Goal, Standing, cost, goals};
use crate::deadline::Deadline;
use crate::error::RunError;
use crate::goals::{GoalMap, GoalSet};
use crate::runner::{Job, Mode, Runner};
use crate::shared::{Company, Shared, run_after};
use stand_in::StandIns;

/// A sequence that will become a test.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// What it runs.
    pub(crate) candidate: Candidate,
    /// The goals it must keep.
    pub(crate) required: GoalSet,
    /// All goals it reaches, whatever ran before.
    pub(crate) reached: GoalSet,
    /// Goals it reaches only if it runs first, as those of initializers, and that are left to it.
    pub(crate) once: GoalSet,
    /// What it ran before it was made smaller, in case that went too far.
    pub(crate) whole: Sequence,
    /// What it did when it was last run; what it reached is told above.
    pub(crate) outcome: Outcome,
    /// What is said of it before its length counts.
    pub(crate) standing: Standing,
}

impl Draft {
    /// Whether it ends with an exception.
    pub(crate) fn throws(&self) -> bool {
        self.outcome.thrown().is_some()
    }

    /// All goals it reaches, each once.
    fn goals(&self) -> impl Iterator<Item = Goal> {
        self.reached.iter().chain(self.once.without(&self.reached))
    }
}

/// How many drafts are shrunk before the clock is looked at.
const SLICE: usize = 128;

/// The same for those that need fresh state.
const SLICE_ALONE: usize = 1;

/// The most variants of one draft that are tried at once.
const VARIANTS: usize = 24;

/// Sequences to try instead of one.
type Variants<'a> = dyn Fn(&Draft) -> Vec<Variant> + 'a;

/// A sequence to try instead of another.
struct Variant {
    sequence: Sequence,
    change: Change,
}

/// How it differs, if that can be done together with others.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// A statement is gone, with what uses it.
    Without(Var),
    /// A literal is another.
    Literal(Var, Literal),
    /// Anything else.
    Other,
}

impl Change {
    /// The statement that it is about, and how odd that becomes; none if it cannot be done together with others.
    fn place(&self) -> Option<(Var, usize)> {
        match self {
            Self::Without(var) => Some((*var, 0)),
            Self::Literal(var, literal) => Some((*var, literal_oddness(literal))),
            Self::Other => None,
        }
    }
}

impl Variant {
    fn other(sequence: Sequence) -> Self {
        Self { sequence, change: Change::Other }
    }
}

/// Shrinks every draft as far as the deadline allows; at any moment what is there is complete. What must run first to
/// reach something would not be seen to reach it beside others, and stays as it is.
pub(crate) fn shrink(
    subject: &Subject,
    shared: &Shared,
    drafts: &mut [Draft],
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<(), RunError> {
    let chosen: Vec<usize> = (0..drafts.len()).filter(|at| drafts[*at].once.is_empty()).collect();
    let (makers, company) = (makers(shared, drafts), company(shared, drafts));
    let means = Means { makers: &makers, company: Some(&company) };
    shrink_chosen(subject, means, drafts, &chosen, Mode::Probe, runner, deadline)
}

/// Drafts that may leave something behind.
pub(crate) fn company<'a>(shared: &'a Shared, drafts: &[Draft]) -> Company<'a> {
    shared.company(drafts.iter().map(|draft| &draft.candidate.sequence))
}

/// What variants are made of and how they are run.
#[derive(Clone, Copy)]
struct Means<'a> {
    makers: &'a Makers,
    /// What runs before them.
    company: Option<&'a Company<'a>>,
}

/// Shrinks drafts of which only a run in fresh state of its own tells what they reach: slow, and for few.
pub(crate) fn shrink_alone(
    subject: &Subject,
    drafts: &mut [Draft],
    chosen: &[usize],
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<(), RunError> {
    let means = Means { makers: &Makers::default(), company: None };
    shrink_chosen(subject, means, drafts, chosen, Mode::Alone, runner, deadline)
}

fn shrink_chosen(
    subject: &Subject,
    means: Means<'_>,
    drafts: &mut [Draft],
    chosen: &[usize],
    mode: Mode,
    runner: &mut dyn Runner,
    deadline: &Deadline,
) -> Result<(), RunError> {
    let passes: [&Variants<'_>; 2] = [&|draft| shorter(subject, draft, means.makers), &|draft| {
        simpler_variants(&draft.candidate.sequence)
    }];
    let slice_size = match means.company {
        _ if mode.is_alone() => SLICE_ALONE,
        Some(company) if !company.is_empty() => SLICE / 2,
        _ => SLICE,
    };
    for variants in passes {
        let mut active = chosen.to_vec();
        while !active.is_empty() {
            let mut shrunk = Vec::new();
            for slice in active.chunks(slice_size) {
                if !deadline.may_minimize() {
                    return Ok(());
                }
                let company = means.company;
                let trying = Trying { subject, drafts, mode, company, best: FxHashMap::default() };
                shrunk.extend(shrink_once(trying, slice, variants, runner)?);
            }
            active = shrunk;
        }
    }
    Ok(())
}

/// Tries variants of the active drafts; gives those that shrank, which are worth another try. Changes that are fine one by
/// one are mostly fine together as well, which saves a round for each.
fn shrink_once(
    mut trying: Trying<'_>,
    active: &[usize],
    variants: &Variants<'_>,
    runner: &mut dyn Runner,
) -> Result<Vec<usize>, RunError> {
    let tries = active.iter().map(|&number| {
        let draft = &trying.drafts[number];
        let unasked = without_unasked(&draft.candidate.sequence, &draft.outcome).map(Variant::other);
        (number, unasked.into_iter().chain(variants(draft)).take(VARIANTS).collect())
    });
    let tries = tries.collect();
    let kept = trying.run(tries, runner)?;
    let together = kept.into_iter().map(|(number, changes)| {
        let sequence = &trying.drafts[number].candidate.sequence;
        (number, together(sequence, &changes).into_iter().map(Variant::other).collect())
    });
    trying.run(together.collect(), runner)?;
    Ok(trying.settle())
}

/// Variants of drafts that are being run.
struct Trying<'a> {
    subject: &'a Subject,
    drafts: &'a mut [Draft],
    mode: Mode,
    /// What runs before them.
    company: Option<&'a Company<'a>>,
    /// The least that keeps what its draft is there for, with what it did.
    best: FxHashMap<usize, (Weight, Sequence, Outcome)>,
}

impl Trying<'_> {
    /// Runs variants of some drafts, and gives the changes of each that do no harm.
    fn run(
        &mut self,
        tries: Vec<(usize, Vec<Variant>)>,
        runner: &mut dyn Runner,
    ) -> Result<Vec<(usize, Vec<Change>)>, RunError> {
        let jobs = tries.iter().flat_map(|(_, variants)| variants);
        let jobs: Vec<Job> = jobs.map(|variant| variant.sequence.clone().into()).collect();
        let mut outcomes = run_after(self.company, jobs, self.mode, runner)?.into_iter();
        let mut kept = Vec::new();
        for (number, variants) in tries {
            let mut changes = Vec::new();
            for (Variant { sequence, change }, outcome) in variants.into_iter().zip(outcomes.by_ref()) {
                if self.is_less(&self.drafts[number], &sequence, &outcome) {
                    changes.push(change);
                    let weight = weight(&sequence);
                    if self.best.get(&number).is_none_or(|(least, ..)| weight < *least) {
                        self.best.insert(number, (weight, sequence, outcome));
                    }
                }
            }
            kept.push((number, changes));
        }
        Ok(kept)
    }

    /// Whether a sequence is smaller than a draft and as good.
    fn is_less(&self, draft: &Draft, sequence: &Sequence, outcome: &Outcome) -> bool {
        let is_first = || draft.once.iter().all(|goal| goal.is_reached(sequence, outcome));
        weight(sequence) < weight(&draft.candidate.sequence)
            && keeps(draft, sequence, outcome)
            && (!self.mode.is_alone() || is_first())
            && Standing::of(self.subject, sequence) <= draft.standing
    }

    /// Puts the least that was found into the place of drafts, and tells which.
    fn settle(self) -> Vec<usize> {
        let mut shrunk: Vec<usize> = self.best.keys().copied().collect();
        shrunk.sort_unstable();
        for (number, (_, sequence, outcome)) in self.best {
            let draft = &mut self.drafts[number];
            let has_company = self.company.is_some_and(|company| !company.before(&sequence).is_empty());
            draft.reached = if self.mode.is_alone() || has_company {
                // What is reached besides may be reached only because nothing ran before, or because something did.
                draft.reached.only(|goal| goal.is_reached(&sequence, &outcome))
            } else {
                goals(&sequence, &outcome).into_iter().collect()
            };
            draft.candidate.sequence = sequence;
            draft.outcome = outcome.without_hits();
        }
        shrunk
    }
}

/// The sequence with several changes at once: all of them, and either half should all be too many.
fn together(sequence: &Sequence, changes: &[Change]) -> Vec<Sequence> {
    let mut chosen: BTreeMap<Var, &Change> = BTreeMap::new();
    for change in changes {
        let Some((var, oddness)) = change.place() else { continue };
        let is_less = |other: &&Change| other.place().is_some_and(|(_, other)| oddness < other);
        if chosen.get(&var).is_none_or(is_less) {
            chosen.insert(var, change);
        }
    }
    let all: Vec<&Change> = chosen.into_values().collect();
    let (one, other) = all.split_at(all.len() / 2);
    let several = [&all[..], one, other].into_iter().filter(|some| some.len() > 1);
    several.filter_map(|some| changed(sequence, some)).collect()
}

fn changed(sequence: &Sequence, changes: &[&Change]) -> Option<Sequence> {
    let mut statements: Vec<Statement> = sequence.statements().to_vec();
    let mut dropped = Vec::new();
    for change in changes {
        match change {
            Change::Without(var) => dropped.push(*var),
            Change::Literal(var, literal) => {
                statements[var.index()].action = Action::Literal(literal.clone());
            }
            Change::Other => {}
        }
    }
    let sequence = Sequence::new(statements)?;
    if dropped.is_empty() { Some(sequence) } else { without(&sequence, &dropped) }
}

/// True if a variant runs to its end, as the draft does, and reaches what the draft is there for.
pub(crate) fn keeps(draft: &Draft, sequence: &Sequence, outcome: &Outcome) -> bool {
    let complete = outcome.endings.len() == sequence.len() && !outcome.is_unsafe;
    let is_as_calm = draft.throws() || outcome.thrown().is_none();
    complete && is_as_calm && draft.required.iter().all(|goal| goal.is_reached(sequence, outcome))
}

type Weight = (usize, usize, usize, usize);

/// What a sequence costs its reader: calls, what they and mocks are given, statements, then how odd its literals are.
pub(crate) fn weight(sequence: &Sequence) -> Weight {
    let (calls, length) = cost(sequence);
    let given = |statement: &Statement| match &statement.action {
        action @ (Action::Call { .. } | Action::Mock { .. }) => action.inputs().count(),
        _ => 0,
    };
    let inputs = sequence.statements().iter().map(given).sum();
    let oddness = sequence.statements().iter().map(|statement| oddness(&statement.action)).sum();
    (calls, inputs, length, oddness)
}

/// The simplest way to make a value of a type: a call without inputs.
type Makers = FxHashMap<JavaType, Action>;

/// Those that the drafts themselves use. What all tests have in common must not get into one that does without.
fn makers(shared: &Shared, drafts: &[Draft]) -> Makers {
    let mut makers = Makers::default();
    // A private constructor must not get into what does without.
    let is_plain =
        |draft: &&Draft| draft.standing != Standing::LastResort && !shared.is_in(&draft.candidate.sequence);
    let plain = drafts.iter().filter(is_plain);
    for statement in plain.flat_map(|draft| draft.candidate.sequence.statements()) {
        let is_call = matches!(&statement.action, Action::Call { inputs, .. } if inputs.is_empty());
        if is_call && statement.ty.is_reference() {
            // The least of them, so that the order of the drafts does not matter.
            let least = makers.entry(statement.ty.clone()).or_insert_with(|| statement.action.clone());
            if statement.action < *least {
                least.clone_from(&statement.action);
            }
        }
    }
    makers
}

/// The sequence with a value made by the simplest call for its type.
fn remade<'s>(sequence: &'s Sequence, makers: &'s Makers) -> impl Iterator<Item = Sequence> + 's {
    let remade = |(var, statement): (Var, &Statement)| {
        let maker = makers.get(&statement.ty).filter(|_| Some(var) != sequence.last())?;
        let Action::Call { inputs, .. } = &statement.action else { return None };
        if inputs.is_empty() {
            return None;
        }
        let mut statements = sequence.statements().to_vec();
        statements[var.index()].action = maker.clone();
        Sequence::new(statements).map(|remade| without_idle_values(&remade))
    };
    sequence.vars().zip(sequence.statements()).filter_map(remade)
}

/// The sequence up to the call before its last, if there is one.
fn without_end(sequence: &Sequence) -> Option<Sequence> {
    let calls: Vec<Var> = sequence.calls().map(|(var, ..)| var).collect();
    let last = calls.iter().rev().find(|call| Some(**call) != sequence.last())?;
    Some(sequence.prefix(last.index() + 1))
}

/// The sequence without one statement and what depends on it, without its end, or with simpler values.
fn shorter(subject: &Subject, draft: &Draft, makers: &Makers) -> Vec<Variant> {
    let sequence = &draft.candidate.sequence;
    let Some(last) = sequence.last() else { return Vec::new() };
    let needed = sequence.needed_for([last]);
    let mut variants: Vec<Variant> = without_end(sequence).into_iter().map(Variant::other).collect();
    let only_needed = sequence.retaining(|var| needed[var.index()]);
    variants.extend(only_needed.filter(|shorter| shorter.len() < sequence.len()).map(Variant::other));
    for dropped in sequence.vars().rev().filter(|var| !needed[var.index()]) {
        let change = Change::Without(dropped);
        variants.extend(changed(sequence, &[&change]).map(|sequence| Variant { sequence, change }));
    }
    variants.extend(remade(sequence, makers).map(Variant::other));
    variants.extend(with_stand_ins(subject, draft).into_iter().map(Variant::other));
    variants.extend(with_fewer_answers(sequence).into_iter().map(Variant::other));
    variants
}

/// The sequence with one value in the place of another.
fn with_stand_ins(subject: &Subject, draft: &Draft) -> Vec<Sequence> {
    let Candidate { sequence, package, .. } = &draft.candidate;
    let home = || jurat_oracle::home(subject, sequence).map(|class| subject.test_package(class));
    let Some(package) = package.clone().or_else(home) else { return Vec::new() };
    StandIns { subject, sequence, outcome: &draft.outcome, package: &package }.variants()
}

/// The sequence without the answers that nobody asked for, if there are such: readers would look for what asks.
fn without_unasked(sequence: &Sequence, outcome: &Outcome) -> Option<Sequence> {
    if !sequence.has_mocks() {
        return None;
    }
    let mut statements = sequence.statements().to_vec();
    for (var, statement) in sequence.vars().zip(&mut statements) {
        let Action::Mock { answers } = &mut statement.action else { continue };
        for (place, answer) in answers.iter_mut().enumerate() {
            let is_it = |asked: &&(Var, usize, usize)| (asked.0, asked.1) == (var, place);
            answer.values.truncate(outcome.asked.iter().find(is_it).map_or(0, |asked| asked.2));
        }
        answers.retain(|answer| !answer.values.is_empty());
    }
    let is_less = statements != sequence.statements();
    let asked = is_less.then(|| Sequence::new(statements)).flatten()?;
    Some(without_idle_values(&asked))
}

/// The sequence with a mock that answers one time less. What is still asked then has no answer, which is not kept.
fn with_fewer_answers(sequence: &Sequence) -> Vec<Sequence> {
    let mut variants = Vec::new();
    for (var, statement) in sequence.vars().zip(sequence.statements()) {
        let Action::Mock { answers } = &statement.action else { continue };
        for method in 0..answers.len() {
            let mut fewer = answers.clone();
            fewer[method].values.pop();
            fewer.retain(|answer| !answer.values.is_empty());
            let mut statements = sequence.statements().to_vec();
            statements[var.index()].action = Action::Mock { answers: fewer };
            variants.extend(Sequence::new(statements).map(|fewer| without_idle_values(&fewer)));
        }
    }
    variants
}

/// Drops statements, what uses them, and what only they used.
fn without(sequence: &Sequence, dropped: &[Var]) -> Option<Sequence> {
    let mut gone = vec![false; sequence.len()];
    for var in dropped {
        gone[var.index()] = true;
    }
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
    sequence.making(calls)
}

/// The sequence with one literal made simpler.
pub(crate) fn simpler(sequence: &Sequence) -> Vec<Sequence> {
    simpler_variants(sequence).into_iter().map(|variant| variant.sequence).collect()
}

fn simpler_variants(sequence: &Sequence) -> Vec<Variant> {
    let mut variants = Vec::new();
    for var in sequence.vars() {
        let Action::Literal(literal) = &sequence.statement(var).action else { continue };
        for simple in simpler_literals(literal) {
            let change = Change::Literal(var, simple);
            variants.extend(changed(sequence, &[&change]).map(|sequence| Variant { sequence, change }));
        }
    }
    variants
}

fn simpler_literals(literal: &Literal) -> Vec<Literal> {
    let numbers = [1_i8, 2, 10, 0, -1, 100];
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
    let named = ["a", "abc", ""].map(JavaString::from);
    named.into_iter().chain([half, tail]).map(Literal::String).collect()
}

fn oddness(action: &Action) -> usize {
    match action {
        Action::Literal(literal) => literal_oddness(literal),
        _ => 0,
    }
}

/// How much a literal asks of its reader: nothing if a person might have written it. Such literals stay as they are,
/// because different values tell more than equal ones.
fn literal_oddness(literal: &Literal) -> usize {
    let number = |value: i64| match value {
        -10..=100 => 0,
        -1000..=1000 => 1,
        i64::MIN..=-1_000_000 | 1_000_000..=i64::MAX => 3,
        _ => 2,
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
            Ok(byte) if byte.is_ascii_alphanumeric() => 0,
            Ok(b' '..=b'~') => 1,
            _ => 4,
        },
        Literal::String(text) => string_oddness(text),
    }
}

/// Short words are as good as each other; what is empty, long or not made of letters and digits is odd.
fn string_oddness(text: &JavaString) -> usize {
    let units = text.units();
    let odd = |unit: &&u16| u8::try_from(**unit).is_err() || !(32..127).contains(*unit);
    let mark = |unit: &&u16| (32..127).contains(*unit) && !is_alphanumeric(**unit);
    let length = units.len().saturating_sub(4) + usize::from(units.is_empty());
    length + 4 * units.iter().filter(odd).count() + units.iter().filter(mark).count()
}

fn is_alphanumeric(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric())
}

fn float_oddness(value: f64) -> usize {
    let digits = value.abs().to_string().len();
    match value {
        _ if !value.is_finite() => 6,
        _ if value.abs() <= 100.0 && digits <= 4 && (value != 0.0 || value.is_sign_positive()) => 0,
        _ if value.abs() <= 1e6 && digits <= 7 => 2,
        _ => 5,
    }
}

/// Drops drafts all of whose goals others reach, the longest first: what stays is short and about few things. What a
/// draft reaches that returns is not left to one that throws.
pub(crate) fn reduce(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut calm: GoalMap<Standing> = GoalMap::default();
    for draft in drafts.iter().filter(|draft| !draft.throws()) {
        for goal in draft.goals() {
            let best = calm.get(&goal).map_or(draft.standing, |best| best.min(draft.standing));
            calm.insert(goal, best);
        }
    }
    let own = |draft: &Draft| -> Vec<Goal> {
        let is_left = |goal: &Goal| calm.get(goal).is_some_and(|standing| standing <= draft.standing);
        draft.goals().filter(|goal| !draft.throws() || !is_left(goal)).collect()
    };
    let mut holders: GoalMap<u32> = GoalMap::default();
    for goal in drafts.iter().flat_map(own) {
        let count = holders.get(&goal).unwrap_or_default();
        holders.insert(goal, count + 1);
    }
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by_cached_key(|at| {
        let draft = &drafts[*at];
        (Reverse((draft.standing, weight(&draft.candidate.sequence))), Reverse(*at))
    });
    let mut kept = vec![true; drafts.len()];
    for at in order {
        let goals = own(&drafts[at]);
        let others = goals.into_iter().filter_map(|goal| holders.get(&goal).map(|count| (goal, count - 1)));
        let others: Vec<(Goal, u32)> = others.collect();
        if others.iter().all(|(_, count)| *count > 0) {
            kept[at] = false;
            for (goal, count) in others {
                holders.insert(goal, count);
            }
        }
    }
    drafts.into_iter().zip(kept).filter_map(|(draft, kept)| kept.then_some(draft)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use jurat_model::{Answer, Ending, Instance, OpId, ProbeId, Substitution, Technique, Value};

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
        let reached: GoalSet = reached.iter().copied().map(goal).collect();
        let whole = sequence(statements);
        let candidate = Candidate { sequence: whole.clone(), package: None, technique: Technique::Random };
        let (once, outcome) = (GoalSet::default(), Outcome::default());
        let standing = Standing::Detour;
        Draft { candidate, whole, required: reached.clone(), reached, once, outcome, standing }
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
        shrunk_by(&mut Straw, statements)
    }

    fn shrunk_by(runner: &mut dyn Runner, statements: &[Statement]) -> Sequence {
        shrunk_draft(runner, draft(statements, &[1]))
    }

    fn shrunk_draft(runner: &mut dyn Runner, draft: Draft) -> Sequence {
        let mut drafts = [draft];
        let deadline = Deadline::start(Budget::Time(Duration::from_secs(600)), Stop::default());
        let subject = jurat_testkit::subject("");
        shrink(&subject, &Shared::of(&subject), &mut drafts, runner, &deadline).expect("straw does not fail");
        drafts[0].candidate.sequence.clone()
    }

    /// Straw, and how often it was asked.
    struct Counted(usize);

    impl Runner for Counted {
        fn run(&mut self, jobs: &[Job], mode: Mode) -> Result<Vec<Outcome>, RunError> {
            self.0 += 1;
            Straw.run(jobs, mode)
        }
    }

    /// Tells how many jobs ran before each.
    struct Places;

    impl Runner for Places {
        fn run(&mut self, jobs: &[Job], _: Mode) -> Result<Vec<Outcome>, RunError> {
            let place = |at: u32| Outcome { hits: vec![ProbeId(at)], ..Outcome::default() };
            Ok((0..).take(jobs.len()).map(place).collect())
        }
    }

    #[test]
    fn those_that_find_what_others_leave_behind_run_after_them_unless_they_run_alone() {
        let subject = jurat_testkit::subject(
            "package java.util.concurrent.atomic; class AtomicInteger { }
             class Counter { static AtomicInteger count; static void add(); static void take(); }
             class Plain { static void add(); }",
        );
        let calling = |class: &str, name: &str| {
            let op = jurat_testkit::operation(&subject, class, name);
            sequence(&[call(op.0, &[])])
        };
        let [add, take] = ["add", "take"].map(|name| calling("Counter", name));
        let shared = Shared::of(&subject);
        let company = shared.company([&add, &add, &take].into_iter());
        let places = |mode: Mode| -> Vec<u32> {
            let jobs = [&add, &calling("Plain", "add"), &take].map(|sequence| sequence.clone().into());
            let ran = run_after(Some(&company), jobs.to_vec(), mode, &mut Places).expect("it does not fail");
            ran.into_iter().map(|outcome| outcome.hits[0].0).collect()
        };
        assert_eq!(places(Mode::Probe), [2, 3, 6]);
        assert_eq!(places(Mode::Alone), [0, 1, 2]);
    }

    #[test]
    fn calls_that_do_not_matter_go_together() {
        let idle = |at: u32| [literal(5), call(3, &[2 * at])];
        let needed = [literal(77), call(7, &[40])];
        let whole: Vec<Statement> =
            (0..20).flat_map(idle).chain(needed.clone()).chain([call(3, &[40])]).collect();
        let mut counted = Counted(0);
        assert_eq!(shrunk_by(&mut counted, &whole), sequence(&[literal(77), call(7, &[0])]));
        assert!(counted.0 < 12, "{}", counted.0);
    }

    #[test]
    fn one_of_two_calls_that_each_would_do_stays() {
        let whole = [literal(77), call(7, &[0]), call(7, &[0]), literal(5), call(3, &[3]), call(3, &[3])];
        assert_eq!(shrunk(&whole), sequence(&[literal(77), call(7, &[0])]));
    }

    #[test]
    fn calls_that_do_not_matter_go_and_the_last_one_stays() {
        let whole = [literal(5), call(3, &[0]), literal(77), call(3, &[2]), call(7, &[2])];
        assert_eq!(shrunk(&whole), sequence(&[literal(77), call(7, &[0])]));
    }

    #[test]
    fn literals_become_simpler_as_far_as_the_goal_allows() {
        let whole = [literal(7_000_077), literal(7_000_500), call(7, &[0, 1])];
        // One of the two must stay large; the other need not.
        let small = shrunk(&whole);
        let values: Vec<_> = small.statements().iter().map(|statement| &statement.action).collect();
        assert!(values.contains(&&Action::Literal(Literal::Int(1))), "{values:?}");
    }

    /// A subject in which a mock is asked once, and probe 1 is reached if it answers and nothing is missing.
    struct Gauged {
        calls: usize,
    }

    impl Runner for Gauged {
        fn run(&mut self, jobs: &[Job], _: Mode) -> Result<Vec<Outcome>, RunError> {
            let answered = |statement: &Statement| matches!(&statement.action, Action::Mock { answers } if !answers.is_empty());
            let outcome = |job: &Job| {
                let mock = job.sequence.vars().find(|var| answered(job.sequence.statement(*var)));
                let reached = mock.is_some() && job.sequence.calls().count() == self.calls;
                Outcome {
                    endings: vec![Ending::Returned(Value::Void); job.sequence.len()],
                    hits: if reached { vec![ProbeId(1)] } else { Vec::new() },
                    asked: mock.into_iter().map(|mock| (mock, 0, 1)).collect(),
                    ..Outcome::default()
                }
            };
            Ok(jobs.iter().map(outcome).collect())
        }
    }

    #[test]
    fn answers_that_nobody_asked_for_go_however_much_else_there_is_to_try() {
        let answer = |op: u32, values: &[u32]| Answer {
            op: OpId(op),
            values: values.iter().copied().map(Var).collect(),
        };
        let mock = |answers: Vec<Answer>| Statement { action: Action::Mock { answers }, ty: JavaType::INT };
        let calls: Vec<Statement> = (0..VARIANTS).map(|_| call(3, &[])).collect();
        let ended = |start: &[Statement], mock: u32| [start, &calls, &[call(7, &[mock])]].concat();
        let whole = ended(&[literal(5), literal(6), mock(vec![answer(1, &[0, 0]), answer(2, &[1])])], 2);
        let mut gauged = Gauged { calls: calls.len() + 1 };
        let mut one = Draft { standing: Standing::LastResort, ..draft(&whole, &[1]) };
        let jobs = [one.whole.clone().into()];
        one.outcome = gauged.run(&jobs, Mode::Probe).expect("straw does not fail").remove(0);
        assert_eq!(
            shrunk_draft(&mut gauged, one),
            sequence(&ended(&[literal(5), mock(vec![answer(1, &[0])])], 1))
        );
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
