//! `jurat generate --strategy exhaustive`: structures of classes with a predicate become tests and inputs.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use jurat_testkit::machine::{compile, jdks, repository};
use tempfile::TempDir;

static CLASSES: LazyLock<TempDir> =
    LazyLock::new(|| compile(&jdks()[0], &repository("subjects/methods/src"), &["-parameters"]));

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn generate(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.current_dir(folder).arg("generate").arg("--classpath").arg(CLASSES.path()).args(arguments);
    let Output { status, stdout, stderr } = command.output().expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn structures_become_the_same_tests_for_any_number_of_workers() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let run = |workers: &str, strategy: &str| {
        let arguments =
            ["--class", "methods.IntSet", "--strategy", strategy, "--steps", "1500", "--seed", "3"];
        let place = ["--workers", workers, "--out", workers];
        let (code, _, stderr) = generate(folder.path(), &[&arguments[..], &place].concat());
        assert!(code == Some(0) || code == Some(1), "{stderr}");
        // Trees of at most four keys of five: each set of keys in every shape.
        assert!(
            stderr.contains("146 structures of size 4, 146 of them made by public operations"),
            "{stderr}"
        );
        let file = folder.path().join(workers).join("methods/IntSetJuratTest.java");
        std::fs::read_to_string(file).expect("a suite")
    };
    let alone = run("1", "exhaustive");
    assert!(alone.contains("void removeMin_"), "{alone}");
    assert_eq!(run("2", "exhaustive"), alone);
    // The random strategy goes on from the structures.
    let both = run("3", "exhaustive,random");
    assert!(both.contains("void add_"), "{both}");
}

#[test]
fn a_class_without_a_predicate_has_nothing_to_enumerate() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let arguments = ["--class", "methods.IntSets", "--strategy", "exhaustive", "--steps", "100"];
    let (code, _, stderr) = generate(folder.path(), &arguments);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("named repOK, repOk"), "{stderr}");
}

#[test]
fn structures_are_part_of_what_is_done_if_nobody_chooses() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let goals = |class: &str, more: &[&str]| {
        let arguments = ["--class", class, "--seed", "3", "--format", "json", "--out", "out"];
        let (code, stdout, stderr) = generate(folder.path(), &[&arguments[..], more].concat());
        assert!(code == Some(0) || code == Some(1), "{stderr}");
        let report: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
        let reached = |technique: &str| report["goals"][technique].as_u64();
        (reached("exhaustive"), reached("random"))
    };
    let steps = |strategy| ["--steps", "600", "--strategy", strategy];
    let (exhaustive, random) = goals("methods.IntSet", &["--steps", "600"]);
    assert!(exhaustive > Some(0) && random > Some(0), "{exhaustive:?} {random:?}");
    assert_eq!(goals("methods.IntSet", &steps("random")).0, None);
    assert_eq!(goals("methods.IntSets", &steps("auto")).0, None);
    // However short the time, calls at random have a turn.
    assert!(goals("methods.IntSet", &["--budget", "10ms"]).1 > Some(0));
}
