//! Strategies take turns: what is offered first, calls at random until little comes of them, then the search for what
//! is left, with calls at random in between. All of them fill one archive.

use crate::archive::Archive;
use crate::deadline::Deadline;
use crate::enumerate::Offered;
use crate::error::RunError;
use crate::explore::{Evolver, Exploration, Explorer};
use crate::generate::{Phase, Progress};
use crate::permits::{Allowed, Permits};
use crate::runner::Runner;

/// The share of exploring after which the search has its turn, however much is still found at random.
const RANDOM_SHARE: f64 = 0.6;
/// A round of calls at random that adds less than this share of what is known means that little is left for them.
const LITTLE: f64 = 0.01;
/// How much of the time the search has for each part that calls at random have, once it has begun.
const SEARCH_TO_RANDOM: f64 = 3.0;

/// Private members and mocks are tried after each such share of exploring.
const RESORT: f64 = 0.05;
/// How often in a row.
const RESORTS: u32 = 4;

/// What exploring gave.
pub(crate) struct Explored {
    pub(crate) archive: Archive,
    pub(crate) exploration: Exploration,
    pub(crate) steps: u64,
}

/// Explores until the budget for it is spent or nothing is left to try.
pub(crate) fn explore(
    explorer: Explorer<'_>,
    deadline: &Deadline,
    offered: &Offered,
    runner: &mut dyn Runner,
    progress: &mut dyn Progress,
) -> Result<Explored, RunError> {
    let allowed = offered.allowed;
    let mut turns = Turns { explorer, deadline, runner, progress, steps: 0, allowed, resorted: 0.0 };
    turns.offered(offered)?;
    if offered.random && offered.search {
        turns.random_until_little_comes()?;
        turns.search_and_random()?;
    } else if offered.search {
        turns.search()?;
    } else if offered.random {
        turns.random()?;
    }
    if offered.random || offered.search {
        turns.last_resort(1.0)?;
    }
    let Turns { explorer, steps, .. } = turns;
    let mut exploration = explorer.exploration;
    exploration.time = deadline.elapsed();
    Ok(Explored { archive: explorer.archive, exploration, steps })
}

struct Turns<'t, 'a> {
    explorer: Explorer<'a>,
    deadline: &'t Deadline,
    runner: &'t mut dyn Runner,
    progress: &'t mut dyn Progress,
    steps: u64,
    allowed: Allowed,
    /// The share of exploring that was over when private members and mocks were last tried.
    resorted: f64,
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
        while self.deadline.may_explore(self.steps) && self.random_round(self.deadline)? {}
        Ok(())
    }

    fn search(&mut self) -> Result<(), RunError> {
        let mut evolver = Evolver::new(&self.explorer);
        while self.deadline.may_explore(self.steps) && self.search_round(&mut evolver)? {}
        Ok(())
    }

    fn random_until_little_comes(&mut self) -> Result<(), RunError> {
        let deadline = self.deadline.first(RANDOM_SHARE);
        while deadline.may_explore(self.steps) {
            let before = self.explorer.archive.len();
            if !self.random_round(&deadline)? {
                return Ok(());
            }
            let added = self.explorer.archive.len() - before;
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            if (added as f64) < LITTLE * before as f64 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The search for what is left. Calls at random go on in between: they open goals for the search. What they would
    /// find in what is left of a budget of steps they found before.
    fn search_and_random(&mut self) -> Result<(), RunError> {
        let mut evolver = Evolver::new(&self.explorer);
        let start = self.deadline.spent();
        let mut searched = 0.0;
        while self.deadline.may_explore(self.steps) {
            let before = self.deadline.spent();
            let roamed = before - start - searched;
            if searched <= SEARCH_TO_RANDOM * roamed && self.search_round(&mut evolver)? {
                searched += self.deadline.spent() - before;
            } else if !self.random_round(self.deadline)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// One round of calls at random; false if nothing can be called.
    fn random_round(&mut self, deadline: &Deadline) -> Result<bool, RunError> {
        if self.explorer.is_idle() {
            return Ok(false);
        }
        let steps = self.explorer.round(self.runner, deadline)?;
        self.tell(steps);
        self.resort_in_time()?;
        Ok(steps > 0)
    }

    /// One round of the search; false if there is nothing to seek.
    fn search_round(&mut self, evolver: &mut Evolver) -> Result<bool, RunError> {
        if self.explorer.is_idle() {
            return Ok(false);
        }
        let room = self.deadline.room(self.steps).and_then(|room| usize::try_from(room).ok());
        let steps = evolver.round(&mut self.explorer, self.runner, room.unwrap_or(usize::MAX))?;
        self.tell(steps);
        self.resort_in_time()?;
        Ok(steps > 0)
    }

    /// Tries private members and mocks every now and then.
    fn resort_in_time(&mut self) -> Result<(), RunError> {
        let share = self.deadline.explored(self.steps);
        if share < self.resorted + RESORT { Ok(()) } else { self.last_resort(share) }
    }

    /// Tries private members and mocks for what is open, as far as that is permitted when this share of exploring is
    /// over, and as long as something comes of it.
    fn last_resort(&mut self, share: f64) -> Result<(), RunError> {
        self.resorted = share;
        let permits = Permits::at(share, self.allowed);
        let most = self.deadline.part(RESORT);
        for _ in 0..RESORTS {
            let before = self.explorer.archive.len();
            let steps = self.explorer.resort(permits, most, self.runner)?;
            self.tell(steps);
            if self.explorer.archive.len() == before || self.deadline.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    fn tell(&mut self, steps: u64) {
        self.steps += steps;
        self.progress.update(Phase::Explore, self.steps, self.explorer.archive.len(), 0);
    }
}
