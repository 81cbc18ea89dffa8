//! What exploring did, as scripts and people read it.

use std::collections::{BTreeMap, BTreeSet};

use jurat_engine::{Coverage, Generated};
use jurat_model::Subject;
use serde::Serialize;

/// How many set-aside operations people are shown; scripts see all.
const SHOWN: usize = 5;

/// What exploring did.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Explored {
    calls: u64,
    threw: u64,
    seconds: f64,
    calls_per_second: f64,
    discoveries: u64,
    reproduced_at_once: u64,
    reproduced_widened: u64,
    not_reproduced: BTreeMap<&'static str, u64>,
    branches: usize,
    lines: usize,
    set_aside: Vec<String>,
}

impl Explored {
    pub(crate) fn new(subject: &Subject, generated: &Generated, reached: Coverage) -> Self {
        let exploration = &generated.exploration;
        let name = |op: &jurat_model::OpId| {
            let operation = &subject[*op];
            format!("{}.{}", subject[operation.owner].source_name, operation.name)
        };
        let mut explored = Self {
            calls: exploration.calls,
            threw: exploration.threw,
            seconds: exploration.time.as_secs_f64(),
            calls_per_second: 0.0,
            discoveries: exploration.discoveries,
            reproduced_at_once: exploration.at_once,
            reproduced_widened: exploration.widened,
            not_reproduced: exploration.lost.iter().map(|(loss, count)| (loss.reason(), *count)).collect(),
            branches: reached.branches.0,
            lines: reached.lines.0,
            set_aside: exploration.set_aside.keys().map(name).collect::<BTreeSet<_>>().into_iter().collect(),
        };
        explored.set_rate();
        explored
    }

    #[expect(clippy::cast_precision_loss, reason = "a rate is shown to a few digits")]
    fn set_rate(&mut self) {
        self.calls_per_second = self.calls as f64 / self.seconds.max(0.001);
    }

    /// Adds what exploring another module did.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.calls += other.calls;
        self.threw += other.threw;
        self.seconds += other.seconds;
        self.discoveries += other.discoveries;
        self.reproduced_at_once += other.reproduced_at_once;
        self.reproduced_widened += other.reproduced_widened;
        for (reason, count) in other.not_reproduced {
            *self.not_reproduced.entry(reason).or_default() += count;
        }
        self.branches += other.branches;
        self.lines += other.lines;
        self.set_aside.extend(other.set_aside);
        self.set_rate();
    }

    /// The lines of the summary: a word and what is said about it.
    pub(crate) fn say(&self, say: &mut impl FnMut(&str, String)) {
        let reached = format!("{} branches and {} lines", self.branches, self.lines);
        say("explored", format!("{reached}, {} calls, {:.0} a second", self.calls, self.calls_per_second));
        let lost: u64 = self.not_reproduced.values().sum();
        let (once, widened) = (self.reproduced_at_once, self.reproduced_widened);
        let replayed = format!("{once} at once, {widened} widened, {lost} lost");
        say("replayed", format!("{} discoveries: {replayed}", self.discoveries));
        if !self.set_aside.is_empty() {
            let shown: Vec<&str> = self.set_aside.iter().take(SHOWN).map(String::as_str).collect();
            let more = self.set_aside.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            say("set aside", format!("{}{more}", shown.join(", ")));
        }
    }
}
