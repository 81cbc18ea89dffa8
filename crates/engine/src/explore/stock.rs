//! What is known to work: values that archived sequences made, to be made again where one of their kind is needed.
//! Values put together blindly mostly fail on the way, the more of them a call needs.

use std::cell::RefCell;
use std::sync::Arc;

use jurat_base::{FxHashMap, Rng};
use jurat_model::{Action, Candidate, ClassId, JavaType, Subject, Var, Visibility};
use jurat_protocol::{self as wire, Chart};

use super::chart::Charted;
use crate::wire::send;

/// The longest sequence that values are taken from.
const LONGEST: usize = 40;

/// Where a value is made: the candidate, and the statement.
type Place = (usize, Var);

/// Values of archived sequences, by class.
pub(super) struct Stock<'a> {
    subject: &'a Subject,
    chart: Arc<Chart>,
    packages: Vec<Arc<str>>,
    candidates: Vec<Candidate>,
    places: Vec<(ClassId, Vec<Place>)>,
    /// What fits a type of the chart, once it was asked for.
    fitting: RefCell<FxHashMap<u32, Vec<Place>>>,
}

impl<'a> Stock<'a> {
    /// The values of candidates that any test can make.
    pub(super) fn new<'c>(
        subject: &'a Subject,
        charted: &Charted,
        candidates: impl Iterator<Item = &'c Candidate>,
    ) -> Self {
        let candidates: Vec<Candidate> =
            candidates.filter(|candidate| is_usual(subject, candidate)).cloned().collect();
        let mut places: Vec<(ClassId, Vec<Place>)> = Vec::new();
        let mut numbers: FxHashMap<ClassId, usize> = FxHashMap::default();
        for (number, candidate) in candidates.iter().enumerate() {
            // The last call of a sequence may be one that throws.
            for var in candidate.sequence.vars().take(candidate.sequence.len().saturating_sub(1)) {
                let statement = candidate.sequence.statement(var);
                if let (Action::Call { .. }, JavaType::Class(made)) = (&statement.action, &statement.ty) {
                    let at = *numbers.entry(made.class).or_insert(places.len());
                    if at == places.len() {
                        places.push((made.class, Vec::new()));
                    }
                    places[at].1.push((number, var));
                }
            }
        }
        let (chart, packages) = (Arc::clone(&charted.chart), charted.packages.clone());
        Self { subject, chart, packages, candidates, places, fitting: RefCell::default() }
    }

    /// A sequence whose last statement makes a value of a type of the chart, for code of a package.
    pub(super) fn draw(&self, ty: u32, package: u32, rng: &mut Rng) -> Option<wire::Sequence> {
        let mut known = self.fitting.borrow_mut();
        let fitting = known.entry(ty).or_insert_with(|| self.fitting(ty));
        let (number, var) = *rng.pick(fitting)?;
        let candidate = &self.candidates[number];
        let package = &self.packages[package as usize];
        if candidate.package.as_ref().is_some_and(|bound| bound != package) {
            return None;
        }
        Some(send(self.subject, &candidate.sequence.making([var]), &[]).sequence)
    }

    fn fitting(&self, ty: u32) -> Vec<Place> {
        let classes = self.subject.classes();
        let descriptor = self.chart.types.get(ty as usize).map(|charted| charted.descriptor.as_str());
        let name = descriptor.and_then(|text| text.strip_prefix('L')?.strip_suffix(';'));
        let Some(wanted) = name.and_then(|name| classes.find(name)) else { return Vec::new() };
        let fits = |(made, _): &&(ClassId, Vec<Place>)| classes.is_subclass(*made, wanted);
        self.places.iter().filter(fits).flat_map(|(_, places)| places.iter().copied()).collect()
    }
}

/// Whether a sequence is short, without mocks and lambdas, and uses nothing private.
fn is_usual(subject: &Subject, candidate: &Candidate) -> bool {
    let sequence = &candidate.sequence;
    let is_plain = |action: &Action| match action {
        Action::Mock { .. } | Action::Lambda(_) => false,
        Action::Call { instance, .. } => subject[instance.operation].visibility != Visibility::Private,
        _ => true,
    };
    sequence.len() <= LONGEST && sequence.statements().iter().all(|statement| is_plain(&statement.action))
}

#[cfg(test)]
mod tests {
    use jurat_base::Seed;
    use jurat_model::{Instance, OpId, Sequence, Statement, Substitution, Technique};
    use jurat_protocol::Need;
    use jurat_testkit::{operation, subject};

    use super::super::chart::chart;
    use super::*;

    const CLASSES: &str = "
class Base { Base(); }
class Sub extends Base { Sub(); void use(); private void hide(); }
class User { User(); void take(Base base); }
";

    /// A call of a member on variables.
    fn call(subject: &Subject, op: OpId, inputs: &[u32]) -> Statement {
        let ty = subject[op].result.clone();
        let instance = Instance {
            operation: op,
            receiver: None,
            params: Vec::new(),
            result: ty.clone(),
            throws: Vec::new(),
            chosen: Substitution::default(),
        };
        let inputs = inputs.iter().copied().map(Var).collect();
        Statement { action: Action::Call { instance: Arc::new(instance), inputs }, ty }
    }

    /// A sub that is made and then used in some way, from a package.
    fn used(subject: &Subject, how: &str, package: Option<&str>) -> Candidate {
        let made = call(subject, operation(subject, "Sub", "new"), &[]);
        let used = call(subject, operation(subject, "Sub", how), &[0]);
        let sequence = Sequence::new(vec![made, used]).expect("inputs come first");
        Candidate { sequence, package: package.map(Arc::from), technique: Technique::Random }
    }

    /// What is drawn from a stock of one candidate for the argument of `User.take`.
    fn drawn(subject: &Subject, candidate: &Candidate) -> Option<wire::Sequence> {
        let charted = chart(subject);
        let take = operation(subject, "User", "take");
        let Need::Reference(base) = charted.chart.operations[take.index()].inputs[1] else { return None };
        let stock = Stock::new(subject, &charted, [candidate].into_iter());
        stock.draw(base, 0, &mut Seed(1).rng(0))
    }

    #[test]
    fn a_value_is_made_again_without_what_was_done_to_it_afterwards() {
        let subject = subject(CLASSES);
        let made = drawn(&subject, &used(&subject, "use", None)).expect("a sub is a base");
        let new = operation(&subject, "Sub", "new").0;
        assert_eq!(made.statements(), [wire::Statement::Operate { operation: new, inputs: 0 }]);
    }

    #[test]
    fn what_not_every_test_can_make_is_not_drawn() {
        let subject = subject(CLASSES);
        assert_eq!(drawn(&subject, &used(&subject, "hide", None)), None);
        assert_eq!(drawn(&subject, &used(&subject, "use", Some("some.other.place"))), None);
    }
}
