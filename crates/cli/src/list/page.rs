//! The list for people: a summary first, then packages or classes, as many as fit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use jurat_model::{ClassId, Constant, LeftOut, Obstacle, Operation, Subject};

use super::{Listing, text};
use crate::output::Paint;

/// Up to this many operations a whole class path is listed class by class.
const FITTING: usize = 150;
/// Cases shown of a reason that differs from case to case.
const CASES: usize = 5;
/// Values shown of one fact about a class.
const VALUES: usize = 8;

/// Constants too common to tell anything about a class.
const EVERYWHERE: [Constant; 3] = [Constant::Int(-1), Constant::Int(0), Constant::Int(1)];

/// How much to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Classes if they are few, packages otherwise.
    Fitting,
    /// Every class.
    Classes,
    /// Every class, and everything left out.
    Everything,
}

pub(super) fn render(listing: &Listing<'_>, detail: Detail, paint: Paint, width: Option<usize>) -> String {
    let mut page = Page { listing, subject: listing.subject, paint, width, text: String::new() };
    let operations = listing.subject.operations_under_test().count();
    page.summary(operations);
    page.left_out(detail);
    if detail == Detail::Fitting && operations > FITTING {
        page.packages();
    } else {
        for class in listing.subject.under_test() {
            page.class(class);
        }
    }
    page.text
}

struct Page<'a> {
    listing: &'a Listing<'a>,
    subject: &'a Subject,
    paint: Paint,
    /// Columns of the terminal; none if nobody looks.
    width: Option<usize>,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A line that is broken between words where the terminal ends, with its further lines indented.
    fn wrapped(&mut self, first: usize, hanging: usize, line: &str) {
        let columns = self.width.unwrap_or(usize::MAX);
        let mut current = " ".repeat(first);
        let mut used = first;
        let mut fresh = true;
        for word in line.split(' ') {
            let length = word.chars().count();
            if !fresh && used + 1 + length > columns {
                self.line(&current);
                current = " ".repeat(hanging);
                used = hanging;
                fresh = true;
            }
            if !fresh {
                current.push(' ');
                used += 1;
            }
            current.push_str(word);
            used += length;
            fresh = false;
        }
        self.line(&current);
    }

    fn summary(&mut self, operations: usize) {
        let classes = self.subject.under_test().count();
        let callable =
            self.subject.operations_under_test().filter(|operation| self.is_callable(operation)).count();
        let counts = format!(
            "{}, {}, {callable} of them callable from a test",
            counted(classes, "class", "classes"),
            counted(operations, "operation", "operations"),
        );
        let counts = self.paint.good(&counts);
        self.line(&counts);
        let sources = self.listing.sources().join(":");
        let jdk = format!("{}, seen with JDK {}", sources, self.listing.jdk.version);
        let jdk = self.paint.faint(&jdk);
        self.line(&jdk);
        if classes == 0 {
            self.line("nothing here can be tested");
        }
    }

    fn is_callable(&self, operation: &Operation) -> bool {
        let package = self.listing.test_package(operation.owner);
        self.subject.check_operation(operation.id, &package).is_ok()
    }

    fn left_out(&mut self, detail: Detail) {
        let left_out = self.subject.left_out();
        if left_out.is_empty() {
            return;
        }
        let heading = format!("\n{} left out", counted(left_out.len(), "thing", "things"));
        self.line(&heading);
        let mut groups: BTreeMap<&str, Vec<&LeftOut>> = BTreeMap::new();
        for one in left_out {
            groups.entry(one.reason.group()).or_default().push(one);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(group, cases)| (std::cmp::Reverse(cases.len()), *group));
        for (group, cases) in groups {
            self.line(&format!("{:>7}  {group}", cases.len()));
            self.cases(&cases, detail);
        }
    }

    /// Reasons that differ from case to case are shown by example.
    fn cases(&mut self, cases: &[&LeftOut], detail: Detail) {
        let everything = detail == Detail::Everything;
        if !everything && cases.iter().all(|case| case.reason.detail().is_none()) {
            return;
        }
        // Cases with the same detail (one absent class, one hidden package) are one line.
        let mut by_detail: BTreeMap<&str, Vec<&LeftOut>> = BTreeMap::new();
        for case in cases {
            by_detail.entry(case.reason.detail().unwrap_or_default()).or_default().push(case);
        }
        let shown = if everything { usize::MAX } else { CASES };
        for (detail, cases) in by_detail.iter().take(shown) {
            if everything {
                for case in cases {
                    self.case(&case.what, detail);
                }
            } else if let [only] = cases.as_slice() {
                self.case(&only.what, detail);
            } else {
                self.case(&format!("{} × {detail}", cases.len()), "");
            }
        }
        if by_detail.len() > shown {
            self.case(&format!("and {} more; --all lists them", by_detail.len() - shown), "");
        }
    }

    fn case(&mut self, what: &str, detail: &str) {
        let line = if detail.is_empty() { what.to_owned() } else { format!("{what}: {detail}") };
        self.wrapped(9, 11, &line);
    }

    fn packages(&mut self) {
        let mut packages: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for class in self.subject.under_test() {
            let entry = packages.entry(&self.subject[class].package).or_default();
            entry.0 += 1;
            entry.1 += self.subject.operations_of(class).len();
        }
        self.line("\nclasses  operations  package");
        for (package, (classes, operations)) in packages {
            let package = if package.is_empty() { "(unnamed)" } else { package };
            self.line(&format!("{classes:>7}  {operations:>10}  {package}"));
        }
        let hint =
            self.paint.faint("\n--class NAME-OR-GLOB shows some of the classes, --all shows all of them");
        self.line(&hint);
    }

    fn class(&mut self, id: ClassId) {
        let class = &self.subject[id];
        let name = self.paint.good(&class.source_name);
        self.line(&format!("\n{name}"));
        self.wrapped(2, 6, &text::declaration(self.subject, id));
        let hidden = self.subject.classes().check_class(id, &self.listing.test_package(id)).err();
        if let Some(why) = &hidden
            && !self
                .subject
                .operations_of(id)
                .iter()
                .any(|operation| self.is_callable(&self.subject[*operation]))
        {
            self.wrapped(2, 14, &format!("not callable: {why}"));
        }
        self.facts(id);
        let operations: Vec<&Operation> =
            self.subject.operations_of(id).iter().map(|operation| &self.subject[*operation]).collect();
        let written: BTreeSet<&str> = operations
            .iter()
            .filter(|operation| operation.kind.is_set())
            .map(|operation| &*operation.name)
            .collect();
        for operation in &operations {
            // A field that can be read and written is one line.
            if !operation.kind.is_set() {
                let writable = operation.kind.is_get() && written.contains(&*operation.name);
                self.operation(operation, writable);
            }
        }
    }

    /// What was found out about a class beyond its declaration.
    fn facts(&mut self, id: ClassId) {
        let class = &self.subject[id];
        let names = |classes: &[ClassId]| -> Vec<String> {
            classes.iter().map(|class| text::nested_name(&self.subject[*class]).to_owned()).collect()
        };
        let constants = self.constants(id);
        let predicates =
            class.predicates.iter().map(|predicate| self.subject[*predicate].name.to_string()).collect();
        let lambda = class.functional.iter().map(|method| text::functional(self.subject, method)).collect();
        let implementations = names(&class.implementations);
        let permitted = names(&class.permitted);
        self.fact("permits", permitted);
        self.fact("lambda for", lambda);
        self.fact("predicate", predicates);
        self.fact("made by", implementations);
        self.fact("constants", constants);
    }

    /// Constants of the class and its operations, each once, without those that every class has.
    fn constants(&self, id: ClassId) -> Vec<String> {
        let mut seen: BTreeSet<&Constant> = EVERYWHERE.iter().collect();
        let found =
            self.subject.operations_of(id).iter().flat_map(|operation| &self.subject[*operation].constants);
        found
            .chain(&self.subject[id].constants)
            .filter(|constant| seen.insert(constant))
            .map(|constant| text::constant(self.subject, constant))
            .collect()
    }

    fn fact(&mut self, title: &str, mut values: Vec<String>) {
        if values.is_empty() {
            return;
        }
        let more = values.len().saturating_sub(VALUES);
        values.truncate(VALUES);
        let mut line = format!("{title:<11} {}", values.join(", "));
        if more > 0 {
            let _ = write!(line, ", and {more} more");
        }
        self.wrapped(2, 14, &line);
    }

    fn operation(&mut self, operation: &Operation, writable: bool) {
        let mut line = text::operation(self.subject, operation);
        if writable {
            line.push_str(" (writable)");
        }
        let package = self.listing.test_package(operation.owner);
        let obstacle = self.subject.check_operation(operation.id, &package).err();
        match obstacle {
            // Said once for the class, or plain from the declaration.
            None | Some(Obstacle::OwnerHidden(_) | Obstacle::Private(_)) => {}
            Some(why) => {
                let _ = write!(line, "  [{why}]");
            }
        }
        self.wrapped(4, 8, &line);
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
