//! A sequence under suspicion: one that threw, or one that was extended to ask about a contract.

use jurat_model::{Outcome, Sequence, Subject, Var};
use jurat_oracle::contracts::{Breach, Rules, Trial, of_exception};

use crate::runner::Job;

/// A sequence under suspicion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Its last call threw.
    Thrown(Sequence),
    /// It is asked about a contract.
    Trial(Trial),
}

impl Case {
    /// What may be made smaller.
    pub(crate) fn prefix(&self) -> &Sequence {
        match self {
            Self::Thrown(sequence) => sequence,
            Self::Trial(trial) => &trial.prefix,
        }
    }

    /// The values that must stay.
    pub(crate) fn held(&self) -> Vec<Var> {
        match self {
            Self::Thrown(sequence) => sequence.last().into_iter().collect(),
            Self::Trial(trial) => trial.values.clone(),
        }
    }

    /// The same suspicion about another sequence.
    pub(crate) fn with(&self, prefix: Sequence, held: Vec<Var>) -> Self {
        match self {
            Self::Thrown(_) => Self::Thrown(prefix),
            Self::Trial(trial) => Self::Trial(Trial { prefix, values: held, ..trial.clone() }),
        }
    }

    /// What to run; none if it cannot be written down.
    pub(crate) fn job(&self, subject: &Subject) -> Option<Job> {
        match self {
            Self::Thrown(sequence) => Some(sequence.clone().into()),
            Self::Trial(trial) => {
                let package = package(subject, trial);
                trial.ask(subject, &package).map(|asked| asked.sequence.into())
            }
        }
    }

    /// What came of it.
    pub(crate) fn judge(&self, subject: &Subject, outcome: &Outcome, rules: &Rules) -> Option<Breach> {
        match self {
            Self::Thrown(sequence) => of_exception(subject, sequence, outcome, rules),
            Self::Trial(trial) => {
                let asked = trial.ask(subject, &package(subject, trial))?;
                let breach = trial.judge(subject, &asked, outcome, rules)?;
                // What a class inherits from elsewhere is shown by its own tests.
                let class =
                    if subject[breach.class].under_test { breach.class } else { *trial.classes.first()? };
                Some(Breach { class, ..breach })
            }
        }
    }
}

fn package(subject: &Subject, trial: &Trial) -> String {
    trial.classes.first().map(|class| subject.test_package(*class).to_string()).unwrap_or_default()
}
