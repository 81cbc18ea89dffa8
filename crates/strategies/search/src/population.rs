//! The genomes that are alive, and who of them has children.

use jurat_base::{FxHashMap, FxHashSet, Rng};

use crate::genome::Genome;
use crate::goal::Evaluation;
use crate::rank::{Ranked, survivors};

/// How many genomes live on, if goals do not ask for more.
const SIZE: usize = 60;
/// How many compete to be a parent.
const TOURNAMENT: usize = 4;
/// How often a parent is the nearest to a goal, whatever its rank.
const NEAREST: f64 = 0.6;
/// How often the target that came nearer more recently is preferred.
const RECENT: f64 = 0.7;

/// A genome, and what it did.
#[derive(Debug)]
pub(crate) struct Individual {
    pub(crate) genome: Genome,
    pub(crate) evaluation: Evaluation,
}

/// The genomes that are alive.
#[derive(Debug, Default)]
pub(crate) struct Population {
    individuals: Vec<Individual>,
    /// Front and crowding, by individual; those added since are not ranked yet.
    ranks: Vec<(usize, f64)>,
    /// The individual nearest to each target.
    nearest: Vec<usize>,
    /// How near anything ever came to each goal, and in which round.
    records: FxHashMap<u32, (f64, u32)>,
    /// When each target came nearer last, by position.
    improved: Vec<u32>,
    round: u32,
}

impl Population {
    pub(crate) fn add(&mut self, genome: Genome, evaluation: Evaluation) {
        if !genome.is_empty() {
            self.individuals.push(Individual { genome, evaluation });
        }
    }

    /// Takes a genome out that was added since the last selection.
    pub(crate) fn remove(&mut self, genome: &Genome) {
        let ranked = self.ranks.len().min(self.individuals.len());
        let added = self.individuals.split_off(ranked);
        self.individuals.extend(added.into_iter().filter(|individual| individual.genome != *genome));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.individuals.is_empty()
    }

    /// Lets the fittest live on; true if a target came nearer than ever before.
    pub(crate) fn select(&mut self, targets: &[u32], fitness: impl Fn(u32, &Evaluation) -> f64) -> bool {
        let of = |individual: &Individual| -> Vec<f64> {
            targets.iter().map(|target| fitness(*target, &individual.evaluation)).collect()
        };
        let mut rows: Vec<Vec<f64>> = self.individuals.iter().map(of).collect();
        self.keep_distinct(&mut rows);
        let lengths: Vec<usize> = self.individuals.iter().map(|individual| individual.genome.len()).collect();
        let chosen = survivors(&rows, &lengths, SIZE);
        let nearer = self.note_records(targets, &rows);
        self.improved =
            targets.iter().map(|target| self.records.get(target).map_or(0, |record| record.1)).collect();
        self.keep(&chosen);
        let rows: Vec<&Vec<f64>> = chosen.iter().map(|ranked| &rows[ranked.at]).collect();
        let nearest = |target: usize| {
            (0..rows.len()).min_by(|one, other| rows[*one][target].total_cmp(&rows[*other][target]))
        };
        self.nearest = (0..targets.len()).filter_map(nearest).collect();
        nearer
    }

    /// Of those that are equally far from everything, the shortest is enough.
    fn keep_distinct(&mut self, rows: &mut Vec<Vec<f64>>) {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|at| (self.individuals[*at].genome.len(), *at));
        let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
        let mut kept = vec![false; rows.len()];
        for at in order {
            kept[at] = seen.insert(rows[at].iter().map(|value| value.to_bits()).collect());
        }
        let mut flags = kept.iter();
        self.individuals.retain(|_| *flags.next().unwrap_or(&false));
        let mut flags = kept.iter();
        rows.retain(|_| *flags.next().unwrap_or(&false));
    }

    fn note_records(&mut self, targets: &[u32], rows: &[Vec<f64>]) -> bool {
        let mut nearer = false;
        self.round += 1;
        for (position, target) in targets.iter().enumerate() {
            let best = rows.iter().map(|row| row[position]).fold(f64::INFINITY, f64::min);
            let record = self.records.entry(*target).or_insert((f64::INFINITY, 0));
            if best < record.0 {
                nearer = true;
                *record = (best, self.round);
            }
        }
        nearer
    }

    fn keep(&mut self, chosen: &[Ranked]) {
        let mut all: Vec<Option<Individual>> = self.individuals.drain(..).map(Some).collect();
        self.ranks = chosen.iter().map(|ranked| (ranked.front, ranked.crowding)).collect();
        self.individuals = chosen.iter().filter_map(|ranked| all[ranked.at].take()).collect();
    }

    /// A parent, and the position of the target that its child should come nearer to: often the one that is nearest to it.
    /// There must be individuals.
    pub(crate) fn parent(&self, rng: &mut Rng) -> (&Individual, usize) {
        let target = self.target(rng);
        match self.nearest.get(target) {
            Some(at) if rng.chance(NEAREST) => (&self.individuals[*at], target),
            _ => (self.tournament(rng), target),
        }
    }

    /// Of two targets, mostly the one that came nearer more recently: what moves is worth pushing.
    fn target(&self, rng: &mut Rng) -> usize {
        let (one, other) = (rng.below(self.nearest.len()), rng.below(self.nearest.len()));
        let when = |target: usize| self.improved.get(target).copied().unwrap_or_default();
        if when(other) > when(one) && rng.chance(RECENT) { other } else { one }
    }

    /// The best of a few.
    pub(crate) fn tournament(&self, rng: &mut Rng) -> &Individual {
        let rank = |at: &usize| self.ranks.get(*at).copied().unwrap_or((usize::MAX, 0.0));
        let better = |one: &usize, other: &usize| {
            let (one, other) = (rank(one), rank(other));
            one.0.cmp(&other.0).then(other.1.total_cmp(&one.1))
        };
        let drawn = (0..TOURNAMENT).map(|_| rng.below(self.individuals.len()));
        &self.individuals[drawn.min_by(better).unwrap_or_default()]
    }
}
