//! `jurat enumerate --method` and `--out`: methods run on every structure, and the tests that come of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use jurat_testkit::machine::{compile, jar, jdks, repository};
use jurat_validate::{Bench, Ended, JUnitSearch, Run, TestId, Version};
use serde_json::Value;
use tempfile::TempDir;

static CLASSES: LazyLock<TempDir> =
    LazyLock::new(|| compile(&jdks()[0], &repository("subjects/methods/src"), &["-parameters"]));

/// A folder to work in, where tests are written to.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a scratch folder") }
    }

    #[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
    fn jurat(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
        command.current_dir(self.folder.path());
        command.arg("enumerate").arg("--classpath").arg(CLASSES.path()).args(arguments);
        let Output { status, stdout, stderr } = command.output().expect("the binary was built");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (status.code(), text(stdout), text(stderr))
    }

    /// Runs with this exit code and gives the JSON document.
    fn tried(&self, code: i32, arguments: &[&str]) -> Value {
        let (ended, stdout, stderr) = self.jurat(&[arguments, &["--format", "json"]].concat());
        assert_eq!(ended, Some(code), "{arguments:?}: {stderr}");
        serde_json::from_str(&stdout).expect("one JSON document")
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).expect(path)
    }

    /// Compiles files without a warning and runs these tests of theirs: true for each that passes.
    fn run(&self, junit: Version, files: &[&str], tests: &[(&str, &str)]) -> Vec<bool> {
        let jars = jar("junit-4.13.2").parent().expect("a folder").to_owned();
        let search = JUnitSearch { folders: vec![jars], ..JUnitSearch::default() };
        let class_path = vec![CLASSES.path().to_owned()];
        let junit = search.find(junit).expect("run `make setup`").jars;
        let scratch = self.folder.path().join("check");
        std::fs::create_dir_all(&scratch).expect("a folder");
        let bench = Bench {
            jdk: jdks().remove(0),
            class_path,
            junit,
            scratch: scratch.clone(),
            stop: std::sync::Arc::default(),
        };
        let sources: Vec<PathBuf> = files.iter().map(|file| self.folder.path().join(file)).collect();
        let classes: &Path = &scratch.join("classes");
        assert_eq!(bench.compile(&sources, classes).expect("a compiler"), [], "no remarks");
        let tests: Vec<TestId> = tests
            .iter()
            .map(|(class, method)| TestId { class: (*class).to_owned(), method: (*method).to_owned() })
            .collect();
        let results = bench.run(&tests, classes, Run::Alone, None).expect("a JVM");
        results.iter().map(|result| result.ended == Ended::Passed).collect()
    }
}

#[test]
fn a_method_that_keeps_the_predicate_gets_a_suite_of_public_operations() {
    let place = Place::new();
    let tried =
        place.tried(0, &["--class", "methods.IntSet", "--size", "2", "--method", "add", "--out", "out"]);
    // No, one or two of the keys 0 to 2, in two shapes if there are two; three keys to add to each.
    assert_eq!((&tried["valid"], &tried["runs"]), (&Value::from(1 + 3 + 6), &Value::from(30)));
    assert_eq!(
        (&tried["tests"]["regression"], &tried["findings"]),
        (&Value::from(30), &Value::Array(vec![]))
    );
    let file = "out/methods/IntSetAddJuratTest.java";
    assert_eq!(tried["files"][0], file);
    let text = place.read(file);
    for line in [
        "    void add(String structure, IntSet intSet, int key, boolean expected, int minAfter,",
        "        assertEquals(expected, intSet.add(key));",
        "        assertTrue(intSet.repOK());",
        "                arguments(\"IntSet {root: null, size: 0}\", structure1(), 0, true, 0, 1),",
        "        intSet.add(0);",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    assert!(!text.contains("reflect"), "{text}");
    assert_eq!(place.run(Version::Five, &[file], &[("methods.IntSetAddJuratTest", "add")]), [true]);
}

#[test]
fn what_breaks_the_predicate_becomes_the_smallest_failing_test() {
    let place = Place::new();
    let tried = place
        .tried(1, &["--class", "methods.IntSet", "--size", "3", "--method", "removeMin", "--out", "out"]);
    assert_eq!(tried["findings"].as_array().map(Vec::len), Some(1), "{tried}");
    assert_eq!(tried["findings"][0]["contract"], "repOK holds afterwards");
    assert_eq!(tried["findings"][0]["test"], "removeMinKeepsRepOK");
    let finding = "jurat-findings/methods/IntSetRemoveMinJuratFindingTest.java";
    let text = place.read(finding);
    let calls: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("intSet.")).collect();
    // Three keys are the fewest with something right of the smallest.
    assert_eq!(calls.len(), 4, "{text}");
    assert_eq!(calls[3], "intSet.removeMin();");
    // The empty set throws, and that is asserted.
    let suite = "out/methods/IntSetRemoveMinJuratTest.java";
    assert!(place.read(suite).contains("IllegalStateException.class"));
    let class = "methods.IntSetRemoveMinJuratTest";
    let passed = place.run(
        Version::Five,
        &[suite, finding],
        &[
            (class, "removeMin"),
            (class, "removeMinThrows"),
            ("methods.IntSetRemoveMinJuratFindingTest", "removeMinKeepsRepOK"),
        ],
    );
    assert_eq!(passed, [true, true, false]);
}

#[test]
fn a_null_pointer_without_null_is_a_finding() {
    let place = Place::new();
    let tried = place.tried(1, &["--class", "methods.IntSet", "--size", "2", "--method", "min"]);
    assert_eq!(tried["findings"][0]["contract"], "no NullPointerException without null arguments");
    assert_eq!(tried["findings"][0]["runs"], 1);
    let text = place.read("jurat-findings/methods/IntSetMinJuratFindingTest.java");
    assert!(text.contains("        IntSet intSet = new IntSet();\n\n        intSet.min();\n"), "{text}");
}

#[test]
fn private_state_is_written_by_reflection_and_junit_4_has_a_class_for_each_table() {
    let place = Place::new();
    let arguments = ["--class", "methods.Buffer", "--size", "2", "--method", "push", "--out", "out"];
    let tried = place.tried(1, &[&arguments[..], &["--junit", "4", "--limit", "40"]].concat());
    assert_eq!(tried["findings"][0]["contract"], "x.equals(x)", "{tried}");
    let suites = ["out/methods/BufferPushJuratTest.java", "out/methods/BufferPushThrowsJuratTest.java"];
    let text = place.read(suites[0]);
    assert!(text.contains("@RunWith(Parameterized.class)\npublic class BufferPushJuratTest {"), "{text}");
    assert!(text.contains("assertTrue(holds(buffer));") && text.contains("set(buffer, \"data\", array);"));
    let finding = "jurat-findings/methods/BufferPushJuratFindingTest.java";
    let passed = place.run(
        Version::Four,
        &[suites[0], suites[1], finding],
        &[
            ("methods.BufferPushJuratTest", "push"),
            ("methods.BufferPushThrowsJuratTest", "pushThrows"),
            ("methods.BufferPushJuratFindingTest", "pushLeavesAnObjectThatEqualsItself"),
        ],
    );
    assert_eq!(passed, [true, true, false]);
}

#[test]
fn arguments_may_be_objects_of_the_structure() {
    let place = Place::new();
    place.tried(0, &["--class", "methods.Ring", "--size", "2", "--method", "has", "--out", "out"]);
    let file = "out/methods/RingHasJuratTest.java";
    let text = place.read(file);
    assert!(text.contains("@SuppressWarnings({\"rawtypes\", \"unchecked\"})"), "{text}");
    assert!(text.contains("        return arguments(\"structure 3\", ring, object, true, false);"), "{text}");
    assert_eq!(place.run(Version::Five, &[file], &[("methods.RingHasJuratTest", "has")]), [true]);
}

#[test]
fn structures_alone_make_a_suite_too() {
    let place = Place::new();
    let tried = place.tried(0, &["--class", "methods.Ring", "--size", "1", "--out", "out"]);
    assert_eq!(tried["tests"]["regression"], 3, "none, null, or an object");
    let file = "out/methods/RingStructuresJuratTest.java";
    assert_eq!(place.run(Version::Five, &[file], &[("methods.RingStructuresJuratTest", "isValid")]), [true]);
}

#[test]
fn boxes_and_arrays_are_values_too() {
    let place = Place::new();
    let arguments = ["--class", "methods.Counter", "--size", "1", "--method", "addAll", "--out", "out"];
    let tried = place.tried(0, &arguments);
    // A box of 0 or 1; null, no number, 0 or 1 to add.
    assert_eq!((&tried["valid"], &tried["runs"]), (&Value::from(2), &Value::from(2 * 4)), "{tried}");
    let file = "out/methods/CounterAddAllJuratTest.java";
    let text = place.read(file);
    assert!(text.contains("set(counter, \"count\", 0);"), "{text}");
    assert!(text.contains("structure1(), new int[] {1}, 1)"), "{text}");
    let class = "methods.CounterAddAllJuratTest";
    let tests = [(class, "addAll"), (class, "addAllThrows")];
    assert_eq!(place.run(Version::Five, &[file], &tests), [true, true]);
}

#[test]
fn a_static_method_may_take_the_structure() {
    let place = Place::new();
    let method = "methods.IntSets.scaledSize";
    let tried =
        place.tried(0, &["--class", "methods.IntSet", "--size", "1", "--method", method, "--out", "out"]);
    assert_eq!(tried["runs"], 3 * 2);
    let text = place.read("out/methods/IntSetScaledSizeJuratTest.java");
    assert!(text.contains("assertEquals(expected, IntSets.scaledSize(intSet, factor));"), "{text}");
}

#[test]
fn methods_that_do_not_end_well_are_reported_and_the_run_goes_on() {
    let place = Place::new();
    let finding = |method: &str| {
        let tried = place.tried(1, &["--class", "methods.Loops", "--size", "2", "--method", method]);
        assert_eq!(tried["runs"], 3, "{tried}");
        tried["findings"][0].clone()
    };
    let forever = finding("forever");
    assert!(forever["contract"].as_str().is_some_and(|text| text.contains("loops")), "{forever}");
    assert_eq!(forever["runs"], 2);
    let deep = finding("deep");
    assert_eq!((&deep["contract"], &deep["runs"]), (&Value::from("no StackOverflowError"), &Value::from(2)));
    let leave = finding("leave");
    assert_eq!(leave["runs"], 1, "{leave}");
}

#[test]
fn a_method_that_cannot_be_run_is_refused() {
    let place = Place::new();
    for (class, method, message) in [
        ("IntSet", "remove", "has no method remove; it has add, min, removeMin, size"),
        ("IntSet", "add(String)", "has no method add(String)"),
        ("IntSet", "methods.IntSets.notStatic", "it is not static"),
        ("IntSet", "methods.Loops.deep", "it does not take the class"),
        ("IntSet", "methods.Nowhere.deep", "has no class methods.Nowhere"),
        ("Loops", "hidden", "tests of its package cannot call it"),
    ] {
        let class = format!("methods.{class}");
        let (code, _, stderr) = place.jurat(&["--class", &class, "--size", "2", "--method", method]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
    }
}
