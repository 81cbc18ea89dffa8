//! `jurat generate --strategy search`: sequences evolve towards branches that are hard to reach.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use jurat_testkit::machine::{compile, jar, jdks, repository};
use tempfile::TempDir;

static NEEDLES: LazyLock<TempDir> =
    LazyLock::new(|| compile(&jdks()[0], &repository("subjects/needles/src"), &[]));

fn generate(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    generate_for(NEEDLES.path(), folder, arguments)
}

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn generate_for(classes: &Path, folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.current_dir(folder).arg("generate").arg("--classpath").arg(classes);
    command.args(["--seed", "1", "--format", "json"]).args(arguments);
    let Output { stdout, stderr, .. } = command.output().expect("the binary was built");
    serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&stderr)))
}

#[test]
fn a_number_that_is_in_no_class_file_is_found_by_any_number_of_workers() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let run = |workers: &str| {
        let arguments = ["--class", "needles.ScaledConstant", "--strategy", "search", "--steps", "6000"];
        let report =
            generate(folder.path(), &[&arguments[..], &["--workers", workers, "--out", workers]].concat());
        assert_eq!(report["coverage"]["branch"]["covered"], 2, "{report}");
        assert!(report["goals"]["search"].as_u64() > Some(0), "{report}");
        let file = folder.path().join(workers).join("needles/ScaledConstantJuratTest.java");
        std::fs::read_to_string(file).expect("a suite")
    };
    let alone = run("1");
    assert!(alone.contains("308039"), "{alone}");
    assert_eq!(run("2"), alone);
}

#[test]
fn what_calls_at_random_leave_open_is_left_to_the_search() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let goals = |strategy: &str| {
        let arguments = ["--class", "needles.Lock", "--steps", "20000", "--out", strategy];
        let report = generate(folder.path(), &[&arguments[..], &["--strategy", strategy]].concat());
        (
            report["goals"]["random"].as_u64(),
            report["goals"]["search"].as_u64(),
            report["coverage"].to_string(),
        )
    };
    let (random, search, coverage) = goals("auto");
    assert!(random > Some(0) && search > Some(0), "{coverage}");
    assert_eq!(goals("random").1, None);
}

#[test]
fn strings_and_boxes_that_exist_at_run_time_only_are_found() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let classes = [
        "EqualText",
        "EqualIgnoringCase",
        "Suffix",
        "Inside",
        "Plate",
        "IsoDate",
        "BoxedConstant",
        "EqualArrays",
    ];
    let names: Vec<String> = classes.iter().map(|class| format!("needles.{class}")).collect();
    let mut arguments = vec!["--strategy", "search", "--steps", "12000", "--out", "out"];
    arguments.extend(names.iter().flat_map(|name| ["--class", name]));
    let report = generate(folder.path(), &arguments);
    let branches = &report["coverage"]["branch"];
    assert_eq!(branches["covered"], branches["total"], "{report}");
}

#[test]
fn letters_of_a_certain_kind_are_found() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let classes = compile(&jdks()[0], &repository("subjects/letters/src"), &[]);
    let arguments =
        ["--strategy", "search", "--steps", "12000", "--no-private-access", "--no-mocks", "--out", "out"];
    let report = generate_for(classes.path(), folder.path(), &arguments);
    let branches = &report["coverage"]["branch"];
    assert_eq!(branches["covered"], branches["total"], "{report}");
}

#[test]
fn collections_hold_what_they_should_and_say_so() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let classes = compile(&jdks()[0], &repository("subjects/held/src"), &[]);
    let arguments = ["--class", "held.Basket", "--strategy", "random", "--steps", "20000", "--out", "held"];
    let report = generate_for(classes.path(), folder.path(), &arguments);
    assert_eq!(report["coverage"]["branch"]["covered"], report["coverage"]["branch"]["total"], "{report}");
    let file = folder.path().join("held/held/BasketJuratTest.java");
    let suite = std::fs::read_to_string(file).expect("a suite");
    assert!(suite.contains("List<Basket.Item> ") && suite.contains("Map<String, Basket.Rate> "), "{suite}");
}

#[test]
fn most_of_forty_hard_branches_are_reached() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    generate(folder.path(), &["--strategy", "search", "--steps", "100000", "--out", "out"]);
    let files = std::fs::read_dir(folder.path().join("out/needles")).expect("tests");
    let text = |file: std::fs::DirEntry| std::fs::read_to_string(file.path()).expect("a suite");
    // Each hides `true`, or the number 1, behind one branch.
    let is_reached = |suite: &String| suite.contains("_returnsTrue") || suite.contains("_returns1");
    let reached = files.flatten().map(text).filter(is_reached).count();
    assert!(reached >= 34, "{reached} of 40");
    // Most of them share their source files with others, which is none of a test's business.
    let class_path = [NEEDLES.path().to_owned(), jar("junit-platform-console-standalone-1.13.4")];
    let class_path = class_path.map(|path| path.display().to_string()).join(":");
    let options = ["-proc:none", "-Xlint:all", "-Werror", "-cp", &class_path];
    compile(&jdks()[0], &folder.path().join("out"), &options);
}
