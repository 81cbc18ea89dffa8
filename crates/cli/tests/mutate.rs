//! `jurat mutate` as people and scripts meet it: the real binary, real JVMs, JUnit from its jars.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;

use jurat_testkit::machine::{compile, jar, jdks, repository};
use serde_json::Value;
use tempfile::TempDir;

static CLASSES: LazyLock<TempDir> =
    LazyLock::new(|| compile(&jdks()[0], &repository("subjects/mutated/src"), &[]));

static PASSING: LazyLock<TempDir> = LazyLock::new(|| tests("passing"));

/// Mockito and what it needs.
fn mockito() -> [PathBuf; 4] {
    ["mockito-core-5.20.0", "byte-buddy-1.17.7", "byte-buddy-agent-1.17.7", "objenesis-3.3"].map(jar)
}

/// Compiles tests of the subject.
fn tests(folder: &str) -> TempDir {
    let jars =
        [jar("junit-platform-console-standalone-1.13.4"), jar("junit-4.13.2"), CLASSES.path().to_owned()];
    let path = std::env::join_paths(jars.into_iter().chain(mockito())).expect("paths without colons");
    let path = path.to_str().expect("paths are text");
    compile(&jdks()[0], &repository(&format!("subjects/mutated/{folder}")), &["-cp", path])
}

fn jurat(tests: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    jurat_with(&[], tests, arguments)
}

/// The same with jars beside the classes.
#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn jurat_with(jars: &[PathBuf], tests: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    let path = std::env::join_paths(std::iter::once(CLASSES.path()).chain(jars.iter().map(PathBuf::as_path)));
    command.arg("mutate").arg("--classpath").arg(path.expect("paths without colons"));
    command.arg("--tests").arg(tests.path());
    command.args(arguments);
    let Output { status, stdout, stderr } = command.output().expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// The JSON document of a run that succeeds.
fn judged(arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = jurat(&PASSING, &[arguments, &["--format", "json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
    serde_json::from_str(&stdout).expect("one JSON document")
}

/// `method: change` of the mutants with a verdict.
fn with<'d>(document: &'d Value, verdict: &str) -> Vec<(String, &'d Value)> {
    let mutants = document["mutants"].as_array().expect("a list");
    let found = mutants.iter().filter(|mutant| mutant["verdict"] == verdict);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    found
        .map(|mutant| (format!("{}: {}", text(&mutant["method"]), text(&mutant["change"])), mutant))
        .collect()
}

#[test]
fn a_suite_of_all_kinds_of_tests_is_judged() {
    let document = judged(&["--class", "purse.Purse"]);
    let survivors: Vec<String> = with(&document, "survived").into_iter().map(|(told, _)| told).collect();
    // Nobody fills the purse to its limit, and nobody halves an empty one or asks a full one whether it is empty.
    let expected =
        ["add: `>` became `>=`", "half: `0` became `1`", "isEmpty: returns true instead of its result"];
    assert_eq!(survivors, expected, "{document:#}");
    assert_eq!(document["not_reached"], 0);
    assert_eq!(document["tests"], 8, "{document:#}");
    let left_out = serde_json::json!(["purse.PurseThreadTest.leavesAThread"]);
    assert_eq!((&document["left_out_tests"], &document["lost_runs"]), (&left_out, &0.into()));
    let killed = with(&document, "killed");
    let by = |test: &str| {
        killed.iter().any(|(_, mutant)| mutant["killed_by"].as_str().is_some_and(|by| by.starts_with(test)))
    };
    assert!(by("purse.PurseTest.halfOfSixIsThree"), "{document:#}");
    assert!(by("purse.PurseFourTest."), "{document:#}");
    assert!(by("purse.PurseParameterTest$WhenNew.itIsEmpty"), "{document:#}");
}

#[test]
fn a_suite_that_mocks_what_it_tests_is_judged() {
    let arguments = ["--class", "purse.Purse", "--operators", "return", "--format", "json"];
    let (code, stdout, stderr) = jurat_with(&mockito(), &tests("mocking"), &arguments);
    assert_eq!(code, Some(0), "{stderr}");
    let document: Value = serde_json::from_str(&stdout).expect("one JSON document");
    let killed = with(&document, "killed");
    let coins = killed.iter().find(|(told, _)| told == "coins: returns 0 instead of its result");
    let by = coins.map(|(_, mutant)| &mutant["killed_by"]);
    assert_eq!(by, Some(&"purse.PurseMockTest.theRealOneStillCounts".into()), "{document:#}");
}

#[test]
fn an_endless_loop_is_a_timeout_and_a_mutant_of_an_initializer_is_seen() {
    let document = judged(&["--class", "purse.Purse", "--operators", "arithmetic,return,call"]);
    let how = |wanted: &str| {
        let killed = with(&document, "killed");
        let found = killed.iter().find(|(told, _)| told == wanted);
        found.map(|(_, mutant)| mutant["how"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(how("half: `+` became `-`").as_deref(), Some("timeout"), "{document:#}");
    assert_eq!(how("half: returns 0 instead of its result").as_deref(), Some("assertion"), "{document:#}");
    let limit = how("limit: returns 0 instead of its result");
    assert_eq!(limit.as_deref(), Some("java.lang.IllegalStateException"), "{document:#}");
}

#[test]
fn verdicts_do_not_depend_on_the_number_of_workers() {
    let mut documents = ["1", "3"].map(|workers| judged(&["--class", "purse.Purse", "--workers", workers]));
    for document in &mut documents {
        for time in ["seconds", "mutants_per_second"] {
            document[time] = Value::Null;
        }
    }
    let [one, three] = documents;
    assert_eq!(one, three);
}

#[test]
fn survivors_are_shown_in_their_source_and_a_low_score_is_an_exit_code() {
    let sources = repository("subjects/mutated/src");
    let sources = sources.to_str().expect("the path is text");
    let arguments = ["--class", "purse.Purse", "--sourcepath", sources, "--operators", "boundary"];
    let (code, stdout, _) = jurat(&PASSING, &[&arguments[..], &["--threshold", "60"]].concat());
    assert_eq!(code, Some(0), "{stdout}");
    let shown = "purse.Purse.add, line 20: `>` became `>=`
       19 |         }
  >    20 |         if (coins + more > LIMIT) {
       21 |             throw new IllegalStateException(\"full\");
";
    assert!(stdout.contains(shown), "{stdout}");
    assert!(stdout.contains("score: 2 of 3 mutants killed, 66.7 %"), "{stdout}");
    let (code, stdout, _) = jurat(&PASSING, &[&arguments[..], &["--threshold", "67"]].concat());
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("the threshold is 67 %"), "{stdout}");
}

/// Fails with exit code 2, prints nothing, and says these things.
fn check_refused(tests: &TempDir, arguments: &[&str], messages: &[&str]) {
    let (code, stdout, stderr) = jurat(tests, arguments);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    for message in messages {
        assert!(stderr.contains(message), "{message} in {stderr}");
    }
}

#[test]
fn a_suite_that_fails_is_refused_and_its_tests_are_named() {
    let failing = tests("failing");
    let messages = [
        "2 tests fail before anything was changed",
        "purse.PurseWrongTest.isWrong: org.opentest4j.AssertionFailedError: expected: <1> but was: <0>",
        "purse.PurseWrongTest$Others.isWrongForSeven: ",
        "expected: <7> but was: <0>",
    ];
    check_refused(&failing, &[], &messages);
}

#[test]
fn a_folder_without_tests_and_a_class_that_no_test_reaches_are_refused() {
    check_refused(&tests("idle"), &[], &["no JUnit tests in"]);
    check_refused(&PASSING, &["--class", "purse.Unused"], &["none of the 8 tests reaches purse.Unused"]);
    check_refused(&PASSING, &["--class", "purse.Absent"], &["purse.Absent"]);
    check_refused(&PASSING, &["--operators", "quantum"], &["unknown operator `quantum`"]);
}

static SHOP: LazyLock<TempDir> =
    LazyLock::new(|| compile(&jdks()[0], &repository("examples/shop/src/main/java"), &[]));

/// The JSON document of `jurat generate` for the example.
#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn generated(arguments: &[&str]) -> Value {
    let out = tempfile::tempdir().expect("a scratch folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.arg("generate").arg("--classpath").arg(SHOP.path()).arg("--out").arg(out.path().join("tests"));
    command.arg("--findings").arg(out.path().join("findings"));
    command.args(["--seed", "1", "--steps", "8000", "--format", "json"]).args(arguments);
    let Output { stdout, stderr, .. } = command.output().expect("the binary was built");
    let told = String::from_utf8_lossy(&stderr);
    serde_json::from_slice(&stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
}

#[test]
fn chosen_assertions_kill_what_all_of_them_kill() {
    let (all, chosen) = (generated(&["--all-assertions"]), generated(&[]));
    let mutants = |document: &Value, name: &str| document["mutants"][name].as_u64().expect("a number");
    assert!(mutants(&all, "killed") > 300, "{all:#}");
    assert_eq!(mutants(&chosen, "killed"), mutants(&all, "killed"));
    assert_eq!(mutants(&chosen, "total"), mutants(&all, "total"));
    // A test that does not pass in a fresh JVM takes its assertions with it after they were counted.
    assert_eq!(mutants(&chosen, "assertions_before"), mutants(&all, "assertions_before"));
    assert!(mutants(&all, "assertions") * 10 > mutants(&all, "assertions_before") * 9, "{all:#}");
    assert!(mutants(&chosen, "assertions") < mutants(&all, "assertions"), "{chosen:#}");
}
