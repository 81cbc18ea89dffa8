//! What people and scripts are told about a suite's strength.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jurat_engine::{Judged, Kill, MutantTable, Mutation, Verdict};
use serde::Serialize;

use super::source::Sources;
use crate::exit::Failure;
use crate::output::{Format, Paint, print, print_json};

pub(crate) struct Report<'a> {
    pub(crate) mutation: &'a Mutation,
    pub(crate) table: &'a MutantTable,
    pub(crate) sources: &'a Sources,
    pub(crate) threshold: Option<f64>,
}

/// Mutants by what became of them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Tally {
    total: usize,
    killed: usize,
    timed_out: usize,
    survived: usize,
    not_reached: usize,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        self.total += 1;
        match verdict {
            Verdict::Killed { how, .. } => {
                self.killed += 1;
                self.timed_out += usize::from(*how == Kill::Timeout);
            }
            Verdict::Survived => self.survived += 1,
            Verdict::NotReached => self.not_reached += 1,
        }
    }

    fn score(&self) -> f64 {
        share(self.killed, self.total)
    }

    fn strength(&self) -> f64 {
        share(self.killed, self.total - self.not_reached)
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^52 mutants")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[derive(Serialize)]
struct Document<'a> {
    score: f64,
    strength: f64,
    #[serde(flatten)]
    tally: Tally,
    threshold: Option<f64>,
    tests: usize,
    skipped_tests: Vec<String>,
    left_out_tests: Vec<String>,
    lost_runs: usize,
    runs: usize,
    seconds: f64,
    mutants_per_second: f64,
    classes: Vec<ClassDocument<'a>>,
    mutants: Vec<MutantDocument<'a>>,
    left_alone: &'a [String],
}

#[derive(Serialize)]
struct ClassDocument<'a> {
    name: &'a str,
    score: f64,
    #[serde(flatten)]
    tally: Tally,
}

#[derive(Serialize)]
struct MutantDocument<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    line: Option<u16>,
    operator: &'static str,
    change: String,
    verdict: &'static str,
    killed_by: Option<String>,
    how: Option<String>,
}

impl Report<'_> {
    /// Whether the score is too low.
    pub(crate) fn is_below(&self) -> bool {
        self.threshold.is_some_and(|threshold| self.tally().score() < threshold)
    }

    pub(crate) fn print(&self, format: Format, survivors: usize) -> Result<(), Failure> {
        match format {
            Format::Json => print_json(&self.document()),
            Format::Human => print(&self.page(survivors, Paint::for_stdout())),
        }
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.mutation.mutants.iter().for_each(|judged| tally.add(&judged.verdict));
        tally
    }

    /// What became of the mutants of each top-level class.
    fn classes(&self) -> BTreeMap<&str, Tally> {
        let mut classes: BTreeMap<&str, Tally> = BTreeMap::new();
        for judged in &self.mutation.mutants {
            let outer = judged.class.split('$').next().unwrap_or(&judged.class);
            classes.entry(outer).or_default().add(&judged.verdict);
        }
        classes
    }

    fn speed(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^52 mutants")]
        let reached = self.mutation.reached() as f64;
        reached / self.mutation.seconds.max(1e-3)
    }

    fn sentence(&self, judged: &Judged) -> String {
        let statement = judged.mutant.line.and_then(|line| self.sources.statement(&judged.class, line));
        judged.mutant.change.sentence(statement.as_deref())
    }

    fn document(&self) -> Document<'_> {
        let tally = self.tally();
        let mutation = self.mutation;
        let mutant = |judged: &'_ Judged| -> (&'static str, Option<String>, Option<String>) {
            match &judged.verdict {
                Verdict::Killed { by, how } => {
                    let how = match how {
                        Kill::Assertion => "assertion".to_owned(),
                        Kill::Exception(class) => class.clone(),
                        Kill::Timeout => "timeout".to_owned(),
                        Kill::Crash => "crash".to_owned(),
                    };
                    ("killed", mutation.tests.get(*by).map(ToString::to_string), Some(how))
                }
                Verdict::Survived => ("survived", None, None),
                Verdict::NotReached => ("not_reached", None, None),
            }
        };
        let mutants = mutation.mutants.iter().map(|judged| {
            let (verdict, killed_by, how) = mutant(judged);
            MutantDocument {
                class: &judged.class,
                method: &judged.mutant.method.name,
                descriptor: &judged.mutant.method.descriptor,
                line: judged.mutant.line,
                operator: judged.mutant.change.operator().name(),
                change: self.sentence(judged),
                verdict,
                killed_by,
                how,
            }
        });
        let classes = self.classes().into_iter();
        Document {
            score: tally.score(),
            strength: tally.strength(),
            tally,
            threshold: self.threshold,
            tests: mutation.tests.len(),
            skipped_tests: mutation.skipped.iter().map(ToString::to_string).collect(),
            left_out_tests: mutation.costly.iter().map(ToString::to_string).collect(),
            lost_runs: mutation.lost,
            runs: mutation.runs,
            seconds: mutation.seconds,
            mutants_per_second: self.speed(),
            classes: classes
                .map(|(name, tally)| ClassDocument { name, score: tally.score(), tally })
                .collect(),
            mutants: mutants.collect(),
            left_alone: &self.table.skipped,
        }
    }

    fn page(&self, survivors: usize, paint: Paint) -> String {
        let mut page = String::new();
        let alive: Vec<&Judged> = self.with(&Verdict::Survived).collect();
        for judged in alive.iter().take(survivors) {
            page += &self.survivor(judged);
        }
        if alive.len() > survivors {
            let _ =
                writeln!(page, "and {} more survivors (--survivors N shows N)\n", alive.len() - survivors);
        }
        page += &self.table_of_classes();
        self.remarks(&mut page);
        let tally = self.tally();
        let score = format!("{:.1} %", tally.score());
        let score = if self.is_below() { paint.bad(&score) } else { paint.good(&score) };
        let _ = writeln!(
            page,
            "score: {} of {} mutants killed, {score}; of those that a test reaches {:.1} %",
            tally.killed,
            tally.total,
            tally.strength()
        );
        if let Some(threshold) = self.threshold.filter(|_| self.is_below()) {
            let _ = writeln!(page, "the threshold is {threshold} %");
        }
        let mutation = self.mutation;
        let speed = paint.faint(&format!(
            "{} tests, {} runs in {:.1} s, {:.0} mutants a second",
            mutation.tests.len(),
            mutation.runs,
            mutation.seconds,
            self.speed()
        ));
        let _ = writeln!(page, "{speed}");
        page
    }

    fn with(&self, verdict: &Verdict) -> impl Iterator<Item = &Judged> {
        self.mutation.mutants.iter().filter(move |judged| judged.verdict == *verdict)
    }

    /// A surviving mutant: where it is, what it changes, and the source if it is at hand.
    fn survivor(&self, judged: &Judged) -> String {
        let line = judged.mutant.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let method = &judged.mutant.method.name;
        let mut text = format!("{}.{method}{line}: {}\n", judged.class, self.sentence(judged));
        let excerpt = judged.mutant.line.and_then(|line| self.sources.excerpt(&judged.class, line));
        for line in excerpt.unwrap_or_default() {
            let _ = writeln!(text, "{line}");
        }
        text + "\n"
    }

    fn table_of_classes(&self) -> String {
        let classes = self.classes();
        let width = classes.keys().map(|name| name.len()).max().unwrap_or(0).max(5);
        let mut text =
            format!("{:width$}  mutants  killed  (time out)  survived  not reached  score\n", "class");
        for (name, tally) in &classes {
            let _ = writeln!(
                text,
                "{name:width$}  {:>7}  {:>6}  {:>10}  {:>8}  {:>11}  {:>4.1} %",
                tally.total,
                tally.killed,
                tally.timed_out,
                tally.survived,
                tally.not_reached,
                tally.score()
            );
        }
        text + "\n"
    }

    fn remarks(&self, page: &mut String) {
        let unseen: Vec<&str> = self
            .classes()
            .into_iter()
            .filter(|(_, tally)| tally.not_reached == tally.total)
            .map(|(name, _)| name)
            .collect();
        if !unseen.is_empty() {
            let _ = writeln!(page, "no test reaches {}\n", list(&unseen));
        }
        let Mutation { skipped, costly, lost, .. } = self.mutation;
        let why = "left out, because they leave threads behind or exhaust memory or stack";
        for (word, tests) in [("skipped", skipped), (why, costly)] {
            let names: Vec<String> = tests.iter().map(ToString::to_string).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            if !names.is_empty() {
                let _ = writeln!(page, "{word}: {}\n", list(&names));
            }
        }
        if *lost > 0 {
            let _ = writeln!(
                page,
                "{lost} runs could not be made: a test did not end as usual without mutants\n"
            );
        }
        for method in &self.table.skipped {
            let _ = writeln!(page, "left alone: {method}");
        }
        if self.mutation.interrupted {
            let _ = writeln!(page, "interrupted: mutants that were not judged count as not reached\n");
        }
    }
}

/// A few names, and how many more there are.
fn list(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
