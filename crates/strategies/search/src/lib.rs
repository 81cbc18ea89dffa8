//! Evolves sequences towards branches that nothing reached yet, many goals at a time (DynaMOSA: Panichella, Kifetew and
//! Tonella, "Automated Test Case Generation as a Many-Objective Optimisation Problem with Dynamic Selection of the
//! Targets").
//!
//! A [`Search`] proposes rounds of [`Genome`]s and learns from their [`Evaluation`]s; who runs them is not its business.
//! A goal is sought once something that it depends on is reached. For each goal the nearest genome stays, and what
//! reaches one is handed out as a [`Find`]: the archive of a run is the engine's, for all strategies together.
//! `docs/strategies/search.md` tells what is chosen how often, and why.

mod fitting;
mod genome;
mod goal;
mod hint;
mod literal;
mod pattern;
mod permits;
mod population;
mod rank;
mod seen;
mod vary;

use std::sync::Arc;

use jurat_base::{FxHashMap, FxHashSet, Seed};
use jurat_protocol::{Chart, Text};

use fitting::Fitting;
pub use genome::{Gene, Genome};
use goal::Goals;
pub use goal::{Evaluation, Goal};
use literal::Guide;
pub use permits::Permits;
use population::Population;
use vary::Variation;

/// Genomes in a round; does not depend on the number of workers.
pub const ROUND: usize = 512;
/// Goals that are sought at a time.
const WINDOW: usize = 40;
/// After so many rounds in which no goal came nearer, others are sought.
const PATIENCE: u32 = 20;
/// After so many rounds others are sought in any case.
const LONGEST_CAMPAIGN: u32 = 150;
/// A goal that was reached so often without being reached again in fresh state is given up.
const TRIES: u32 = 6;
/// How often a child has two parents.
const CROSSOVER: f64 = 0.2;
/// How often a child that was tried before is replaced by another.
const RETRIES: u32 = 4;

/// A genome that reached goals for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    /// What reached them.
    pub genome: Genome,
    /// The goals.
    pub goals: Vec<u32>,
    /// Whether it needs neither private members nor mocks.
    pub is_plain: bool,
}

/// A search.
#[derive(Debug)]
pub struct Search {
    fitting: Fitting,
    goals: Goals,
    seed: Seed,
    /// The number of the next child.
    next: u64,
    targets: Vec<u32>,
    /// How often each goal was sought in vain.
    efforts: FxHashMap<u32, u32>,
    /// How often each goal was reached and could not be reached again.
    tries: FxHashMap<u32, u32>,
    population: Population,
    /// To be run before anything is varied.
    planted: Vec<Genome>,
    tried: FxHashSet<Genome>,
    rounds: u32,
    idle: u32,
}

impl Search {
    /// A search for goals over a chart.
    pub fn new(chart: Arc<Chart>, goals: Vec<Goal>, seed: Seed) -> Self {
        Self {
            fitting: Fitting::new(chart),
            goals: Goals::new(goals),
            seed,
            next: 0,
            targets: Vec::new(),
            efforts: FxHashMap::default(),
            tries: FxHashMap::default(),
            population: Population::default(),
            planted: Vec::new(),
            tried: FxHashSet::default(),
            rounds: 0,
            idle: 0,
        }
    }

    /// A probe that is reached, by whomever. What needed private members or mocks is not sought any more, but what needs
    /// neither is still welcome.
    pub fn reach(&mut self, probe: u32, is_plain: bool) {
        self.goals.reach(probe, is_plain);
    }

    /// What may be used from now on besides calls that any test can make.
    pub fn permit(&mut self, permits: Permits) {
        self.fitting.permits = permits;
    }

    /// An operation that must not be called.
    pub fn bar(&mut self, operation: u32) {
        self.fitting.bar(operation);
    }

    /// A find whose goal was not reached again in fresh state.
    pub fn miss(&mut self, goal: u32) {
        *self.tries.entry(goal).or_default() += 1;
    }

    /// Forgets a genome that did not hold what it promised: nothing would seem nearer to its goals.
    pub fn forget(&mut self, genome: &Genome) {
        self.population.remove(genome);
    }

    /// Strings that the subject compared with, and that are neither in its code nor in what was tried.
    pub fn seen(&self) -> &[Text] {
        self.fitting.seen.texts()
    }

    /// Chooses the goals to seek; true if others than before are sought, so that [`Search::plant`] is called for.
    pub fn aim(&mut self) -> bool {
        let released: Vec<u32> =
            self.goals.released().into_iter().filter(|goal| !self.is_given_up(*goal)).collect();
        let is_over = self.idle >= PATIENCE || self.rounds >= LONGEST_CAMPAIGN;
        if is_over {
            for target in &self.targets {
                *self.efforts.entry(*target).or_default() += 1;
            }
        }
        let before = self.targets.len();
        self.targets.retain(|target| released.binary_search(target).is_ok());
        if !is_over && !self.targets.is_empty() {
            // What was released on the way is near: its seed is in the population.
            let fresh = released.iter().filter(|goal| !self.efforts.contains_key(goal));
            let more: Vec<u32> = fresh.filter(|goal| !self.targets.contains(goal)).copied().collect();
            let room = WINDOW.saturating_sub(self.targets.len());
            self.targets.extend(more.into_iter().take(room));
            if self.targets.len() != before {
                self.targets.sort_unstable();
            }
            return false;
        }
        let mut by_effort = released;
        by_effort.sort_by_key(|goal| {
            // Without anything it depends on, nothing tells how near it is: the others first.
            let is_blind = self.goals.parents(*goal).is_empty();
            (self.efforts.get(goal).copied().unwrap_or_default(), is_blind, *goal)
        });
        by_effort.truncate(WINDOW);
        by_effort.sort_unstable();
        self.targets = by_effort;
        self.population = Population::default();
        self.tried.clear();
        (self.rounds, self.idle) = (0, 0);
        true
    }

    fn is_given_up(&self, goal: u32) -> bool {
        self.tries.get(&goal).is_some_and(|tries| *tries >= TRIES)
    }

    /// The goals that are sought, ascending.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// What a goal depends on.
    pub fn parents(&self, goal: u32) -> &[u32] {
        self.goals.parents(goal)
    }

    /// Calls of operations under test, on values made for the purpose: at most so many.
    pub fn sprout(&mut self, most: usize) -> Vec<Genome> {
        let rng = self.seed.derive("sprout").rng(self.next);
        self.next += 1;
        let mut variation = Variation { fitting: &self.fitting, rng };
        let mut grown = Vec::new();
        for _ in 0..most {
            let Some(focus) = variation.rng.pick(&self.fitting.chart.focuses) else { break };
            let by_private = variation.rng.chance(self.fitting.permits.private);
            let operations = Fitting::operations(focus, by_private);
            let Some(operation) = variation.rng.pick(operations) else { continue };
            let mut genome = Genome::new(focus.package);
            if self.fitting.may_call(*operation, focus.package)
                && variation.call_fresh(&mut genome, *operation)
            {
                grown.push(genome);
            }
        }
        grown
    }

    /// Genomes to start from.
    pub fn plant(&mut self, genomes: Vec<Genome>) {
        self.planted = genomes;
    }

    /// The next round; empty if there is nothing to seek, or nothing to seek it with.
    pub fn propose(&mut self, most: usize) -> Vec<Genome> {
        let count = ROUND.min(most);
        if self.targets.is_empty() {
            return Vec::new();
        }
        if !self.planted.is_empty() {
            let rest = self.planted.split_off(self.planted.len().min(count));
            return std::mem::replace(&mut self.planted, rest);
        }
        let goals = &self.goals;
        let nearer =
            self.population.select(&self.targets, |goal, evaluation| goals.fitness(goal, evaluation));
        self.rounds += 1;
        self.idle = if nearer { 0 } else { self.idle + 1 };
        if self.population.is_empty() {
            return Vec::new();
        }
        (0..count).map(|_| self.child()).collect()
    }

    fn child(&mut self) -> Genome {
        let rng = self.seed.rng(self.next);
        self.next += 1;
        let mut variation = Variation { fitting: &self.fitting, rng };
        let mut child = Genome::default();
        for _ in 0..RETRIES {
            let (parent, target) = self.population.parent(&mut variation.rng);
            let target = self.targets.get(target);
            let gap = target.and_then(|target| self.goals.gap(*target, &parent.evaluation));
            let guide = Guide { gap, compared: &parent.evaluation.compared };
            child = if variation.rng.chance(CROSSOVER) {
                let other = self.population.tournament(&mut variation.rng);
                variation.crossed(&parent.genome, &other.genome)
            } else {
                parent.genome.clone()
            };
            child = variation.varied(&child, guide);
            if !child.is_empty() && self.tried.insert(child.clone()) {
                break;
            }
        }
        child
    }

    /// Learns what a round did, in its order; gives what reached goals, for each the shortest of those that need neither
    /// private members nor mocks, or else of all.
    pub fn learn(&mut self, round: Vec<(Genome, Evaluation)>) -> Vec<Find> {
        let mut best: FxHashMap<u32, usize> = FxHashMap::default();
        let mut genomes: Vec<(bool, Genome)> = Vec::new();
        let cost = |(is_plain, genome): &(bool, Genome)| (!is_plain, genome.len());
        for (genome, evaluation) in round.into_iter().filter(|(_, evaluation)| evaluation.is_sound) {
            let genome = genome.prefix(evaluation.length);
            self.fitting.see(&genome, &evaluation.compared);
            let own = (self.fitting.is_plain(&genome), genome.clone());
            for goal in evaluation.hits.iter().filter(|goal| self.is_open(**goal, own.0)) {
                if best.get(goal).is_none_or(|at| cost(&own) < cost(&genomes[*at])) {
                    best.insert(*goal, genomes.len());
                }
            }
            genomes.push(own);
            self.population.add(genome, evaluation);
        }
        let mut finds: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for (goal, at) in best {
            finds.entry(at).or_default().push(goal);
        }
        let mut finds: Vec<(usize, Vec<u32>)> = finds.into_iter().collect();
        finds.sort_unstable_by_key(|(at, _)| *at);
        let find = |(at, mut goals): (usize, Vec<u32>)| {
            goals.sort_unstable();
            let (is_plain, genome) = genomes[at].clone();
            Find { genome, goals, is_plain }
        };
        finds.into_iter().map(find).collect()
    }

    /// Whether it is of use to reach a goal, without private members and mocks or with them.
    fn is_open(&self, probe: u32, is_plain: bool) -> bool {
        let is_held =
            if is_plain { self.goals.is_reached_plainly(probe) } else { self.goals.is_reached(probe) };
        self.goals.is_goal(probe) && !is_held && !self.is_given_up(probe)
    }
}

#[cfg(test)]
mod tests;
