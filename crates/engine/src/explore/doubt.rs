//! Doubts what is reached only before others ran, or only after them.

use std::collections::BTreeMap;

use jurat_model::Outcome;

use super::Explorer;
use crate::archive::returned_at;
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// The most sequences of which it is asked whether they need to come before others, or after them.
const DOUBTFUL: usize = 128;

impl Explorer<'_> {
    /// Opens goals again that are reached only by those who come before others: with private members they may be reached by
    /// whoever comes.
    pub(crate) fn open_again(&mut self, runner: &mut dyn Runner) -> Result<(), RunError> {
        let (numbers, jobs): (Vec<usize>, Vec<Job>) = self
            .archive
            .sharing()
            .take(DOUBTFUL)
            .map(|(number, sequence)| (number, sequence.clone().into()))
            .unzip();
        if jobs.is_empty() {
            return Ok(());
        }
        let [forwards, backwards] = runner.both_ways(&jobs)?;
        let alone = runner.run(&jobs, Mode::Alone)?;
        let runs_of = |at: usize| [&forwards[at], &backwards[at], &alone[at]];
        // Whoever comes first initializes classes, and does the same in the end.
        let end = |at: usize, run: &Outcome| {
            let sequence = &jobs[at].sequence;
            let thrown = run.thrown().map(|(var, class)| (var, class.clone()));
            (thrown, sequence.last().and_then(|last| returned_at(sequence, run, last)))
        };
        let is_fickle = |at: &usize| {
            let [one, other, alone] = runs_of(*at).map(|run| end(*at, run));
            one != other || one != alone
        };
        let fickle: BTreeMap<usize, usize> =
            (0..jobs.len()).filter(is_fickle).map(|at| (numbers[at], at)).collect();
        self.archive.doubt(|number, goal| {
            let is_missed =
                |at: &usize| runs_of(*at).iter().any(|run| !goal.is_reached(&jobs[*at].sequence, run));
            fickle.get(&number).is_some_and(is_missed)
        });
        Ok(())
    }
}
