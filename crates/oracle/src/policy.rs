//! What an exception means, by its class: the behaviour to pin down, a mistake to report, or a call not to make.

use jurat_model::{ClassId, Classes};

/// What an exception says about the sequence it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruling {
    /// How the subject behaves: a test asserts it.
    Expected,
    /// A mistake of the subject: a finding.
    Error,
    /// The sequence was not one to run: neither a test nor a finding.
    Invalid,
}

/// The user's rules and ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<(String, Ruling)>,
}

/// Rules that hold unless the user has one for the same class. What the machine ran out of is never judged.
const OURS: [(&str, Ruling); 3] = [
    ("java/lang/AssertionError", Ruling::Error),
    ("java/lang/VirtualMachineError", Ruling::Invalid),
    ("java/lang/LinkageError", Ruling::Invalid),
];

impl Policy {
    /// A policy with the user's rules: names of exception classes, with dots, and what they mean.
    pub fn new(rules: impl IntoIterator<Item = (String, Ruling)>) -> Self {
        Self { rules: rules.into_iter().map(|(name, ruling)| (name.replace('.', "/"), ruling)).collect() }
    }

    /// What an exception of this class (internal name) means: the rule for its nearest superclass, or `Expected`.
    pub fn rule(&self, classes: &Classes, thrown: &str) -> Ruling {
        self.explicit(classes, thrown).unwrap_or(Ruling::Expected)
    }

    /// As [`Policy::rule`], or none if no rule speaks of the class or one above it.
    pub fn explicit(&self, classes: &Classes, thrown: &str) -> Option<Ruling> {
        if let Some(ruling) = self.of_name(thrown) {
            return Some(ruling);
        }
        let mut class = classes.find(thrown);
        while let Some(id) = class {
            if let Some(ruling) = self.of_name(&classes[id].internal_name) {
                return Some(ruling);
            }
            class = above(classes, id);
        }
        None
    }

    fn of_name(&self, name: &str) -> Option<Ruling> {
        let users = self.rules.iter().find(|(rule, _)| rule == name).map(|(_, ruling)| *ruling);
        users.or_else(|| OURS.iter().find(|(rule, _)| *rule == name).map(|(_, ruling)| *ruling))
    }
}

fn above(classes: &Classes, class: ClassId) -> Option<ClassId> {
    classes[class].superclass.as_ref().and_then(jurat_model::JavaType::class_id)
}
