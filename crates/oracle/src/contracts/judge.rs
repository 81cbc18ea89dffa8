//! What the answers say: the contract holds, is broken, or cannot be told.

use std::sync::Arc;

use jurat_model::{Broken, Check, Law, Literal, OpId, Outcome, Subject, Value, Var};

use super::question::{Asked, MOST_ELEMENTS, Trial, method};
use super::thrown::{NULL_POINTER, called, has_null, is_null, is_raw, thrown_at};
use super::{Breach, Contract, Rules};
use crate::policy::Ruling;

/// A law that does not hold, before it is put into words for a test.
struct Verdict {
    /// Laws that hold and lead to the one that does not.
    premises: Vec<Law>,
    broken: Law,
    word: &'static str,
    sentence: String,
    /// How much of the sequence the test needs.
    length: usize,
}

impl Trial {
    /// How the contract is broken, if it is.
    pub fn judge(
        &self,
        subject: &Subject,
        asked: &Asked,
        outcome: &Outcome,
        rules: &Rules,
    ) -> Option<Breach> {
        if outcome.is_unsafe || outcome.endings.len() <= self.prefix.len() {
            return None;
        }
        // Null keeps no promises.
        if self.values.iter().any(|value| is_null(outcome, *value)) {
            return None;
        }
        let reader = Reader { trial: self, subject, asked, outcome };
        if let Some(breach) = reader.thrown(rules) {
            return Some(breach);
        }
        let verdict = reader.verdict()?;
        let method = reader.method()?;
        let sentence: Arc<str> = verdict.sentence.into();
        let law = |law, broken| Check::Law { law, broken };
        let mut checks: Vec<Check> = verdict.premises.iter().map(|premise| law(*premise, None)).collect();
        let broken = Broken { word: verdict.word.into(), sentence: sentence.clone() };
        checks.push(law(verdict.broken, Some(broken)));
        Some(Breach {
            contract: self.contract,
            method,
            class: subject[method].owner,
            sequence: asked.sequence.prefix(verdict.length),
            checks,
            sentence,
            thrown: None,
        })
    }
}

struct Reader<'a> {
    trial: &'a Trial,
    subject: &'a Subject,
    asked: &'a Asked,
    outcome: &'a Outcome,
}

impl Reader<'_> {
    fn bool(&self, answer: usize) -> Option<bool> {
        match self.outcome.value(*self.asked.answers.get(answer)?)? {
            Value::Literal(Literal::Boolean(value)) => Some(*value),
            _ => None,
        }
    }

    fn int(&self, answer: usize) -> Option<i32> {
        match self.outcome.value(*self.asked.answers.get(answer)?)? {
            Value::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        }
    }

    fn answer(&self, answer: usize) -> Var {
        self.asked.answers[answer]
    }

    /// The simple name of the class of a value.
    fn class(&self, value: usize) -> &str {
        self.trial.classes.get(value).map_or("", |class| &self.subject[*class].simple_name)
    }

    /// The method that is to blame: that of the topmost class, where several declare one.
    fn method(&self) -> Option<OpId> {
        let (name, params) = match self.trial.contract {
            Contract::EqualsReflexive
            | Contract::EqualsSymmetric
            | Contract::EqualsTransitive
            | Contract::EqualsNull
            | Contract::EqualsReturns => ("equals", 1),
            Contract::HashCodeAgrees | Contract::HashCodeReturns => ("hashCode", 0),
            Contract::CompareToAntisymmetric
            | Contract::CompareToTransitive
            | Contract::CompareToConsistent
            | Contract::CompareToReturns => ("compareTo", 1),
            Contract::ComparatorAntisymmetric
            | Contract::ComparatorTransitive
            | Contract::ComparatorConsistent
            | Contract::ComparatorReturns => {
                return method(self.subject, *self.trial.classes.first()?, "compare", 2);
            }
            Contract::SizeAgrees => ("size", 0),
            Contract::ToArrayAgrees => ("toArray", 0),
            Contract::CloneDistinct
            | Contract::CloneSameClass
            | Contract::CloneEqual
            | Contract::CloneIndependent => ("clone", 0),
            Contract::ToStringReturns => ("toString", 0),
            Contract::UserCheck(op) | Contract::Predicate(op) => return Some(op),
            Contract::NoAssertionError | Contract::NoError | Contract::NoNullPointer => return None,
        };
        let of = |class: &jurat_model::ClassId| method(self.subject, *class, name, params);
        let found: Vec<OpId> = self.trial.classes.iter().filter_map(of).collect();
        let classes = self.subject.classes();
        let first = *found.first()?;
        let above = found.iter().copied().find(|op| {
            let owner = self.subject[*op].owner;
            owner != classes.object() && classes.is_subclass(self.subject[first].owner, owner)
        });
        Some(found.iter().copied().fold(above.unwrap_or(first), |best, op| {
            let (owner, known) = (self.subject[op].owner, self.subject[best].owner);
            if owner != classes.object() && classes.is_subclass(known, owner) { op } else { best }
        }))
    }

    /// A call that asks and throws breaks the law that it returns.
    fn thrown(&self, rules: &Rules) -> Option<Breach> {
        let last = self.asked.answers.iter().copied().find(|var| thrown_at(self.outcome, *var).is_some())?;
        let thrown = thrown_at(self.outcome, last)?;
        let contract = match self.trial.contract {
            Contract::EqualsReflexive | Contract::EqualsSymmetric | Contract::EqualsNull => {
                Contract::EqualsReturns
            }
            same @ (Contract::HashCodeReturns
            | Contract::ToStringReturns
            | Contract::CompareToReturns
            | Contract::ComparatorReturns
            | Contract::Predicate(_)
            | Contract::UserCheck(_)) => same,
            _ => return None,
        };
        let documented = matches!(contract, Contract::CompareToReturns | Contract::ComparatorReturns)
            && matches!(&**thrown, "java/lang/ClassCastException" | "java/lang/NullPointerException");
        let by_null = &**thrown == NULL_POINTER && has_null(&self.trial.prefix, self.outcome);
        let ruling = rules.policy.explicit(self.subject.classes(), thrown);
        let judged = !matches!(ruling, Some(Ruling::Invalid | Ruling::Expected));
        let polluted = is_raw(self.subject, &self.trial.prefix);
        if documented || by_null || polluted || !judged || !rules.has(contract) {
            return None;
        }
        let trial = Trial { contract, ..self.trial.clone() };
        let method = Reader { trial: &trial, ..*self }.method()?;
        let simple = thrown.rsplit(['/', '$']).next().unwrap_or(thrown);
        let sentence: Arc<str> =
            format!("{} must return, whatever the object; it throws {simple}", called(self.subject, method))
                .into();
        let broken = Broken { word: format!("throws{simple}").into(), sentence: sentence.clone() };
        Some(Breach {
            contract,
            method,
            class: self.subject[method].owner,
            sequence: self.asked.sequence.prefix(last.index() + 1),
            checks: vec![Check::Law { law: Law::Returns(last), broken: Some(broken) }],
            sentence,
            thrown: Some(thrown.clone()),
        })
    }

    fn verdict(&self) -> Option<Verdict> {
        match self.trial.contract {
            Contract::EqualsReflexive
            | Contract::EqualsNull
            | Contract::EqualsSymmetric
            | Contract::EqualsTransitive
            | Contract::HashCodeAgrees => self.equality(),
            Contract::CompareToAntisymmetric
            | Contract::CompareToTransitive
            | Contract::CompareToConsistent
            | Contract::ComparatorAntisymmetric
            | Contract::ComparatorTransitive
            | Contract::ComparatorConsistent => self.order(),
            Contract::SizeAgrees | Contract::ToArrayAgrees => self.size(),
            Contract::CloneDistinct
            | Contract::CloneSameClass
            | Contract::CloneEqual
            | Contract::CloneIndependent => self.cloning(),
            Contract::Predicate(op) | Contract::UserCheck(op) => self.predicate(op),
            _ => None,
        }
    }

    fn whole(&self, premises: Vec<Law>, broken: Law, word: &'static str, sentence: String) -> Verdict {
        Verdict { premises, broken, word, sentence, length: self.asked.sequence.len() }
    }

    fn equality(&self) -> Option<Verdict> {
        let (a, b) = (self.class(0), self.class(1));
        match self.trial.contract {
            Contract::EqualsReflexive if !self.bool(0)? => Some(self.whole(
                vec![],
                Law::True(self.answer(0)),
                "isNotReflexive",
                format!("equals must be reflexive; this {a} does not equal itself"),
            )),
            Contract::EqualsNull if self.bool(0)? => Some(self.whole(
                vec![],
                Law::False(self.answer(0)),
                "equalsNull",
                format!("equals(null) must be false; this {a} equals null"),
            )),
            Contract::EqualsSymmetric if self.bool(0)? != self.bool(1)? => Some(self.whole(
                vec![],
                Law::Equal { expected: self.answer(0), actual: self.answer(1) },
                "isNotSymmetric",
                format!(
                    "equals must be symmetric; {a}.equals({b}) is {}, but {b}.equals({a}) is {}",
                    self.bool(0)?,
                    self.bool(1)?
                ),
            )),
            Contract::EqualsTransitive if self.bool(0)? && self.bool(1)? && !self.bool(2)? => Some(self.whole(
                vec![Law::True(self.answer(0)), Law::True(self.answer(1))],
                Law::True(self.answer(2)),
                "isNotTransitive",
                format!(
                    "equals must be transitive; the first equals the second and the second the third, but this {a} \
                     does not equal the third"
                ),
            )),
            Contract::HashCodeAgrees if self.bool(0)? && self.int(1)? != self.int(2)? => Some(self.whole(
                vec![Law::True(self.answer(0))],
                Law::Equal { expected: self.answer(1), actual: self.answer(2) },
                "differsForEqualObjects",
                format!("equal objects must have equal hash codes; this {a} and the {b} that equals it have not"),
            )),
            _ => None,
        }
    }

    fn order(&self) -> Option<Verdict> {
        let a = self.class(0);
        let compares = match self.trial.contract {
            Contract::CompareToAntisymmetric
            | Contract::CompareToTransitive
            | Contract::CompareToConsistent => format!("compareTo of {a}"),
            _ => format!("compare of {a}"),
        };
        match self.trial.contract {
            Contract::CompareToAntisymmetric | Contract::ComparatorAntisymmetric => {
                let (one, other) = (self.int(0)?, self.int(1)?);
                (one.signum() != -other.signum()).then(|| {
                    self.whole(
                        vec![],
                        Law::Opposite(self.answer(0), self.answer(1)),
                        "isNotAntisymmetric",
                        format!(
                            "{compares} must change its sign when its two objects change places; for these it \
                             gives {one} and {other}"
                        ),
                    )
                })
            }
            Contract::CompareToTransitive | Contract::ComparatorTransitive => {
                let (xy, yz, xz) = (self.int(0)?, self.int(1)?, self.int(2)?);
                (xy > 0 && yz > 0 && xz <= 0).then(|| {
                    self.whole(
                        vec![Law::Positive(self.answer(0)), Law::Positive(self.answer(1))],
                        Law::Positive(self.answer(2)),
                        "isNotTransitive",
                        format!(
                            "{compares} must be transitive; the first is above the second and that above the \
                             third, but the first is not above the third"
                        ),
                    )
                })
            }
            Contract::CompareToConsistent | Contract::ComparatorConsistent => {
                let (xy, yz, xz) = (self.int(0)?, self.int(1)?, self.int(2)?);
                (xy == 0 && yz.signum() != xz.signum()).then(|| {
                    self.whole(
                        vec![Law::Zero(self.answer(0))],
                        Law::SameSign(self.answer(1), self.answer(2)),
                        "isNotConsistent",
                        format!("what {compares} calls equal must compare alike with a third; these do not"),
                    )
                })
            }
            _ => None,
        }
    }

    fn size(&self) -> Option<Verdict> {
        let a = self.class(0);
        let size = self.int(0)?;
        if self.trial.contract == Contract::ToArrayAgrees {
            let Value::Object(array) = self.outcome.value(self.answer(1))? else { return None };
            let length = array.elements.as_ref()?.len();
            return (usize::try_from(size) != Ok(length)).then(|| {
                self.whole(
                    vec![],
                    Law::Length { array: self.answer(1), size: self.answer(0) },
                    "differsFromSize",
                    format!("toArray() must have as many elements as size() says; {a} has {length} and says {size}"),
                )
            });
        }
        let steps = &self.asked.answers[2..];
        let given = steps.iter().take_while(|step| self.outcome.value(**step).is_some()).count();
        let ended = steps.get(given).and_then(|step| thrown_at(self.outcome, *step))?;
        if given > MOST_ELEMENTS || &**ended != "java/util/NoSuchElementException" {
            return None;
        }
        (usize::try_from(size) != Ok(given)).then(|| Verdict {
            premises: vec![],
            broken: Law::Counted { iterable: self.trial.values[0], size: self.answer(0) },
            word: "differsFromIteration",
            sentence: format!("size() must be the number of elements; {a} has {given} and says {size}"),
            length: self.answer(0).index() + 1,
        })
    }

    fn cloning(&self) -> Option<Verdict> {
        let a = self.class(0);
        let original = self.trial.values[0];
        match self.trial.contract {
            Contract::CloneDistinct => {
                let Value::Object(clone) = self.outcome.value(self.answer(0))? else { return None };
                (clone.same_as == Some(original)).then(|| {
                    self.whole(
                        vec![],
                        Law::NotSame(original, self.answer(0)),
                        "returnsItself",
                        format!("clone() must give another object; this {a} gives itself"),
                    )
                })
            }
            Contract::CloneSameClass => {
                let Value::Object(clone) = self.outcome.value(self.answer(0))? else { return None };
                let other = clone.class.rsplit('/').next().unwrap_or_default().to_owned();
                let same = *clone.class == *self.subject[*self.trial.classes.first()?].internal_name;
                (!same).then(|| {
                    self.whole(
                        vec![],
                        Law::SameClass(original, self.answer(0)),
                        "returnsAnotherClass",
                        format!("clone() must give an object of the same class; that of {a} is a {other}"),
                    )
                })
            }
            Contract::CloneEqual if !self.bool(0)? => Some(self.whole(
                vec![],
                Law::True(self.answer(0)),
                "doesNotEqualOriginal",
                format!("a clone should equal its original; that of this {a} does not"),
            )),
            Contract::CloneIndependent => {
                let (before, after) = (self.answer(0), self.answer(1));
                let (was, is) = (self.outcome.value(before)?, self.outcome.value(after)?);
                // What changes the object it looks at tells something else the second time anyway.
                let looks = |var: Var| self.outcome.changed.iter().all(|(at, _)| *at != var);
                let told = matches!((was, is), (Value::Literal(_), Value::Literal(_)))
                    && looks(before)
                    && looks(after);
                let mutator = called(self.subject, self.trial.change?.mutator);
                (told && was != is).then(|| {
                    self.whole(
                        vec![],
                        Law::Equal { expected: before, actual: after },
                        "sharesStateWithOriginal",
                        format!("changing a clone must leave the original alone; {mutator} on the clone changes this {a}"),
                    )
                })
            }
            _ => None,
        }
    }

    fn predicate(&self, op: OpId) -> Option<Verdict> {
        let name = called(self.subject, op);
        (!self.bool(0)?).then(|| {
            self.whole(
                vec![],
                Law::True(self.answer(0)),
                "isFalse",
                format!(
                    "{name} must hold of every object that its public methods can make; it is false here"
                ),
            )
        })
    }
}
