//! Roaming orders, carried out by workers that may die on the way.
//!
//! What an order finds does not depend on which workers carry it out: its sessions start from fresh state, and
//! after a loss those before the culprit are run again, those after it on fresh state once more.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use jurat_protocol::{Chart, Finished, Reply, Request, Roam, Roamed, Trouble};

use crate::process::{Loss, Lost};
use crate::{Lane, Pool, PoolError, each};

/// After so many times an operation that leaves threads behind is not called for the rest of an order: each time takes a
/// worker, and the time that is waited for them.
const LEFT: usize = 1;

/// How many workers may be lost to one order for reasons that are not the subject's.
const COINCIDENCES: u32 = 5;

impl Pool {
    /// Carries out orders over a chart. Answers come in the order of the orders.
    pub fn roam(&mut self, chart: &Chart, orders: &[Roam]) -> Result<Vec<Roamed>, PoolError> {
        let first = self.next_chunk;
        self.next_chunk = first.wrapping_add(u32::try_from(orders.len()).unwrap_or(1)).max(1);
        let orders: Vec<Roam> =
            (first..).zip(orders).map(|(number, order)| Roam { number, ..order.clone() }).collect();
        let chart = Request::Chart(Box::new(chart.clone()));
        each(&mut self.rovers, &self.starter, &self.operations, &orders, |lane, order| {
            carry_out(&mut |order: &Roam| lane.roam(&chart, order), order)
        })
    }

    /// Lets the workers go that roamed: there are no more orders.
    pub fn end_roaming(&mut self) {
        self.rovers.fill_with(|| None);
    }
}

impl Lane<'_> {
    fn roam(&mut self, chart: &Request, order: &Roam) -> Result<Result<Roamed, Lost>, PoolError> {
        if self.worker.is_none() {
            *self.worker = Some(self.starter.take()?);
        }
        let worker = self.worker.as_mut().expect("it was just taken");
        let answered = worker.chart(self.operations, chart).and_then(|()| {
            let reply = worker.ask(&Request::Roam(Box::new(order.clone())))?;
            match reply {
                Reply::Roamed(roamed) => Ok(*roamed),
                other => Err(worker.misunderstood(&other)),
            }
        });
        let goes_on = matches!(
            &answered,
            Ok(roamed) if matches!(roamed.finished, Some(Finished::Reusable | Finished::Roaming))
        );
        if !goes_on {
            *self.worker = None;
        }
        Ok(answered)
    }
}

/// What a worker makes of a part of an order.
type Part = Result<Roamed, Lost>;

/// Carries out one order, over as many workers as it takes.
fn carry_out(
    run: &mut dyn FnMut(&Roam) -> Result<Part, PoolError>,
    order: &Roam,
) -> Result<Roamed, PoolError> {
    let mut whole = Roamed { next: order.sessions.1, ..Roamed::default() };
    let mut pending = VecDeque::from([order.sessions]);
    let mut coincidences = 0;
    let start = Instant::now();
    while let Some((from, to)) = pending.pop_front() {
        let millis = match order.millis {
            0 => 0,
            whole => {
                whole.saturating_sub(u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX)).max(1)
            }
        };
        // Of an order that is late, what comes after a loss is left out.
        if from >= to || millis == 1 && whole.tally.sessions > 0 {
            continue;
        }
        let mut barred = order.barred.clone();
        barred.extend(leavers(&whole.troubles));
        match run(&Roam { sessions: (from, to), millis, barred, ..order.clone() })? {
            Ok(part) => {
                pending.push_front((part.next, to));
                add(&mut whole, part);
            }
            Err(lost) => {
                let (chunk, session, _) = lost.now;
                let session = u32::try_from(session).unwrap_or(u32::MAX);
                let known = chunk == order.number && (from..to).contains(&session);
                match lost.loss {
                    Loss::Misunderstanding(why) => return Err(PoolError::Refused(why)),
                    Loss::Own(_) | Loss::Stalled if known => {
                        whole.troubles.extend(lost.operation.map(|operation| (operation, Trouble::Killed)));
                        pending.push_front((session + 1, to));
                        pending.push_front((from, session));
                    }
                    loss => {
                        coincidences += 1;
                        if coincidences > COINCIDENCES {
                            let (count, last) = (coincidences, format!("{loss:?}"));
                            return Err(PoolError::Hopeless { count, chunk: order.number, last });
                        }
                        pending.push_front((from, to));
                    }
                }
            }
        }
    }
    Ok(whole)
}

/// Operations that left threads behind too often.
fn leavers(troubles: &[(u32, Trouble)]) -> Vec<u32> {
    let mut left: BTreeMap<u32, usize> = BTreeMap::new();
    for (operation, _) in troubles.iter().filter(|(_, trouble)| *trouble == Trouble::Left) {
        *left.entry(*operation).or_default() += 1;
    }
    left.into_iter().filter(|(_, count)| *count >= LEFT).map(|(operation, _)| operation).collect()
}

/// Adds what a part of an order gave.
fn add(whole: &mut Roamed, part: Roamed) {
    let base = u32::try_from(whole.classes.len()).expect("fewer than 2^32 classes");
    for mut find in part.finds {
        for (_, class) in &mut find.classes {
            *class += base;
        }
        for reached in &mut find.reached {
            reached.threw = reached.threw.map(|class| class + base);
        }
        whole.finds.push(find);
    }
    whole.classes.extend(part.classes);
    whole.troubles.extend(part.troubles);
    whole.tally.calls += part.tally.calls;
    whole.tally.threw += part.tally.threw;
    whole.tally.sessions += part.tally.sessions;
}

#[cfg(test)]
mod tests {
    use jurat_protocol::{Death, Find, Reached, Sequence, Tally};

    use super::*;

    fn order() -> Roam {
        Roam { number: 4, weights: Vec::new(), ..Roam::first(0, 5, 1) }
    }

    /// Every session finds its own number, in a table of names of its own.
    fn part(sessions: std::ops::Range<u32>, finished: Finished) -> Roamed {
        let find = |session: u32| Find {
            focus: session,
            sequence: Sequence::default(),
            failed: Vec::new(),
            classes: vec![(0, 0)],
            reached: vec![Reached { statement: 0, probes: Vec::new(), threw: Some(0), gave: None }],
        };
        Roamed {
            next: sessions.end,
            tally: Tally { calls: 1, threw: 0, sessions: u64::from(sessions.end - sessions.start) },
            classes: vec![format!("{sessions:?}")],
            finds: sessions.map(find).collect(),
            troubles: Vec::new(),
            finished: Some(finished),
        }
    }

    fn lost(session: usize, loss: Loss) -> Lost {
        Lost { loss, now: (4, session, 0), operation: Some(9), remains: Box::default() }
    }

    #[test]
    fn a_deadly_session_is_left_out_and_the_others_are_run() {
        let mut runs = Vec::new();
        let mut run = |order: &Roam| {
            runs.push(order.sessions);
            let (from, to) = order.sessions;
            Ok(if (from..to).contains(&2) {
                Err(lost(2, Loss::Own(Death::Signal(11))))
            } else {
                Ok(part(from..to, Finished::Reusable))
            })
        };
        let whole = carry_out(&mut run, &order()).expect("no error of ours");
        assert_eq!(runs, [(0, 5), (0, 2), (3, 5)]);
        let found: Vec<u32> = whole.finds.iter().map(|find| find.focus).collect();
        assert_eq!(found, [0, 1, 3, 4]);
        assert_eq!(whole.finds[2].classes, [(0, 1)], "names are found in the joint table");
        assert_eq!(whole.troubles, [(9, Trouble::Killed)]);
    }

    #[test]
    fn a_retired_worker_is_followed_by_a_fresh_one() {
        let mut runs = Vec::new();
        let mut run = |order: &Roam| {
            runs.push(order.sessions);
            let (from, to) = order.sessions;
            let end = if from == 0 { 3 } else { to };
            Ok(Ok(part(from..end, if end == to { Finished::Reusable } else { Finished::Retired })))
        };
        let whole = carry_out(&mut run, &order()).expect("no error of ours");
        assert_eq!(runs, [(0, 5), (3, 5)]);
        assert_eq!(whole.tally.sessions, 5);
    }

    #[test]
    fn what_leaves_threads_behind_is_not_called_again() {
        let mut barred = Vec::new();
        let mut run = |order: &Roam| {
            barred.push(order.barred.clone());
            let (from, _) = order.sessions;
            let troubles = vec![(9, Trouble::Left)];
            Ok(Ok(Roamed { troubles, ..part(from..from + 1, Finished::Retired) }))
        };
        carry_out(&mut run, &Roam { sessions: (0, 3), ..order() }).expect("no error of ours");
        assert_eq!(barred, [vec![], vec![9], vec![9]]);
    }

    #[test]
    fn workers_lost_to_strangers_are_not_the_subjects_fault() {
        let mut left = 2;
        let mut run = |order: &Roam| {
            left -= 1;
            let (from, to) = order.sessions;
            Ok(if left >= 0 {
                Err(lost(1, Loss::Outside(Some(9))))
            } else {
                Ok(part(from..to, Finished::Spent))
            })
        };
        let whole = carry_out(&mut run, &order()).expect("two are not too many");
        assert_eq!((whole.tally.sessions, whole.troubles.len()), (5, 0));
    }
}
