//! Sets of goals, and who is to reach which.

use std::collections::BTreeSet;

use jurat_base::FxHashMap;
use jurat_model::ProbeId;

use crate::archive::{Goal, Standing};
use crate::minimize::{Draft, weight};

/// Goals in little space: a sequence reaches hundreds of probes, and few others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalSet {
    /// In order, each once.
    probes: Box<[ProbeId]>,
    others: BTreeSet<Goal>,
}

impl GoalSet {
    pub(crate) fn contains(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Probe(probe) => self.probes.binary_search(probe).is_ok(),
            other => self.others.contains(other),
        }
    }

    /// The goals in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Goal> + '_ {
        self.probes.iter().copied().map(Goal::Probe).chain(self.others.iter().cloned())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.probes.is_empty() && self.others.is_empty()
    }

    /// Whether a probe is among them: something of the code itself.
    pub(crate) fn has_probes(&self) -> bool {
        !self.probes.is_empty()
    }

    /// Those of them that are wanted.
    pub(crate) fn only(&self, is_wanted: impl Fn(&Goal) -> bool) -> Self {
        self.iter().filter(is_wanted).collect()
    }
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
        Self { probes: probes.into(), others }
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
    steady: FxHashMap<Goal, u32>,
    once: FxHashMap<Goal, u32>,
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
            let earlier = self.steady.get(&goal).copied();
            if self.is_better(number, earlier) {
                let first = self.once.remove(&goal);
                self.steady.insert(goal, number);
                self.hand_over([earlier, first], number);
            }
        }
        for goal in draft.once.iter().filter(|goal| !draft.reached.contains(goal)) {
            let earlier = self.once.get(&goal).copied();
            if !self.steady.contains_key(&goal) && self.is_better(number, earlier) {
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
        let is_own =
            |claims: &FxHashMap<Goal, u32>, goal: &Goal, number: u32| claims.get(goal) == Some(&number);
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
        let set = probes(&[7, 3, 7]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [Goal::Probe(ProbeId(3)), Goal::Probe(ProbeId(7))]);
        assert!(set.contains(&Goal::Probe(ProbeId(3))) && !set.contains(&Goal::Probe(ProbeId(4))));
    }
}
