//! Sets of goals, and who is to reach which.

use std::collections::BTreeSet;

use jurat_base::{FxHashMap, FxHashSet};
use jurat_model::ProbeId;

use crate::archive::{Goal, Standing};
use crate::minimize::{Draft, weight};

/// Goals in little space: a sequence reaches hundreds of probes, and few others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalSet {
    /// In order, each once: how far each is from the one before, seven bits a byte, the lowest first. Probes that are
    /// reached together are near each other.
    probes: Box<[u8]>,
    others: BTreeSet<Goal>,
}

impl GoalSet {
    /// Reads the set up to the goal: for few questions only.
    pub(crate) fn contains(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Probe(wanted) => self.probes().take_while(|probe| probe <= wanted).last() == Some(*wanted),
            other => self.others.contains(other),
        }
    }

    /// The goals in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Goal> + '_ {
        self.probes().map(Goal::Probe).chain(self.others.iter().cloned())
    }

    fn probes(&self) -> impl Iterator<Item = ProbeId> + '_ {
        let mut bytes = self.probes.iter();
        let mut last = 0;
        std::iter::from_fn(move || {
            let (mut step, mut shift) = (0, 0);
            loop {
                let byte = *bytes.next()?;
                step |= u32::from(byte & LOW) << shift;
                if byte & MORE == 0 {
                    break;
                }
                shift += LOW.count_ones();
            }
            last += step;
            Some(ProbeId(last))
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.probes.is_empty() && self.others.is_empty()
    }

    /// How many of them are something of the code itself.
    pub(crate) fn probe_count(&self) -> usize {
        self.probes().count()
    }

    /// Those of them that are wanted.
    pub(crate) fn only(&self, is_wanted: impl Fn(&Goal) -> bool) -> Self {
        self.iter().filter(is_wanted).collect()
    }

    /// Those of them that are not in the other set.
    pub(crate) fn without(&self, other: &Self) -> impl Iterator<Item = Goal> {
        let others: FxHashSet<Goal> =
            if self.is_empty() { FxHashSet::default() } else { other.iter().collect() };
        self.iter().filter(move |goal| !others.contains(goal))
    }
}

/// The bits of a number that a byte holds.
const LOW: u8 = 0x7f;
/// Set in all bytes of a number but its last.
const MORE: u8 = 0x80;

/// Writes how far probes in order are from each other.
fn steps(probes: &[ProbeId]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(probes.len());
    let mut last = 0;
    for probe in probes {
        let mut step = probe.0 - last;
        loop {
            let [low, ..] = step.to_le_bytes();
            step >>= LOW.count_ones();
            if step == 0 {
                bytes.push(low);
                break;
            }
            bytes.push(low | MORE);
        }
        last = probe.0;
    }
    bytes.into()
}

impl FromIterator<Goal> for GoalSet {
    fn from_iter<I: IntoIterator<Item = Goal>>(goals: I) -> Self {
        let (mut probes, mut others) = (Vec::new(), BTreeSet::new());
        for goal in goals {
            match goal {
                Goal::Probe(probe) => probes.push(probe),
                other => {
                    others.insert(other);
                }
            }
        }
        probes.sort_unstable();
        probes.dedup();
        Self { probes: steps(&probes), others }
    }
}

/// What is known of goals, in little space: most are probes.
pub(crate) struct GoalMap<V> {
    probes: FxHashMap<ProbeId, V>,
    others: FxHashMap<Goal, V>,
}

impl<V> Default for GoalMap<V> {
    fn default() -> Self {
        Self { probes: FxHashMap::default(), others: FxHashMap::default() }
    }
}

impl<V: Copy> GoalMap<V> {
    pub(crate) fn get(&self, goal: &Goal) -> Option<V> {
        match goal {
            Goal::Probe(probe) => self.probes.get(probe).copied(),
            other => self.others.get(other).copied(),
        }
    }

    pub(crate) fn insert(&mut self, goal: Goal, value: V) {
        match goal {
            Goal::Probe(probe) => self.probes.insert(probe, value),
            other => self.others.insert(other, value),
        };
    }

    pub(crate) fn remove(&mut self, goal: &Goal) -> Option<V> {
        match goal {
            Goal::Probe(probe) => self.probes.remove(probe),
            other => self.others.remove(other),
        }
    }
}

/// What makes one draft better than another for a goal; of equals the first is.
type Rank = (Standing, bool, (usize, usize, usize, usize));

/// Leaves each goal to the smallest draft that reaches it, so that each is about few things and shrinking has room.
/// A draft that reaches a goal whatever ran before is preferred to one that must run first, and one that returns to one
/// that throws. Drafts to which no goal is left go as soon as that is known.
#[derive(Default)]
pub(crate) struct Claims {
    drafts: Vec<Option<Draft>>,
    ranks: Vec<Rank>,
    /// How many goals are left to each.
    left: Vec<usize>,
    /// The draft that each goal is left to.
    steady: GoalMap<u32>,
    once: GoalMap<u32>,
}

impl Claims {
    /// Lets drafts claim what they reach.
    pub(crate) fn extend(&mut self, drafts: impl IntoIterator<Item = Draft>) {
        for draft in drafts {
            self.add(draft);
        }
    }

    fn add(&mut self, draft: Draft) {
        let number = u32::try_from(self.drafts.len()).expect("so many drafts do not fit into memory");
        self.ranks.push((draft.standing, draft.throws(), weight(&draft.candidate.sequence)));
        self.left.push(0);
        for goal in draft.reached.iter() {
            let earlier = self.steady.get(&goal);
            if self.is_better(number, earlier) {
                let first = self.once.remove(&goal);
                self.steady.insert(goal, number);
                self.hand_over([earlier, first], number);
            }
        }
        for goal in draft.once.without(&draft.reached) {
            let earlier = self.once.get(&goal);
            if self.steady.get(&goal).is_none() && self.is_better(number, earlier) {
                self.once.insert(goal, number);
                self.hand_over([earlier, None], number);
            }
        }
        let is_kept = self.left[number as usize] > 0;
        self.drafts.push(is_kept.then_some(draft));
    }

    fn is_better(&self, number: u32, earlier: Option<u32>) -> bool {
        earlier.is_none_or(|earlier| self.ranks[number as usize] < self.ranks[earlier as usize])
    }

    /// A goal changes hands.
    fn hand_over(&mut self, from: [Option<u32>; 2], to: u32) {
        self.left[to as usize] += 1;
        for loser in from.into_iter().flatten().map(|loser| loser as usize) {
            self.left[loser] -= 1;
            if self.left[loser] == 0 {
                self.drafts[loser] = None;
            }
        }
    }

    /// The drafts to which goals are left; only these are required of them.
    pub(crate) fn into_drafts(self) -> Vec<Draft> {
        let Self { drafts, steady, once, .. } = self;
        let is_own = |claims: &GoalMap<u32>, goal: &Goal, number: u32| claims.get(goal) == Some(number);
        let settle = |(number, draft): (u32, Option<Draft>)| {
            let mut draft = draft?;
            draft.required = draft.reached.only(|goal| is_own(&steady, goal, number));
            draft.once = draft.once.only(|goal| is_own(&once, goal, number));
            Some(draft)
        };
        (0..).zip(drafts).filter_map(settle).collect()
    }
}

#[cfg(test)]
mod tests {
    use jurat_model::{
        Action, Candidate, Ending, JavaType, Literal, Outcome, Sequence, Statement, Technique,
    };

    use super::*;

    fn probes(ids: &[u32]) -> GoalSet {
        ids.iter().map(|id| Goal::Probe(ProbeId(*id))).collect()
    }

    fn draft(length: usize, reached: &[u32], once: &[u32]) -> Draft {
        let literal = Statement { action: Action::Literal(Literal::Int(0)), ty: JavaType::INT };
        let whole = Sequence::new(vec![literal; length]).expect("literals need nothing");
        let candidate = Candidate { sequence: whole.clone(), package: None, technique: Technique::Random };
        let (reached, once, required) = (probes(reached), probes(once), GoalSet::default());
        Draft {
            candidate,
            whole,
            required,
            reached,
            once,
            outcome: Outcome::default(),
            standing: Standing::Plain,
        }
    }

    fn left(drafts: impl IntoIterator<Item = Draft>) -> Vec<(usize, GoalSet, GoalSet)> {
        let mut claims = Claims::default();
        claims.extend(drafts);
        let drafts = claims.into_drafts().into_iter();
        drafts.map(|draft| (draft.whole.len(), draft.required, draft.once)).collect()
    }

    #[test]
    fn each_goal_is_left_to_the_smallest_draft_whatever_the_order() {
        let [short, long, idle] = [draft(1, &[1, 2], &[]), draft(5, &[2, 3], &[]), draft(3, &[2], &[])];
        let kept = [(1, probes(&[1, 2]), probes(&[])), (5, probes(&[3]), probes(&[]))];
        assert_eq!(left([short.clone(), long.clone(), idle.clone()]), kept);
        let [first, second] = kept;
        assert_eq!(left([idle, long, short]), [second, first]);
    }

    #[test]
    fn who_reaches_a_goal_whatever_ran_before_is_preferred_to_who_must_run_first() {
        let [short, long] = [draft(1, &[], &[1, 2]), draft(5, &[1], &[])];
        let kept = [(1, probes(&[]), probes(&[2])), (5, probes(&[1]), probes(&[]))];
        assert_eq!(left([short.clone(), long.clone()]), kept);
        let [first, second] = kept;
        assert_eq!(left([long, short]), [second, first]);
    }

    #[test]
    fn who_returns_is_preferred_to_who_throws() {
        let outcome = Outcome { endings: vec![Ending::Threw("E".into())], ..Outcome::default() };
        let [short, long] = [Draft { outcome, ..draft(1, &[1, 2], &[]) }, draft(5, &[1], &[])];
        let kept = [(1, probes(&[2]), probes(&[])), (5, probes(&[1]), probes(&[]))];
        assert_eq!(left([short, long]), kept);
    }

    #[test]
    fn a_set_is_in_order_and_has_each_goal_once() {
        let ids = [u32::MAX, 0, 16_384, 7, 135, 134, 7, 1 << 31];
        let set = probes(&ids);
        let ordered = [0, 7, 134, 135, 16_384, 1 << 31, u32::MAX].map(|id| Goal::Probe(ProbeId(id)));
        assert_eq!(set.iter().collect::<Vec<_>>(), ordered);
        let is_in = |id: u32| set.contains(&Goal::Probe(ProbeId(id)));
        assert!(ids.into_iter().all(is_in));
        assert!(![1, 6, 8, 136, 16_383, 16_385, u32::MAX - 1].into_iter().any(is_in));
    }

    #[test]
    fn one_set_without_another() {
        let left: Vec<Goal> = probes(&[1, 2, 300]).without(&probes(&[2, 7])).collect();
        assert_eq!(left, [Goal::Probe(ProbeId(1)), Goal::Probe(ProbeId(300))]);
    }
}
