//! The best sequence for each goal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jurat_base::FxHashSet;
use jurat_model::{
    Action, Candidate, Instance, Literal, OpId, Outcome, ProbeId, Sequence, Statement, Subject, Value, Var,
    Visibility,
};

use crate::own::Makers;
use crate::runner::Job;
use crate::shared::{MANY, Shared, is_entangled};

/// One thing to cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// A branch edge, line or method entry.
    Probe(ProbeId),
    /// An operation that throws an exception of this class.
    Exception(OpId, Arc<str>),
    /// An operation that ends a sequence by giving a value of this kind.
    Returned(OpId, Kind),
}

/// What comes of a call, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// `0`
    Zero,
    /// `1`
    One,
    /// A number below zero.
    Negative,
    /// `""`
    Empty,
    /// Anything else, or nothing.
    Other,
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Literal(Literal::Boolean(true)) => Self::True,
            Value::Literal(Literal::Boolean(false)) => Self::False,
            Value::Literal(Literal::Null) => Self::Null,
            Value::Literal(Literal::String(text)) if text.units().is_empty() => Self::Empty,
            Value::Literal(literal) => number(literal).map_or(Self::Other, Self::of_number),
            _ => Self::Other,
        }
    }
}

impl Kind {
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn of_number(number: f64) -> Self {
        if number == 0.0 {
            Self::Zero
        } else if number == 1.0 {
            Self::One
        } else if number < 0.0 {
            Self::Negative
        } else {
            Self::Other
        }
    }
}

/// The value of a number, near enough to tell its kind.
#[expect(clippy::cast_precision_loss, reason = "a long keeps its sign, and one stays one")]
fn number(literal: &Literal) -> Option<f64> {
    Some(match literal {
        Literal::Byte(value) => f64::from(*value),
        Literal::Short(value) => f64::from(*value),
        Literal::Int(value) => f64::from(*value),
        Literal::Long(value) => *value as f64,
        Literal::Float(bits) => f64::from(f32::from_bits(*bits)),
        Literal::Double(bits) => f64::from_bits(*bits),
        _ => return None,
    })
}

/// The operation that ends a sequence and what came of it, if it returned.
fn returned(sequence: &Sequence, outcome: &Outcome) -> Option<(OpId, Kind)> {
    returned_at(sequence, outcome, sequence.last()?)
}

/// The operation that a statement calls and what came of it, if it returned.
pub(crate) fn returned_at(sequence: &Sequence, outcome: &Outcome, var: Var) -> Option<(OpId, Kind)> {
    let value = outcome.value(var)?;
    match &sequence.statement(var).action {
        Action::Call { instance, .. } => Some((instance.operation, Kind::of(value))),
        _ => None,
    }
}

impl Goal {
    /// True if an outcome reached it.
    pub(crate) fn is_reached(&self, sequence: &Sequence, outcome: &Outcome) -> bool {
        match self {
            Self::Probe(probe) => outcome.hits.binary_search(probe).is_ok(),
            Self::Exception(op, class) => outcome.thrown().is_some_and(|(var, thrown)| {
                thrown == class && sequence.calls().any(|(call, called, _)| call == var && called == *op)
            }),
            Self::Returned(op, kind) => returned(sequence, outcome) == Some((*op, *kind)),
        }
    }
}

/// The goals an outcome reached.
pub(crate) fn goals(sequence: &Sequence, outcome: &Outcome) -> Vec<Goal> {
    let mut goals: Vec<Goal> = outcome.hits.iter().copied().map(Goal::Probe).collect();
    if let Some((var, class)) = outcome.thrown()
        && let Some((_, op, _)) = sequence.calls().find(|(call, ..)| *call == var)
        && !jurat_oracle::is_on_null(sequence, outcome)
    {
        goals.push(Goal::Exception(op, class.clone()));
    }
    goals.extend(returned(sequence, outcome).map(|(op, kind)| Goal::Returned(op, kind)));
    goals
}

/// What reading a sequence costs: calls first, then everything else.
pub(crate) fn cost(sequence: &Sequence) -> (usize, usize) {
    (sequence.calls().count(), sequence.len())
}

/// What is said of a sequence before its length counts; the first is preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// It calls a class under test.
    Plain,
    /// It uses an object that all tests have in common several times: what others did to that object may be why it reaches
    /// what it reaches.
    Entangled,
    /// It reaches classes under test through others only.
    Detour,
    /// It needs private members or mocks.
    LastResort,
}

impl Standing {
    /// That of a sequence over a subject.
    pub(crate) fn of(subject: &Subject, sequence: &Sequence) -> Self {
        let is_private = |op: OpId| subject[op].visibility == Visibility::Private;
        if sequence.has_mocks() || sequence.calls().any(|(_, op, _)| is_private(op)) {
            Self::LastResort
        } else if !sequence.calls().any(|(_, op, _)| subject[subject[op].owner].under_test) {
            Self::Detour
        } else if is_entangled(subject, sequence) {
            Self::Entangled
        } else {
            Self::Plain
        }
    }
}

/// What operations were seen to do while exploring.
#[derive(Debug, Default)]
pub struct Conduct {
    returned: FxHashSet<OpId>,
    thrown: BTreeSet<(OpId, Arc<str>)>,
    missing: BTreeMap<OpId, Arc<str>>,
}

impl Conduct {
    /// Whether an operation ever returned, be it on the way to something else.
    pub fn returned(&self, op: OpId) -> bool {
        self.returned.contains(&op)
    }

    /// The classes of exceptions that an operation threw.
    pub fn thrown(&self, op: OpId) -> impl Iterator<Item = &str> {
        let of_op = self.thrown.iter().filter(move |(thrower, _)| *thrower == op);
        of_op.map(|(_, class)| &**class)
    }

    /// The class that an operation needed and the JVM did not find.
    pub fn missing(&self, op: OpId) -> Option<&str> {
        self.missing.get(&op).map(|class| &**class)
    }
}

/// One sequence that holds at least one goal.
#[derive(Debug)]
struct Holder {
    candidate: Candidate,
    /// What is said of it first, whether it throws, then what reading it costs.
    cost: (Standing, bool, (usize, usize)),
    /// Whether it may find what others left behind.
    shares: bool,
    /// Whether that is only in objects that others use as well: with its own it could do without.
    is_avoidable: bool,
}

/// The shortest sequence known for each goal.
pub struct Archive<'a> {
    subject: &'a Subject,
    shared: Shared,
    pub(crate) makers: Makers,
    holders: Vec<Holder>,
    held: BTreeMap<Goal, usize>,
    /// Where the shortest uses what others use as well: one that does not.
    spares: BTreeMap<Goal, usize>,
    /// Those that reach a goal before others were run only, should nothing better be found.
    doubted: BTreeMap<Goal, usize>,
    /// How many holders there may be before those without a goal go.
    most: usize,
    /// Operations with their types, each once: the sequences of a large library have most of them in common.
    instances: FxHashSet<Arc<Instance>>,
    /// Operations that returned, wherever in a sequence.
    returned: FxHashSet<OpId>,
    /// Classes that operations needed and the JVM did not find.
    missing: BTreeMap<OpId, Arc<str>>,
}

impl<'a> Archive<'a> {
    /// An archive for sequences over a subject.
    pub fn new(subject: &'a Subject) -> Self {
        Self {
            subject,
            shared: Shared::of(subject),
            makers: Makers::of(subject),
            holders: Vec::new(),
            held: BTreeMap::new(),
            spares: BTreeMap::new(),
            doubted: BTreeMap::new(),
            most: 256,
            instances: FxHashSet::default(),
            returned: FxHashSet::default(),
            missing: BTreeMap::new(),
        }
    }

    /// Takes note of what a candidate reached; true if it was the first to reach something.
    pub fn consider(&mut self, candidate: &Candidate, outcome: &Outcome) -> bool {
        let has_returned = |call: &Var| outcome.value(*call).is_some();
        let calls = candidate.sequence.calls().filter(|(call, ..)| has_returned(call));
        self.returned.extend(calls.map(|(_, op, _)| op));
        self.note_missing(&candidate.sequence, outcome);
        if outcome.is_unsafe {
            return false;
        }
        // A branch on the way to an exception is shown better by what goes on behind it.
        let throws = outcome.thrown().is_some();
        let cost = (Standing::of(self.subject, &candidate.sequence), throws, cost(&candidate.sequence));
        let shares = self.shared.is_in(&candidate.sequence);
        let is_avoidable = shares && self.shared.is_avoidable(&candidate.sequence);
        let mut is_new = false;
        let mut number = None;
        let instances = &mut self.instances;
        let mut own = |holders: &mut Vec<Holder>| {
            *number.get_or_insert_with(|| {
                let candidate =
                    Candidate { sequence: compact(&candidate.sequence, instances), ..candidate.clone() };
                holders.push(Holder { candidate, cost, shares, is_avoidable });
                holders.len() - 1
            })
        };
        for goal in goals(&candidate.sequence, outcome) {
            let Some(&holder) = self.held.get(&goal) else {
                is_new = true;
                self.held.insert(goal, own(&mut self.holders));
                continue;
            };
            let Holder { cost: least, shares: is_shared, .. } = self.holders[holder];
            if cost < least {
                if shares && !is_shared {
                    self.spares.insert(goal.clone(), holder);
                }
                self.held.insert(goal, own(&mut self.holders));
            } else if is_shared && !shares {
                let spare = self.spares.get(&goal).map(|spare| self.holders[*spare].cost);
                if spare.is_none_or(|spare| cost < spare) {
                    self.spares.insert(goal, own(&mut self.holders));
                }
            }
        }
        if number.is_some() {
            self.makers.note(self.subject, candidate, outcome);
        }
        if self.holders.len() > self.most {
            self.tidy();
        }
        is_new
    }

    fn note_missing(&mut self, sequence: &Sequence, outcome: &Outcome) {
        let (Some((at, _)), Some(missing)) = (outcome.thrown(), &outcome.missing) else { return };
        if let Some((_, op, _)) = sequence.calls().find(|(call, ..)| *call == at) {
            self.missing.entry(op).or_insert_with(|| missing.clone());
        }
    }

    /// Lets go of the sequences that hold nothing any more.
    fn tidy(&mut self) {
        let mut places: Vec<Option<usize>> = vec![None; self.holders.len()];
        for holder in self.held.values().chain(self.spares.values()).chain(self.doubted.values()) {
            places[*holder] = Some(0);
        }
        (0..).zip(places.iter_mut().flatten()).for_each(|(new, place)| *place = new);
        let holding = self.held.values_mut().chain(self.spares.values_mut()).chain(self.doubted.values_mut());
        for holder in holding {
            *holder = places[*holder].expect("what holds something has a place");
        }
        let mut place = places.iter();
        self.holders.retain(|_| place.next().is_some_and(Option::is_some));
        self.most = 2 * self.holders.len() + 256;
        self.instances.retain(|instance| Arc::strong_count(instance) > 1);
    }

    /// Some that hold a goal and may change what these candidates find.
    pub(crate) fn company(&self, candidates: &[Candidate]) -> Vec<Job> {
        let sharing =
            || candidates.iter().map(|candidate| &candidate.sequence).filter(|one| self.shared.is_in(one));
        if sharing().next().is_none() {
            return Vec::new();
        }
        let company = self.shared.company(self.candidates().map(|candidate| &candidate.sequence));
        let mut classes = FxHashSet::default();
        let firsts = sharing()
            .filter(|one| self.shared.classes(one).next().is_some_and(|class| classes.insert(class)));
        firsts.flat_map(|one| company.before(one)).take(MANY).cloned().collect()
    }

    /// Sequences that reach what none does that has its objects for itself, with these goals. What others did to the
    /// objects may be why.
    pub(crate) fn unowned(&self) -> Vec<(&Candidate, Vec<&Goal>)> {
        let is_plain = |holder: &usize| self.holders[*holder].cost.0 != Standing::LastResort;
        let mut goals: BTreeMap<usize, Vec<&Goal>> = BTreeMap::new();
        for (goal, holder) in &self.held {
            let has_spare = || self.spares.get(goal).is_some_and(is_plain);
            if self.holders[*holder].is_avoidable && is_plain(holder) && !has_spare() {
                goals.entry(*holder).or_default().push(goal);
            }
        }
        goals.into_iter().map(|(holder, goals)| (&self.holders[holder].candidate, goals)).collect()
    }

    /// Those that use an object of one of these operations, which all tests have in common, and return.
    pub(crate) fn users(&self, objects: &[OpId]) -> Vec<&Candidate> {
        let uses = |candidate: &Candidate| candidate.sequence.calls().any(|(_, op, _)| objects.contains(&op));
        let returning = self.holding().filter(|(_, holder)| !holder.cost.1 && holder.is_avoidable);
        returning.map(|(_, holder)| &holder.candidate).filter(|candidate| uses(candidate)).collect()
    }

    /// The sequences that may find what others left behind, with their numbers.
    pub(crate) fn sharing(&self) -> impl Iterator<Item = (usize, &Sequence)> {
        let sharing = self.holding().filter(|(_, holder)| holder.shares);
        sharing.map(|(number, holder)| (number, &holder.candidate.sequence))
    }

    /// Takes goals from sequences, given by their numbers: others may be found for them.
    pub(crate) fn doubt(&mut self, is_doubtful: impl Fn(usize, &Goal) -> bool) {
        let held = std::mem::take(&mut self.held);
        let is_it = |(goal, holder): &(Goal, usize)| is_doubtful(*holder, goal);
        let (doubtful, held): (BTreeMap<_, _>, BTreeMap<_, _>) = held.into_iter().partition(is_it);
        self.held = held;
        self.doubted.extend(doubtful);
    }

    /// Gives goals that nobody else reached back to those that lost them.
    pub(crate) fn believe(&mut self) {
        for (goal, holder) in std::mem::take(&mut self.doubted) {
            self.held.entry(goal).or_insert(holder);
        }
    }

    /// Whether a goal is reached.
    pub fn holds(&self, goal: &Goal) -> bool {
        self.held.contains_key(goal)
    }

    /// Whether a goal is held by a sequence that needs neither private members nor mocks.
    pub(crate) fn settles(&self, goal: &Goal) -> bool {
        self.held.get(goal).is_some_and(|holder| self.holders[*holder].cost.0 != Standing::LastResort)
    }

    /// How many probes are reached.
    pub(crate) fn probes(&self) -> usize {
        self.held.keys().take_while(|goal| matches!(goal, Goal::Probe(_))).count()
    }

    /// What operations did, whichever goals are wanted.
    pub(crate) fn conduct(&self) -> Conduct {
        let thrown = |goal: &Goal| match goal {
            Goal::Exception(op, class) => Some((*op, class.clone())),
            _ => None,
        };
        let thrown = self.goals().filter_map(thrown).collect();
        Conduct { returned: self.returned.clone(), thrown, missing: self.missing.clone() }
    }

    /// The sequence that holds a goal.
    pub fn holder(&self, goal: &Goal) -> Option<&Candidate> {
        self.held.get(goal).map(|holder| &self.holders[*holder].candidate)
    }

    /// The goals that are reached, in order.
    pub fn goals(&self) -> impl Iterator<Item = &Goal> {
        self.held.keys()
    }

    /// The sequences that hold a goal, in the order they were found.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.holding().map(|(_, holder)| &holder.candidate)
    }

    /// The same with their numbers.
    fn holding(&self) -> impl Iterator<Item = (usize, &Holder)> {
        let holding: BTreeSet<usize> = self.held.values().copied().collect();
        holding.into_iter().map(|number| (number, &self.holders[number]))
    }

    /// How many goals are reached.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// True if nothing is reached yet.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The sequences that hold a goal, or would if they were preferred to one that shares objects, each with these
    /// goals, in the order they were found.
    pub fn into_drafts(mut self) -> Vec<(Candidate, Vec<Goal>)> {
        let mut goals: Vec<Vec<Goal>> = vec![Vec::new(); self.holders.len()];
        let is_shared = |goal: &Goal| self.held.get(goal).is_some_and(|holder| self.holders[*holder].shares);
        self.spares.retain(|goal, _| is_shared(goal));
        for (goal, holder) in self.held.into_iter().chain(self.spares) {
            goals[holder].push(goal);
        }
        self.holders
            .into_iter()
            .zip(goals)
            .filter(|(_, goals)| !goals.is_empty())
            .map(|(holder, goals)| (holder.candidate, goals))
            .collect()
    }
}

/// A sequence that has its instances in common with others.
fn compact(sequence: &Sequence, instances: &mut FxHashSet<Arc<Instance>>) -> Sequence {
    let shared = |statement: &Statement| {
        let mut statement = statement.clone();
        if let Action::Call { instance, .. } = &mut statement.action {
            if let Some(known) = instances.get(instance) {
                *instance = known.clone();
            } else {
                instances.insert(instance.clone());
            }
        }
        statement
    };
    let statements: Vec<Statement> = sequence.statements().iter().map(shared).collect();
    Sequence::new(statements).expect("the order is the same")
}

#[cfg(test)]
mod tests {
    use jurat_model::{JavaType, Technique};

    use super::*;

    fn candidate(length: usize) -> Candidate {
        let literal = Statement { action: Action::Literal(Literal::Int(0)), ty: JavaType::INT };
        let sequence = Sequence::new(vec![literal; length]).expect("literals need nothing");
        Candidate { sequence, package: None, technique: Technique::Random }
    }

    fn hits(ids: &[u32]) -> Outcome {
        Outcome { hits: ids.iter().copied().map(ProbeId).collect(), ..Outcome::default() }
    }

    #[test]
    fn a_shorter_sequence_takes_over_the_goals_it_reaches() {
        let subject = jurat_testkit::subject("");
        let mut archive = Archive::new(&subject);
        assert!(archive.consider(&candidate(5), &hits(&[1, 2])));
        assert!(!archive.consider(&candidate(3), &hits(&[2])));
        assert!(!archive.consider(&candidate(4), &hits(&[2])));
        let drafts = archive.into_drafts();
        let lengths: Vec<_> =
            drafts.iter().map(|(draft, goals)| (draft.sequence.len(), goals.clone())).collect();
        assert_eq!(lengths, [(5, vec![Goal::Probe(ProbeId(1))]), (3, vec![Goal::Probe(ProbeId(2))])]);
    }

    #[test]
    fn what_holds_nothing_any_more_goes() {
        let subject = jurat_testkit::subject("");
        let mut archive = Archive::new(&subject);
        archive.consider(&candidate(3), &hits(&[0]));
        for length in (4..1000).rev() {
            archive.consider(&candidate(length), &hits(&[1]));
        }
        assert!(archive.holders.len() < 300, "{}", archive.holders.len());
        let lengths: Vec<_> = archive.candidates().map(|candidate| candidate.sequence.len()).collect();
        assert_eq!(lengths, [3, 4]);
    }

    #[test]
    fn what_needs_no_mock_takes_over_whatever_its_length() {
        let mock = Statement { action: Action::Mock { answers: Vec::new() }, ty: JavaType::INT };
        let sequence = Sequence::new(vec![mock]).expect("it needs nothing");
        let mocked = Candidate { sequence, ..candidate(1) };
        let subject = jurat_testkit::subject("");
        let mut archive = Archive::new(&subject);
        assert!(archive.consider(&mocked, &hits(&[1, 2])));
        assert!(!archive.consider(&candidate(9), &hits(&[1])));
        assert!(!archive.consider(&mocked, &hits(&[1])));
        let drafts = archive.into_drafts();
        let lengths: Vec<_> = drafts.iter().map(|(draft, _)| draft.sequence.len()).collect();
        assert_eq!(lengths, [1, 9], "the mock keeps only what nothing else reaches");
    }

    #[test]
    fn who_is_doubted_keeps_what_nobody_else_reaches() {
        let subject = jurat_testkit::subject("");
        let mut archive = Archive::new(&subject);
        let goals = [1, 2, 3].map(|probe| Goal::Probe(ProbeId(probe)));
        archive.consider(&candidate(3), &hits(&[1, 2, 3]));
        archive.doubt(|_, goal| *goal != goals[2]);
        assert_eq!(goals.each_ref().map(|goal| archive.holds(goal)), [false, false, true]);
        assert!(archive.consider(&candidate(5), &hits(&[1, 3])));
        archive.tidy();
        archive.believe();
        let length = |goal: &Goal| archive.holder(goal).map(|holder| holder.sequence.len());
        assert_eq!(goals.each_ref().map(length), [Some(5), Some(3), Some(3)]);
    }

    #[test]
    fn what_uses_an_object_of_all_tests_twice_gives_its_goals_up() {
        let subject = jurat_testkit::subject(
            "class Point { static final Point origin; mutable int x; Point(); int hash(); }",
        );
        let sequence = |calls: &[(&str, Option<usize>)]| {
            let sequence = jurat_testkit::calls(&subject, "Point", calls);
            Candidate { sequence, ..candidate(1) }
        };
        let once = sequence(&[("origin", None), ("hash", Some(0))]);
        let twice = sequence(&[("origin", None), ("hash", Some(0)), ("origin", None), ("hash", Some(2))]);
        let own =
            sequence(&[("new", None), ("new", None), ("hash", Some(0)), ("new", None), ("hash", Some(0))]);
        let standing = |candidate: &Candidate| Standing::of(&subject, &candidate.sequence);
        let standings = [&once, &twice, &own].map(standing);
        assert_eq!(standings, [Standing::Plain, Standing::Entangled, Standing::Plain]);
        let mut archive = Archive::new(&subject);
        let goal = |probe: u32| Goal::Probe(ProbeId(probe));
        let length = |archive: &Archive<'_>, probe: u32| {
            archive.holder(&goal(probe)).map(|holder| holder.sequence.len())
        };
        archive.consider(&twice, &hits(&[1]));
        assert_eq!(archive.unowned(), [(&twice, vec![&goal(1)])]);
        archive.consider(&own, &hits(&[1]));
        assert_eq!(archive.unowned(), []);
        assert_eq!(length(&archive, 1), Some(5), "though it is longer");
        archive.consider(&once, &hits(&[2]));
        assert_eq!(archive.unowned(), [(&once, vec![&goal(2)])], "others may have used it before");
        assert_eq!(archive.users(&[jurat_testkit::operation(&subject, "Point", "origin")]), [&once]);
        archive.consider(&own, &hits(&[2]));
        assert_eq!(archive.unowned(), [], "there is one to fall back on");
        assert_eq!(length(&archive, 2), Some(2));
    }

    #[test]
    fn what_is_unsafe_is_never_held() {
        let subject = jurat_testkit::subject("");
        let mut archive = Archive::new(&subject);
        let outcome = Outcome { is_unsafe: true, ..hits(&[1]) };
        assert!(!archive.consider(&candidate(1), &outcome));
        assert!(archive.is_empty());
    }
}
