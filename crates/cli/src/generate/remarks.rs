//! One line for each class under test that tests cannot do much with: what is special about it.

use std::collections::BTreeSet;

use jurat_engine::Conduct;
use jurat_model::{ClassId, ClassKind, LeftOut, OpId, Operation, Reason, Subject};
use jurat_subject::Pattern;

use super::progress::count;

/// What the JVM throws where a class cannot be initialized: at first, and from then on.
const INITIALIZERS: [&str; 2] = ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError"];

/// The lines. Those about classes that are merely hard to make are said only if there are no tests but those of classes
/// nested in them, or if they were asked for by name and have none themselves.
pub(super) fn remarks(
    subject: &Subject,
    conduct: &Conduct,
    asked: &[Pattern],
    tested: &[ClassId],
) -> Vec<String> {
    let is_named = |name: &str| asked.iter().any(|pattern| pattern.names(name));
    let gone = subject.left_out().iter().filter(|gone| is_named(&gone.what));
    let mut remarks: Vec<String> = gone.map(left_out).collect();
    for class in subject.under_test() {
        let about = About { subject, conduct, class };
        let always = about.uninitialized().or_else(|| about.refusing()).or_else(|| about.native());
        let is_left_over = tested.iter().all(|other| is_within(subject, *other, class));
        let is_asked_for = !tested.contains(&class) && is_named(&subject[class].internal_name);
        let excuse = || if is_left_over || is_asked_for { about.unmade() } else { None };
        let name = &subject[class].source_name;
        remarks.extend(always.or_else(excuse).map(|reason| format!("{name} {reason}")));
    }
    if subject.under_test().count() == 0 {
        remarks.push("no class of the class path can be tested; `jurat list` says why".to_owned());
    }
    remarks
}

fn left_out(gone: &LeftOut) -> String {
    let advice = if matches!(gone.reason, Reason::MissingDependency(_)) {
        "; `--libraries` can name its jar"
    } else {
        ""
    };
    format!("{} is left out: {}{advice}", gone.what, gone.reason)
}

/// True if a class is nested in another, at whatever depth.
fn is_within(subject: &Subject, class: ClassId, other: ClassId) -> bool {
    std::iter::successors(subject[class].outer, |outer| subject[*outer].outer).any(|outer| outer == other)
}

struct About<'a> {
    subject: &'a Subject,
    conduct: &'a Conduct,
    class: ClassId,
}

impl About<'_> {
    fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.subject.operations_of(self.class).iter().map(|op| &self.subject[*op])
    }

    fn uninitialized(&self) -> Option<String> {
        let mut ops = self.operations().map(|operation| operation.id);
        let fails = ops.any(|op| self.conduct.thrown(op).any(|thrown| INITIALIZERS.contains(&thrown)));
        let works = self.operations().any(|operation| self.conduct.returned(operation.id));
        let missing = self.operations().find_map(|operation| self.conduct.missing(operation.id));
        (fails && !works).then(|| match missing {
            Some(missing) => {
                format!("needs {missing}, which is not on the class path; `--libraries` can name its jar")
            }
            None => "cannot be initialized: its static initializer throws".to_owned(),
        })
    }

    /// Every constructor throws, whatever it is given.
    fn refusing(&self) -> Option<String> {
        let constructors: Vec<OpId> =
            self.operations().filter(|operation| operation.is_constructor()).map(|made| made.id).collect();
        let thrown: BTreeSet<String> = constructors
            .iter()
            .flat_map(|op| self.conduct.thrown(*op))
            .map(|class| class.rsplit('/').next().unwrap_or(class).replace('$', "."))
            .collect();
        if thrown.is_empty() || constructors.iter().any(|op| self.conduct.returned(*op)) {
            return None;
        }
        let thrown = thrown.into_iter().collect::<Vec<_>>().join(", ");
        Some(format!("could not be made: every constructor throws ({thrown})"))
    }

    fn native(&self) -> Option<String> {
        let methods = self.operations().filter(|operation| operation.kind.is_method()).count();
        let native = self.operations().filter(|operation| operation.is_native).count();
        let share = format!("{native} of {}", count(methods, "method"));
        (native * 2 > methods).then(|| format!("is mostly native: {share} have no bytecode to cover"))
    }

    fn unmade(&self) -> Option<String> {
        let (subject, declared) = (self.subject, &self.subject[self.class]);
        if declared.kind == ClassKind::Annotation {
            return Some("is an annotation: it has no code that a test could call".to_owned());
        }
        let package = subject.test_package(self.class);
        let callable = |operation: &Operation| subject.check_operation(operation.id, &package).is_ok();
        if !self.operations().any(callable) {
            return Some("has nothing that a test could call; `jurat list` says why".to_owned());
        }
        let is_unimplemented =
            || subject.classes().subtypes(self.class).iter().all(|sub| subject[*sub].is_abstract);
        (declared.is_abstract && is_unimplemented())
            .then(|| "is abstract and nothing on the class path implements it".to_owned())
    }
}
