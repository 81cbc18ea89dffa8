//! What a search found, as text or JSON.

use std::fmt::Write as _;

use jurat_engine::{Enumerated, Target};
use jurat_exhaustive::{Space, Structure};
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::output::{Format, print, print_json};

pub(super) struct Report<'a> {
    pub(super) target: &'a Target,
    pub(super) space: &'a Space,
    pub(super) found: &'a Enumerated,
    pub(super) seconds: f64,
}

impl Report<'_> {
    pub(super) fn print(&self, format: Format) -> Result<(), Failure> {
        match format {
            Format::Human => print(&self.text()),
            Format::Json => print_json(&self.json()),
        }
    }

    fn structure(&self, vector: &[u32]) -> String {
        Structure::from_choices(self.space, vector).to_string()
    }

    fn text(&self) -> String {
        let (found, mut text) = (self.found, String::new());
        for (number, vector) in found.kept.iter().enumerate() {
            let _ = writeln!(text, "{:>6}  {}", number + 1, self.structure(vector));
        }
        let hidden = found.tally.valid.saturating_sub(found.kept.len() as u64);
        if hidden > 0 && !found.kept.is_empty() {
            let _ = writeln!(text, "        and {hidden} more; --limit shows more of them");
        }
        let _ = writeln!(
            text,
            "{}.{}: {} explored, {} valid, of 2^{:.1} vectors of {} fields, in {:.2} s",
            self.target.shape.root,
            self.target.predicate,
            found.tally.explored,
            found.tally.valid,
            self.space.log2_size(),
            self.space.len(),
            self.seconds
        );
        if found.tally.failed > 0 {
            let failed = found.tally.failed;
            let _ = writeln!(
                text,
                "{failed} candidates count as invalid because the predicate did not end well:"
            );
            for failure in &found.failures {
                let _ =
                    writeln!(text, "  {}\n    first on {}", failure.reason, self.structure(&failure.vector));
            }
        }
        if let Some(rest) = &found.rest {
            let _ = writeln!(text, "interrupted; go on with --from {rest}");
        }
        text
    }

    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    fn json(&self) -> Value {
        let found = self.found;
        let failures = found
            .failures
            .iter()
            .map(|failure| json!({ "reason": failure.reason, "structure": self.structure(&failure.vector) }));
        json!({
            "class": self.target.shape.root,
            "predicate": self.target.predicate,
            "fields": self.space.len(),
            "log2_space": (self.space.log2_size() * 10.0).round() / 10.0,
            "explored": found.tally.explored,
            "valid": found.tally.valid,
            "failed": found.tally.failed,
            "failures": failures.collect::<Vec<_>>(),
            "structures": found.kept.iter().map(|vector| self.structure(vector)).collect::<Vec<_>>(),
            "complete": found.rest.is_none(),
            "from": found.rest.as_ref().map(ToString::to_string),
            "seconds": self.seconds,
            "explored_per_second": found.tally.explored as f64 / self.seconds.max(1e-9),
        })
    }
}
