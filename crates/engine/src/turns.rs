//! Strategies take turns: what is offered first, calls at random until little comes of them, then the search for what
//! is left, with calls at random in between. All of them fill one archive.

use jurat_protocol::Isolation;
use jurat_search::Permits;

use crate::archive::{Archive, Goal};
use crate::deadline::Deadline;
use crate::enumerate::Offered;
use crate::error::RunError;
use crate::explore::{Evolver, Exploration, Explorer};
use crate::generate::{Phase, Progress};
use crate::permits::{Allowed, permits};
use crate::runner::Runner;

/// The share of exploring after which the search has its turn, however much is still found at random.
const RANDOM_SHARE: f64 = 0.75;
/// The same for steps, of which a round takes more than its share.
const RANDOM_STEPS: f64 = 0.6;
/// If doubling what was spent on calls at random adds less than this share of the branches and lines that are reached,
/// little is left for them: other ways to end, which they find for long, are not what the search seeks.
const LITTLE: f64 = 0.02;
/// How much more time than the other, at most, either the search or calls at random get once the search has begun.
const FAVOUR: f64 = 4.0;

/// The share of the budget after which it is reckoned how long exploring may last.
const RECKONED: f64 = 0.4;

/// Private members and mocks are tried after each such share of exploring, and take about as much of it.
const RESORT: f64 = 0.05;
/// How many times as long as they took they wait if nothing came of them.
const PAUSE: f64 = 4.0;
/// How often in a row.
const RESORTS: u32 = 8;

/// The share of exploring that a round of the search takes at most, more or less.
const SEARCHED: f64 = 0.08;
/// Every so many rounds of the search and the last resort, classes are loaded anew: what was done to static state goes
/// with them.
const RENEWED: u32 = 16;
/// The genomes of a round of the search at least, however long they take.
const FEWEST: usize = 64;

/// What exploring gave.
pub(crate) struct Explored<'a> {
    pub(crate) archive: Archive<'a>,
    pub(crate) exploration: Exploration,
    pub(crate) steps: u64,
}

/// Explores until the budget for it is spent or nothing is left to try.
pub(crate) fn explore<'a>(
    explorer: Explorer<'a>,
    deadline: &Deadline,
    offered: &Offered,
    runner: &mut dyn Runner,
    progress: &mut dyn Progress,
) -> Result<Explored<'a>, RunError> {
    // Private members and mocks are the search's: who asks for calls at random gets no others.
    let allowed = if offered.search { offered.allowed } else { Allowed::NONE };
    let mut turns = Turns {
        explorer,
        deadline: deadline.clone(),
        runner,
        progress,
        steps: 0,
        allowed,
        due: RESORT,
        tried: permits(0.0, allowed),
        step: 0.0,
        genome: 0.0,
        lap: 0.0,
        is_reckoned: false,
        has_doubted: false,
        searches: 0,
        resorts: 0,
    };
    turns.offered(offered)?;
    if offered.random && offered.search {
        turns.deadline.share_rounds();
        turns.random_until_little_comes()?;
        turns.search_and_random()?;
    } else if offered.search {
        turns.search()?;
    } else if offered.random {
        turns.random()?;
    }
    turns.last_resort(1.0)?;
    turns.explorer.archive.believe();
    let Turns { explorer, steps, .. } = turns;
    let mut exploration = explorer.exploration;
    exploration.time = deadline.elapsed();
    // Sessions told what they reached; what others reached is in the archive.
    exploration.probes.extend(explorer.archive.goals().filter_map(|goal| match goal {
        Goal::Probe(probe) => Some(*probe),
        _ => None,
    }));
    Ok(Explored { archive: explorer.archive, exploration, steps })
}

/// Whether the second half of what was spent brought little more than the first: pairs of what was spent and what was
/// reached by then, in order.
fn little_came(reached: &[(f64, usize)]) -> bool {
    let Some((spent, now)) = reached.last() else { return false };
    let Some((_, then)) = reached.iter().rev().find(|(earlier, _)| *earlier <= spent / 2.0) else {
        return false;
    };
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let little = LITTLE * *then as f64;
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let more = now.saturating_sub(*then) as f64;
    more < little
}

/// The share of the budget that each of so many steps took.
#[expect(clippy::cast_precision_loss, reason = "a round has some hundreds")]
fn per(spent: f64, steps: u64) -> Option<f64> {
    (steps > 0).then(|| spent / steps as f64)
}

/// What a strategy reached, and the share of the budget that it took.
#[derive(Default)]
struct Yield {
    time: f64,
    found: usize,
}

impl Yield {
    /// How much more time than the other this one deserves.
    fn favour(&self, other: &Self) -> f64 {
        // Nobody is judged before it had a hundredth of the budget, and one more find is always possible.
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let rate = |of: &Self| (of.found + 1) as f64 / of.time.max(0.01);
        (rate(self) / rate(other)).clamp(1.0 / FAVOUR, FAVOUR)
    }
}

struct Turns<'t, 'a> {
    explorer: Explorer<'a>,
    deadline: Deadline,
    runner: &'t mut dyn Runner,
    progress: &'t mut dyn Progress,
    steps: u64,
    allowed: Allowed,
    /// The share of exploring after which private members and mocks are tried next.
    due: f64,
    /// What they were permitted when they were last tried.
    tried: Permits,
    /// The share of the budget that one of their sequences took.
    step: f64,
    /// The share of the budget that a genome of the search took.
    genome: f64,
    /// The share of the budget that the last round of calls at random took.
    lap: f64,
    /// Whether it was reckoned how long exploring may last.
    is_reckoned: bool,
    /// Whether it was asked what depends on others.
    has_doubted: bool,
    /// Rounds of the search.
    searches: u32,
    /// Rounds of the last resort.
    resorts: u32,
}

impl Turns<'_, '_> {
    /// Runs what others propose. Whatever is offered, exploring gets its share of the steps.
    fn offered(&mut self, offered: &Offered) -> Result<(), RunError> {
        let candidates = &offered.candidates;
        let is_alone = !offered.random && !offered.search;
        let room = self.deadline.room(0).unwrap_or(u64::MAX);
        let room = if is_alone { room } else { room / 2 };
        let most = usize::try_from(room).map_or(candidates.len(), |room| room.min(candidates.len()));
        self.steps += self.explorer.consider(&candidates[..most], self.runner)?;
        Ok(())
    }

    fn random(&mut self) -> Result<(), RunError> {
        while self.deadline.may_explore(self.steps) && self.random_round(None)? {}
        Ok(())
    }

    fn search(&mut self) -> Result<(), RunError> {
        let mut evolver = Evolver::new(&self.explorer);
        while self.deadline.may_explore(self.steps) && self.search_round(&mut evolver)? {}
        Ok(())
    }

    fn random_until_little_comes(&mut self) -> Result<(), RunError> {
        let is_timed = self.deadline.room(0).is_none();
        let deadline = self.deadline.first(if is_timed { RANDOM_SHARE } else { RANDOM_STEPS });
        let start = self.deadline.explored(self.steps);
        let mut reached = Vec::new();
        // One round in any case: on a busy machine what was offered may have taken all of the share.
        while (reached.is_empty() || deadline.may_explore(self.steps))
            && self.random_round(Some(&deadline))?
        {
            reached.push((self.deadline.explored(self.steps) - start, self.explorer.archive.probes()));
            if little_came(&reached) {
                break;
            }
        }
        Ok(())
    }

    /// The search for what is left, and calls at random in between: they open goals for the search. Who reaches more in
    /// its time gets more of it. A budget of steps has no time: there calls at random come when the search has nothing
    /// to seek.
    fn search_and_random(&mut self) -> Result<(), RunError> {
        let mut evolver = Evolver::new(&self.explorer);
        let (mut search, mut random) = (Yield::default(), Yield::default());
        // Its workers are started by the first round, which is not held against it.
        if self.deadline.may_explore(self.steps) {
            self.search_round(&mut evolver)?;
        }
        while self.deadline.may_explore(self.steps) {
            let before = (self.deadline.spent(), self.explorer.archive.probes());
            // A round of calls at random takes longer than one of the search: it must have been earned before.
            let is_due = search.time <= search.favour(&random) * (random.time + self.lap);
            let is_search = is_due && self.search_round(&mut evolver)?;
            if !is_search && !self.random_round(None)? {
                return Ok(());
            }
            let turn = if is_search { &mut search } else { &mut random };
            turn.time += self.deadline.spent() - before.0;
            // What is doubted is taken back.
            turn.found += self.explorer.archive.probes().saturating_sub(before.1);
        }
        Ok(())
    }

    /// One round of calls at random; false if nothing can be called.
    fn random_round(&mut self, deadline: Option<&Deadline>) -> Result<bool, RunError> {
        if self.explorer.is_idle() {
            return Ok(false);
        }
        let before = self.deadline.spent();
        let steps = self.explorer.round(self.runner, deadline.unwrap_or(&self.deadline))?;
        self.lap = self.deadline.spent() - before;
        self.tell(steps);
        self.resort_in_time()?;
        Ok(steps > 0)
    }

    /// One round of the search; false if there is nothing to seek.
    fn search_round(&mut self, evolver: &mut Evolver) -> Result<bool, RunError> {
        if self.explorer.is_idle() {
            return Ok(false);
        }
        let most = match self.deadline.room(self.steps) {
            Some(room) => usize::try_from(room).unwrap_or(usize::MAX),
            None => self.deadline.part(SEARCHED, self.genome).max(FEWEST),
        };
        let permits = permits(self.deadline.explored(self.steps), self.allowed);
        let before = self.deadline.spent();
        self.searches += 1;
        let isolation = self.isolation(self.searches);
        let steps = evolver.round(&mut self.explorer, self.runner, most, permits, isolation)?;
        self.genome = per(self.deadline.spent() - before, steps).unwrap_or(self.genome);
        self.tell(steps);
        self.resort_in_time()?;
        Ok(steps > 0)
    }

    /// When classes are loaded anew in a round: where the clock decides anyway, seldom. What reaches something is run
    /// again in fresh state.
    fn isolation(&self, round: u32) -> Isolation {
        let may_last = self.deadline.room(0).is_none() && !round.is_multiple_of(RENEWED);
        if may_last { Isolation::Lasting } else { Isolation::Chunk }
    }

    /// Tries private members and mocks every now and then.
    fn resort_in_time(&mut self) -> Result<(), RunError> {
        let share = self.deadline.explored(self.steps);
        let is_due = share >= self.due || permits(share, self.allowed) != self.tried;
        if is_due { self.last_resort(share) } else { Ok(()) }
    }

    /// Tries private members and mocks for what is open, as far as that is permitted when this share of exploring is
    /// over, as long as something comes of it; if private members may be used, until they had their share of the time.
    fn last_resort(&mut self, share: f64) -> Result<(), RunError> {
        let permits = permits(share, self.allowed);
        self.tried = permits;
        let has_time = !self.deadline.is_stopped() && !self.deadline.is_late();
        if permits.private > 0.0 && has_time && !std::mem::replace(&mut self.has_doubted, true) {
            self.explorer.open_again(self.runner)?;
        }
        let is_timed = self.deadline.room(0).is_none();
        let start = self.deadline.spent();
        // Since when nothing came of them.
        let mut since = start;
        let mut pause = 0.0;
        for _ in 0..RESORTS {
            let (reached, before) = (self.explorer.archive.len(), self.deadline.spent());
            let most = self.deadline.part(RESORT, self.step);
            self.resorts += 1;
            let isolation = self.isolation(self.resorts);
            let steps = self.explorer.resort(permits, most, isolation, self.runner)?;
            let spent = self.deadline.spent();
            self.step = per(spent - before, steps).unwrap_or(self.step);
            self.tell(steps);
            let took = self.deadline.of_exploring(spent - start);
            let had_enough = steps == 0 || !is_timed || permits.private == 0.0 || took >= RESORT;
            let is_over = self.deadline.is_stopped() || had_enough && self.deadline.is_late();
            let is_idle = self.explorer.archive.len() == reached;
            since = if is_idle { since } else { spent };
            if is_over || had_enough && is_idle {
                pause = PAUSE * self.deadline.of_exploring(spent - since);
                break;
            }
        }
        self.due = self.deadline.explored(self.steps) + RESORT + pause;
        Ok(())
    }

    /// Exploring lasts longer if what follows it does not take long.
    fn reckon(&mut self) {
        if !self.is_reckoned && self.deadline.spent() > RECKONED {
            self.is_reckoned = true;
            if let Some(rest) = self.explorer.rest() {
                let before = self.deadline.explored(self.steps);
                self.deadline.leave(rest);
                // It is a share of what exploring has, which is more now.
                self.due *= self.deadline.explored(self.steps) / before.max(0.001);
            }
        }
    }

    fn tell(&mut self, steps: u64) {
        self.steps += steps;
        self.reckon();
        self.progress.update(Phase::Explore, self.steps, self.explorer.archive.len(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_comes_when_twice_the_time_hardly_brings_more() {
        assert!(!little_came(&[(0.1, 100)]));
        assert!(!little_came(&[(0.1, 100), (0.15, 100)]));
        assert!(!little_came(&[(0.1, 100), (0.2, 110)]));
        assert!(little_came(&[(0.1, 100), (0.2, 110), (0.4, 111)]));
    }

    #[test]
    fn who_finds_more_in_its_time_gets_more_of_it() {
        let rich = Yield { time: 0.1, found: 30 };
        let poor = Yield { time: 0.1, found: 0 };
        assert!((rich.favour(&poor) - FAVOUR).abs() < 1e-9);
        assert!((poor.favour(&rich) - 1.0 / FAVOUR).abs() < 1e-9);
        assert!((poor.favour(&poor) - 1.0).abs() < 1e-9);
    }
}
