//! Evolves sequences towards branches that nothing reached yet: the search's rounds, run where probes tell distances.
//! What reaches a goal there is given Java types, replayed as all else is, and archived.

use std::sync::Arc;

use jurat_model::{Candidate, ProbeId, Subject, Technique};
use jurat_protocol::{Ending, Isolation, Outcome, Sequence, Statement, Value};
use jurat_search::{Evaluation, Find, Genome, Permits, Search};

use super::Explorer;
use super::resort::has_mock;
use super::retype::retype;
use crate::archive::{Archive, Goal};
use crate::error::RunError;
use crate::runner::Runner;
use crate::wire::{is_surprised, send, writes_private};

/// Calls on fresh values that a campaign begins with, beside what the archive holds.
const SPROUTS: usize = 128;

/// How often in a row mocks are adapted to what they are asked: other answers lead to other questions.
const ADAPTED: usize = 2;

/// A search, and what it knows of the run.
pub(crate) struct Evolver {
    search: Search,
    /// How many goals the archive held when the search was last told.
    told: usize,
    /// How many mocks were adapted.
    adapted: u64,
    /// Whether something was reached that is not reached in fresh state.
    is_misled: bool,
}

impl Evolver {
    /// A search for the branches of an explorer's subject.
    pub(crate) fn new(explorer: &Explorer<'_>) -> Self {
        let chart = Arc::clone(&explorer.charted.chart);
        let search = Search::new(chart, explorer.probes.goals(), explorer.seed.derive("evolve"));
        Self { search, told: 0, adapted: 0, is_misled: false }
    }

    /// One round of at most so many steps: propose, run, learn, archive. Gives the number of steps; zero if there is
    /// nothing to seek.
    pub(crate) fn round(
        &mut self,
        explorer: &mut Explorer<'_>,
        runner: &mut dyn Runner,
        most: usize,
        permits: Permits,
        isolation: Isolation,
    ) -> Result<u64, RunError> {
        let isolation = if std::mem::take(&mut self.is_misled) { Isolation::Chunk } else { isolation };
        self.search.permit(permits);
        self.catch_up(explorer);
        if self.search.aim() {
            let mut genomes = explorer.seeds(&self.search);
            genomes.extend(self.search.sprout(SPROUTS));
            self.search.plant(genomes);
        }
        let mut genomes = self.search.propose(most.max(1));
        if genomes.is_empty() {
            return Ok(0);
        }
        let sequences: Vec<Sequence> = genomes.iter().map(Genome::to_sequence).collect();
        let mut outcomes = runner.measure(&sequences, isolation)?;
        let mut steps = genomes.len() as u64;
        for _ in 0..ADAPTED {
            steps += self.adapt(&mut genomes, &mut outcomes, explorer, (runner, isolation))?;
        }
        for (genome, outcome) in genomes.iter().zip(&outcomes) {
            explorer.note_end(outcome, |at| genome.genes().get(at).map(|gene| &gene.statement));
        }
        let evaluation = |(genome, outcome): (Genome, &Outcome)| {
            let evaluation = evaluation(explorer.subject, &genome, outcome);
            (genome, evaluation)
        };
        let evaluated = genomes.into_iter().zip(&outcomes).map(evaluation).collect();
        let finds = self.search.learn(evaluated);
        explorer.seen = self.search.seen().to_vec();
        explorer.take(&finds, runner)?;
        for find in &finds {
            self.settle(find, &explorer.archive, isolation);
        }
        Ok(steps)
    }

    /// Learns whether a find reached its goals again in fresh state.
    fn settle(&mut self, find: &Find, archive: &Archive<'_>, isolation: Isolation) {
        let mut is_kept = true;
        for goal in &find.goals {
            let probe = Goal::Probe(ProbeId(*goal));
            let (is_held, is_plain) = (archive.holds(&probe), archive.settles(&probe));
            if is_held {
                self.search.reach(*goal, is_plain);
            }
            if is_plain || is_held && !find.is_plain {
                continue;
            }
            is_kept = false;
            // What lasting classes made of it is not held against the goal.
            if isolation == Isolation::Lasting {
                self.is_misled = true;
            } else {
                self.search.miss(*goal);
            }
        }
        if !is_kept {
            self.search.forget(&find.genome);
        }
    }

    /// Lets mocks answer what they were asked, and nothing else, and runs what that changes again. Gives the number of
    /// steps.
    fn adapt(
        &mut self,
        genomes: &mut [Genome],
        outcomes: &mut [Outcome],
        explorer: &Explorer<'_>,
        (runner, isolation): (&mut dyn Runner, Isolation),
    ) -> Result<u64, RunError> {
        let mut changed: Vec<(usize, Sequence)> = Vec::new();
        for (at, (genome, outcome)) in genomes.iter().zip(outcomes.iter()).enumerate() {
            let sequence = genome.to_sequence();
            if !has_mock(&sequence) {
                continue;
            }
            self.adapted += 1;
            let mut rng = explorer.seed.derive("adapt").rng(self.adapted);
            let replanned = explorer.replan(&sequence, genome.package, &outcome.asked, &mut rng);
            changed.extend(
                replanned.filter(|replanned| *replanned != sequence).map(|replanned| (at, replanned)),
            );
        }
        if changed.is_empty() {
            return Ok(0);
        }
        let (positions, sequences): (Vec<usize>, Vec<Sequence>) = changed.into_iter().unzip();
        for ((at, sequence), outcome) in
            positions.iter().zip(&sequences).zip(runner.measure(&sequences, isolation)?)
        {
            genomes[*at] = Genome::from_sequence(genomes[*at].package, sequence);
            outcomes[*at] = outcome;
        }
        Ok(positions.len() as u64)
    }

    /// Tells the search what others reached, and what nobody should call.
    fn catch_up(&mut self, explorer: &Explorer<'_>) {
        for operation in explorer.exploration.set_aside.keys() {
            self.search.bar(operation.0);
        }
        if self.told == explorer.archive.len() {
            return;
        }
        self.told = explorer.archive.len();
        for goal in explorer.archive.goals() {
            if let Goal::Probe(probe) = goal {
                self.search.reach(probe.0, explorer.archive.settles(goal));
            }
        }
    }
}

impl Explorer<'_> {
    /// What the archive holds that comes near the search's targets: sequences that take another edge of the same branch, or
    /// an edge that it depends on.
    fn seeds(&self, search: &Search) -> Vec<Genome> {
        let mut genomes: Vec<Genome> = Vec::new();
        for target in search.targets() {
            let siblings = self.probes.branch(*target);
            for probe in siblings.chain(search.parents(*target).iter().copied()) {
                let holder = self.archive.holder(&Goal::Probe(ProbeId(probe)));
                if let Some(genome) = holder.map(|candidate| self.genome(candidate))
                    && !genomes.contains(&genome)
                {
                    genomes.push(genome);
                }
            }
        }
        genomes
    }

    fn genome(&self, candidate: &Candidate) -> Genome {
        let sequence = send(self.subject, &candidate.sequence, &[]).sequence;
        let named = candidate.package.as_ref();
        let named = named.and_then(|name| self.charted.packages.iter().position(|package| package == name));
        let package = named.and_then(|at| u32::try_from(at).ok()).unwrap_or_else(|| self.home(candidate));
        Genome::from_sequence(package, &sequence)
    }

    /// The package from which the class is tested that a candidate is about.
    fn home(&self, candidate: &Candidate) -> u32 {
        let owners = candidate.sequence.calls().map(|(_, op, _)| self.subject[op].owner);
        let focus = |owner| self.charted.focuses.iter().position(|class| *class == owner);
        owners.filter_map(focus).last().map_or(0, |focus| self.charted.chart.focuses[focus].package)
    }

    /// Replays what reached something, and archives it.
    fn take(&mut self, finds: &[Find], runner: &mut dyn Runner) -> Result<(), RunError> {
        let candidates: Vec<Candidate> =
            finds.iter().filter_map(|find| self.candidate(&find.genome)).collect();
        self.keep_agreed(&candidates, runner)?;
        self.settle(Vec::new());
        Ok(())
    }

    fn candidate(&self, genome: &Genome) -> Option<Candidate> {
        let package = self.charted.packages.get(genome.package as usize)?;
        let all: Vec<usize> = (0..genome.len()).collect();
        let typed = retype(self.subject, package, &genome.to_sequence(), &all, &|_| None)?;
        Some(Candidate { technique: Technique::Search, ..typed })
    }
}

/// What the search learns from an outcome.
fn evaluation(subject: &Subject, genome: &Genome, outcome: &Outcome) -> Evaluation {
    let mut hits = outcome.coverage.own.clone();
    hits.sort_unstable();
    let mut distances: Vec<(u32, f64)> =
        outcome.distances.iter().map(|found| (found.edge, f64::from_bits(found.distance))).collect();
    distances.sort_unstable_by_key(|(edge, _)| *edge);
    let ended_well =
        outcome.endings.iter().all(|ending| matches!(ending, Ending::Returned(_) | Ending::Threw(_)));
    let is_sound = ended_well && outcome.attempts.is_empty() && !outcome.taint.any();
    let is_sound =
        is_sound && !is_surprised(&genome.to_sequence(), outcome) && !hides_null(subject, genome, outcome);
    Evaluation {
        hits,
        distances,
        compared: outcome.compared.clone(),
        length: outcome.endings.len(),
        is_sound,
    }
}

/// Whether null was written to a private field: what fails then fails for no other reason, and no test does so.
fn hides_null(subject: &Subject, genome: &Genome, outcome: &Outcome) -> bool {
    let is_private = |op: u32| subject.operations().get(op as usize).is_some_and(writes_private);
    let is_null = |at: u32| matches!(outcome.endings.get(at as usize), Some(Ending::Returned(Value::Null)));
    genome.genes().iter().any(|gene| match (&gene.statement, gene.inputs.last()) {
        (Statement::Operate { operation, .. }, Some(written)) => is_private(*operation) && is_null(written.0),
        _ => false,
    })
}
