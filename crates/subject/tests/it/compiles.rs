//! The strongest test of types, names and calls: for every operation, Java source that calls it with arguments
//! of the instantiated types, compiled with all warnings on and none allowed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use jurat_classpath::jdk::Jdk;
use jurat_model::{
    Call, CallStyle, Demand, Instance, JavaType, NameScope, Obstacle, OpId, Operation, Origin, Subject,
};

use jurat_testkit::machine;

use crate::{corpus, shapes};

/// Calls per source file: few enough for the compiler's limits on one class.
const CALLS: usize = 400;

/// From where operations are called.
#[derive(Clone, Copy)]
enum From<'a> {
    /// A package of its own: only what is public can be called.
    Outside(&'a str),
    /// Each class's own package.
    Inside,
}

struct Tally {
    calls: usize,
    raw: usize,
    refused: BTreeMap<String, usize>,
    unresolved: Vec<String>,
}

/// Writes a method that makes the call, twice: types inferred and types written out.
fn method(
    subject: &Subject,
    scope: &mut NameScope<'_>,
    instance: &Instance,
    name: &str,
) -> Result<String, Obstacle> {
    let mut params = Vec::new();
    if let Some(receiver) = &instance.receiver {
        params.push(format!("{} r", scope.type_text(receiver)?));
    }
    let args: Vec<String> = (0..instance.params.len()).map(|position| format!("a{position}")).collect();
    for (param, arg) in instance.params.iter().zip(&args) {
        params.push(format!("{} {arg}", scope.type_text(param)?));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let receiver = instance.receiver.as_ref().map(|_| "r");
    let mut call = Call { instance, receiver, args: &args, style: CallStyle::Inferred };
    let inferred = subject.call_text(scope, &call)?;
    call.style = CallStyle::Explicit;
    let explicit = subject.call_text(scope, &call)?;
    let result = subject.classes().denotable(&instance.result, scope.package());
    let body = if result == JavaType::Void {
        format!("{inferred}; {explicit};")
    } else {
        let result = scope.type_text(&result)?;
        format!("{result} x = {inferred}; {result} y = {explicit};")
    };
    Ok(format!("    static void {name}({}) throws Throwable {{ {body} }}\n", params.join(", ")))
}

fn has_raw(subject: &Subject, instance: &Instance) -> bool {
    let types = instance.receiver.iter().chain(&instance.params).chain([&instance.result]);
    types.into_iter().any(|ty| subject.classes().has_raw(ty))
}

/// Writes sources that call some operations, and says what could not be called.
fn write_calls<'s>(
    subject: &Subject,
    operations: impl Iterator<Item = &'s Operation>,
    from: From<'_>,
    folder: &Path,
) -> Tally {
    let mut tally = Tally { calls: 0, raw: 0, refused: BTreeMap::new(), unresolved: Vec::new() };
    let mut by_package: BTreeMap<String, Vec<OpId>> = BTreeMap::new();
    for operation in operations {
        let package = match from {
            From::Outside(package) => package.to_owned(),
            From::Inside => subject[operation.owner].package.to_string(),
        };
        match subject.check_operation(operation.id, &package) {
            Ok(()) => by_package.entry(package).or_default().push(operation.id),
            Err(why) => *tally.refused.entry(kind_of(&why)).or_default() += 1,
        }
    }
    for (package, operations) in by_package {
        for (number, some) in operations.chunks(CALLS).enumerate() {
            write_file(subject, &package, number, some, folder, &mut tally);
        }
    }
    tally
}

fn kind_of(why: &Obstacle) -> String {
    let debug = format!("{why:?}");
    debug.split('(').next().unwrap_or_default().to_owned()
}

fn write_file(
    subject: &Subject,
    package: &str,
    number: usize,
    operations: &[OpId],
    folder: &Path,
    tally: &mut Tally,
) {
    let class = format!("JuratProbe{number}");
    let mut scope = NameScope::new(subject, package);
    scope.reserve(&class);
    let mut body = String::new();
    for id in operations {
        let label = format!("{} {}", subject.member_name(&subject[*id]), subject[*id].descriptor);
        let demand = Demand { package: Some(package), ..Demand::default() };
        let Some(instance) = subject.instantiate(*id, &demand) else {
            tally.unresolved.push(label);
            continue;
        };
        match method(subject, &mut scope, &instance, &format!("m{}", id.index())) {
            Ok(text) => {
                let raw = has_raw(subject, &instance);
                tally.calls += 1;
                tally.raw += usize::from(raw);
                if raw {
                    body.push_str("    @SuppressWarnings({\"rawtypes\", \"unchecked\"})\n");
                }
                writeln!(body, "    // {label}").expect("strings grow");
                body.push_str(&text);
            }
            Err(why) => tally.unresolved.push(format!("{label}: {why}")),
        }
    }
    let mut text = if package.is_empty() { String::new() } else { format!("package {package};\n") };
    for import in scope.imports() {
        writeln!(text, "import {import};").expect("strings grow");
    }
    writeln!(text, "final class {class} {{\n{body}}}").expect("strings grow");
    let folder = folder.join(package.replace('.', "/"));
    std::fs::create_dir_all(&folder).expect("scratch is writable");
    std::fs::write(folder.join(format!("{class}.java")), text).expect("scratch is writable");
}

/// Compiles a call of every operation that can be called; all must compile without a warning.
fn check(subject: &Subject, jdk: &Jdk, class_path: &str, from: From<'_>, at_least: usize) {
    let scratch = tempfile::tempdir().expect("scratch folder");
    let tally = write_calls(subject, subject.operations_under_test(), from, scratch.path());
    // Deprecated operations and classes beside others in a file are used on purpose.
    let lint = "-Xlint:all,-deprecation,-removal,-synchronization,-dep-ann,-auxiliaryclass";
    // A short run: the slower compiler of the JVM does not pay.
    let short = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-proc:none", "-implicit:none"];
    let options = ["-cp", class_path, lint, "-Werror"];
    machine::compile(jdk, scratch.path(), &[&short[..], &options[..]].concat());
    eprintln!(
        "{} calls compile ({} mention raw types); refused {:?}; not instantiated {}",
        tally.calls,
        tally.raw,
        tally.refused,
        tally.unresolved.len()
    );
    assert!(tally.calls >= at_least, "only {} calls", tally.calls);
    assert!(tally.unresolved.is_empty(), "{:#?}", tally.unresolved);
}

#[test]
fn all_of_commons_collections_can_be_called_from_outside() {
    let (jdk, jar) = (corpus::jdk(), corpus::jars(&["commons-collections4-4.4"]));
    check(&corpus::load(&jar, &jdk, &[]), &jdk, &jar, From::Outside("probe"), 2600);
}

#[test]
fn all_of_commons_collections_can_be_called_from_inside() {
    let (jdk, jar) = (corpus::jdk(), corpus::jars(&["commons-collections4-4.4"]));
    check(&corpus::load(&jar, &jdk, &[]), &jdk, &jar, From::Inside, 3700);
}

#[test]
fn all_of_commons_lang_can_be_called_from_outside() {
    let (jdk, jar) = (corpus::jdk(), corpus::jars(&["commons-lang3-3.12.0"]));
    check(&corpus::load(&jar, &jdk, &[]), &jdk, &jar, From::Outside("probe"), 3000);
}

#[test]
fn all_of_commons_lang_can_be_called_from_inside() {
    let (jdk, jar) = (corpus::jdk(), corpus::jars(&["commons-lang3-3.12.0"]));
    check(&corpus::load(&jar, &jdk, &[]), &jdk, &jar, From::Inside, 3500);
}

#[test]
fn all_of_guava_can_be_called_from_outside() {
    let jdk = corpus::jdk();
    let jars = corpus::jars(&[
        "guava-33.4.8-jre",
        "failureaccess-1.0.3",
        "error_prone_annotations-2.36.0",
        "j2objc-annotations-3.0.0",
        "jspecify-1.0.0",
    ]);
    check(&corpus::load(&jars, &jdk, &["com.google.common.**"]), &jdk, &jars, From::Outside("probe"), 4700);
}

#[test]
fn all_shapes_can_be_called_from_outside_and_inside() {
    let (jdk, classes) = (corpus::jdk(), shapes::compiled());
    let path = classes.path().display().to_string();
    let subject = corpus::load(&path, &jdk, &[]);
    check(&subject, &jdk, &path, From::Outside("probe"), 120);
    check(&subject, &jdk, &path, From::Inside, 160);
}

#[test]
fn all_of_java_base_can_be_called_on_every_jdk() {
    for jdk in machine::jdks() {
        let subject = corpus::load("jrt:/java.base", &jdk, &[]);
        check(&subject, &jdk, "", From::Outside("jurat.probe"), 10_000);
    }
}

#[test]
fn what_helps_with_a_library_for_java_8_is_there_in_java_8_on_every_jdk() {
    for jdk in machine::jdks() {
        let jar = corpus::jars(&["commons-lang3-3.12.0"]);
        let subject = corpus::load(&jar, &jdk, &[]);
        let scratch = tempfile::tempdir().expect("scratch folder");
        let of_jdk = subject.operations().iter().filter(|helper| subject[helper.owner].origin == Origin::Jdk);
        let tally = write_calls(&subject, of_jdk, From::Outside("probe"), scratch.path());
        let short = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-proc:none"];
        machine::compile(
            &jdk,
            scratch.path(),
            &[&short[..], &["--release", "8", "-nowarn", "-cp", &jar]].concat(),
        );
        let newer = tally.refused.get("Newer").copied().unwrap_or(0);
        assert!(tally.calls > 2000 && newer > 100, "{} calls, {newer} newer", tally.calls);
    }
}
