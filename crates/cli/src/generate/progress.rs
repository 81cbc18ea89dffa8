//! The progress bar: phase, steps, goals and tests, on a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jurat_engine::{Budget, Phase, Progress};

/// Shows how a run goes on.
pub(crate) struct Bar {
    bar: ProgressBar,
    steps: Option<u64>,
}

impl Bar {
    /// A bar on stderr; hidden where stderr is no terminal, which indicatif sees to.
    pub(crate) fn new(is_shown: bool, budget: &Budget) -> Self {
        let steps = match budget {
            Budget::Steps(steps) => Some(*steps),
            Budget::Time(_) => None,
        };
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(steps, target);
        let template = if steps.is_some() { "{spinner} {bar:20} {msg}" } else { "{spinner} {elapsed} {msg}" };
        let style = ProgressStyle::with_template(template).expect("the template is ours");
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, steps }
    }

    /// The last phase.
    pub(crate) fn validating(&mut self, tests: usize) {
        self.bar.set_message(format!("compiling and running {tests} tests"));
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn update(&mut self, phase: Phase, steps: u64, goals: usize, tests: usize) {
        let doing = match phase {
            Phase::Explore => "exploring",
            Phase::Confirm => "confirming",
            Phase::Minimize => "minimizing",
            Phase::Assert => "choosing assertions",
            Phase::Validate => "validating",
        };
        if self.steps.is_some() {
            self.bar.set_position(steps);
        }
        let tests = if tests == 0 { String::new() } else { format!(", {tests} tests") };
        self.bar.set_message(format!("{doing}: {steps} steps, {goals} goals{tests}"));
    }
}
