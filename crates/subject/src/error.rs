//! Why a subject could not be loaded, by who can act on it.

use jurat_classpath::ClassPathError;

/// Why a subject could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No class has the name, or matches the glob, the user gave.
    #[error("no class matches {pattern}{}", suggestion(near))]
    UnknownClass {
        /// What the user gave.
        pattern: String,
        /// Names like it, best first.
        near: Vec<String>,
    },
    /// Several classes have the simple name the user gave.
    #[error("{pattern} could be any of {}; give the full name", .candidates.join(", "))]
    AmbiguousClass {
        /// What the user gave.
        pattern: String,
        /// The classes that have it, sorted.
        candidates: Vec<String>,
    },
    /// A class or member that the settings name does not exist.
    #[error("there is no {what}; name a member as in org.foo.Bar.baz or org.foo.Bar.baz(int)")]
    UnknownMember {
        /// What the user gave.
        what: String,
    },
    /// The class path cannot be read.
    #[error(transparent)]
    ClassPath(#[from] ClassPathError),
    /// The JDK lacks a class every program needs.
    #[error("the JDK at {jdk} has no usable class {class}; use another with --jdk or JAVA_HOME")]
    BrokenJdk {
        /// The JDK's home.
        jdk: String,
        /// The class.
        class: String,
    },
}

impl LoadError {
    /// True if the user named something that does not exist; false if the machine is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::UnknownClass { .. } | Self::AmbiguousClass { .. } | Self::UnknownMember { .. })
    }
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}
