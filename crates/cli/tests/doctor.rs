//! `jurat doctor` as people and scripts meet it: the real binary, good and bad surroundings.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use jurat_testkit::machine::jdks;
use serde_json::Value;

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn doctor() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.arg("doctor").env_remove("JAVA_HOME").env_remove("JURAT_JARS");
    command
}

fn run(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.output().expect("the binary was built");
    assert_eq!(String::from_utf8_lossy(&stderr), "", "doctor complains on stderr");
    (status.code(), String::from_utf8(stdout).expect("text"))
}

fn diagnosis(command: &mut Command) -> (Option<i32>, Value) {
    let (code, text) = run(command.args(["--format", "json"]));
    (code, serde_json::from_str(&text).expect("one JSON document"))
}

/// A folder that looks like a JDK of the given version, with the given files.
fn fake_jdk(version: &str, files: &[&str]) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a scratch folder");
    fs::write(home.path().join("release"), format!("JAVA_VERSION=\"{version}\"\n")).expect("written");
    for file in files {
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().expect("below home")).expect("made");
        fs::write(path, "").expect("written");
    }
    home
}

/// Runs with `--jdk home`: not ready, and the first row says why.
fn check_refused(home: &Path, reason: &str) {
    let (code, text) = run(doctor().arg("--jdk").arg(home));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.starts_with("not ready: "), "{text}");
    // Where lines break depends on how long the path is.
    let row = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(row.contains(reason), "{text}");
}

#[test]
fn every_jdk_of_the_machine_is_listed_and_one_is_chosen() {
    let (code, diagnosis) = diagnosis(&mut doctor());
    let usable = diagnosis["jdk"]["usable"].as_array().expect("a list");
    for jdk in jdks() {
        let entry = usable.iter().find(|entry| entry["home"] == jdk.home.display().to_string());
        let entry = entry.unwrap_or_else(|| panic!("{} is not listed: {diagnosis}", jdk.home.display()));
        assert_eq!(entry["version"], jdk.version);
        assert_eq!(entry["feature"], jdk.feature);
    }
    assert!(diagnosis["jdk"]["chosen"]["home"].is_string(), "{diagnosis}");
    assert_eq!(code, Some(if diagnosis["ready"] == true { 0 } else { 3 }), "{diagnosis}");
}

#[test]
fn a_machine_that_can_run_jurat_is_told_so_first() {
    let (_, diagnosis) = diagnosis(&mut doctor());
    let (code, text) = run(&mut doctor());
    let expected = if diagnosis["ready"] == true { ("ready: ", 0) } else { ("not ready: ", 3) };
    assert!(text.starts_with(expected.0), "{text}");
    assert_eq!(code, Some(expected.1));
}

#[test]
fn text_for_a_pipe_has_no_colours_and_fits_on_a_screen() {
    let (_, text) = run(doctor().env("TERM", "xterm"));
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.lines().count() <= 24, "{text}");
}

#[test]
fn java_home_decides() {
    for jdk in jdks() {
        let (_, diagnosis) = diagnosis(doctor().env("JAVA_HOME", &jdk.home));
        let chosen = &diagnosis["jdk"]["chosen"];
        assert_eq!(chosen["home"], jdk.home.display().to_string());
        assert_eq!(chosen["by"], "JAVA_HOME");
    }
}

#[test]
fn a_java_home_that_leads_nowhere_is_said_first_and_others_are_offered() {
    let (code, text) = run(doctor().env("JAVA_HOME", "/no/jdk/here"));
    assert_eq!(code, Some(3), "{text}");
    let first_row = text.lines().nth(2).expect("a row after the verdict");
    assert!(first_row.starts_with("  NO  JDK") && first_row.contains("JAVA_HOME"), "{text}");
    assert!(text.contains("/no/jdk/here") && text.contains("such as /"), "{text}");
}

#[test]
fn without_a_path_jdks_are_still_found_and_nothing_else_is() {
    let (_, diagnosis) = diagnosis(doctor().env("PATH", "").env("HOME", "/nowhere"));
    assert_ne!(diagnosis["jdk"]["chosen"], Value::Null);
    assert_eq!(diagnosis["solvers"], serde_json::json!([]));
    assert_eq!(diagnosis["maven"], Value::Null);
    let topics: Vec<&Value> =
        diagnosis["optional"].as_array().expect("a list").iter().map(|lack| &lack["topic"]).collect();
    assert!(
        topics.contains(&&Value::from("solver")) && topics.contains(&&Value::from("Maven")),
        "{topics:?}"
    );
}

#[test]
fn an_old_jdk_is_refused_with_its_version() {
    let home = fake_jdk("11.0.2", &["bin/java", "lib/server/libjvm.so", "lib/modules"]);
    check_refused(home.path(), "Java 11.0.2");
    let home = fake_jdk("1.8.0_392", &["bin/java"]);
    check_refused(home.path(), "Java 1.8.0_392");
}

#[test]
fn a_jdk_without_a_jvm_library_is_refused() {
    let home = fake_jdk("17.0.1", &["bin/java", "lib/modules"]);
    check_refused(home.path(), "no lib/server/libjvm.so");
}

#[test]
fn a_jdk_without_a_compiler_is_refused() {
    let home = fake_jdk("17.0.1", &["bin/java", "lib/server/libjvm.so", "lib/modules"]);
    check_refused(home.path(), "has no bin/javac");
}

#[test]
fn a_folder_that_is_no_jdk_is_refused() {
    let home = tempfile::tempdir().expect("a scratch folder");
    check_refused(home.path(), "is no JDK: no release file");
}

#[test]
fn a_reader_that_leaves_early_is_no_failure_of_ours() {
    let mut child = doctor().stdout(Stdio::piped()).spawn().expect("the binary was built");
    drop(child.stdout.take());
    let code = child.wait().expect("it ends").code();
    assert!(matches!(code, Some(0 | 3)), "{code:?}");
}
