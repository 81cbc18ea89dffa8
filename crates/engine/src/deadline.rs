//! When to stop: after so many steps, at a point in time, or when the user says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Wall-clock time for generation, minimization and the choice of checks.
    Time(Duration),
    /// This many steps; the rest takes as long as it takes.
    Steps(u64),
}

/// Set when the user asks to stop; what was found is still written.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the run to stop. Safe to call from a signal handler.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// What is set then, for those who know nothing of us.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// True once asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A budget that is being spent.
#[derive(Clone, Debug)]
pub struct Deadline {
    budget: Budget,
    start: Instant,
    stop: Stop,
    /// The share of exploring that is meant by exploring.
    share: f64,
    /// The share of a time budget after which exploring ends.
    end: f64,
    /// The share of a time budget that an order of exploring may take.
    order: f64,
    /// The share of a time budget after which minimization ends.
    minimize: f64,
}

/// The share of a time budget after which exploring ends, if nothing better is known.
const EXPLORE_SHARE: f64 = 0.55;
/// The share of a time budget after which exploring ends in any case.
const MOST_EXPLORING: f64 = 0.75;
/// The share of a time budget after which nothing more is prepared for exploring.
const PREPARE_SHARE: f64 = 0.1;
/// The share of a time budget that an order of exploring may take.
const ORDER_SHARE: f64 = 0.06;
/// The same where others wait for their turn: a round has four orders, and one worker may have to do them all.
const SHARED_ORDER: f64 = 0.02;
/// The share of what is left for exploring that an order may take: a round has several.
const LEFT_SHARE: f64 = 0.35;
/// How long orders of the first round take.
const FIRST_ORDER: Duration = Duration::from_millis(400);
/// What follows exploring takes this long at least: JVMs are started for it, and are slow at first.
const LEAST_REST: Duration = Duration::from_secs(2);
/// The least time an order takes.
const LEAST_ORDER: Duration = Duration::from_millis(100);
/// The least share of a time budget in which assertions are chosen.
const LEAST_ASSERTING: f64 = 1.0 - MINIMIZE_SHARE;
/// The least time for what follows generation.
const LEAST_FINISHING: Duration = Duration::from_secs(30);
/// The share of a time budget after which minimization ends.
const MINIMIZE_SHARE: f64 = 0.86;
/// The share of it after which only what went wrong by it is mended.
const RESTORE_SHARE: f64 = 0.8;
/// The share of a time budget in which what was found is run alone.
const CONFIRM_SHARE: f64 = 0.08;

impl Deadline {
    /// Starts to spend.
    #[expect(
        clippy::disallowed_methods,
        reason = "a time budget is spent by the clock, here and nowhere else"
    )]
    pub fn start(budget: Budget, stop: Stop) -> Self {
        Self {
            budget,
            start: Instant::now(),
            stop,
            share: 1.0,
            end: EXPLORE_SHARE,
            order: ORDER_SHARE,
            minimize: MINIMIZE_SHARE,
        }
    }

    /// The same budget, of which exploring gets only the first part: of its steps, or of what is left of its time.
    #[must_use]
    pub(crate) fn first(&self, share: f64) -> Self {
        let begun = match self.budget {
            Budget::Time(_) => (self.spent() / self.end).min(1.0),
            Budget::Steps(_) => 0.0,
        };
        Self { share: begun + share * (1.0 - begun), ..self.clone() }
    }

    /// Keeps rounds of calls at random short, because they are not alone.
    pub(crate) fn share_rounds(&mut self) {
        self.order = SHARED_ORDER;
    }

    /// Lets exploring last until what follows it, which takes so long, must begin; never for less than its usual share.
    pub(crate) fn leave(&mut self, rest: Duration) {
        if let Budget::Time(whole) = self.budget {
            let rest = (LEAST_REST + rest).as_secs_f64() / whole.as_secs_f64().max(0.001);
            self.end = (1.0 - rest).clamp(EXPLORE_SHARE, MOST_EXPLORING);
        }
    }

    /// The steps of a budget of steps that exploring gets.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count lies between zero and the count"
    )]
    fn steps(&self, most: u64) -> u64 {
        if self.share < 1.0 { (most as f64 * self.share) as u64 } else { most }
    }

    /// True if exploring goes on after `steps` steps.
    pub fn may_explore(&self, steps: u64) -> bool {
        !self.stop.is_requested()
            && match self.budget {
                Budget::Time(_) => self.spent() < self.end * self.share,
                Budget::Steps(most) => steps < self.steps(most),
            }
    }

    /// True if the time for exploring is over; never with a budget of steps.
    pub fn is_late(&self) -> bool {
        matches!(self.budget, Budget::Time(_)) && self.spent() >= self.end
    }

    /// True if what exploring starts from may still be prepared.
    pub fn may_prepare(&self) -> bool {
        !self.stop.is_requested() && self.spent() < PREPARE_SHARE
    }

    /// The share of exploring that is over after `steps` steps.
    pub fn explored(&self, steps: u64) -> f64 {
        match self.budget {
            Budget::Time(_) => self.spent() / self.end,
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            Budget::Steps(most) => steps as f64 / most.max(1) as f64,
        }
    }

    /// A share of a time budget as a share of exploring.
    pub(crate) fn of_exploring(&self, share: f64) -> f64 {
        share / self.end
    }

    /// A part of a budget: of its steps, or as many as fit into that part of its time if one takes such a share of it.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count lies between zero and the count"
    )]
    pub fn part(&self, share: f64, step: f64) -> usize {
        match self.budget {
            Budget::Time(_) => (share * self.end / step.max(f64::MIN_POSITIVE)) as usize,
            Budget::Steps(most) => (most as f64 * share) as usize,
        }
    }

    /// How many steps the next round may take: what is left of a budget of steps. A round of a budget of time ends by
    /// the clock.
    pub fn room(&self, steps: u64) -> Option<u64> {
        match self.budget {
            Budget::Time(_) => None,
            Budget::Steps(most) => Some(self.steps(most).saturating_sub(steps)),
        }
    }

    /// How long one order of a round may take, in milliseconds; 0 if the clock does not matter. Rounds become longer,
    /// because a worker that loads all classes anew takes a while to be fast, but none takes much of the budget.
    pub fn order_millis(&self, round: u32) -> u32 {
        match self.budget {
            Budget::Time(whole) => {
                let left = whole.mul_f64(self.end).saturating_sub(self.elapsed());
                let most = whole.mul_f64(self.order).max(FIRST_ORDER).min(left.mul_f64(LEFT_SHARE));
                let millis = most.min(FIRST_ORDER * (1 << round.min(8))).max(LEAST_ORDER).as_millis();
                u32::try_from(millis).unwrap_or(u32::MAX)
            }
            Budget::Steps(_) => 0,
        }
    }

    /// The same budget, of which minimization leaves something for mending what it spoils.
    #[must_use]
    pub(crate) fn before_restoring(&self) -> Self {
        Self { minimize: RESTORE_SHARE, ..self.clone() }
    }

    /// The same budget, of which what is tried alone before minimization takes a part only.
    #[must_use]
    pub(crate) fn confirming(&self) -> Self {
        let until = self.spent().max(self.end) + CONFIRM_SHARE;
        Self { minimize: until.min(RESTORE_SHARE - CONFIRM_SHARE), ..self.clone() }
    }

    /// True if there is time to make tests smaller.
    pub fn may_minimize(&self) -> bool {
        !self.stop.is_requested() && self.spent() < self.minimize
    }

    /// True while a time budget lasts.
    pub fn may_assert(&self) -> bool {
        self.spent() < 1.0
    }

    /// Until when assertions may be chosen: the end of the budget, or somewhat later if what came before took too
    /// long already, because tests without assertions are none. The user who asks to stop still gets tests.
    pub fn asserting(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(whole) => Some(whole.max(self.elapsed() + whole.mul_f64(LEAST_ASSERTING))),
            Budget::Steps(_) => None,
        }
    }

    /// How long compiling, running and writing the tests may take: as long as the budget, at least half a minute.
    /// A budget of steps sets no limit.
    pub fn finishing(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(whole) => Some(whole.max(LEAST_FINISHING)),
            Budget::Steps(_) => None,
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// True if the user asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// The share of a time budget that is spent; 0 for a budget of steps, which is not spent by the clock.
    pub(crate) fn spent(&self) -> f64 {
        match self.budget {
            Budget::Time(whole) => self.elapsed().as_secs_f64() / whole.as_secs_f64().max(0.001),
            Budget::Steps(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploring_lasts_until_the_rest_must_begin_within_limits() {
        let whole = Duration::from_secs(1000);
        let left = |seconds| {
            let mut deadline = Deadline::start(Budget::Time(whole), Stop::default());
            deadline.leave(Duration::from_secs(seconds));
            deadline.end
        };
        assert!((left(298) - 0.7).abs() < 1e-9);
        assert!((left(2) - MOST_EXPLORING).abs() < 1e-9);
        assert!((left(5000) - EXPLORE_SHARE).abs() < 1e-9);
    }
}
