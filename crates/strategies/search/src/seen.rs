//! Strings that comparisons at run time were made with: constants that are put together, read or hidden elsewhere.

use jurat_base::FxHashSet;
use jurat_protocol::{Chart, Compared, Literal, Relation, Statement, Text};

use crate::genome::Genome;

/// How many are kept; the oldest go.
const MOST: usize = 128;
/// The longest that is kept.
const LONGEST: usize = 80;

/// The strings, and what is known without them.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    texts: Vec<Text>,
    /// What is kept, and what the subject's code mentions.
    known: FxHashSet<Text>,
    /// The next to go.
    oldest: usize,
}

impl Seen {
    /// Nothing yet, beside what a chart's pools hold.
    pub(crate) fn new(chart: &Chart) -> Self {
        let known = chart.pools.iter().flat_map(|pool| &pool.strings).cloned().collect();
        Self { texts: Vec::new(), known, oldest: 0 }
    }

    pub(crate) fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// Takes note of what the run of a genome compared with. What the genome says itself is no news.
    pub(crate) fn note(&mut self, genome: &Genome, compared: &[Compared]) {
        let says = |text: &Text| {
            let is_it = |statement: &Statement| matches!(statement, Statement::Literal(Literal::String(own)) if own == text);
            genome.genes().iter().any(|gene| is_it(&gene.statement))
        };
        for Compared { relation, text, wanted } in compared {
            // A pattern is none of the strings that it matches.
            let both = [Some(text), Some(wanted).filter(|_| *relation != Relation::Pattern)];
            for text in both.into_iter().flatten() {
                let length = text.units().len();
                if (1..=LONGEST).contains(&length) && !self.known.contains(text) && !says(text) {
                    self.keep(text.clone());
                }
            }
        }
    }

    fn keep(&mut self, text: Text) {
        self.known.insert(text.clone());
        if self.texts.len() < MOST {
            self.texts.push(text);
            return;
        }
        let gone = std::mem::replace(&mut self.texts[self.oldest], text);
        self.known.remove(&gone);
        self.oldest = (self.oldest + 1) % MOST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(text: &str, wanted: &str) -> Compared {
        Compared { relation: Relation::Equal, text: Text::from(text), wanted: Text::from(wanted) }
    }

    fn saying(text: &str) -> Genome {
        let mut genome = Genome::new(0);
        genome.push(Statement::Literal(Literal::String(Text::from(text))), &[]);
        genome
    }

    #[test]
    fn what_was_compared_with_is_kept_unless_it_was_tried_or_is_known() {
        let mut seen = Seen { known: FxHashSet::from_iter([Text::from("mentioned")]), ..Seen::default() };
        let all = [compared("tried", "hidden"), compared("tried", "mentioned"), compared("", "hidden")];
        seen.note(&saying("tried"), &all);
        assert_eq!(seen.texts(), [Text::from("hidden")]);
    }

    #[test]
    fn the_oldest_go() {
        let mut seen = Seen::default();
        for number in 0..=MOST {
            seen.note(&saying(""), &[compared("", &number.to_string())]);
        }
        assert_eq!(seen.texts().len(), MOST);
        assert_eq!(seen.texts()[0], Text::from(MOST.to_string()));
        seen.note(&saying(""), &[compared("", "0")]);
        assert!(seen.texts().contains(&Text::from("0")), "what went may come again");
    }
}
