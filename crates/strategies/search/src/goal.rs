//! Goals and how far an execution was from them.

use jurat_base::{FxHashMap, FxHashSet};
use jurat_protocol::Compared;

/// A branch edge or the entry of a method, to be reached, with what it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Its probe.
    pub probe: u32,
    /// Edges of which one must be taken for the branch to be evaluated, or the entry of the method if nothing else
    /// decides. An entry itself depends on nothing.
    pub parents: Vec<u32>,
}

/// What one execution reached, and how near it came to the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Probes that were hit, ascending.
    pub hits: Vec<u32>,
    /// Edges that were not taken where their branch was evaluated, ascending, and their smallest distance.
    pub distances: Vec<(u32, f64)>,
    /// Strings and units that were compared and found different.
    pub compared: Vec<Compared>,
    /// How many statements were run, the one that threw included.
    pub length: usize,
    /// Whether it can be learned from: what died, hung or touched the world cannot.
    pub is_sound: bool,
}

impl Evaluation {
    fn hit(&self, probe: u32) -> bool {
        self.hits.binary_search(&probe).is_ok()
    }

    fn distance(&self, edge: u32) -> Option<f64> {
        let at = self.distances.binary_search_by_key(&edge, |(edge, _)| *edge).ok()?;
        Some(self.distances[at].1)
    }
}

/// All goals, and which of them are reached.
#[derive(Debug, Default)]
pub(crate) struct Goals {
    by_probe: FxHashMap<u32, Goal>,
    /// The probes of goals, ascending.
    order: Vec<u32>,
    reached: FxHashSet<u32>,
    /// Those that are reached without private members and mocks.
    plainly: FxHashSet<u32>,
}

/// Chains of dependences are followed so far.
const DEEPEST: u16 = 12;

impl Goals {
    pub(crate) fn new(goals: Vec<Goal>) -> Self {
        let mut order: Vec<u32> = goals.iter().map(|goal| goal.probe).collect();
        order.sort_unstable();
        let by_probe = goals.into_iter().map(|goal| (goal.probe, goal)).collect();
        Self { by_probe, order, reached: FxHashSet::default(), plainly: FxHashSet::default() }
    }

    pub(crate) fn reach(&mut self, probe: u32, is_plain: bool) {
        self.reached.insert(probe);
        if is_plain {
            self.plainly.insert(probe);
        }
    }

    pub(crate) fn is_goal(&self, probe: u32) -> bool {
        self.by_probe.contains_key(&probe)
    }

    pub(crate) fn is_reached(&self, probe: u32) -> bool {
        self.reached.contains(&probe)
    }

    pub(crate) fn is_reached_plainly(&self, probe: u32) -> bool {
        self.plainly.contains(&probe)
    }

    pub(crate) fn parents(&self, probe: u32) -> &[u32] {
        self.by_probe.get(&probe).map(|goal| goal.parents.as_slice()).unwrap_or_default()
    }

    /// Goals that are open and released: something they depend on is reached.
    pub(crate) fn released(&self) -> Vec<u32> {
        let is_released = |probe: &u32| {
            let parents = self.parents(*probe);
            let depends = parents.is_empty() || parents.iter().any(|parent| self.is_reached(*parent));
            depends && !self.is_reached(*probe)
        };
        self.order.iter().copied().filter(is_released).collect()
    }

    /// How far an execution was from a goal: 0 reached it, below 1 evaluated its branch, and one more for every
    /// decision before that went another way.
    pub(crate) fn fitness(&self, probe: u32, evaluation: &Evaluation) -> f64 {
        let nearness = |probe: u32| {
            if evaluation.hit(probe) { Some(0.0) } else { evaluation.distance(probe).map(normalized) }
        };
        let nearest = self.on_the_way(probe, nearness);
        nearest.map_or(f64::from(DEEPEST) + 1.0, |(steps, nearness)| f64::from(steps) + nearness)
    }

    /// The distance of the decision that kept an execution from a goal: the last one on the way that went wrong.
    pub(crate) fn gap(&self, probe: u32, evaluation: &Evaluation) -> Option<f64> {
        self.on_the_way(probe, |probe| evaluation.distance(probe)).map(|(_, distance)| distance)
    }

    /// Goes from a goal to what it depends on, and on from there, until `of` has a value for something; of as many
    /// steps, the smallest. Loops depend on themselves, so nothing is looked at twice.
    fn on_the_way(&self, probe: u32, of: impl Fn(u32) -> Option<f64>) -> Option<(u16, f64)> {
        let mut seen = FxHashSet::default();
        let mut wanted = vec![probe];
        for steps in 0..=DEEPEST {
            let smallest = wanted.iter().filter_map(|probe| of(*probe)).min_by(f64::total_cmp);
            if let Some(smallest) = smallest {
                return Some((steps, smallest));
            }
            seen.extend(wanted.iter().copied());
            let parents = wanted.iter().flat_map(|probe| self.parents(*probe)).copied();
            wanted = parents.filter(|parent| seen.insert(*parent)).collect();
        }
        None
    }
}

/// A distance as a number below one, nearly by its logarithm: the bits of positive numbers have their order, and tell
/// neighbours apart at any size.
#[expect(clippy::cast_precision_loss, reason = "relative differences of less than one in 2^42 do not matter")]
fn normalized(distance: f64) -> f64 {
    (distance.abs().min(f64::MAX).to_bits() >> 10) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goals() -> Goals {
        let goal = |probe, parents: &[u32]| Goal { probe, parents: parents.to_vec() };
        Goals::new(vec![goal(1, &[0]), goal(2, &[0]), goal(3, &[1]), goal(4, &[1])])
    }

    #[test]
    fn a_goal_is_released_by_what_it_depends_on() {
        let mut goals = goals();
        assert_eq!(goals.released(), []);
        goals.reach(0, true);
        assert_eq!(goals.released(), [1, 2]);
        goals.reach(1, false);
        assert_eq!(goals.released(), [2, 3, 4]);
    }

    #[test]
    fn nearer_decisions_count_less_than_their_number() {
        let goals = goals();
        let missed = Evaluation { hits: vec![0, 2], distances: vec![(1, 3.0)], ..Evaluation::default() };
        let entered = Evaluation { hits: vec![0, 1, 4], distances: vec![(3, 9.0)], ..Evaluation::default() };
        let near = |fitness: f64, expected: f64| (fitness - expected).abs() < 1e-9;
        assert!(near(goals.fitness(1, &missed), normalized(3.0)));
        assert!(near(goals.fitness(3, &missed), 1.0 + normalized(3.0)));
        assert!(near(goals.fitness(3, &entered), normalized(9.0)));
        assert!(goals.fitness(4, &entered).abs() < 1e-9);
        assert!(goals.fitness(3, &Evaluation::default()) > goals.fitness(3, &missed));
    }

    #[test]
    fn what_depends_on_itself_in_many_ways_is_looked_at_once() {
        // A loop with a hundred ways to go on: each depends on all others.
        let all: Vec<u32> = (1..=100).collect();
        let looping = all.iter().map(|probe| Goal { probe: *probe, parents: all.clone() }).collect();
        let goals = Goals::new(looping);
        assert!(goals.fitness(1, &Evaluation::default()) > f64::from(DEEPEST));
        assert_eq!(goals.gap(1, &Evaluation::default()), None);
    }

    #[test]
    fn distances_of_any_size_are_told_apart_and_stay_below_one() {
        let ascending = [0.0, 1e-9, 0.5, 1.0, 2.0, 999_999.0, 1e6, 1e12 - 1.0, 1e12, 1e300, f64::MAX];
        assert!(ascending.windows(2).all(|pair| normalized(pair[0]) < normalized(pair[1])));
        assert!(normalized(f64::INFINITY) < 1.0);
    }
}
