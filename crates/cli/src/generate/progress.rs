//! How a run goes on: a bar on a terminal, a line for each phase elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jurat_engine::{Budget, Phase, Progress};

/// How often a line is written while exploring, where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);
/// Parts of the bar.
const PARTS: u64 = 1000;
/// Below this width there is no room for a bar.
const NARROW: u16 = 70;

/// Shows how a run goes on.
pub(crate) struct Bar {
    shown: Shown,
    budget: Budget,
    started: Instant,
    phase: Option<Phase>,
}

enum Shown {
    Nothing,
    Bar(ProgressBar),
    Lines { last: Instant },
}

impl Bar {
    /// A bar on stderr if that is a terminal, else lines.
    pub(crate) fn new(is_shown: bool, budget: Budget) -> Self {
        let started = now();
        let shown = match (is_shown, stderr().is_terminal()) {
            (false, _) => Shown::Nothing,
            (true, true) => Shown::Bar(bar()),
            (true, false) => Shown::Lines { last: started },
        };
        Self { shown, budget, started, phase: None }
    }

    /// The last phase.
    pub(crate) fn validating(&mut self, tests: usize) {
        self.say(Phase::Validate, &format!("compiling and running {}", count(tests, "test")));
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }

    #[expect(clippy::print_stderr, reason = "this is where progress reaches people")]
    fn say(&mut self, phase: Phase, text: &str) {
        let is_new = self.phase != Some(phase);
        self.phase = Some(phase);
        match &mut self.shown {
            Shown::Bar(bar) => bar.set_message(text.to_owned()),
            Shown::Lines { last } if is_new || last.elapsed() >= EVERY => {
                *last = now();
                eprintln!("{:6.1} s  {text}", self.started.elapsed().as_secs_f64());
            }
            Shown::Nothing | Shown::Lines { .. } => {}
        }
    }

    /// How much of the budget is spent, in parts of the bar.
    fn position(&self, phase: Phase, steps: u64) -> u64 {
        match self.budget {
            Budget::Time(whole) => {
                let spent = self.started.elapsed().as_millis() * u128::from(PARTS) / whole.as_millis().max(1);
                u64::try_from(spent).unwrap_or(PARTS).min(PARTS)
            }
            // What follows exploring takes about as long again.
            Budget::Steps(most) if phase == Phase::Explore => steps * PARTS / most.max(1) / 2,
            Budget::Steps(_) => match phase {
                Phase::Explore | Phase::Confirm => PARTS / 2,
                Phase::Minimize => PARTS * 6 / 10,
                Phase::Assert => PARTS * 8 / 10,
                Phase::Validate => PARTS * 9 / 10,
            },
        }
    }
}

impl Progress for Bar {
    fn update(&mut self, phase: Phase, steps: u64, goals: usize, tests: usize) {
        let position = self.position(phase, steps);
        if let Shown::Bar(bar) = &self.shown {
            bar.set_position(position);
        }
        let text = match phase {
            Phase::Explore => format!("exploring: {steps} steps, {goals} goals reached"),
            Phase::Confirm => format!("running {} again", count(tests, "sequence")),
            Phase::Minimize => format!("making {} smaller", count(tests, "test")),
            Phase::Assert => format!("choosing what {} assert", count(tests, "test")),
            Phase::Validate => format!("compiling and running {}", count(tests, "test")),
        };
        self.say(phase, &text);
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr());
    let is_narrow = terminal_size::terminal_size_of(stderr()).is_some_and(|(width, _)| width.0 < NARROW);
    let template = if is_narrow { "{elapsed} {wide_msg}" } else { "{elapsed} [{bar:24}] {wide_msg}" };
    let style = ProgressStyle::with_template(template).expect("the template is ours");
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// `1 test`, `2 tests`, `3 classes`.
pub(super) fn count(number: usize, noun: &str) -> String {
    let ending = match number {
        1 => "",
        _ if noun.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

#[expect(clippy::disallowed_methods, reason = "people are told how long it has taken")]
fn now() -> Instant {
    Instant::now()
}
