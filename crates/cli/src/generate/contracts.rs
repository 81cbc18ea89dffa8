//! Looks for broken contracts once tests are there to look with.

use std::time::Duration;

use jurat_engine::{Budget, Deadline, Looking, PooledRunner};
use jurat_model::{Sequence, Subject, Suite, Test};
use jurat_oracle::Ruling;
use jurat_oracle::contracts::Breach;

use super::failure;
use super::settings::Settings;
use crate::exit::Failure;

/// The part of a time budget that contracts may take.
const SHARE: u32 = 8;
/// The least time they get.
const LEAST: Duration = Duration::from_secs(2);
/// The most trials for each second of a time budget: more than there is time for on most machines.
const PER_SECOND: u64 = 1000;
/// One trial for so many steps of a budget of steps.
const STEPS: u64 = 2;

/// The broken contracts, worst first; what would assert one, or an exception that the user calls an error or invalid, is
/// taken out of the suite.
pub(super) fn breaches(
    settings: &Settings,
    subject: &Subject,
    suite: &mut Suite,
    deadline: &Deadline,
    runner: &mut PooledRunner<'_>,
) -> Result<Vec<Breach>, Failure> {
    let policy = &settings.rules.policy;
    let is_judged = |test: &Test| {
        let thrown = test.thrown.as_ref().map(|thrown| &subject[thrown.asserted].internal_name);
        thrown.is_some_and(|thrown| policy.rule(subject.classes(), thrown) != Ruling::Expected)
    };
    if !settings.feedback {
        retain(suite, |test| !is_judged(test));
        return Ok(Vec::new());
    }
    let tests = suite.classes.iter().flat_map(|class| &class.tests);
    let sequences: Vec<Sequence> = tests.map(|test| test.sequence.clone()).collect();
    let start = deadline.elapsed();
    let (trials, limit) = match settings.budget {
        Budget::Time(time) => (time.as_secs().max(1) * PER_SECOND, Some((time / SHARE).max(LEAST))),
        Budget::Steps(steps) => (steps / STEPS, None),
    };
    let is_past = |times: u32| {
        let spent = deadline.elapsed().saturating_sub(start);
        deadline.is_stopped() || limit.is_some_and(|limit| spent > limit * times)
    };
    let trials = usize::try_from(trials).unwrap_or(usize::MAX);
    let looking = Looking {
        rules: &settings.rules,
        trials,
        is_over: &|| is_past(1),
        // A finding that nobody can read is worth little: as long again.
        is_small_enough: &|| is_past(2),
    };
    let breaches = jurat_engine::find_breaches(subject, &sequences, &looking, runner).map_err(failure)?;
    let is_breach = |test: &Test| {
        let thrown = test.thrown.as_ref().map(|thrown| &subject[thrown.asserted].internal_name);
        thrown.is_some()
            && breaches.iter().any(|breach| breach.method == test.focus && breach.thrown.as_ref() == thrown)
    };
    retain(suite, |test| !is_breach(test) && !is_judged(test));
    Ok(breaches)
}

/// Keeps some tests, and the classes that still have one.
fn retain(suite: &mut Suite, keep: impl Fn(&Test) -> bool) {
    for class in &mut suite.classes {
        class.tests.retain(|test| keep(test));
    }
    suite.classes.retain(|class| !class.tests.is_empty());
}
