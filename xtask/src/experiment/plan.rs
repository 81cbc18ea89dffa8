//! What is measured: subjects, seeds, modes and budgets.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::trial::Trial;

/// Something to generate tests for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The jar, or none for the JDK itself.
    jar: Option<&'static str>,
    /// The classes under test; all of the jar if empty.
    pub(crate) classes: &'static [&'static str],
    pub(crate) budget: &'static str,
    /// Whether endurance is what is measured: one run, of which memory counts and not the suite.
    pub(crate) endures: bool,
}

const LANG: Option<&str> = Some("commons-lang3-3.12.0.jar");

/// Every subject there is, the quick ones first.
const SUBJECTS: &[Subject] = &[
    Subject {
        name: "Fraction",
        jar: LANG,
        classes: &["org.apache.commons.lang3.math.Fraction"],
        budget: "15s",
        endures: false,
    },
    Subject {
        name: "BooleanUtils",
        jar: LANG,
        classes: &["org.apache.commons.lang3.BooleanUtils"],
        budget: "15s",
        endures: false,
    },
    Subject {
        name: "CharRange",
        jar: LANG,
        classes: &["org.apache.commons.lang3.CharRange"],
        budget: "15s",
        endures: false,
    },
    Subject {
        name: "StrBuilder",
        jar: LANG,
        classes: &["org.apache.commons.lang3.text.StrBuilder"],
        budget: "15s",
        endures: false,
    },
    Subject {
        name: "FastDateParser",
        jar: LANG,
        classes: &["org.apache.commons.lang3.time.FastDateParser"],
        budget: "15s",
        endures: false,
    },
    Subject {
        name: "collections4",
        jar: Some("commons-collections4-4.4.jar"),
        classes: &[],
        budget: "60s",
        endures: false,
    },
    Subject { name: "lang3", jar: LANG, classes: &[], budget: "60s", endures: false },
    Subject {
        name: "java.util",
        jar: None,
        classes: &[
            "java.util.LinkedList",
            "java.util.TreeSet",
            "java.util.Collections",
            "java.util.ArrayList",
            "java.util.HashMap",
            "java.util.TreeMap",
            "java.util.BitSet",
            "java.util.PriorityQueue",
        ],
        budget: "60s",
        endures: false,
    },
    Subject { name: "java.base", jar: None, classes: &[], budget: "300s", endures: true },
];

impl Subject {
    /// What `--classpath` is given.
    fn class_path(&self, jars: &Path) -> String {
        self.jar.map_or_else(|| "jrt:/java.base".to_owned(), |jar| jars.join(jar).display().to_string())
    }

    /// A run on it.
    pub(crate) fn trial(&self, jars: &Path, budget: &str, seed: u64) -> Trial {
        Trial {
            class_path: self.class_path(jars),
            classes: self.classes.iter().map(|class| (*class).to_owned()).collect(),
            budget: budget.to_owned(),
            seed,
            ..Trial::default()
        }
    }
}

/// With what is learned from running sequences, or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Directed,
    Undirected,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Directed => "directed",
            Self::Undirected => "undirected",
        }
    }
}

/// All that one start measures.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) subjects: Vec<Subject>,
    pub(crate) seeds: Vec<u64>,
    pub(crate) modes: Vec<Mode>,
    /// Replaces each subject's own.
    pub(crate) budget: Option<String>,
}

/// A variable of the environment that says something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Seeds: one number means that many, a list means itself.
pub(crate) fn seeds(text: &str) -> Result<Vec<u64>> {
    let seeds = each(text, |seed| seed.parse().with_context(|| format!("SEEDS: {seed}")))?;
    let seeds = match seeds[..] {
        [last] => (1..=last).collect(),
        _ => seeds,
    };
    ensure!(!seeds.is_empty(), "SEEDS: 0 runs measure nothing");
    Ok(seeds)
}

impl Plan {
    pub(crate) fn from_environment() -> Result<Self> {
        Self::new(
            variable("SUBJECTS").as_deref(),
            variable("SEEDS").as_deref(),
            variable("MODES").as_deref(),
            variable("BUDGET"),
        )
    }

    fn new(
        subjects: Option<&str>,
        seeds: Option<&str>,
        modes: Option<&str>,
        budget: Option<String>,
    ) -> Result<Self> {
        let subjects = subjects.map_or_else(|| Ok(SUBJECTS.to_vec()), |names| each(names, subject))?;
        let modes = each(modes.unwrap_or("directed,undirected"), mode)?;
        let seeds = self::seeds(seeds.unwrap_or("5"))?;
        Ok(Self { subjects, seeds, modes, budget })
    }
}

pub(crate) fn each<T>(list: &str, read: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(read).collect()
}

pub(crate) fn subject(name: &str) -> Result<Subject> {
    let found = SUBJECTS.iter().find(|subject| subject.name == name).copied();
    found.with_context(|| {
        let known: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
        format!("SUBJECTS: {name} is not one of {}", known.join(", "))
    })
}

fn mode(name: &str) -> Result<Mode> {
    match name {
        "directed" => Ok(Mode::Directed),
        "undirected" => Ok(Mode::Undirected),
        other => bail!("MODES: {other} is neither directed nor undirected"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_means_that_many_seeds_and_a_list_means_itself() {
        let seeds = |text| Plan::new(None, Some(text), None, None).map(|plan| plan.seeds).ok();
        assert_eq!(seeds("3"), Some(vec![1, 2, 3]));
        assert_eq!(seeds("3,7"), Some(vec![3, 7]));
        assert_eq!(seeds("0"), None);
        assert_eq!(seeds("x"), None);
    }

    #[test]
    fn unknown_names_are_refused() {
        assert!(Plan::new(Some("nothing"), None, None, None).is_err());
        assert!(Plan::new(None, None, Some("sideways"), None).is_err());
    }
}
