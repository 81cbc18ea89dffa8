//! Objects and fields that all tests have in common: what one test leaves there, another finds.

use jurat_base::{FxHashMap, FxHashSet};
use jurat_model::{ClassId, ClassKind, OpId, Operation, OperationKind, Outcome, Sequence, Subject, Var};

use crate::archive::cost;
use crate::error::RunError;
use crate::runner::{Job, Mode, Runner};

/// Whether several calls of a sequence use the same object of a static field, which may change.
pub(crate) fn is_entangled(subject: &Subject, sequence: &Sequence) -> bool {
    let mut common: Vec<(Var, OpId)> = Vec::new();
    let mut used: Vec<OpId> = Vec::new();
    for (at, op, inputs) in sequence.calls() {
        let given = inputs.iter().filter_map(|input| common.iter().find(|(var, _)| var == input));
        let here: Vec<OpId> = given.map(|(_, op)| *op).collect();
        if here.iter().any(|op| used.contains(op)) {
            return true;
        }
        used.extend(here);
        if is_replaceable(subject, &subject[op]) {
            common.push((at, op));
        }
    }
    false
}

/// Whether an operation of a class under test gives an object which all tests have in common and which may change, but
/// is not the only one of its kind, as the constant of an enum is.
pub(crate) fn is_replaceable(subject: &Subject, operation: &Operation) -> bool {
    let is_enum = |class: ClassId| subject[class].kind == ClassKind::Enum;
    operation.kind == OperationKind::StaticGet
        && subject[operation.owner].under_test
        && !operation.result.class_id().is_some_and(is_enum)
        && is_common(subject, operation)
}

/// Whether an operation gives an object which all tests have in common and which may change.
fn is_common(subject: &Subject, operation: &Operation) -> bool {
    let is_static = matches!(operation.kind, OperationKind::StaticGet | OperationKind::EnumConstant);
    let own = |class: ClassId| subject.operations_of(class).iter().map(|op| &subject[*op]);
    let is_set = |operation: &Operation| operation.kind == OperationKind::InstanceSet;
    let may_change = |class| with_ancestors(subject, class).any(|class| own(class).any(is_set));
    is_static && operation.result.class_id().is_some_and(may_change)
}

/// A class and all above it.
fn with_ancestors(subject: &Subject, class: ClassId) -> impl Iterator<Item = ClassId> {
    subject.classes().ancestors(class).iter().map(|above| above.class).chain([class])
}

/// Operations that may find what others left behind: those that give an object which all tests have in common and which
/// may change, and those of classes that remember something between calls. Each with the class around it all.
#[derive(Debug)]
pub(crate) struct Shared {
    by_operation: FxHashMap<OpId, ClassId>,
    /// Those that only give an object, and one of the test's own may take its place.
    objects: FxHashSet<OpId>,
}

/// Classes of the JDK whose objects are made to be changed.
const CHANGEABLE: [&str; 3] = ["java/lang/ThreadLocal", "java/util/Collection", "java/util/Map"];
/// The package of others.
const ATOMIC: &str = "java.util.concurrent.atomic";

/// How many sequences are run before one that may find what they leave behind.
const COMPANY: usize = 6;
/// How many are run before many such, of different classes.
pub(crate) const MANY: usize = 32;

impl Shared {
    /// Those of a subject, as far as they are known.
    pub(crate) fn of(subject: &Subject) -> Self {
        let own = |class: ClassId| subject.operations_of(class).iter().map(|op| &subject[*op]);
        let remembers = |class: ClassId| {
            let is_changeable = |class: ClassId| {
                let class = &subject[class];
                *class.package == *ATOMIC || CHANGEABLE.contains(&&*class.internal_name)
            };
            own(class).any(|operation| match operation.kind {
                OperationKind::StaticSet => true,
                OperationKind::StaticGet => operation
                    .result
                    .class_id()
                    .is_some_and(|class| with_ancestors(subject, class).any(is_changeable)),
                _ => false,
            })
        };
        let (mut by_operation, mut objects) = (FxHashMap::default(), FxHashSet::default());
        for class in subject.under_test() {
            let around = || std::iter::successors(Some(class), |class| subject[*class].outer);
            let all = around().flat_map(|class| with_ancestors(subject, class)).any(remembers);
            let operations = own(class).filter(|operation| all || is_common(subject, operation));
            let outermost = around().last().unwrap_or(class);
            by_operation.extend(operations.clone().map(|operation| (operation.id, outermost)));
            let replaceable = operations.filter(|operation| !all && is_replaceable(subject, operation));
            objects.extend(replaceable.map(|operation| operation.id));
        }
        Self { by_operation, objects }
    }

    /// The classes that a sequence finds something in.
    pub(crate) fn classes(&self, sequence: &Sequence) -> impl Iterator<Item = ClassId> {
        sequence.calls().filter_map(|(_, op, _)| self.by_operation.get(&op).copied())
    }

    /// Those of some sequences that may leave something behind.
    pub(crate) fn company<'s>(&self, sequences: impl Iterator<Item = &'s Sequence>) -> Company<'_> {
        let mut sharing: Vec<&Sequence> = sequences.filter(|sequence| self.is_in(sequence)).collect();
        sharing.sort_by_cached_key(|sequence| cost(sequence));
        let mut by_class: FxHashMap<ClassId, Vec<Job>> = FxHashMap::default();
        let mut called = FxHashSet::default();
        for sequence in sharing {
            let calls = sequence.calls().filter_map(|(_, op, _)| Some((op, *self.by_operation.get(&op)?)));
            // Each calls what those before it do not.
            for (_, class) in calls.filter(|(op, _)| called.insert(*op)) {
                let jobs = by_class.entry(class).or_default();
                let is_there = jobs.last().is_some_and(|last| last.sequence == *sequence);
                if jobs.len() < COMPANY && !is_there {
                    jobs.push(sequence.clone().into());
                }
            }
        }
        Company { shared: self, by_class }
    }

    /// Whether what a sequence finds is in objects only: others could take its place.
    pub(crate) fn is_avoidable(&self, sequence: &Sequence) -> bool {
        let mut shared = sequence.calls().filter(|(_, op, _)| self.by_operation.contains_key(op));
        shared.all(|(_, op, _)| self.objects.contains(&op))
    }

    /// Whether a sequence calls one of them.
    pub(crate) fn is_in(&self, sequence: &Sequence) -> bool {
        !self.by_operation.is_empty()
            && sequence.calls().any(|(_, op, _)| self.by_operation.contains_key(&op))
    }
}

/// Sequences that may leave something behind, by the class they leave it in: the smallest of them.
#[derive(Debug)]
pub(crate) struct Company<'a> {
    shared: &'a Shared,
    by_class: FxHashMap<ClassId, Vec<Job>>,
}

impl Company<'_> {
    /// True if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_class.is_empty()
    }

    /// Those that may change what a sequence finds.
    pub(crate) fn before(&self, sequence: &Sequence) -> &[Job] {
        let class = self.shared.classes(sequence).next();
        class.and_then(|class| self.by_class.get(&class)).map_or(&[], Vec::as_slice)
    }
}

/// Runs jobs; each that may find what others leave behind after some that do.
pub(crate) fn run_after(
    company: Option<&Company<'_>>,
    jobs: Vec<Job>,
    mode: Mode,
    runner: &mut dyn Runner,
) -> Result<Vec<Outcome>, RunError> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let Some(company) = company.filter(|company| !company.is_empty() && !mode.is_alone()) else {
        return runner.run(&jobs, mode);
    };
    let (mut all, mut own) = (Vec::new(), Vec::new());
    for job in jobs {
        all.extend_from_slice(company.before(&job.sequence));
        own.push(all.len());
        all.push(job);
    }
    let mut own = own.into_iter().peekable();
    let outcomes = runner.run(&all, mode)?.into_iter().enumerate();
    Ok(outcomes.filter(|(at, _)| own.next_if_eq(at).is_some()).map(|(_, outcome)| outcome).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_with_a_static_field_that_can_be_changed_remember() {
        let subject = jurat_testkit::subject(
            "package java.util.concurrent.atomic; class AtomicInteger { }
             class Counter { static AtomicInteger count; static void add(); class Step { static void take(); } }
             class Plain { static final int limit; static void add(); }",
        );
        let shared = Shared::of(&subject);
        let named = |class: &str, name: &str| jurat_testkit::operation(&subject, class, name);
        assert!(shared.by_operation.contains_key(&named("Counter", "add")));
        assert!(
            shared.by_operation.contains_key(&named("Step", "take")),
            "it sees what its outer class remembers"
        );
        assert!(!shared.by_operation.contains_key(&named("Plain", "add")));
    }
}
