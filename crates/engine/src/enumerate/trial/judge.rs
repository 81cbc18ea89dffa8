//! Says whether a run of a method was as it should be.

use jurat_emit::structures::{Complaint, Term};
use jurat_protocol::{Cut, Ending, Outcome, Primitive, Value};

use super::super::Target;
use super::super::crew::returned;
use super::super::method::Method;
use super::super::recipes::slashed;
use super::{Job, Runner, Wanted, Wrong};

/// A property that must hold after the method: the method that asks for it.
pub(super) struct Contract {
    pub(super) name: String,
    pub(super) descriptor: String,
    /// Whether the object is its argument, too.
    pub(super) takes_itself: bool,
}

/// The predicate, then those of `equals`, `hashCode` and `toString` that the subject's own code defines.
pub(super) fn contracts(target: &Target) -> Vec<Contract> {
    let predicate = Contract {
        name: target.predicate.clone(),
        descriptor: target.descriptor.clone(),
        takes_itself: false,
    };
    let mut contracts = vec![predicate];
    let chain = target.chain(&slashed(&target.shape.root));
    for (name, descriptor, takes_itself) in [
        ("equals", "(Ljava/lang/Object;)Z", true),
        ("hashCode", "()I", false),
        ("toString", "()Ljava/lang/String;", false),
    ] {
        if chain.iter().any(|class| class.method(name, descriptor).is_some()) {
            let (name, descriptor) = (name.to_owned(), descriptor.to_owned());
            contracts.push(Contract { name, descriptor, takes_itself });
        }
    }
    contracts
}

/// Runs that a suite is chosen from at most.
const MOST_WANTED: usize = 4_000;

/// Exceptions that no method may end with, whatever it is given.
const NEVER: [&str; 2] = ["java/lang/AssertionError", "java/lang/StackOverflowError"];
const NULL_POINTER: &str = "java/lang/NullPointerException";

impl Runner<'_> {
    /// Takes in one run, whose statement at `call` is the call.
    pub(super) fn judge(&mut self, methods: &[Method], job: &Job, call: usize, outcome: &Outcome) {
        if outcome.endings.len() <= call {
            self.trial.not_made += 1;
            return;
        }
        self.trial.runs += 1;
        let threw = match &outcome.endings[call] {
            Ending::Threw(thrown) => Some(self.crew.class_name(thrown.class)),
            Ending::Returned(_) => None,
            Ending::TimedOut(cut) => {
                let how = if *cut == Cut::Fuel { "loops without end" } else { "does not come back" };
                self.wrong(job, None, format!("{} ends: it {how}", methods[job.method].name), None);
                return;
            }
            other => {
                self.wrong(job, None, format!("{} ends: {other:?}", methods[job.method].name), None);
                return;
            }
        };
        let complaints = self.complaints(job, outcome, threw.as_deref());
        if complaints.is_empty() {
            self.want(job, outcome);
        }
        for (complaint, contract) in complaints {
            self.wrong(job, Some(complaint), contract, threw.clone());
        }
    }

    fn complaints(&self, job: &Job, outcome: &Outcome, threw: Option<&str>) -> Vec<(Complaint, String)> {
        let mut complaints = Vec::new();
        if let Some(class) = threw {
            let simple = class.rsplit('/').next().unwrap_or(class);
            let given_null = job.args.contains(&Term::Null);
            if NEVER.contains(&class) {
                complaints.push((Complaint::Throws(class.to_owned()), format!("no {simple}")));
            } else if class == NULL_POINTER && !given_null {
                let contract = format!("no {simple} without null arguments");
                complaints.push((Complaint::Throws(class.to_owned()), contract));
            }
        }
        let contracts = contracts(self.target);
        for (contract, ending) in contracts.iter().zip(&outcome.observations) {
            let held = returned(ending.as_ref());
            let is_true = matches!(
                held,
                Some(Value::Primitive(Primitive::Boolean(true)) | Value::Boxed(Primitive::Boolean(true)))
            );
            let name = contract.name.as_str();
            match name {
                _ if name == self.target.predicate && !is_true => {
                    complaints.push((Complaint::Invariant, format!("{name} holds afterwards")));
                }
                "equals" if !is_true => {
                    complaints.push((Complaint::NotReflexive, "x.equals(x)".to_owned()));
                }
                "hashCode" if held.is_none() => {
                    complaints.push((Complaint::Broken("hashCode"), "hashCode does not throw".to_owned()));
                }
                "toString" if held.is_none() => {
                    complaints.push((Complaint::Broken("toString"), "toString does not throw".to_owned()));
                }
                _ => {}
            }
        }
        complaints
    }

    /// Keeps the smallest run for each thing that is wrong.
    fn wrong(&mut self, job: &Job, complaint: Option<Complaint>, contract: String, threw: Option<String>) {
        let key = (job.method, contract.clone());
        let found = Wrong { job: job.clone(), complaint, contract, threw, runs: 1 };
        match self.worst.get_mut(&key) {
            None => {
                self.worst.insert(key, found);
            }
            Some(known) => {
                let runs = known.runs + 1;
                if job.size() < known.job.size() {
                    *known = found;
                }
                known.runs = runs;
            }
        }
    }

    /// Remembers a run for the suite, if it is one of the first structures and may be repeated anywhere.
    fn want(&mut self, job: &Job, outcome: &Outcome) {
        if !outcome.attempts.is_empty() || outcome.taint.any() {
            return;
        }
        if self.wanted.len() >= MOST_WANTED {
            self.trial.cut_off += usize::from(self.config.limit > 0);
            return;
        }
        // The runs on one structure come one after the other.
        let known = self.wanted.last().is_some_and(|wanted| wanted.recipe.text == job.recipe.text);
        if known || self.structures < self.config.limit {
            self.structures += usize::from(!known);
            let (recipe, args) = (job.recipe.clone(), job.args.clone());
            self.wanted.push(Wanted { method: Some(job.method), recipe, args });
        }
    }
}
