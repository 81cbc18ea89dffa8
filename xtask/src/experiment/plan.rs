//! What is measured: subjects, seeds, modes and budgets.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// Something to generate tests for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The jar, or none for the JDK itself.
    jar: Option<&'static str>,
    /// The classes under test; all of the jar if empty.
    pub(crate) classes: &'static [&'static str],
    pub(crate) budget: &'static str,
}

const LANG: Option<&str> = Some("commons-lang3-3.12.0.jar");

/// Every subject there is, the quick ones first.
const SUBJECTS: &[Subject] = &[
    Subject {
        name: "Fraction",
        jar: LANG,
        classes: &["org.apache.commons.lang3.math.Fraction"],
        budget: "15s",
    },
    Subject {
        name: "BooleanUtils",
        jar: LANG,
        classes: &["org.apache.commons.lang3.BooleanUtils"],
        budget: "15s",
    },
    Subject { name: "CharRange", jar: LANG, classes: &["org.apache.commons.lang3.CharRange"], budget: "15s" },
    Subject {
        name: "StrBuilder",
        jar: LANG,
        classes: &["org.apache.commons.lang3.text.StrBuilder"],
        budget: "15s",
    },
    Subject {
        name: "FastDateParser",
        jar: LANG,
        classes: &["org.apache.commons.lang3.time.FastDateParser"],
        budget: "15s",
    },
    Subject { name: "collections4", jar: Some("commons-collections4-4.4.jar"), classes: &[], budget: "60s" },
    Subject { name: "lang3", jar: LANG, classes: &[], budget: "60s" },
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
    },
];

impl Subject {
    /// What `--classpath` is given.
    pub(crate) fn class_path(&self, jars: &Path) -> String {
        self.jar.map_or_else(|| "jrt:/java.base".to_owned(), |jar| jars.join(jar).display().to_string())
    }

    /// JaCoCo cannot see classes of the JDK.
    pub(crate) fn is_measurable(&self) -> bool {
        self.jar.is_some()
    }

    /// True if a class file of the jar, named by its entry, is a class under test.
    pub(crate) fn counts(&self, entry: &str) -> bool {
        let Some(name) = entry.strip_suffix(".class") else { return false };
        let is_of = |class: &&str| {
            let class = class.replace('.', "/");
            name.strip_prefix(&class).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        self.classes.is_empty() || self.classes.iter().any(is_of)
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

impl Plan {
    pub(crate) fn from_environment() -> Result<Self> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
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
        let seeds =
            each(seeds.unwrap_or("5"), |seed| seed.parse().with_context(|| format!("SEEDS: {seed}")))?;
        let seeds = match seeds[..] {
            [last] => (1..=last).collect(),
            _ => seeds,
        };
        ensure!(!seeds.is_empty(), "SEEDS: 0 runs measure nothing");
        Ok(Self { subjects, seeds, modes, budget })
    }
}

fn each<T>(list: &str, read: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(read).collect()
}

fn subject(name: &str) -> Result<Subject> {
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
    fn a_class_counts_with_those_nested_in_it_and_without_its_namesakes() {
        let range = subject("CharRange").expect("it is in the list");
        assert!(range.counts("org/apache/commons/lang3/CharRange.class"));
        assert!(range.counts("org/apache/commons/lang3/CharRange$CharacterIterator.class"));
        assert!(!range.counts("org/apache/commons/lang3/CharRangeX.class"));
        assert!(!range.counts("META-INF/MANIFEST.MF"));
    }

    #[test]
    fn unknown_names_are_refused() {
        assert!(Plan::new(Some("nothing"), None, None, None).is_err());
        assert!(Plan::new(None, None, Some("sideways"), None).is_err());
    }
}
