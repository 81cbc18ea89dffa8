//! Private access and mocks as people meet them: tests that read well, pass, and are skipped rather than fail when the
//! code they reach into changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jurat_classpath::jdk::Jdk;
use jurat_testkit::machine::{compile, jar, jdks, repository};
use jurat_validate::{Bench, Ended, Run, TestId};
use serde_json::Value;
use tempfile::TempDir;

const SUBJECT: &str = "subjects/pafm/src";

/// Runs `jurat generate` on the figure's classes and gives the JSON report.
fn generate(folder: &Path, jdk: &Jdk, arguments: &[&str]) -> Value {
    generate_for(SUBJECT, folder, jdk, arguments)
}

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn generate_for(subject: &str, folder: &Path, jdk: &Jdk, arguments: &[&str]) -> Value {
    let classes = compile(jdk, &repository(subject), &["-parameters"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.current_dir(folder).arg("generate").arg("--classpath").arg(classes.path()).args(arguments);
    command.args(["--out", "tests", "--seed", "1", "--steps", "8000", "--format", "json"]);
    command.arg("--jdk").arg(&jdk.home);
    command.env("JURAT_JARS", jar("junit-4.13.2").parent().expect("a folder of jars"));
    let Output { stdout, stderr, .. } = command.output().expect("the binary was built");
    serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&stderr)))
}

/// The report on one of our subjects, without private access, and the tests of one of its classes.
fn openly(subject: &str, class: &str) -> (Value, String) {
    let (folder, jdk) = (scratch(), jdks().remove(0));
    let told =
        generate_for(&format!("subjects/{subject}/src"), folder.path(), &jdk, &["--no-private-access"]);
    let source = fs::read_to_string(folder.path().join("tests").join(format!("{class}JuratTest.java")));
    let source = source.unwrap_or_else(|error| panic!("{error}: {told}"));
    (told, source)
}

/// The tests reach every branch.
fn assert_covered(told: &Value, source: &str) {
    let branches = &told["coverage"]["branch"];
    assert_eq!(branches["covered"], branches["total"], "{told}\n{source}");
}

fn text(folder: &Path, class: &str) -> String {
    fs::read_to_string(folder.join("tests/figure").join(format!("{class}JuratTest.java"))).unwrap_or_default()
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

/// How many tests pass, are skipped and fail.
#[derive(Debug, PartialEq, Eq)]
struct Count {
    passed: usize,
    skipped: usize,
    failed: usize,
}

/// Emitted tests of a class, compiled against the figure's classes with pieces of text replaced.
struct Changed {
    bench: Bench,
    compiled: PathBuf,
    /// The folders of all this.
    _folders: [TempDir; 2],
}

fn changed(folder: &Path, jdk: &Jdk, class: &str, changes: &[(&str, &str)]) -> Changed {
    let changed = scratch();
    for entry in fs::read_dir(repository(SUBJECT).join("figure")).expect("it is there") {
        let path = entry.expect("it can be read").path();
        let mut source = fs::read_to_string(&path).expect("text");
        if path.file_stem().is_some_and(|stem| stem == class) {
            for (old, new) in changes {
                assert!(source.contains(old), "{class} has no `{old}`");
                source = source.replace(old, new);
            }
        }
        fs::write(changed.path().join(path.file_name().expect("a name")), source).expect("written");
    }
    let classes = compile(jdk, changed.path(), &[]);
    let jars = ["junit-platform-console-standalone-1.13.4", "mockito-core-5.20.0", "byte-buddy-1.17.7"];
    let jars = jars.iter().chain(&["byte-buddy-agent-1.17.7", "objenesis-3.3"]);
    let bench = Bench {
        jdk: jdk.clone(),
        class_path: vec![classes.path().to_owned()],
        junit: jars.map(|name| jar(name)).collect(),
        scratch: changed.path().to_owned(),
        stop: std::sync::Arc::default(),
    };
    let file: PathBuf = folder.join("tests/figure").join(format!("{class}JuratTest.java"));
    let compiled = changed.path().join("compiled");
    assert_eq!(bench.compile(std::slice::from_ref(&file), &compiled).expect("javac runs"), []);
    Changed { bench, compiled, _folders: [changed, classes] }
}

/// Runs emitted tests against the figure's classes with pieces of text replaced.
fn against(folder: &Path, jdk: &Jdk, class: &str, changes: &[(&str, &str)]) -> Count {
    let Changed { bench, compiled, _folders } = changed(folder, jdk, class, changes);
    let source = text(folder, class);
    let methods = source.lines().filter_map(|line| line.trim().strip_prefix("void ")?.split('(').next());
    let class = format!("figure.{class}JuratTest");
    let tests: Vec<TestId> =
        methods.map(|method| TestId { class: class.clone(), method: method.to_owned() }).collect();
    let results = bench.run(&tests, &compiled, Run::Shuffled(1), None).expect("the tests run");
    // Every test ran several times: it counts once for each way to end.
    let count = |wanted: &dyn Fn(&Ended) -> bool| {
        let ended = results.iter().filter(|result| wanted(&result.ended)).map(|result| &result.test);
        ended.collect::<BTreeSet<_>>().len()
    };
    let is_skip = |ended: &Ended| matches!(ended, Ended::Failed { exception, .. } if exception.ends_with("TestAbortedException"));
    let passed = count(&|ended| *ended == Ended::Passed);
    let skipped = count(&is_skip);
    let failed = count(&|ended| *ended != Ended::Passed && !is_skip(ended));
    Count { passed, skipped, failed }
}

/// As `against`, by JUnit itself, which knows of rules and extensions.
#[expect(clippy::disallowed_methods, reason = "JUnit's own launcher is what people run")]
fn in_junit(folder: &Path, jdk: &Jdk, class: &str, changes: &[(&str, &str)]) -> Count {
    let Changed { bench, compiled, _folders } = changed(folder, jdk, class, changes);
    let entries = bench.junit.iter().chain(&bench.class_path).chain([&compiled]);
    let mut command = Command::new(jdk.home.join("bin/java"));
    command.arg("-cp").arg(std::env::join_paths(entries).expect("no colons"));
    command.args(["org.junit.platform.console.ConsoleLauncher", "execute", "--details=summary"]);
    command.arg(format!("--select-class=figure.{class}JuratTest"));
    let Output { stdout, stderr, .. } = command.output().expect("java starts");
    let told = String::from_utf8_lossy(&stdout).into_owned();
    let count = |what: &str| {
        let line = told.lines().find(|line| line.contains(&format!(" tests {what} ")));
        let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        number.unwrap_or_else(|| panic!("{told}{}", String::from_utf8_lossy(&stderr)))
    };
    Count { passed: count("successful"), skipped: count("aborted"), failed: count("failed") }
}

#[test]
fn both_branches_of_a_private_method_are_shown_and_refactoring_skips_tests_instead_of_failing_them() {
    let (folder, jdk) = (scratch(), jdks().remove(0));
    let told = generate(folder.path(), &jdk, &[]);
    assert_eq!(told["removed"]["uncompilable"], 0, "{told}");

    let figure = text(folder.path(), "Pafm");
    let shown = "Method checkIfOk = method(Pafm.class, \"checkIfOk\", AnInterface.class);";
    assert_eq!(figure.matches(shown).count(), 2, "{figure}");
    assert!(figure.contains("assertTrue(result);") && figure.contains("assertFalse(result);"), "{figure}");
    let renamed = against(folder.path(), &jdk, "Pafm", &[("checkIfOk", "isFine")]);
    assert_eq!((renamed.failed, renamed.skipped), (0, 2), "{renamed:?}");

    let mocked = text(folder.path(), "Thermostat");
    assert!(mocked.contains("Gauge gauge = mock(Gauge.class, this::unplanned);"), "{mocked}");
    assert!(mocked.contains("doReturn(true).when(gauge).isBroken();"), "{mocked}");
    assert!(!mocked.contains("verify("), "{mocked}");
    assert!(!mocked.contains("assertThrows("), "{mocked}");
    let refactored = [
        ("        int temperature = gauge.temperature();\n", ""),
        ("isBroken();\n", "isBroken();\n        int temperature = gauge.temperature();\n"),
        ("return corrections > 1000000;", "return corrections() > 1000000;"),
    ];
    let changed = against(folder.path(), &jdk, "Thermostat", &refactored);
    assert_eq!((changed.failed, changed.skipped), (0, 0), "{changed:?}");
    let asking = [(
        "gauge.reset();",
        "gauge.reset();\n        try {\n            gauge.isFreezing();\n        } catch (RuntimeException swallowed) {\n            corrections += 0;\n        }",
    )];
    let changed = against(folder.path(), &jdk, "Thermostat", &asking);
    assert!(changed.failed == 0 && changed.skipped > 2, "{changed:?}");
    let changed = in_junit(folder.path(), &jdk, "Thermostat", &WRAPPING);
    assert!(changed.failed == 0 && changed.skipped > 2, "{changed:?}");
}

/// Makes an exception of its own of what a mock throws.
const WRAPPING: [(&str, &str); 1] = [(
    "gauge.reset();",
    "gauge.reset();\n        try {\n            gauge.isFreezing();\n        } catch (RuntimeException thrown) {\n            throw new IllegalStateException(thrown);\n        }",
)];

#[test]
fn tests_for_junit_4_skip_by_its_own_means_and_pass_on_the_newest_jdk() {
    let (folder, jdk) = (scratch(), jdks().pop().expect("a JDK"));
    let told = generate(folder.path(), &jdk, &["--junit", "4"]);
    assert_eq!(told["removed"]["uncompilable"], 0, "{told}");
    for (class, part) in
        [("Pafm", "throw new AssumptionViolatedException("), ("Thermostat", "this::unplanned")]
    {
        assert!(text(folder.path(), class).contains(part), "{class}: {told}");
    }
    let changed = in_junit(folder.path(), &jdk, "Thermostat", &WRAPPING);
    assert!(changed.failed == 0 && changed.skipped > 2, "{changed:?}");
}

#[test]
fn what_the_jdk_only_describes_is_mocked_though_a_getter_gives_one() {
    let (told, source) = openly("given", "given/Archive");
    assert!(source.contains("mock(DataSource.class, this::unplanned)"), "{source}");
    assert_covered(&told, &source);
}

#[test]
fn mocks_give_what_their_types_say_and_are_not_called() {
    let (told, source) = openly("answers", "desk/Desk");
    assert!(source.contains("Customer customer = new Customer("), "{source}");
    assert!(!source.contains("customers().limit()"), "{source}");
    assert_covered(&told, &source);
}

#[test]
fn state_that_asks_no_mock_is_asserted_though_other_state_would_ask_one() {
    let (_, source) = openly("asked", "asked/Heater");
    let regulated: Vec<&str> = source.split("@Test").filter(|test| test.contains(".regulate();")).collect();
    assert!(regulated.iter().any(|test| test.contains("assertTrue(heater.isOn());")), "{source}");
    assert!(!regulated.iter().any(|test| test.contains("isDense()")), "{source}");
}

#[test]
fn a_mock_that_is_handed_out_again_is_not_called() {
    let (folder, jdk) = (scratch(), jdks().remove(0));
    let told = generate_for("subjects/asked/src", folder.path(), &jdk, &[]);
    let files =
        fs::read_dir(folder.path().join("tests/asked")).unwrap_or_else(|error| panic!("{error}: {told}"));
    let sources = files.map(|file| fs::read_to_string(file.expect("it can be read").path()).expect("text"));
    let sources: String = sources.collect();
    assert!(sources.contains("assertSame(gauge, result);"), "{sources}");
    let planned = |line: &&str| line.trim().starts_with("doReturn(");
    let mut lines = sources.lines().filter(|line| !planned(line));
    let called = lines.find(|line| line.contains(".temperature()") || line.contains(".pressure()"));
    assert_eq!(called, None, "{sources}");
}

#[test]
fn static_fields_are_written_for_as_long_as_a_test_lasts() {
    for (jdk, junit) in jdks().into_iter().zip(["5", "4"].into_iter().cycle()) {
        let folder = scratch();
        let told = generate_for("subjects/lent/src", folder.path(), &jdk, &["--junit", junit]);
        let file = folder.path().join("tests/lent/OfficeJuratTest.java");
        let source = fs::read_to_string(file).unwrap_or_else(|error| panic!("{error}: {told}"));
        let planned: Vec<&str> =
            source.split("@Test").filter(|test| test.contains("(10, Office.plan(")).collect();
        assert!(!planned.is_empty(), "{told}\n{source}");
        for test in planned {
            assert!(test.contains("lend(Office.class, \"isOpen\", false);"), "{test}");
        }
        // Planning leaves nothing behind, although it writes to another field.
        assert!(source.contains("assertFalse(Office.get().isPlanned())"), "{source}");
        assert_eq!(told["removed"]["unstable"], 0, "{told}\n{source}");
    }
}

#[test]
fn without_leave_there_is_neither_reflection_nor_mockito() {
    let (folder, jdk) = (scratch(), jdks().remove(0));
    let told = generate(folder.path(), &jdk, &["--no-private-access", "--no-mocks"]);
    for class in ["Pafm", "Thermostat"] {
        let source = text(folder.path(), class);
        assert!(!source.contains("mockito") && !source.contains("reflect"), "{told}\n{source}");
    }
}
