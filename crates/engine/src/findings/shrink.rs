//! Makes the tests of findings smaller: fewer statements first, then simpler literals.

use jurat_model::{Action, Sequence, Subject, Var};
use jurat_oracle::contracts::{Breach, Rules};

use super::Looking;
use super::case::Case;
use crate::error::RunError;
use crate::minimize::{simpler, weight};
use crate::runner::{Job, Mode, Runner};

/// The most variants of one case that are tried at once.
const VARIANTS: usize = 32;
/// How often a case may shrink in each of the two ways.
const ROUNDS: usize = 24;

/// Shrinks every case as long as it breaks the same contract in the same method.
pub(crate) fn shrink(
    subject: &Subject,
    proven: &mut [(Case, Breach)],
    looking: &Looking<'_>,
    runner: &mut dyn Runner,
) -> Result<(), RunError> {
    let passes: [fn(&Case) -> Vec<Case>; 2] = [shorter, with_simpler_literals];
    for variants in passes {
        let mut active: Vec<usize> = (0..proven.len()).collect();
        for _ in 0..ROUNDS {
            if active.is_empty() || (looking.is_small_enough)() {
                break;
            }
            active = shrink_once(subject, proven, &active, variants, looking.rules, runner)?;
        }
    }
    Ok(())
}

/// Tries variants of the active cases; gives those that shrank, which are worth another try.
fn shrink_once(
    subject: &Subject,
    proven: &mut [(Case, Breach)],
    active: &[usize],
    variants: fn(&Case) -> Vec<Case>,
    rules: &Rules,
    runner: &mut dyn Runner,
) -> Result<Vec<usize>, RunError> {
    let mut tries: Vec<(usize, Case, Job)> = Vec::new();
    for &number in active {
        let of_case = variants(&proven[number].0).into_iter().take(VARIANTS);
        tries.extend(of_case.filter_map(|case| {
            let job = case.job(subject)?;
            Some((number, case, job))
        }));
    }
    let jobs: Vec<Job> = tries.iter().map(|(_, _, job)| job.clone()).collect();
    let outcomes = runner.run(&jobs, Mode::Observe)?;
    let mut shrunk = Vec::new();
    for ((number, case, _), outcome) in tries.into_iter().zip(&outcomes) {
        let (known, breach) = &mut proven[number];
        let Some(found) = case.judge(subject, outcome, rules) else { continue };
        let same =
            (found.contract, found.method, &found.thrown) == (breach.contract, breach.method, &breach.thrown);
        if same && weight(case.prefix()) < weight(known.prefix()) {
            (*known, *breach) = (case, found);
            if !shrunk.contains(&number) {
                shrunk.push(number);
            }
        }
    }
    Ok(shrunk)
}

/// The case without one call, and with one value standing for another of its type.
fn shorter(case: &Case) -> Vec<Case> {
    let sequence = case.prefix();
    let held = case.held();
    let mut variants = Vec::new();
    let needed = sequence.needed_for(held.iter().copied());
    variants.extend(kept(sequence, &held, &needed).map(|(prefix, held)| case.with(prefix, held)));
    for dropped in sequence.vars().rev() {
        let marks = without(sequence, dropped);
        variants.extend(kept(sequence, &held, &marks).map(|(prefix, held)| case.with(prefix, held)));
    }
    for (call, _, inputs) in sequence.calls() {
        for (position, input) in inputs.iter().enumerate() {
            let ty = sequence.type_of(*input);
            let earlier = sequence.vars().find(|var| var < input && sequence.type_of(*var) == ty);
            let Some(earlier) = earlier else { continue };
            let mut statements = sequence.statements().to_vec();
            if let Action::Call { inputs, .. } = &mut statements[call.index()].action {
                inputs[position] = earlier;
            }
            let Some(replaced) = Sequence::new(statements) else { continue };
            let marks = vec![true; replaced.len()];
            variants.extend(kept(&replaced, &held, &marks).map(|(prefix, held)| case.with(prefix, held)));
        }
    }
    variants
}

/// Marks what stays when a statement goes, with all that uses it.
fn without(sequence: &Sequence, dropped: Var) -> Vec<bool> {
    let mut stays = vec![true; sequence.len()];
    stays[dropped.index()] = false;
    for var in sequence.vars() {
        if sequence.statement(var).action.inputs().any(|input| !stays[input.index()]) {
            stays[var.index()] = false;
        }
    }
    stays
}

/// The marked statements without literals and arrays that nothing uses, and where the held values are then; none
/// if one of those is not among them, or nothing goes.
fn kept(sequence: &Sequence, held: &[Var], marks: &[bool]) -> Option<(Sequence, Vec<Var>)> {
    if held.iter().any(|var| !marks[var.index()]) {
        return None;
    }
    let calls = sequence.calls().map(|(var, ..)| var).filter(|var| marks[var.index()]);
    let used = sequence.needed_for(calls.chain(held.iter().copied()));
    let stays: Vec<bool> = marks.iter().zip(&used).map(|(mark, used)| *mark && *used).collect();
    let shorter = sequence.retaining(|var| stays[var.index()])?;
    if shorter.len() == sequence.len() {
        return None;
    }
    let position = |var: &Var| Var::from_index(stays[..var.index()].iter().filter(|stays| **stays).count());
    let held = held.iter().map(position).collect();
    Some((shorter, held))
}

fn with_simpler_literals(case: &Case) -> Vec<Case> {
    simpler(case.prefix()).into_iter().map(|prefix| case.with(prefix, case.held())).collect()
}

#[cfg(test)]
mod tests {
    use jurat_model::{JavaType, Literal, Statement};

    use super::*;

    fn int(value: i32) -> Statement {
        Statement { action: Action::Literal(Literal::Int(value)), ty: JavaType::INT }
    }

    fn array(elements: &[u32]) -> Statement {
        let elements = elements.iter().copied().map(Var).collect();
        Statement { action: Action::Array { elements }, ty: JavaType::array_of(JavaType::INT) }
    }

    #[test]
    fn held_values_are_found_again_after_something_went() {
        let sequence = Sequence::new(vec![int(1), int(2), array(&[1]), int(3)]).expect("inputs come first");
        let (shorter, held) = kept(&sequence, &[Var(2)], &[true; 4]).expect("1 and 3 are used by nothing");
        assert_eq!(held, [Var(1)]);
        assert_eq!(shorter, Sequence::new(vec![int(2), array(&[0])]).expect("inputs come first"));
        assert_eq!(kept(&sequence, &[Var(2)], &without(&sequence, Var(1))), None, "the array needs it");
    }
}
