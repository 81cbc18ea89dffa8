//! `jurat enumerate` as people and scripts meet it: the real binary, a real JVM, our own Java classes.

mod structures;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use jurat_testkit::machine::{compile, jdks, repository};
use serde_json::Value;
use tempfile::TempDir;

/// Longer published runs are for `make bench`.
const LONGEST: u64 = 60_000;

static CLASSES: LazyLock<TempDir> =
    LazyLock::new(|| compile(&jdks()[0], &repository("subjects/structures/src"), &[]));

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn jurat(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.arg("enumerate").arg("--classpath").arg(CLASSES.path()).args(arguments);
    let Output { status, stdout, stderr } = command.output().expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// Runs to the end and gives the JSON document.
fn found(arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = jurat(&[arguments, &["--format", "json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
    serde_json::from_str(&stdout).expect("one JSON document")
}

fn found_in_file(class: &str, bounds: &str, more: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("bounds.toml");
    fs::write(&file, bounds).expect("written");
    let file = file.display().to_string();
    found(&[&["--class", class, "--finitization", &file, "--limit", "0"], more].concat())
}

/// Fails with exit code 2 and this message.
fn check_refused(arguments: &[&str], message: &str) {
    let (code, stdout, stderr) = jurat(arguments);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains(message), "{stderr}");
}

fn check_counts(structure: &str) {
    let class = format!("structures.{structure}");
    let mut checked = 0;
    for row in structures::rows() {
        if row.structure == structure && row.explored <= LONGEST {
            let found = found_in_file(&class, &structures::bounds(structure, &row.arguments), &[]);
            let counts = (found["explored"].as_u64(), found["valid"].as_u64());
            assert_eq!(counts, (Some(row.explored), Some(row.valid)), "{structure} {:?}", row.arguments);
            checked += 1;
        }
    }
    assert!(checked > 5, "{structure} is hardly counted");
}

#[test]
fn binary_trees_as_published() {
    check_counts("BinaryTree");
}

#[test]
fn search_trees_as_published() {
    check_counts("SearchTree");
}

#[test]
fn singly_linked_lists_as_published() {
    check_counts("SinglyLinkedList");
}

#[test]
fn sorted_lists_as_published() {
    check_counts("SortedList");
}

#[test]
fn heap_arrays_as_published() {
    check_counts("HeapArray");
}

#[test]
fn red_black_trees_as_published() {
    check_counts("RedBlackTree");
}

#[test]
fn the_lecture_s_nine_trees_in_its_order() {
    let found = found(&["--class", "structures.LectureTree", "--size", "3"]);
    let shapes: Vec<String> = found["structures"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| line.as_str().expect("text").replace("LectureTree {root: ", "").replace("Node", ""))
        .collect();
    let leaf = |node: &str| format!("{node} {{left: null, right: null}}");
    let expected = [
        "null}".to_owned(),
        format!("#0}}; {}", leaf("#0")),
        format!("#0}}; #0 {{left: null, right: #1}}; {}", leaf("#1")),
        format!("#0}}; #0 {{left: null, right: #1}}; #1 {{left: null, right: #2}}; {}", leaf("#2")),
        format!("#0}}; #0 {{left: null, right: #1}}; #1 {{left: #2, right: null}}; {}", leaf("#2")),
        format!("#0}}; #0 {{left: #1, right: null}}; {}", leaf("#1")),
        format!("#0}}; #0 {{left: #1, right: #2}}; {}; {}", leaf("#1"), leaf("#2")),
        format!("#0}}; #0 {{left: #1, right: null}}; #1 {{left: null, right: #2}}; {}", leaf("#2")),
        format!("#0}}; #0 {{left: #1, right: null}}; #1 {{left: #2, right: null}}; {}", leaf("#2")),
    ];
    assert_eq!(shapes, expected);
}

#[test]
fn other_structures_have_the_counts_that_arithmetic_gives_them() {
    let valid = |class: &str, size: u32| {
        let class = format!("structures.{class}");
        found(&["--class", &class, "--size", &size.to_string(), "--limit", "0"])["valid"].as_u64()
    };
    // Rings of one to three nodes, each marked or not.
    assert_eq!(valid("Ring", 3), Some(2 + 4 + 8));
    // Lists of zero to two nodes, each with one of three strings.
    assert_eq!(valid("DoublyLinkedList", 2), Some(1 + 3 + 9));
    // One literal of three, up to two negations around it, or an operator (one of three) on two literals (three
    // values each) with up to two negations in three places.
    let literals = 3 * 3;
    let (none, one, two) = (1, 3, 6);
    let one_binary = 3 * literals * (none + one + two);
    assert_eq!(valid("Expression", 2), Some(3 + 3 + 3 + one_binary));
    // No, one or two nodes; with two, each may point to the other.
    assert_eq!(found_graphs(), Some(1 + 1 + 4));
    assert_eq!(valid("Library", 1), Some(1 + 1 + 2 + 2 + 2));
    assert_eq!(valid("Sealed", 4), Some(3));
    // No room, one room, or two of them in two ways; each has one of three numbers, and the maze is open or not.
    assert_eq!(valid("Maze", 2), Some(1 + 2 * 3 + 2 * 2 * 9));
    // Nothing, sand, iron, or a crate with nothing, sand or an empty crate in it; on one of three decks.
    assert_eq!(valid("Hold", 2), Some(3 * 6));
}

/// Graphs of at most two nodes: three arrays, one for all nodes and one for each node's successors.
fn found_graphs() -> Option<u64> {
    let bounds = "size = 2\n[arrays.\"structures.Graph$Node[]\"]\ncount = 3\nlength = { min = 0, max = 2 }\n";
    found_in_file("structures.Graph", bounds, &[])["valid"].as_u64()
}

#[test]
fn any_number_of_workers_finds_the_same_structures_in_the_same_order() {
    let run = |workers: &str| {
        let mut found =
            found(&["--class", "structures.SinglyLinkedList", "--size", "7", "--workers", workers]);
        for timing in ["seconds", "explored_per_second"] {
            found[timing] = Value::Null;
        }
        found
    };
    let one = run("1");
    assert_eq!(one["structures"].as_array().map(Vec::len), Some(100));
    assert_eq!(run("2"), one);
    assert_eq!(run("4"), one);
}

#[test]
fn predicates_that_do_not_end_well_count_as_invalid_and_are_reported_once() {
    let run =
        |predicate: &str| found(&["--class", "structures.Unruly", "--size", "2", "--predicate", predicate]);
    let check = |found: &Value, reason: &str, valid: u64| {
        assert_eq!(found["valid"], valid, "{found}");
        let failures = found["failures"].as_array().expect("a list");
        let like = failures
            .iter()
            .filter(|failure| failure["reason"].as_str().is_some_and(|text| text.contains(reason)));
        assert_eq!(like.count(), 1, "{found}");
    };
    let throwing = run("throwing");
    // The first of kind 0 or 2, alone in a circle or before a second of any kind that leads anywhere.
    check(&throwing, "java.lang.IllegalStateException", 2 * (1 + 3 * 3));
    check(&throwing, "java.lang.NullPointerException", 2 * (1 + 3 * 3));
    // A list of one or two, each of three kinds; the others are circles.
    check(&run("looping"), "it looped", 3 + 9);
    check(&run("recursing"), "java.lang.StackOverflowError", 3 + 9);
    // Lists of 1 to 30, and each of them closed to a circle in every way. A stack that overflows costs a JVM once;
    // from then on recursion is cut before.
    let bounds = "[classes.\"structures.Unruly\"]\ncount = 30\nfields.kind = { min = 0, max = 0 }\n";
    let circles = found_in_file("structures.Unruly", bounds, &["--predicate", "recursing"]);
    assert_eq!(circles["failed"], 30 * 31 / 2, "{circles}");
    check(&circles, "java.lang.StackOverflowError", 30);
    let exiting = run("exiting");
    assert_eq!(exiting["valid"], 1 + 1 + 3 * 3, "{exiting}");
    check(&exiting, "end the JVM", 11);
}

#[test]
fn a_finitization_is_shown_and_read_back() {
    let (code, text, _) = jurat(&["--class", "structures.Expression", "--size", "2", "--show-finitization"]);
    assert_eq!(code, Some(0));
    let derived = found(&["--class", "structures.Expression", "--size", "2", "--limit", "0"]);
    let read = found_in_file("structures.Expression", &text, &[]);
    assert_eq!((&derived["explored"], &derived["valid"]), (&read["explored"], &read["valid"]), "{text}");
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    check_refused(&["--class", "structures.Nothing", "--size", "3"], "no class structures.Nothing");
    check_refused(
        &["--class", "structures.BinaryTree$Node", "--size", "3"],
        "looked for a method without parameters that returns boolean, named repOK, repOk",
    );
    check_refused(
        &["--class", "structures.Unruly", "--size", "3", "--predicate", "needsHelp"],
        "it has parameters",
    );
    check_refused(
        &["--class", "structures.Unruly", "--size", "3", "--predicate", "notAPredicate"],
        "it does not return boolean",
    );
    check_refused(
        &["--class", "structures.Unruly", "--size", "3", "--predicate", "absent"],
        "has no method absent()",
    );
    check_refused(&["--class", "structures.BinaryTree", "--size", "25"], "would never end");
    check_refused(
        &["--class", "structures.BinaryTree", "--size", "1000000"],
        "at most 65536 can be enumerated",
    );
    check_refused(&["--class", "structures.BinaryTree", "--size", "3", "--from", "9.9"], "the choice 9");
    check_refused(&["--class", "structures.BinaryTree", "--size", "3", "--from", "x"], "no vector");
    check_refused(&["--class", "structures.BinaryTree"], "--size");
    check_file_refused(
        "[classes.\"structures.Sealed\"]\nfields.limit = { min = 0, max = 1 }",
        ":2: field limit of structures.Sealed is final",
    );
    check_file_refused(
        "size = 1\n[classes.\"structures.Sealed\"]\nfields.made = { min = 0, max = 1 }",
        ":3: field made of structures.Sealed is static",
    );
    check_file_refused(
        "size = 1\n\n[classes.\"structures.Sealed\".fields]\nusd = { min = 0, max = 1 }",
        ":4: class structures.Sealed has no field usd; it has more and used",
    );
}

fn check_file_refused(bounds: &str, message: &str) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("bounds.toml");
    fs::write(&file, bounds).expect("written");
    check_refused(&["--class", "structures.Sealed", "--finitization", &file.display().to_string()], message);
}

#[test]
fn structures_are_drawn() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("trees.svg");
    let file = file.display().to_string();
    found(&["--class", "structures.BinaryTree", "--size", "3", "--draw", &file]);
    let page = fs::read_to_string(Path::new(&file)).expect("drawn");
    assert!(page.starts_with("<svg") && page.contains("9 structures"), "{page}");
    let nowhere = folder.path().join("no/trees.svg").display().to_string();
    check_refused(
        &["--class", "structures.BinaryTree", "--size", "3", "--draw", &nowhere],
        "its folder does not exist",
    );
}

#[test]
fn a_run_goes_on_from_the_vector_it_is_given() {
    let whole = found(&["--class", "structures.BinaryTree", "--size", "3"]);
    // root = Node#0, Node#0.left = Node#1: what comes after the trees without a left child.
    let rest = found(&["--class", "structures.BinaryTree", "--size", "3", "--from", "1.0.2"]);
    let (whole, rest) =
        (whole["structures"].as_array().expect("a list"), rest["structures"].as_array().expect("a list"));
    assert!(!rest.is_empty() && whole.ends_with(rest), "{rest:?}");
}

#[test]
fn it_works_on_every_jdk() {
    for jdk in jdks() {
        let found = found(&[
            "--class",
            "structures.HeapArray",
            "--size",
            "3",
            "--limit",
            "0",
            "--jdk",
            &jdk.home.display().to_string(),
        ]);
        assert_eq!(found["complete"], true, "{}", jdk.home.display());
        // Full arrays of length 0 to 3 with values 0 to 3: 1, 4, and heaps of two and three.
        assert_eq!(found["valid"], 1 + 4 + 10 + 30, "{found}");
    }
}
