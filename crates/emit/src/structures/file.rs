//! One test class over structures: its imports, its members, and our own methods that it needs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use jurat_model::{ClassId, NameScope, Obstacle, Subject};

use super::recipe::{Helper, Helpers, Made, Writer, is_generic};
use super::{Recipe, Step, Structures, Tried};
use crate::lints::{self, Lint, Lints};
use crate::stamp::stamp;
use crate::{EmittedTest, JavaFile, Junit, TestId, layout};

/// How far members of the class, and statements in them, are indented.
pub(super) const MEMBER: usize = 4;
pub(super) const INDENT: usize = 8;

/// A test class under way.
pub(super) struct File<'a> {
    pub(super) about: &'a Structures<'a>,
    pub(super) scope: NameScope<'a>,
    pub(super) package: String,
    pub(super) class_name: String,
    /// Written before the class, such as `@RunWith(Parameterized.class)`.
    pub(super) annotations: Vec<String>,
    statics: BTreeSet<String>,
    helpers: Helpers,
    lints: Lints,
    /// The members, each with the name of the test that it is.
    members: Vec<(Option<String>, Vec<String>)>,
}

impl<'a> File<'a> {
    /// A class whose name tells the class under test and what is tried: `SearchTreeAddJuratTest`.
    pub(super) fn new(about: &'a Structures<'a>, what: &str) -> Result<Self, Obstacle> {
        let subject = about.subject;
        let package = subject.test_package(about.root).to_string();
        subject.classes().check_class(about.root, &package)?;
        let declared = &subject[about.root];
        let name = declared.source_name.strip_prefix(&*declared.package).unwrap_or(&declared.source_name);
        let stem = name.trim_start_matches('.').replace('.', "_");
        let plain = format!("{stem}{what}Test");
        let mut class_name = plain;
        while subject.package_declares(&package, &class_name) {
            class_name.insert(0, '_');
        }
        let mut scope = NameScope::new(subject, &package).without_deprecated_imports();
        scope.reserve(&class_name);
        let mut file = Self {
            about,
            scope,
            package,
            class_name,
            annotations: Vec::new(),
            statics: BTreeSet::new(),
            helpers: Helpers::new(),
            lints: Lints::new(),
            members: Vec::new(),
        };
        file.note_class(about.root);
        Ok(file)
    }

    pub(super) fn is_junit4(&self) -> bool {
        self.about.options.junit == Junit::Four
    }

    /// Imports a method of JUnit's assertions, and gives its name.
    pub(super) fn assertion(&mut self, name: &'static str) -> &'static str {
        let class = if self.is_junit4() { "org.junit.Assert" } else { "org.junit.jupiter.api.Assertions" };
        self.import_static(class, name);
        name
    }

    pub(super) fn import_static(&mut self, class: &str, name: &str) {
        self.statics.insert(format!("{class}.{name}"));
    }

    /// The annotation of this name, imported.
    pub(super) fn annotation(&mut self, class: &str) -> String {
        format!("@{}", self.scope.named(class))
    }

    /// The statements of a recipe.
    pub(super) fn recipe(&mut self, recipe: &Recipe) -> Result<Made, Obstacle> {
        let subject = self.about.subject;
        for step in &recipe.steps {
            if let Step::New { class, .. } | Step::Allocate { class } | Step::Set { class, .. } = step
                && let Some(class) = subject.classes().find(class)
            {
                self.note_class(class);
            }
        }
        Writer::new(subject, &mut self.scope, &mut self.helpers).write(recipe)
    }

    /// The warnings that using the method draws.
    pub(super) fn note_method(&mut self, tried: &Tried) {
        let subject = self.about.subject;
        self.note_class(subject[tried.op].owner);
        if subject[tried.op].is_deprecated {
            self.lints.insert(Lint::Deprecation);
        }
        let types: Vec<ClassId> =
            subject[tried.op].types().filter_map(|ty| subject.classes().erasure(ty).class_id()).collect();
        for class in types {
            self.note_class(class);
        }
    }

    fn note_class(&mut self, class: ClassId) {
        let subject = self.about.subject;
        lints::of_class(subject, class, &mut self.lints);
        if is_generic(subject, class) {
            self.lints.extend([Lint::Rawtypes, Lint::Unchecked]);
        }
    }

    /// The expression that is true while the predicate holds, and whether it may throw what must be declared.
    pub(super) fn holds(&mut self, name: &str) -> (String, bool) {
        let (subject, predicate) = (self.about.subject, self.about.predicate);
        let root = self.about.root;
        let owners =
            std::iter::once(root).chain(subject.classes().ancestors(root).iter().map(|above| above.class));
        let found = owners.flat_map(|owner| subject.operations_of(owner)).copied().find(|op| {
            let operation = &subject[*op];
            *operation.name == *predicate && operation.params.is_empty() && operation.kind.is_method()
        });
        if let Some(op) = found.filter(|op| subject.check_operation(*op, &self.package).is_ok()) {
            return (format!("{name}.{predicate}()"), !subject[op].throws.is_empty());
        }
        self.helpers.insert(Helper::Holds);
        (format!("holds({name})"), true)
    }

    /// Adds a member; `test` is its name if it is a test.
    pub(super) fn member(&mut self, test: Option<String>, lines: Vec<String>) {
        self.members.push((test, lines));
    }

    /// The finished class.
    pub(super) fn finish(mut self) -> JavaFile {
        for helper in self.helpers.clone() {
            let lines = self.helper(helper);
            self.members.push((None, lines));
        }
        let mut lines = Vec::new();
        if !self.package.is_empty() {
            lines.extend([format!("package {};", self.package), String::new()]);
        }
        let suppress = (!self.lints.is_empty()).then(|| {
            let name = self.scope.named("java.lang.SuppressWarnings");
            format!("@{name}({})", lints::argument(&self.lints))
        });
        let statics: Vec<String> = self.statics.iter().map(|name| format!("import static {name};")).collect();
        let imports = self.scope.imports().into_iter().map(|class| format!("import {class};")).collect();
        for group in [statics, imports] {
            if !group.is_empty() {
                lines.extend(group);
                lines.push(String::new());
            }
        }
        lines.extend(self.annotations.iter().cloned().chain(suppress));
        let visibility = if self.is_junit4() { "public " } else { "" };
        lines.push(format!("{visibility}class {} {{", self.class_name));
        let mut tests = Vec::new();
        for (name, member) in &self.members {
            lines.push(String::new());
            // The line on top comes last, and lines are counted from 1.
            let first = lines.len() + 2;
            if let Some(name) = name {
                let test = TestId { class: 0, test: tests.len() };
                let (name, lines) = (name.clone(), (first, first + member.len() - 1));
                tests.push(EmittedTest { test, name, lines, checks: Vec::new() });
            }
            lines.extend(member.iter().cloned());
        }
        lines.push("}".to_owned());
        let folder = self.package.replace('.', "/");
        let slash = if folder.is_empty() { "" } else { "/" };
        JavaFile {
            path: format!("{folder}{slash}{}.java", self.class_name),
            package: self.package,
            text: stamp(&(lines.join("\n") + "\n")),
            class_name: self.class_name,
            tests,
        }
    }

    fn helper(&mut self, helper: Helper) -> Vec<String> {
        let mut named = |class: &str| self.scope.named(class);
        let (object, string, class) =
            (named("java.lang.Object"), named("java.lang.String"), named("java.lang.Class"));
        let throws = named("java.lang.ReflectiveOperationException");
        let field = || "java.lang.reflect.Field";
        let text = match helper {
            Helper::Make => {
                let constructor = named("java.lang.reflect.Constructor");
                format!(
                    "private static {object} make({string} name) throws {throws} {{
    {constructor}<?> constructor = {class}.forName(name).getDeclaredConstructor();
    constructor.setAccessible(true);
    return constructor.newInstance();
}}"
                )
            }
            Helper::Allocate => format!(
                "/** An object on which no constructor was called: its class has none without parameters. */
private static {object} allocate({string} name) throws {throws} {{
    {field} unsafe = {class}.forName(\"sun.misc.Unsafe\").getDeclaredField(\"theUnsafe\");
    unsafe.setAccessible(true);
    return unsafe.getType()
            .getMethod(\"allocateInstance\", {class}.class)
            .invoke(unsafe.get(null), {class}.forName(name));
}}",
                field = named(field())
            ),
            Helper::Set => format!(
                "private static void set({object} object, {string} name, {object} value) throws {throws} {{
    for ({class}<?> type = object.getClass(); type != null; type = type.getSuperclass()) {{
        for ({field} field : type.getDeclaredFields()) {{
            if (field.getName().equals(name)) {{
                field.setAccessible(true);
                field.set(object, value);
                return;
            }}
        }}
    }}
    throw new {missing}(name);
}}",
                field = named(field()),
                missing = named("java.lang.NoSuchFieldException")
            ),
            Helper::Holds => {
                let method = named("java.lang.reflect.Method");
                let root = self.scope.class_text(self.about.root).unwrap_or_default();
                let predicate = self.about.predicate;
                format!(
                    "private static boolean holds({object} object) throws {throws} {{
    {method} predicate = {root}.class.getDeclaredMethod(\"{predicate}\");
    predicate.setAccessible(true);
    return (boolean) predicate.invoke(object);
}}"
                )
            }
        };
        text.lines().map(|line| format!("{}{line}", " ".repeat(MEMBER))).collect()
    }
}

/// A comment above a member; too long a text is cut.
pub(super) fn comment(text: &str) -> String {
    const LONGEST: usize = 90;
    let mut ascii = String::new();
    for letter in text.chars() {
        match letter {
            ' '..='~' => ascii.push(letter),
            _ => {
                let _ = write!(ascii, "?");
            }
        }
    }
    // What would end the comment, or be read before the comment is.
    let safe = ascii.replace("*/", "* /").replace("\\u", "\\ u");
    let short = if safe.len() > LONGEST { format!("{}...", &safe[..LONGEST - 3]) } else { safe };
    format!("{}/** {short} */", " ".repeat(MEMBER))
}

/// Statements as lines.
pub(super) fn statements(lines: &[String]) -> impl Iterator<Item = String> + '_ {
    lines
        .iter()
        .flat_map(|line| if line.is_empty() { vec![String::new()] } else { layout::lines(line, INDENT) })
}

/// Words of a name, joined: `Add` for `add`.
pub(super) fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Names of a method's parameters that no two share.
pub(super) fn param_names(subject: &Subject, tried: &Tried, root: &str) -> Vec<String> {
    let operation = &subject[tried.op];
    let mut names: Vec<String> = Vec::new();
    for position in 0..operation.params.len() {
        let known = operation.param_names.get(position).map(ToString::to_string);
        let own =
            known.filter(|name| jurat_model::is_identifier(name) && name != root && !names.contains(name));
        let others = operation.params.len() - usize::from(tried.at.is_some());
        let counted = if others == 1 { "value".to_owned() } else { format!("value{}", position + 1) };
        names.push(own.unwrap_or(counted));
    }
    names
}
