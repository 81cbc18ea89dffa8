//! Tests of classes that remember something between calls: each has to pass whichever of them comes first.

use std::collections::{BTreeMap, BTreeSet};

use jurat_model::{ClassId, Origin, Subject, Suite};
use jurat_validate::{Group, TestId};

use super::workshop::Placed;
use crate::archive::Standing;
use crate::shared::Shared;

/// How many tests are run for one group, counted as often as they are.
const RUNS: usize = 20_000;
/// How many leaders there are in all.
const LEADERS: usize = 1_000;

/// The groups of a suite, by the class that remembers, in two parts: each has half of the leaders.
pub(super) fn groups(subject: &Subject, suite: &Suite, placed: &Placed<'_>) -> [Vec<Group>; 2] {
    let shared = Shared::of(subject);
    let mut by_class: BTreeMap<ClassId, Vec<(Standing, TestId)>> = BTreeMap::new();
    for (id, emitted) in &placed.by_name {
        let sequence = &suite.classes[emitted.test.class].tests[emitted.test.test].sequence;
        let classes: BTreeSet<ClassId> = shared.classes(sequence).collect();
        // Classes of the JDK are never fresh: nobody comes first there.
        for class in classes.into_iter().filter(|class| subject[*class].origin != Origin::Jdk) {
            by_class.entry(class).or_default().push((Standing::of(subject, sequence), id.clone()));
        }
    }
    by_class.retain(|_, members| members.len() > 1);
    let fair = (LEADERS / by_class.len().max(1)).max(2);
    let mut halves = [Vec::new(), Vec::new()];
    for members in by_class.into_values() {
        let leaders = leaders(&members, fair.min(RUNS / members.len()).max(2));
        let members: Vec<TestId> = members.into_iter().map(|(_, test)| test).collect();
        for (number, half) in halves.iter_mut().enumerate() {
            let leaders = leaders.iter().skip(number).step_by(2).cloned().collect();
            half.push(Group { members: members.clone(), leaders });
        }
    }
    halves
}

/// Those that reach into the class come first: it is they that leave it as no call does. If there are too many of the
/// others, they are from all parts of the list.
fn leaders(members: &[(Standing, TestId)], most: usize) -> Vec<TestId> {
    let (first, others): (Vec<_>, Vec<_>) =
        members.iter().partition(|(standing, _)| *standing == Standing::LastResort);
    let room = most.saturating_sub(first.len());
    let room = room.min(others.len());
    let some = (0..room).map(|number| others[number * others.len() / room]);
    first.into_iter().take(most).chain(some).map(|(_, test)| test.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reaches_into_the_class_leads_first_and_others_from_all_parts_of_the_list() {
        let member = |number: usize| {
            let standing = if number == 5 { Standing::LastResort } else { Standing::Plain };
            (standing, TestId { class: "ATest".to_owned(), method: number.to_string() })
        };
        let members: Vec<_> = (0..9).map(member).collect();
        let led = |most| leaders(&members, most).into_iter().map(|test| test.method).collect::<String>();
        assert_eq!(led(1), "5");
        assert_eq!(led(3), "504");
        assert_eq!(led(9), "501234678");
        assert_eq!(led(8), "50123467", "as many as there is room for");
        assert_eq!(led(20), "501234678");
    }
}
