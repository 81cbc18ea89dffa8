//! Tests that disturb each other: which of them has to go.

use std::collections::{BTreeMap, BTreeSet};

use jurat_validate::TestId;

/// Why a test had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Others fail after it.
    Culprit,
    /// It fails after too many others to blame them.
    Victim,
}

impl std::fmt::Display for Role {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Culprit => "changes what other tests see",
            Self::Victim => "depends on what other tests leave behind",
        })
    }
}

/// Chooses tests so that no culprit is left together with its victim: always the one with most quarrels, and of two
/// with as many the culprit, which would disturb the user's own tests as well. What is a last resort goes before what is
/// not: a private member must not cost a test that does without. Where only `seen` of `all` victims were looked at, each of
/// these stands for others.
pub(super) fn to_drop(
    strikes: &BTreeSet<(TestId, TestId)>,
    (seen, all): (usize, usize),
    is_last_resort: impl Fn(&TestId) -> bool,
) -> BTreeMap<TestId, Role> {
    let tests: BTreeSet<&TestId> = strikes.iter().flat_map(|(culprit, victim)| [culprit, victim]).collect();
    let resorts: BTreeSet<&TestId> = tests.into_iter().filter(|test| is_last_resort(test)).collect();
    let is_unequal =
        |(culprit, victim): &&(TestId, TestId)| resorts.contains(culprit) && !resorts.contains(victim);
    let first = strikes.iter().filter(is_unequal).map(|(culprit, _)| (culprit.clone(), Role::Culprit));
    let mut gone: BTreeMap<TestId, Role> = first.collect();
    let mut left = strikes.clone();
    left.retain(|(culprit, victim)| !gone.contains_key(culprit) && !gone.contains_key(victim));
    while !left.is_empty() {
        let mut quarrels: BTreeMap<(&TestId, Role), usize> = BTreeMap::new();
        for (culprit, victim) in &left {
            *quarrels.entry((culprit, Role::Culprit)).or_default() += all.max(1);
            *quarrels.entry((victim, Role::Victim)).or_default() += seen.max(1);
        }
        let worst = quarrels.iter().max_by_key(|((_, role), count)| (**count, std::cmp::Reverse(*role)));
        let Some(((test, role), _)) = worst.map(|(key, count)| ((key.0.clone(), key.1), count)) else {
            break;
        };
        left.retain(|(culprit, victim)| *culprit != test && *victim != test);
        gone.insert(test, role);
    }
    gone
}

/// Some of the victims, from all parts of the list: what disturbs them disturbs most of the others.
pub(super) fn sample(victims: &[TestId], most: usize) -> Vec<TestId> {
    let step = victims.len().div_ceil(most.max(1)).max(1);
    victims.iter().step_by(step).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> TestId {
        TestId { class: "ATest".to_owned(), method: name.to_owned() }
    }

    fn dropped(strikes: &[(&str, &str)], seen: usize, all: usize) -> Vec<(String, Role)> {
        let strikes = strikes.iter().map(|(one, other)| (id(one), id(other))).collect();
        let gone = to_drop(&strikes, (seen, all), |test| test.method.starts_with("private"));
        gone.into_iter().map(|(test, role)| (test.method, role)).collect()
    }

    #[test]
    fn one_that_disturbs_many_goes_and_they_stay() {
        let strikes = [("setter", "a"), ("setter", "b"), ("setter", "c"), ("other", "c")];
        let gone = [("other".to_owned(), Role::Culprit), ("setter".to_owned(), Role::Culprit)];
        assert_eq!(dropped(&strikes, 3, 3), gone);
    }

    #[test]
    fn one_that_everybody_disturbs_goes_alone() {
        let strikes = [("a", "brittle"), ("b", "brittle")];
        assert_eq!(dropped(&strikes, 1, 1), [("brittle".to_owned(), Role::Victim)]);
        let culprits = ["a", "b"].map(|name| (name.to_owned(), Role::Culprit));
        assert_eq!(dropped(&strikes, 1, 2), culprits, "if it stands for another that they disturb as well");
    }

    #[test]
    fn those_that_write_private_fields_go_before_those_they_disturb() {
        let strikes = [("private1", "open"), ("private2", "open")];
        let culprits = ["private1", "private2"].map(|name| (name.to_owned(), Role::Culprit));
        assert_eq!(dropped(&strikes, 1, 1), culprits);
        let strikes = [("a", "private"), ("b", "private")];
        assert_eq!(dropped(&strikes, 1, 1), [("private".to_owned(), Role::Victim)]);
    }

    #[test]
    fn victims_are_taken_from_all_parts() {
        let victims: Vec<TestId> = (0..10).map(|number| id(&number.to_string())).collect();
        let sampled: Vec<String> = sample(&victims, 4).into_iter().map(|test| test.method).collect();
        assert_eq!(sampled, ["0", "3", "6", "9"]);
        assert_eq!(sample(&victims, 20).len(), 10);
    }
}
