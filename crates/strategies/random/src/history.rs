//! Cuts a session's history down to what one statement depends on.

use jurat_protocol::{Sequence, Statement};

/// How much of the history is taken for a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// What made the inputs, and calls on them as receivers.
    Narrow,
    /// Also calls that took one of them as an argument, and what those depend on.
    Wide,
    /// Everything before.
    Whole,
}

/// The statements, ascending, that `target` depends on, itself included. `is_object` tells which statements made
/// an object that can change; statements for which `failed` holds are never taken.
pub fn slice(
    sequence: &Sequence,
    target: usize,
    width: Width,
    is_object: &dyn Fn(usize) -> bool,
    failed: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let inputs = inputs_by_statement(sequence);
    let mut taken = vec![width == Width::Whole; target + 1];
    taken[target] = true;
    loop {
        let before = taken.iter().filter(|taken| **taken).count();
        for at in (0..=target).rev() {
            if taken[at] {
                for input in &inputs[at] {
                    taken[*input] = true;
                }
            } else if !failed(at) && touches(sequence, &inputs, at, width, is_object, &taken) {
                taken[at] = true;
                for input in &inputs[at] {
                    taken[*input] = true;
                }
            }
        }
        let after = taken.iter().filter(|taken| **taken).count();
        if after == before || width == Width::Narrow {
            break;
        }
    }
    (0..=target).filter(|at| taken[*at] && (*at == target || !failed(*at))).collect()
}

/// Whether a statement may have changed a value that is needed.
fn touches(
    sequence: &Sequence,
    inputs: &[Vec<usize>],
    at: usize,
    width: Width,
    is_object: &dyn Fn(usize) -> bool,
    needed: &[bool],
) -> bool {
    let Statement::Operate { .. } = &sequence.statements()[at] else { return false };
    let touched = if width == Width::Narrow { inputs[at].get(..1) } else { inputs[at].get(..) };
    touched.unwrap_or_default().iter().any(|input| needed[*input] && is_object(*input))
}

/// The inputs of each statement, answers of mocks included.
pub(crate) fn inputs_by_statement(sequence: &Sequence) -> Vec<Vec<usize>> {
    let mut next = 0;
    sequence
        .statements()
        .iter()
        .map(|statement| {
            let own = &sequence.inputs()[next..next + statement.input_count()];
            next += own.len();
            let answers = match statement {
                Statement::Mock(mock) => mock.answers.as_slice(),
                _ => &[],
            };
            let answered =
                answers.iter().flat_map(|method| &method.answers).filter_map(|answer| answer.var());
            own.iter().copied().chain(answered).map(|var| var.0 as usize).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use jurat_protocol::Var;

    use super::*;

    /// 0 = a list, 1 = 5, 2 = list.add(5), 3 = another list, 4 = 7, 5 = other.addAll(list) and so on.
    fn session() -> Sequence {
        let mut sequence = Sequence::default();
        let list = sequence.operate(0, &[]);
        let five = sequence.int(5);
        sequence.operate(1, &[list, five]);
        let other = sequence.operate(0, &[]);
        let keeper = sequence.operate(2, &[other, list]);
        sequence.operate(3, &[keeper]);
        sequence.operate(4, &[list]);
        sequence
    }

    fn cut(target: usize, width: Width, failed: &[usize]) -> Vec<usize> {
        let is_object = |at: usize| [0, 3, 4].contains(&at);
        slice(&session(), target, width, &is_object, &|at| failed.contains(&at))
    }

    #[test]
    fn calls_on_the_receiver_are_kept_and_strangers_dropped() {
        assert_eq!(cut(6, Width::Narrow, &[]), [0, 1, 2, 6]);
    }

    #[test]
    fn a_wide_slice_follows_arguments_and_what_they_touched() {
        assert_eq!(cut(6, Width::Wide, &[]), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn what_threw_is_never_replayed() {
        assert_eq!(cut(6, Width::Narrow, &[2]), [0, 6]);
        assert_eq!(cut(6, Width::Whole, &[5]), [0, 1, 2, 3, 4, 6]);
    }

    #[test]
    fn answers_of_mocks_are_inputs() {
        let mut sequence = Sequence::default();
        let answer = sequence.int(3);
        let answers = vec![jurat_protocol::Answer::Value(answer)];
        sequence.mock(jurat_protocol::Mock {
            class: "p/F".to_owned(),
            keep_bodies: true,
            answers: vec![jurat_protocol::MockAnswers {
                name: String::new(),
                descriptor: String::new(),
                answers,
            }],
        });
        sequence.operate(0, &[Var(1)]);
        let everything = slice(&sequence, 2, Width::Narrow, &|_| false, &|_| false);
        assert_eq!(everything, [0, 1, 2]);
    }
}
