//! A long run on something large: whether it ends well, what it holds after each minute, what it gave up calling.

use anyhow::Result;

use super::figures::Figures;
use super::plan::Subject;
use super::trial::{Stage, Trial};

/// How much more the engine may hold after the fifth minute than after the first.
const GROWTH: f64 = 1.1;

/// Runs it and says how it went; true if it went well.
#[expect(clippy::print_stdout, reason = "the figures are what this command is for")]
pub(super) fn run(stage: &Stage, subject: &Subject, budget: Option<&str>, seed: u64) -> Result<bool> {
    let budget = budget.unwrap_or(subject.budget);
    let figures = stage.measure(&Trial {
        folder: format!("{}-{seed}", subject.name),
        flags: ["--strategy", "random"].map(str::to_owned).to_vec(),
        endures: true,
        ..subject.trial(&stage.jars, budget, seed)
    })?;
    let (text, is_well) = told(subject.name, &figures);
    println!("{text}");
    Ok(is_well)
}

#[expect(clippy::cast_precision_loss, reason = "bytes are shown as megabytes")]
fn told(name: &str, figures: &Figures) -> (String, bool) {
    let Some(own) = &figures.own else {
        return (format!("{name}: {}", figures.trouble.clone().unwrap_or_default()), false);
    };
    let minutes: Vec<String> = figures.minutes.iter().map(|bytes| (bytes >> 20).to_string()).collect();
    let growth = match (figures.minutes.first(), figures.minutes.get(4)) {
        (Some(first), Some(fifth)) => Some(*fifth as f64 / *first as f64),
        _ => None,
    };
    let growth_text = growth.map_or_else(
        || "it took less than five minutes".to_owned(),
        |growth| format!("minute 5 is {growth:.2} times minute 1 (asked {GROWTH})"),
    );
    let aside = &own.explored.set_aside;
    let text = format!(
        "{name}: {} steps, {:.0} calls/s while exploring, {} tests, {} findings, {:.0} s\n\
         engine, MB after each minute: {}; {growth_text}\n\
         {} operations set aside: {}\n",
        own.steps,
        own.explored.calls_per_second,
        own.tests.regression,
        own.findings.len(),
        figures.wall,
        minutes.join(" "),
        aside.len(),
        aside.join(", "),
    );
    (text, growth.is_some_and(|growth| growth <= GROWTH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::figures::Own;

    #[test]
    fn memory_that_grows_is_no_good_end() {
        let figures = |fifth: u64| Figures {
            own: Some(Own::default()),
            minutes: [100, 150, 90, 100, fifth].map(|megabytes| megabytes << 20).to_vec(),
            ..Figures::default()
        };
        assert!(told("all", &figures(110)).1);
        let (text, is_well) = told("all", &figures(120));
        assert!(!is_well && text.contains("1.20 times"), "{text}");
    }
}
