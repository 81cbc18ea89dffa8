//! Finds JUnit tests in class files, and writes each as a sequence that a worker can run.
//!
//! A plain test is called as JUnit would call it: what comes before it, a new object, the test, what comes after it.
//! Whatever needs more of JUnit (parameters, extensions, rules, runners, expected exceptions) is left to JUnit's own
//! launcher, one test method at a time, and the sequence asks for the number of failures.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jurat_classfile::annotation::{Annotation, Retention};
use jurat_classfile::descriptor::MethodType;
use jurat_classfile::{Access, Attribute, ClassFile, Content, Method};
use jurat_classpath::ClassPath;

use super::ways::{Calls, Way};

/// A test method as people name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestName {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
}

impl std::fmt::Display for TestName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.class, self.method)
    }
}

/// A test and how to run it.
#[derive(Clone, Debug)]
pub(crate) struct JUnitTest {
    pub(crate) name: TestName,
    pub(crate) way: Way,
}

/// The tests of the classes in `tests`. Whatever else is needed to understand them is found in `all`.
pub(crate) fn find(tests: &ClassPath, all: &ClassPath) -> Vec<JUnitTest> {
    let mut finder = Finder { all, read: BTreeMap::new() };
    let names: Vec<&str> = tests.names().filter(|name| !name.ends_with("module-info")).collect();
    let mut found = Vec::new();
    for name in names {
        finder.class(name, &mut found);
    }
    found
}

struct Finder<'a> {
    all: &'a ClassPath,
    read: BTreeMap<String, Option<Rc<ClassFile>>>,
}

/// A class with those above it, as far as they are not the JDK's.
struct Family {
    /// The class first.
    classes: Vec<Rc<ClassFile>>,
    /// Whether the last one's superclass is `Object`, or JUnit 3's `TestCase`.
    root: Root,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Object,
    TestCase,
    Other,
}

const JUPITER: &str = "org/junit/jupiter/api/";
const FOUR: &str = "org/junit/";

impl Finder<'_> {
    fn get(&mut self, name: &str) -> Option<Rc<ClassFile>> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let bytes = self.all.read(name).ok().flatten();
        let class = bytes.and_then(|bytes| ClassFile::read(&bytes).ok()).map(Rc::new);
        self.read.insert(name.to_owned(), class.clone());
        class
    }

    fn family(&mut self, name: &str) -> Option<Family> {
        let mut classes = vec![self.get(name)?];
        loop {
            let above = classes.last().and_then(|class| class.super_name()).unwrap_or_default().into_owned();
            match &*above {
                "java/lang/Object" => return Some(Family { classes, root: Root::Object }),
                "junit/framework/TestCase" => return Some(Family { classes, root: Root::TestCase }),
                _ => match self.get(&above).filter(|_| classes.len() < 64) {
                    Some(class) => classes.push(class),
                    None => return Some(Family { classes, root: Root::Other }),
                },
            }
        }
    }

    fn class(&mut self, name: &str, into: &mut Vec<JUnitTest>) {
        let Some(family) = self.family(name) else { return };
        let class = Rc::clone(&family.classes[0]);
        let hidden = [Access::ABSTRACT, Access::SYNTHETIC, Access::INTERFACE, Access::ENUM];
        if hidden.iter().any(|flag| class.access.contains(*flag)) {
            return;
        }
        let marks = annotations(&class, &class.attributes);
        let is_nested = marks.iter().any(|mark| mark == &format!("{JUPITER}Nested"));
        if is_inner(&class) && !is_nested {
            return;
        }
        let methods = family.methods();
        let disabled = |marks: &[String]| {
            marks.iter().any(|mark| mark == &format!("{JUPITER}Disabled") || mark == &format!("{FOUR}Ignore"))
        };
        if disabled(&marks) {
            return;
        }
        let direct = if is_nested { None } else { self.direct(&family, &methods) };
        for method in &methods {
            let Some(kind) = method.kind(family.root).filter(|_| !disabled(&method.marks)) else { continue };
            let way = match (kind, &direct) {
                (Kind::Five, Some(calls)) => Way::Direct(calls.with(&method.name, &method.descriptor)),
                (Kind::Four, Some(calls)) if !method.has_elements => {
                    Way::Direct(calls.with(&method.name, &method.descriptor))
                }
                (Kind::Five | Kind::FiveOther, _) => Way::Launcher { parameters: method.parameters() },
                (Kind::Four, _) if marks.iter().any(|mark| mark == "org/junit/runner/RunWith") => {
                    Way::CoreClass
                }
                (Kind::Four | Kind::Three, _) => Way::Core,
            };
            let name = TestName { class: name.replace('/', "."), method: method.name.clone() };
            let whole = way == Way::CoreClass;
            into.push(JUnitTest { name, way });
            if whole {
                // One entry stands for the class: its runner decides what its tests are.
                break;
            }
        }
    }

    /// What runs around each test, if the class is plain enough to be run without JUnit.
    fn direct(&mut self, family: &Family, methods: &[Found]) -> Option<Calls> {
        if family.root != Root::Object || !self.is_plain(family) {
            return None;
        }
        let class = &family.classes[0];
        let constructors = class.methods.iter().filter(|method| class.pool.utf8(method.name) == "<init>");
        let constructors: Vec<&Method> = constructors.collect();
        let [constructor] = constructors[..] else { return None };
        if class.pool.utf8(constructor.descriptor) != "()V" {
            return None;
        }
        let mut calls = Calls::new(&class.name());
        // What a superclass has comes before, and after.
        for method in methods.iter().rev() {
            let is = |five: &str, four: &str| {
                let names = [format!("{JUPITER}{five}"), format!("{FOUR}{four}")];
                method.marks.iter().any(|mark| names.contains(mark))
            };
            let member = method.member();
            let no_arguments = method.descriptor.starts_with("()");
            let around = [
                (is("BeforeAll", "BeforeClass"), true, 0),
                (is("BeforeEach", "Before"), false, 1),
                (is("AfterEach", "After"), false, 2),
                (is("AfterAll", "AfterClass"), true, 3),
            ];
            for (_, is_static, place) in around.into_iter().filter(|(applies, ..)| *applies) {
                if !no_arguments || method.is_static != is_static {
                    return None;
                }
                match place {
                    0 => calls.before_all.push(member.clone()),
                    1 => calls.before_each.push(member.clone()),
                    2 => calls.after_each.insert(0, member.clone()),
                    _ => calls.after_all.insert(0, member.clone()),
                }
            }
        }
        Some(calls)
    }

    /// Whether nothing about the class asks JUnit for more than to call its methods.
    fn is_plain(&mut self, family: &Family) -> bool {
        let mut marks: BTreeSet<String> = BTreeSet::new();
        for class in &family.classes {
            if !self.interfaces_are_plain(class) {
                return false;
            }
            marks.extend(annotations(class, &class.attributes));
            for field in &class.fields {
                marks.extend(annotations(class, &field.attributes));
            }
            for method in &class.methods {
                marks.extend(annotations(class, &method.attributes));
            }
        }
        let nests = self.nests_tests(&family.classes[0]);
        !nests && marks.iter().all(|mark| self.is_harmless(mark))
    }

    fn interfaces_are_plain(&mut self, class: &ClassFile) -> bool {
        let names: Vec<String> = class.interface_names().map(std::borrow::Cow::into_owned).collect();
        names.iter().all(|name| match self.get(name) {
            None => !name.starts_with("org/junit/"),
            Some(interface) => {
                let marked = |method: &Method| {
                    annotations(&interface, &method.attributes).iter().any(|mark| mark.starts_with(FOUR))
                };
                !interface.methods.iter().any(marked) && self.interfaces_are_plain(&interface)
            }
        })
    }

    fn nests_tests(&mut self, class: &ClassFile) -> bool {
        let own = class.name().into_owned();
        let inner: Vec<String> =
            nested(class).filter(|name| name.starts_with(&own) && *name != own).collect();
        inner.iter().any(|name| {
            self.get(name).is_some_and(|inner| {
                annotations(&inner, &inner.attributes).iter().any(|mark| mark == &format!("{JUPITER}Nested"))
            })
        })
    }

    /// Whether an annotation changes nothing about how tests are run, or only what [`Finder::direct`] knows.
    fn is_harmless(&mut self, mark: &str) -> bool {
        const FIVE: [&str; 10] = [
            "Test",
            "BeforeEach",
            "AfterEach",
            "BeforeAll",
            "AfterAll",
            "DisplayName",
            "Tag",
            "Tags",
            "Disabled",
            "DisplayNameGeneration",
        ];
        const OF_FOUR: [&str; 7] =
            ["Test", "Before", "After", "BeforeClass", "AfterClass", "Ignore", "FixMethodOrder"];
        if let Some(name) = mark.strip_prefix(JUPITER) {
            return FIVE.contains(&name);
        }
        if let Some(name) = mark.strip_prefix(FOUR) {
            return OF_FOUR.contains(&name);
        }
        // An annotation of somebody else's may stand for one of JUnit's.
        self.get(mark).is_none_or(|annotation| {
            annotations(&annotation, &annotation.attributes).iter().all(|mark| !mark.starts_with(FOUR))
        })
    }
}

/// A method of a class or of one above it.
struct Found {
    class: String,
    name: String,
    descriptor: String,
    is_static: bool,
    is_private: bool,
    marks: Vec<String>,
    /// Whether JUnit 4's `@Test` asks for an exception or a time limit.
    has_elements: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Five,
    /// A test of JUnit 5 that is more than one run of a method.
    FiveOther,
    Four,
    Three,
}

impl Found {
    fn kind(&self, root: Root) -> Option<Kind> {
        let has = |name: &str| self.marks.iter().any(|mark| mark == name);
        let plain = self.descriptor == "()V";
        let other = ["RepeatedTest", "TestFactory", "TestTemplate"];
        if has(&format!("{JUPITER}Test")) && !self.is_private && !self.is_static {
            return Some(if plain { Kind::Five } else { Kind::FiveOther });
        }
        if has("org/junit/jupiter/params/ParameterizedTest")
            || other.iter().any(|name| has(&format!("{JUPITER}{name}")))
        {
            return Some(Kind::FiveOther);
        }
        if has(&format!("{FOUR}Test")) && plain {
            return Some(Kind::Four);
        }
        (root == Root::TestCase && self.name.starts_with("test") && plain && !self.is_private)
            .then_some(Kind::Three)
    }

    /// The types of the parameters as JUnit's selectors take them.
    fn parameters(&self) -> Vec<String> {
        let parsed = self.descriptor.parse::<MethodType>();
        let name = |kind: &jurat_classfile::descriptor::FieldType| java_name(&kind.to_string());
        parsed.map(|method| method.parameters.iter().map(name).collect()).unwrap_or_default()
    }

    fn member(&self) -> (String, String, String) {
        (self.class.clone(), self.name.clone(), self.descriptor.clone())
    }
}

/// A descriptor as the source writes the type.
fn java_name(descriptor: &str) -> String {
    let dimensions = descriptor.bytes().take_while(|byte| *byte == b'[').count();
    let element = &descriptor[dimensions..];
    let name = match element.as_bytes().first() {
        Some(b'L') => element[1..element.len() - 1].replace('/', "."),
        Some(letter) => jurat_classfile::descriptor::Primitive::from_letter(*letter)
            .map_or_else(String::new, |primitive| primitive.keyword().to_owned()),
        None => String::new(),
    };
    name + &"[]".repeat(dimensions)
}

impl Family {
    /// The methods of the class and of those above it that are not overridden, its own first.
    fn methods(&self) -> Vec<Found> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for class in &self.classes {
            for method in &class.methods {
                let (name, descriptor) = (class.pool.utf8(method.name), class.pool.utf8(method.descriptor));
                let is_private = method.access.contains(Access::PRIVATE);
                let fresh = is_private || seen.insert((name.to_string(), descriptor.to_string()));
                if !fresh || name.starts_with('<') || method.access.contains(Access::SYNTHETIC) {
                    continue;
                }
                found.push(Found {
                    class: class.name().into_owned(),
                    name: name.into_owned(),
                    descriptor: descriptor.into_owned(),
                    is_static: method.access.is_static(),
                    is_private,
                    marks: annotations(class, &method.attributes),
                    has_elements: visible(&method.attributes).any(|mark| {
                        !mark.elements.is_empty() && class.pool.utf8(mark.descriptor) == "Lorg/junit/Test;"
                    }),
                });
            }
        }
        found
    }
}

fn visible(attributes: &[Attribute]) -> impl Iterator<Item = &Annotation> {
    attributes.iter().flat_map(|attribute| match &attribute.content {
        Content::Annotations(Retention::Visible, annotations) => annotations.as_slice(),
        _ => &[],
    })
}

/// Binary names of the annotations that can be seen at run time.
fn annotations(class: &ClassFile, attributes: &[Attribute]) -> Vec<String> {
    let name = |annotation: &Annotation| {
        let descriptor = class.pool.utf8(annotation.descriptor);
        descriptor.trim_start_matches('L').trim_end_matches(';').to_owned()
    };
    visible(attributes).map(name).collect()
}

/// Names of the classes that a class says are nested somewhere.
fn nested(class: &ClassFile) -> impl Iterator<Item = String> + '_ {
    let entries = class.attributes.iter().filter_map(|attribute| match &attribute.content {
        Content::InnerClasses(classes) => Some(classes),
        _ => None,
    });
    entries.flatten().map(|inner| class.pool.class_name(inner.class).into_owned())
}

/// Whether objects of the class need one of the class around it, or it has no name.
fn is_inner(class: &ClassFile) -> bool {
    let entries = class.attributes.iter().filter_map(|attribute| match &attribute.content {
        Content::InnerClasses(classes) => Some(classes),
        _ => None,
    });
    let mut own = entries.flatten().filter(|inner| inner.class == class.this_class);
    own.any(|inner| !inner.access.is_static() || inner.outer.is_none() || inner.name.is_none())
}
