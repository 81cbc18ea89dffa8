//! Keeps the fewest checks that kill what all of them kill. A pure function.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// What is known of one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestKills {
    /// Mutants with which it fails whatever it asserts: it throws, or does not.
    pub(crate) by_itself: BTreeSet<u32>,
    /// Its checks.
    pub(crate) checks: Vec<CheckKills>,
    /// What it covers.
    pub(crate) covers: BTreeSet<u32>,
    /// Whether it was not run with every mutant that it should have been: then it stays as it is.
    pub(crate) locked: bool,
}

/// What is known of one check.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckKills {
    /// How far it is from what a reader looks for first; smaller is better.
    pub(crate) rank: u8,
    /// Mutants with which it does not hold.
    pub(crate) kills: BTreeSet<u32>,
}

impl TestKills {
    fn kills_nothing(&self) -> bool {
        self.by_itself.is_empty() && self.checks.iter().all(|check| check.kills.is_empty())
    }
}

/// A check, by the positions of its test and of itself.
type At = (usize, usize);

/// For each test whether each of its checks stays, or none if the test goes.
///
/// A test that kills nothing and covers nothing that others do not cover goes. Of the others, no test loses its last
/// check: what it shows must be said.
pub(crate) fn choose(tests: &[TestKills]) -> Vec<Option<Vec<bool>>> {
    let stays = staying(tests);
    let kept = || tests.iter().enumerate().filter(|(at, _)| stays[*at]);
    let mut open: BTreeSet<u32> =
        kept().flat_map(|(_, test)| test.checks.iter().flat_map(|check| &check.kills)).copied().collect();
    for (_, test) in kept() {
        open.retain(|mutant| !test.by_itself.contains(mutant));
    }
    let mut chosen: BTreeSet<At> = BTreeSet::new();
    for (at, test) in kept().filter(|(_, test)| test.locked) {
        chosen.extend((0..test.checks.len()).map(|check| (at, check)));
        test.checks.iter().flat_map(|check| &check.kills).for_each(|mutant| {
            open.remove(mutant);
        });
    }
    cover(tests, &stays, open.clone(), &mut chosen);
    spare(tests, &open, &mut chosen);
    for (at, test) in kept() {
        let silent = !(0..test.checks.len()).any(|check| chosen.contains(&(at, check)));
        let first = (0..test.checks.len()).min_by_key(|check| test.checks[*check].rank);
        chosen.extend(first.filter(|_| silent).map(|check| (at, check)));
    }
    let keep = |(at, test): (usize, &TestKills)| {
        stays[at].then(|| (0..test.checks.len()).map(|check| chosen.contains(&(at, check))).collect())
    };
    tests.iter().enumerate().map(keep).collect()
}

/// Which tests kill something, or cover something that no other test does.
fn staying(tests: &[TestKills]) -> Vec<bool> {
    let mut covered: BTreeMap<u32, usize> = BTreeMap::new();
    for probe in tests.iter().flat_map(|test| &test.covers) {
        *covered.entry(*probe).or_default() += 1;
    }
    let mut stays = vec![true; tests.len()];
    for (at, test) in tests.iter().enumerate().rev() {
        let idle = !test.locked && test.kills_nothing();
        if idle && test.covers.iter().all(|probe| covered[probe] > 1) {
            stays[at] = false;
            for probe in &test.covers {
                covered.entry(*probe).and_modify(|count| *count -= 1);
            }
        }
    }
    stays
}

/// Takes the check that kills most of what is left, again and again. Of equals the more readable, then the earlier.
fn cover(tests: &[TestKills], stays: &[bool], mut open: BTreeSet<u32>, chosen: &mut BTreeSet<At>) {
    let gain =
        |(test, check): At, open: &BTreeSet<u32>| tests[test].checks[check].kills.intersection(open).count();
    let rank = |(test, check): At| tests[test].checks[check].rank;
    let all = tests.iter().enumerate().filter(|(at, _)| stays[*at]);
    let all = all.flat_map(|(at, test)| (0..test.checks.len()).map(move |check| (at, check)));
    let mut queue: BinaryHeap<(usize, Reverse<u8>, Reverse<At>)> =
        all.map(|at| (gain(at, &open), Reverse(rank(at)), Reverse(at))).collect();
    while let Some((promised, Reverse(rank), Reverse(at))) = queue.pop() {
        let now = gain(at, &open);
        if now == 0 {
            continue;
        }
        if now < promised {
            queue.push((now, Reverse(rank), Reverse(at)));
            continue;
        }
        tests[at.0].checks[at.1].kills.iter().for_each(|mutant| {
            open.remove(mutant);
        });
        chosen.insert(at);
    }
}

/// Gives up chosen checks that turned out not to be needed, the least readable first.
fn spare(tests: &[TestKills], open: &BTreeSet<u32>, chosen: &mut BTreeSet<At>) {
    let mut killers: BTreeMap<u32, usize> = BTreeMap::new();
    for (test, check) in chosen.iter() {
        for mutant in &tests[*test].checks[*check].kills {
            *killers.entry(*mutant).or_default() += 1;
        }
    }
    let mut order: Vec<At> = chosen.iter().copied().filter(|(test, _)| !tests[*test].locked).collect();
    order.sort_by_key(|(test, check)| {
        let known = &tests[*test].checks[*check];
        (Reverse(known.rank), known.kills.len(), Reverse((*test, *check)))
    });
    for (test, check) in order {
        let kills = &tests[test].checks[check].kills;
        if kills.intersection(open).all(|mutant| killers[mutant] > 1) {
            chosen.remove(&(test, check));
            for mutant in kills {
                killers.entry(*mutant).and_modify(|count| *count -= 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rank: u8, kills: &[u32]) -> CheckKills {
        CheckKills { rank, kills: kills.iter().copied().collect() }
    }

    fn test(by_itself: &[u32], covers: &[u32], checks: Vec<CheckKills>) -> TestKills {
        let set = |numbers: &[u32]| numbers.iter().copied().collect();
        TestKills { by_itself: set(by_itself), covers: set(covers), checks, locked: false }
    }

    #[test]
    fn a_check_that_kills_all_makes_the_others_superfluous() {
        let checks = vec![check(0, &[1]), check(2, &[1, 2, 3]), check(3, &[2, 3])];
        assert_eq!(choose(&[test(&[], &[], checks)]), [Some(vec![false, true, false])]);
    }

    #[test]
    fn of_equals_the_more_readable_stays() {
        let checks = vec![check(3, &[1]), check(0, &[1]), check(2, &[1])];
        assert_eq!(choose(&[test(&[], &[], checks)]), [Some(vec![false, true, false])]);
    }

    #[test]
    fn what_a_test_kills_by_itself_needs_no_check_but_one_stays() {
        let checks = vec![check(2, &[1]), check(0, &[]), check(2, &[1])];
        assert_eq!(choose(&[test(&[1], &[], checks)]), [Some(vec![false, true, false])]);
    }

    #[test]
    fn a_check_taken_early_goes_if_later_ones_do_its_work() {
        let checks = vec![check(0, &[1, 2, 3, 4]), check(0, &[1, 2, 5]), check(0, &[3, 4, 6])];
        assert_eq!(choose(&[test(&[], &[], checks)]), [Some(vec![false, true, true])]);
    }

    #[test]
    fn a_test_that_kills_nothing_and_covers_nothing_new_goes() {
        let useful = test(&[], &[1, 2], vec![check(0, &[1])]);
        let idle = test(&[], &[2], vec![check(0, &[])]);
        let covering = test(&[], &[2, 3], vec![check(0, &[])]);
        let kept = choose(&[useful, idle, covering]);
        assert_eq!(kept, [Some(vec![true]), None, Some(vec![true])]);
    }

    #[test]
    fn two_idle_tests_that_cover_the_same_leave_one() {
        let idle = || test(&[], &[7], Vec::new());
        assert_eq!(choose(&[idle(), idle()]), [Some(Vec::new()), None]);
    }

    #[test]
    fn a_test_that_was_not_tried_stays_as_it_is() {
        let mut locked = test(&[], &[], vec![check(0, &[]), check(1, &[])]);
        locked.locked = true;
        assert_eq!(choose(&[locked]), [Some(vec![true, true])]);
    }

    #[test]
    fn the_choice_kills_what_the_full_set_kills() {
        // A fixed but irregular table: every check kills some numbers.
        let kills =
            |seed: u32| -> Vec<u32> { (0..40).filter(|m| (seed * 7 + m * m * 3 + m) % 11 < 3).collect() };
        let tests: Vec<TestKills> = (0..12)
            .map(|at| {
                let checks =
                    (0..5).map(|c| check(u8::try_from(c % 4).unwrap_or(0), &kills(at * 5 + c))).collect();
                test(&[at], &[at], checks)
            })
            .collect();
        let all: BTreeSet<u32> = tests
            .iter()
            .flat_map(|test| test.by_itself.iter().chain(test.checks.iter().flat_map(|check| &check.kills)))
            .copied()
            .collect();
        let kept = choose(&tests);
        let mut left: BTreeSet<u32> = BTreeSet::new();
        let mut count = 0;
        for (test, kept) in tests.iter().zip(kept) {
            let kept = kept.expect("all cover something");
            left.extend(&test.by_itself);
            for (check, _) in test.checks.iter().zip(kept).filter(|(_, kept)| *kept) {
                left.extend(&check.kills);
                count += 1;
            }
        }
        assert_eq!(left, all);
        assert!(count < 60, "{count} of 60 checks");
    }
}
