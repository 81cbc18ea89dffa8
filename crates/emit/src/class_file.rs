//! Writes the files of one class under test: its tests in order, the imports they need, and the line on top.

use std::collections::BTreeSet;

use jurat_model::{ClassId, ClassSuite, NameScope, Subject, Test};

use crate::aid::Aid;
use crate::body::{self, INDENT, Line, Written};
use crate::lints::{self, Lint, Lints};
use crate::locals::Names;
use crate::stamp::stamp;
use crate::{EmitOptions, Emitted, EmittedTest, JavaFile, Junit, TestId, layout, test_name};

/// How far members of the class are indented.
const MEMBER: usize = 4;
/// From so many statements on, a blank line sets the last assertions apart.
const LONG_BODY: usize = 4;

/// Writes the tests of one class.
pub(crate) fn write(
    subject: &Subject,
    class_suite: &ClassSuite,
    position: usize,
    options: &EmitOptions,
    emitted: &mut Emitted,
) {
    let package = subject.test_package(class_suite.class);
    let stem = free_stem(subject, class_suite.class, &package, &emitted.files, options);
    let mut scope = NameScope::new(subject, &package);
    if options.release < 9 {
        scope = scope.without_deprecated_imports();
    }
    scope.reserve(&class_name(&stem, 0, options));
    let words = Words::of(subject, class_suite.class, &mut scope, options);
    let names = reserved_names(subject, &package);

    let mut written: Vec<(TestId, &Test, Written)> = Vec::new();
    for test in in_order(subject, class_suite) {
        let id = TestId { class: position, test };
        let test = &class_suite.tests[test];
        // What a test that fails half-way asked for is not in scope.
        let mut trial = scope.clone();
        match body::write(subject, &mut trial, names.clone(), options, test) {
            Ok(mut body) => {
                scope = trial;
                let lints = body.lines.iter_mut().map(|line| &mut line.lints);
                lints.for_each(|lints| lints.retain(|lint| !words.on_class.contains(lint)));
                let dropped = std::mem::take(&mut body.unasserted);
                emitted.unasserted.extend(dropped.into_iter().map(|(check, why)| (id, check, why)));
                written.push((id, test, body));
            }
            Err(obstacle) => emitted.left_out.push((id, obstacle)),
        }
    }
    let tests: Vec<&Test> = written.iter().map(|(_, test, _)| *test).collect();
    let methods: Vec<Method> = test_name::names(subject, class_suite.class, &tests)
        .into_iter()
        .zip(&written)
        .map(|(name, (id, _, body))| Method::of(*id, name, body, &words))
        .collect();
    let aids: BTreeSet<Aid> = methods.iter().flat_map(|method| &method.aids).copied().collect();
    let aids: Vec<(Aid, Vec<String>)> =
        aids.into_iter().map(|aid| (aid, aid.lines(&mut scope, options.junit))).collect();
    for (part, methods) in parts(&methods, options.max_lines).into_iter().enumerate() {
        let is_used = |aid: &Aid| methods.iter().any(|method| method.aids.contains(aid));
        let aids = aids.iter().filter(|(aid, _)| is_used(aid)).map(|(_, lines)| lines).collect();
        let class_name = class_name(&stem, part, options);
        let file = Part { scope: &scope, package: &package, class_name, words: &words, aids };
        emitted.files.push(file.write(methods));
    }
}

/// `LruCacheJuratTest`, `LruCacheJurat2Test`, …: build tools run what ends in `Test`.
fn class_name(stem: &str, part: usize, options: &EmitOptions) -> String {
    let infix = options.infix;
    if part == 0 { format!("{stem}{infix}Test") } else { format!("{stem}{infix}{}Test", part + 1) }
}

/// The name of the class under test, `Outer_Inner` for nested ones with tests of their own, that no file before has.
fn free_stem(
    subject: &Subject,
    class: ClassId,
    package: &str,
    files: &[JavaFile],
    options: &EmitOptions,
) -> String {
    let declared = &subject[class];
    let name = declared.source_name.strip_prefix(&*declared.package).unwrap_or(&declared.source_name);
    let stem = name.trim_start_matches('.').replace('.', "_");
    let underscores = (0..).map(|count| format!("{stem}{}", "_".repeat(count)));
    let is_free = |stem: &String| {
        let name = class_name(stem, 0, options);
        !subject.package_declares(package, &name)
            && !files.iter().any(|file| file.class_name == name && file.package == *package)
    };
    underscores.into_iter().find(is_free).expect("underscores never run out")
}

/// What method headers are made of.
struct Words {
    /// `@Test`, qualified where the simple name means something else.
    test: String,
    suppress: String,
    /// Warnings that hardly a test does without, so that they are silenced for all of them.
    on_class: Lints,
    visibility: &'static str,
    throws: [(&'static str, String); 2],
}

impl Words {
    fn of(subject: &Subject, class: ClassId, scope: &mut NameScope<'_>, options: &EmitOptions) -> Self {
        let annotation = match options.junit {
            Junit::Five => "org.junit.jupiter.api.Test",
            Junit::Four => "org.junit.Test",
        };
        // Importing it would hide a class of that name in the same package.
        let is_taken = subject.package_declares(scope.package(), "Test");
        let test = if is_taken { annotation.to_owned() } else { scope.named(annotation) };
        let mut on_class = Lints::new();
        lints::of_class(subject, class, &mut on_class);
        on_class.retain(|lint| *lint == Lint::AuxiliaryClass);
        let mut throws = |name: &'static str| (name, scope.named(&format!("java.lang.{name}")));
        Self {
            test: format!("@{test}"),
            throws: [throws("Exception"), throws("Throwable")],
            suppress: format!("@{}", scope.named("java.lang.SuppressWarnings")),
            on_class,
            visibility: if options.junit == Junit::Four { "public " } else { "" },
        }
    }

    fn throws(&self, thrown: Option<&str>) -> String {
        let found = self.throws.iter().find(|(name, _)| Some(*name) == thrown);
        found.map(|(_, text)| format!(" throws {text}")).unwrap_or_default()
    }

    fn suppress(&self, lints: &Lints, margin: usize) -> String {
        format!("{}{}({})", " ".repeat(margin), self.suppress, lints::argument(lints))
    }
}

/// Names no variable may have, because they begin the name of a package.
fn reserved_names(subject: &Subject, package: &str) -> Names {
    let mut names = Names::default();
    let known = subject.classes().iter().map(|(_, class)| &*class.package);
    let roots: BTreeSet<&str> =
        known.chain([package, "org"]).filter_map(|package| package.split('.').next()).collect();
    for root in roots {
        names.reserve(root);
    }
    names
}

/// The tests by the operation they show: constructors first, then as the class declares them, overloads
/// together; what returns comes before what throws. Classes that are tested with this one follow.
fn in_order(subject: &Subject, class_suite: &ClassSuite) -> Vec<usize> {
    let rank = |test: &Test| {
        let detail = detail(subject, class_suite.class, test);
        let declared = subject.operations_of(detail.unwrap_or(class_suite.class));
        let operation = &subject[test.focus];
        let first = declared.iter().position(|other| subject[*other].name == operation.name);
        (detail, !operation.is_constructor(), first.unwrap_or(usize::MAX), operation.name.clone())
    };
    let mut order: Vec<usize> = (0..class_suite.tests.len()).collect();
    order.sort_by_cached_key(|test| {
        let test = &class_suite.tests[*test];
        (rank(test), test.thrown.is_some())
    });
    order
}

/// The nested class a test is about, if that is tested with the class around it: the class of what is called, or of the
/// object on which something inherited is.
pub(crate) fn detail(subject: &Subject, class: ClassId, test: &Test) -> Option<ClassId> {
    let operation = &subject[test.focus];
    if operation.owner == class {
        return None;
    }
    let calls = test.sequence.calls().filter(|(_, op, _)| *op == test.focus);
    let receiver =
        calls.last().and_then(|(_, _, inputs)| inputs.first()).filter(|_| operation.kind.has_receiver());
    let receiver = receiver.and_then(|receiver| test.sequence.type_of(*receiver).class_id());
    let is_detail = |nested: &ClassId| *nested != class && subject.tested_with(*nested) == class;
    [Some(operation.owner), receiver].into_iter().flatten().find(is_detail)
}

/// A test method as text.
struct Method {
    test: TestId,
    name: String,
    lines: Vec<String>,
    /// Which check stands on which line, counted from 0.
    checks: Vec<(usize, usize)>,
    statics: Vec<String>,
    aids: BTreeSet<Aid>,
}

impl Method {
    fn of(test: TestId, name: String, body: &Written, words: &Words) -> Self {
        let margin = " ".repeat(MEMBER);
        let (on_method, on_lines) = suppressed(&body.lines);
        let mut lines = vec![format!("{margin}{}", words.test)];
        if !on_method.is_empty() {
            lines.push(words.suppress(&on_method, MEMBER));
        }
        lines.push(format!("{margin}{}void {name}(){} {{", words.visibility, words.throws(body.throws)));
        let mut checks = Vec::new();
        let apart = set_apart(&body.lines);
        for (position, line) in body.lines.iter().enumerate() {
            if apart == Some(position) {
                lines.push(String::new());
            }
            if on_lines && !line.lints.is_empty() {
                lines.push(words.suppress(&line.lints, INDENT));
            }
            checks.extend(line.check.map(|check| (check, lines.len())));
            lines.extend(layout::lines(&line.text, INDENT));
        }
        lines.push(format!("{margin}}}"));
        let statics = body.statics.iter().map(|(class, method)| format!("{class}.{method}")).collect();
        Self { test, name, lines, checks, statics, aids: body.aids.clone() }
    }
}

/// Where warnings are silenced: on the one declaration that causes them if possible, else on the method.
fn suppressed(lines: &[Line]) -> (Lints, bool) {
    let warning: Vec<&Line> = lines.iter().filter(|line| !line.lints.is_empty()).collect();
    match warning.as_slice() {
        [single] if single.is_declaration => (Lints::new(), true),
        several => (several.iter().flat_map(|line| line.lints.iter().copied()).collect(), false),
    }
}

/// The first of the assertions that end a long body.
fn set_apart(lines: &[Line]) -> Option<usize> {
    let assertions = lines.iter().rev().take_while(|line| line.is_assertion).count();
    let first = lines.len() - assertions;
    (assertions > 0 && first > 1 && lines.len() >= LONG_BODY).then_some(first)
}

/// The methods in groups that each fit into a file.
fn parts(methods: &[Method], max_lines: usize) -> Vec<&[Method]> {
    // Package, imports, class and the line on top need some lines too.
    let room = max_lines.saturating_sub(100).max(1);
    let mut parts = Vec::new();
    let (mut start, mut lines) = (0, 0);
    for (position, method) in methods.iter().enumerate() {
        if position > start && lines + method.lines.len() + 1 > room {
            parts.push(&methods[start..position]);
            (start, lines) = (position, 0);
        }
        lines += method.lines.len() + 1;
    }
    if start < methods.len() {
        parts.push(&methods[start..]);
    }
    parts
}

/// One file of a class under test.
struct Part<'a> {
    scope: &'a NameScope<'a>,
    package: &'a str,
    class_name: String,
    words: &'a Words,
    /// Methods of our own that its tests use.
    aids: Vec<&'a Vec<String>>,
}

impl Part<'_> {
    fn write(self, methods: &[Method]) -> JavaFile {
        let mut lines: Vec<String> = Vec::new();
        if !self.package.is_empty() {
            lines.extend([format!("package {};", self.package), String::new()]);
        }
        for group in self.imports(methods) {
            if !group.is_empty() {
                lines.extend(group);
                lines.push(String::new());
            }
        }
        let Words { visibility, on_class, .. } = self.words;
        if !on_class.is_empty() {
            lines.push(self.words.suppress(on_class, 0));
        }
        lines.push(format!("{visibility}class {} {{", self.class_name));
        let mut tests = Vec::new();
        for method in methods {
            lines.push(String::new());
            // The line on top comes last, and lines are counted from 1.
            let first = lines.len() + 2;
            tests.push(EmittedTest {
                test: method.test,
                name: method.name.clone(),
                lines: (first, first + method.lines.len() - 1),
                checks: method.checks.iter().map(|(check, line)| (*check, first + line)).collect(),
            });
            lines.extend(method.lines.iter().cloned());
        }
        for aid in &self.aids {
            lines.push(String::new());
            lines.extend(aid.iter().cloned());
        }
        lines.push("}".into());
        let folder = self.package.replace('.', "/");
        let slash = if folder.is_empty() { "" } else { "/" };
        JavaFile {
            package: self.package.to_owned(),
            path: format!("{folder}{slash}{}.java", self.class_name),
            text: stamp(&(lines.join("\n") + "\n")),
            class_name: self.class_name,
            tests,
        }
    }

    /// Static imports, then the others, each sorted; of classes only those this file speaks of.
    fn imports(&self, methods: &[Method]) -> [Vec<String>; 2] {
        let statics: BTreeSet<&String> = methods.iter().flat_map(|method| &method.statics).collect();
        let words: BTreeSet<&str> = methods
            .iter()
            .flat_map(|method| &method.lines)
            .chain(self.aids.iter().copied().flatten())
            .flat_map(|line| {
                line.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')
            })
            .collect();
        let is_used =
            |import: &String| import.rsplit('.').next().is_some_and(|simple| words.contains(simple));
        [
            statics.into_iter().map(|method| format!("import static {method};")).collect(),
            self.scope
                .imports()
                .into_iter()
                .filter(is_used)
                .map(|class| format!("import {class};"))
                .collect(),
        ]
    }
}
