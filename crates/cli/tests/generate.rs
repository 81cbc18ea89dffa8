//! `jurat generate` as people and scripts meet it: the real binary, real JVMs, tests that compile and pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jurat_testkit::machine::{compile, compile_once, jar, jdks, repository};
use jurat_validate::{Bench, Ended, Group, Run, TestId, TestResult};
use serde_json::Value;
use tempfile::TempDir;

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

fn jars() -> PathBuf {
    jar("junit-4.13.2").parent().expect("a folder of jars").to_owned()
}

/// Runs `jurat generate` in a folder; gives its exit code and what it said.
#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn jurat(folder: &Path, class_path: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.args(["generate", "--classpath", class_path]).args(arguments);
    command.current_dir(folder).env("JURAT_JARS", jars()).env_remove("JAVA_HOME");
    let Output { status, stdout, stderr } = command.output().expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// Runs to the end and gives the JSON document.
fn report(folder: &Path, class_path: &str, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = jurat(folder, class_path, &[arguments, &["--format", "json"]].concat());
    assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {stderr}");
    serde_json::from_str(&stdout).expect("one JSON document")
}

/// All Java files below a folder, with their text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("it is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "java") {
                let text = fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The tests in emitted files.
fn tests_in(files: &[(PathBuf, String)]) -> Vec<TestId> {
    let mut tests = Vec::new();
    for (path, text) in files {
        let package = text.lines().find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let class = package.map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
        let methods = text.lines().filter_map(|line| line.trim().strip_prefix("void ")?.split('(').next());
        tests.extend(methods.map(|method| TestId { class: class.clone(), method: method.to_owned() }));
    }
    tests
}

/// How many tests fail when run against these classes, in this order.
fn failures(tests: &[TestId], compiled: &Path, bench: &Bench, run: Run) -> usize {
    let results = bench.run(tests, compiled, run, None).expect("the tests run");
    let distinct = |results: &mut dyn Iterator<Item = &TestResult>| {
        results.map(|result| &result.test).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(distinct(&mut results.iter()), tests.len());
    distinct(&mut results.iter().filter(|result| result.ended != Ended::Passed))
}

/// Changes of one operator each, as a careless refactoring makes them.
const CHANGES: [(&str, &str, &str); 5] = [
    ("range/Interval.java", "(long) end - start", "(long) end + start"),
    (
        "range/Interval.java",
        "start < other.end && other.start < end",
        "start < other.end || other.start < end",
    ),
    ("cache/LruCache.java", "hits++", "hits--"),
    ("cache/LruCache.java", "if (node != null) {", "if (node == null) {"),
    ("money/Money.java", "total += weight", "total -= weight"),
];

#[test]
fn the_suite_of_the_example_is_clean_passes_in_any_order_and_fails_when_an_operator_changes() {
    let jdk = jdks().remove(0);
    let folder = scratch();
    let library = repository("examples/shop/src/main/java");
    let classes = compile(&jdk, &library, &[]);
    let class_path = classes.path().display().to_string();
    let told = report(folder.path(), &class_path, &["--out", "tests", "--steps", "40000", "--seed", "4"]);
    assert_eq!(told["removed"]["uncompilable"], 0, "{told}");

    let files = sources(&folder.path().join("tests"));
    let tests = tests_in(&files);
    assert_eq!(told["tests"]["regression"], tests.len());
    assert!(tests.len() > 100, "{} tests", tests.len());
    let junit = ["junit-platform-console-standalone-1.13.4", "mockito-core-5.20.0", "byte-buddy-1.17.7"];
    let junit: Vec<PathBuf> =
        junit.into_iter().chain(["byte-buddy-agent-1.17.7", "objenesis-3.3"]).map(jar).collect();
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    let bench = |classes: &Path| Bench {
        jdk: jdk.clone(),
        class_path: vec![classes.to_owned()],
        junit: junit.clone(),
        scratch: folder.path().to_owned(),
        stop: std::sync::Arc::default(),
    };
    let compiled = folder.path().join("compiled");
    let remarks = bench(classes.path()).compile(&paths, &compiled).expect("the compiler runs");
    assert_eq!(remarks, [], "no warning under -Xlint:all");
    for run in [Run::Shuffled(7), Run::Reversed(8)] {
        assert_eq!(failures(&tests, &compiled, &bench(classes.path()), run), 0, "{run:?}");
    }
    for (file, old, new) in CHANGES {
        let changed = changed_library(&library, file, old, new);
        let changed = compile(&jdk, changed.path(), &[]);
        let failing = failures(&tests, &compiled, &bench(changed.path()), Run::Shuffled(7));
        assert!(failing > 0, "nobody notices `{new}` in {file}");
    }
}

#[test]
fn whichever_test_comes_first_the_others_pass_though_the_class_remembers_what_it_left() {
    let (jdk, folder) = (jdks().remove(0), scratch());
    let classes = compile(&jdk, &repository("subjects/remembered/src"), &[]);
    let class_path = classes.path().display().to_string();
    let told = report(folder.path(), &class_path, &["--out", "tests", "--steps", "20000", "--seed", "1"]);
    let files = sources(&folder.path().join("tests"));
    let tests = tests_in(&files);
    assert!(tests.len() > 10, "{told}");
    let bench = Bench {
        jdk,
        class_path: vec![classes.path().to_owned()],
        junit: vec![jar("junit-platform-console-standalone-1.13.4")],
        scratch: folder.path().to_owned(),
        stop: std::sync::Arc::default(),
    };
    let compiled = folder.path().join("compiled");
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    assert_eq!(bench.compile(&paths, &compiled).expect("the compiler runs"), []);
    let group = Group { members: tests.clone(), leaders: tests.clone() };
    let results = bench.run_led(&[group], &compiled, Run::Shuffled(5), None).expect("they run").results;
    let failed: Vec<&TestResult> = results.iter().filter(|result| result.ended != Ended::Passed).collect();
    assert!(failed.is_empty() && results.len() == tests.len().pow(2), "{failed:?}\n{files:?}");
}

/// The library with one piece of text replaced.
fn changed_library(library: &Path, file: &str, old: &str, new: &str) -> TempDir {
    let folder = scratch();
    let mut count = 0;
    for (path, text) in sources(library) {
        let below = path.strip_prefix(library).expect("it is below");
        let place = folder.path().join(below);
        let is_it = below.ends_with(Path::new(file));
        count += usize::from(is_it && text.contains(old));
        let text = if is_it { text.replacen(old, new, 1) } else { text };
        fs::create_dir_all(place.parent().expect("a folder")).expect("it can be made");
        fs::write(place, text).expect("written");
    }
    assert_eq!(count, 1, "{file} has no `{old}`");
    folder
}

#[test]
fn the_same_seed_gives_the_same_files_for_one_worker_and_for_two() {
    let folder = scratch();
    let files = |workers: &str| {
        let out = format!("with-{workers}");
        let class = ["--class", "java.util.BitSet", "--seed", "5", "--steps", "1500"];
        report(
            folder.path(),
            "jrt:/java.base",
            &[&class[..], &["--workers", workers, "--out", &out]].concat(),
        );
        let folder = folder.path().join(out);
        let below = |path: PathBuf| path.strip_prefix(&folder).expect("it is below").to_owned();
        sources(&folder).into_iter().map(|(path, text)| (below(path), text)).collect::<Vec<_>>()
    };
    let one = files("1");
    assert!(!one.is_empty());
    assert_eq!(one, files("2"));
}

#[test]
fn what_people_wrote_or_edited_stays_as_it_is() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "branches", folder.path()).display().to_string();
    let run = || report(folder.path(), &classes, &["--out", "tests", "--steps", "600", "--seed", "2"]);
    run();
    let tests = folder.path().join("tests");
    let (edited, text) = sources(&tests).remove(0);
    let edit = text.replace("@Test", "@Test /* mine */");
    fs::write(&edited, &edit).expect("written");
    let own = edited.with_file_name("OwnTest.java");
    fs::write(&own, "class OwnTest {}").expect("written");

    let told = run();
    assert_eq!(fs::read_to_string(&edited).expect("it is there"), edit);
    assert_eq!(fs::read_to_string(&own).expect("it is there"), "class OwnTest {}");
    let name = edited.file_name().and_then(|name| name.to_str()).expect("a name");
    let kept = told["kept"].as_array().expect("a list");
    assert!(kept.iter().any(|kept| kept.as_str().is_some_and(|kept| kept.ends_with(name))), "{told}");
}

#[test]
fn scripts_find_the_fields_they_read() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "branches", folder.path()).display().to_string();
    let told = report(folder.path(), &classes, &["--out", "tests", "--steps", "300", "--seed", "2"]);
    for path in [
        "/steps",
        "/seconds",
        "/steps_per_second",
        "/classes",
        "/operations",
        "/tests/regression",
        "/tests/failing",
        "/contract_seconds",
        "/contract_share",
        "/coverage/line/covered",
        "/coverage/line/total",
        "/coverage/branch/covered",
        "/coverage/branch/total",
        "/workers/started",
        "/workers/crashed",
        "/workers/timed_out",
        "/goals/random",
        "/seed",
    ] {
        assert!(told.pointer(path).is_some_and(Value::is_number), "{path} in {told}");
    }
    assert!(told["findings"].is_array() && told["files"].is_array(), "{told}");
}

#[test]
fn classes_that_cannot_be_tested_are_named_with_the_reason() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "untestable", folder.path()).display().to_string();
    let check = |class: &str, reason: &str| {
        let public = ["--steps", "100", "--seed", "1", "--no-private-access"];
        let arguments = [&["--class", class, "--out", "tests"], &public[..]].concat();
        let (code, stdout, stderr) = jurat(folder.path(), &classes, &arguments);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stdout.contains("no tests") && stdout.contains(reason), "{class}: {stdout}");
    };
    check("untestable.Shape", "nothing on the class path implements it");
    check("untestable.Broken", "initializer");
    check("untestable.Hollow", "nothing that a test could call");
    check("untestable.Marker", "untestable.Marker is an annotation");
    check("untestable.Broken", "untestable.Broken cannot be initialized");
}

#[test]
fn what_is_asked_for_by_name_has_its_reason_whatever_others_get() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "untestable", folder.path()).display().to_string();
    let because = |asked: &[&str]| {
        let asked = asked.iter().flat_map(|class| ["--class", *class]);
        let arguments: Vec<&str> = asked.chain(["--out", "tests", "--steps", "400", "--seed", "1"]).collect();
        let (code, stdout, stderr) = jurat(folder.path(), &classes, &arguments);
        assert!(matches!(code, Some(0 | 1)), "{stderr}");
        stdout
    };
    let told = because(&["Light", "Marker", "untestable.Hollow"]);
    assert!(told.contains("untestable.Marker is an annotation"), "{told}");
    assert!(told.contains("untestable.Hollow has nothing that a test could call"), "{told}");
    assert!(!told.contains("untestable.Light"), "{told}");
    let told = because(&["untestable.*"]);
    assert!(!told.contains("untestable.Marker") && !told.contains("untestable.Hollow"), "{told}");
}

#[test]
fn a_class_that_a_missing_jar_would_bring_is_named() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "lacking", folder.path());
    fs::remove_file(classes.join("lacking/Part.class")).expect("it was compiled");
    let check = |class: &str, reason: &str| {
        let arguments =
            ["--class", class, "--class", "Tool", "--out", "tests", "--steps", "200", "--seed", "1"];
        let (code, stdout, stderr) = jurat(folder.path(), &classes.display().to_string(), &arguments);
        assert!(matches!(code, Some(0 | 1)), "{stderr}");
        assert!(stdout.contains(reason) && !stdout.contains("initializer throws"), "{class}: {stdout}");
        assert!(stdout.contains("`--libraries` can name its jar"), "{class}: {stdout}");
    };
    check("lacking.Machine", "lacking.Machine needs lacking.Part, which is not on the class path");
    check("lacking.Plant", "lacking.Plant needs lacking.Part, which is not on the class path");
    check("lacking.Spare", "lacking.Spare is left out: missing dependency: lacking.Part");
}

#[test]
fn classes_of_which_little_can_be_tested_are_named_with_the_reason() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "untestable", folder.path()).display().to_string();
    let check = |class: &str, remark: &str| {
        let arguments = ["--class", class, "--out", "tests", "--steps", "400", "--seed", "1"];
        let (code, stdout, stderr) = jurat(folder.path(), &classes, &arguments);
        assert!(matches!(code, Some(0 | 1)), "{stderr}");
        assert_eq!(stdout.contains("because"), !remark.is_empty(), "{class}: {stdout}");
        assert!(stdout.contains(remark) && stdout.contains("1 file"), "{class}: {stdout}");
    };
    check(
        "untestable.Refusing",
        "could not be made: every constructor throws (UnsupportedOperationException)",
    );
    check("untestable.Outline", "untestable.Outline is abstract and nothing on the class path implements it");
    check("untestable.Foreign", "is mostly native: 2 of 2 methods have no bytecode to cover");
    check("untestable.Light", "");
    check("untestable.Scale", "");
}

#[test]
fn the_reasons_are_the_same_whichever_goals_are_asked_for() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "untestable", folder.path()).display().to_string();
    let check = |class: &str, asked: &[&str], remark: &str| {
        let arguments = ["--class", class, "--out", "tests", "--steps", "400", "--seed", "1"];
        let (code, stdout, stderr) = jurat(folder.path(), &classes, &[&arguments[..], asked].concat());
        assert!(matches!(code, Some(0 | 1)), "{stderr}");
        assert_eq!(stdout.contains("because"), !remark.is_empty(), "{class} {asked:?}: {stdout}");
        assert!(stdout.contains(remark), "{class} {asked:?}: {stdout}");
    };
    let branches = ["--goal", "branch"];
    check("untestable.Broken", &branches, "untestable.Broken cannot be initialized");
    check("untestable.Refusing", &branches, "could not be made: every constructor throws");
    check("untestable.Refusing", &["--goal", "line"], "could not be made: every constructor throws");
    check("untestable.Choosy", &["--goal", "exception"], "");
    check("untestable.Choosy", &["--strategy", "search"], "");
    check("untestable.Choosy", &branches, "");
    check("untestable.Choosy$Slot", &branches, "untestable.Choosy.Slot has nothing that a test could call");
    check("untestable.Light", &branches, "");
    check("untestable.Scale", &branches, "");
    check("untestable.Marker", &branches, "untestable.Marker is an annotation");
    check("untestable.Shape", &branches, "nothing on the class path implements it");
}

/// Runs a program to its end, and gives what it said.
#[expect(clippy::disallowed_methods, reason = "this is what people do with jars and tests")]
fn run(program: &Path, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        Command::new(program).args(arguments).output().expect("it starts");
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{arguments:?}: {said}");
    said
}

#[test]
fn tests_of_a_sealed_package_are_outside_of_it_and_pass_in_junit() {
    let (folder, jdk) = (scratch(), jdks().remove(0));
    let classes = compile_once(&jdk, "closed", folder.path()).display().to_string();
    let place = |name: &str| folder.path().join(name).display().to_string();
    fs::write(place("manifest"), "Sealed: true\n").expect("written");
    run(&jdk.home.join("bin/jar"), &["cfm", &place("closed.jar"), &place("manifest"), "-C", &classes, "."]);
    let told =
        report(folder.path(), &place("closed.jar"), &["--out", "tests", "--steps", "400", "--seed", "1"]);
    assert_eq!((&told["removed"]["uncompilable"], &told["removed"]["unstable"]), (&0.into(), &0.into()));
    let test = place("tests/jurat/closed/VaultJuratTest.java");
    assert!(
        fs::read_to_string(&test).is_ok_and(|text| text.starts_with("// ") && text.contains("put(")),
        "{told}"
    );

    let junit = jar("junit-platform-console-standalone-1.13.4").display().to_string();
    let needed = format!("{}:{junit}", place("closed.jar"));
    run(&jdk.home.join("bin/javac"), &["-cp", &needed, "-d", &place("compiled"), &test]);
    let all = format!("{needed}:{}", place("compiled"));
    let launcher = "org.junit.platform.console.ConsoleLauncher";
    let asked = ["-cp", &all, launcher, "execute", "--select-class=jurat.closed.VaultJuratTest"];
    let said = run(&jdk.home.join("bin/java"), &asked);
    let passed = format!("{} tests successful", told["tests"]["regression"]);
    assert!(told["tests"]["regression"].as_u64() > Some(1) && said.contains(&passed), "{said}");
}

#[test]
fn tests_are_kept_for_the_goals_that_were_asked_for() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "branches", folder.path());
    let class_path = classes.display().to_string();
    let arguments = ["--out", "tests", "--steps", "2000", "--seed", "2", "--goal", "exception"];
    let told = report(folder.path(), &class_path, &arguments);
    let files = sources(&folder.path().join("tests"));
    let count = |word: &str| files.iter().map(|(_, text)| text.matches(word).count()).sum::<usize>();
    assert!(count("@Test") > 0, "{told}");
    assert_eq!(count("@Test"), count("assertThrows("), "{told}");
    let (code, _, said) = jurat(folder.path(), &class_path, &["--goal", "glory"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("glory") && said.contains("exception"), "{said}");
}

#[test]
fn what_a_call_did_to_its_arguments_is_asserted() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "appending", folder.path()).display().to_string();
    let arguments = ["--out", "tests", "--steps", "400", "--seed", "1"];
    let (code, _, stderr) = jurat(folder.path(), &classes, &arguments);
    assert!(matches!(code, Some(0 | 1)), "{stderr}");
    let tests = folder.path().join("tests/appending/LabelsJuratTest.java");
    let text = fs::read_to_string(tests).expect("there are tests");
    assert!(text.contains("buffer.toString());"), "{text}");
}

/// The branches that emitted tests of a class of `subjects/shared` cover, all it has, and the tests.
fn covered(class: &str) -> (Value, Value, String) {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "shared", folder.path()).display().to_string();
    let arguments = ["--out", "tests", "--strategy", "random", "--steps", "4000", "--class", class];
    let told = report(folder.path(), &classes, &[&arguments[..], &["--seed", "1"]].concat());
    let branch = &told["coverage"]["branch"];
    let text = sources(&folder.path().join("tests")).into_iter().map(|(_, text)| text).collect();
    (branch["covered"].clone(), branch["total"].clone(), text)
}

#[test]
fn what_a_shared_object_remembers_is_shown_with_an_object_of_the_test_s_own() {
    let (covered, total, _) = covered("coins.Coin");
    assert_eq!((covered, total), (2.into(), 2.into()));
}

#[test]
fn what_others_reach_on_their_way_is_tested_all_the_same() {
    let (covered, total, text) = covered("coins.Sorter");
    assert_eq!((covered, total), (2.into(), 2.into()));
    let calls = text.matches(".slot(").count();
    assert!(calls >= 1, "it is called itself: {text}");
}

/// A JDK without its compiler, as distributions offer it.
fn jre(jdk: &Path, folder: &Path) -> PathBuf {
    let home = folder.join("jre");
    fs::create_dir_all(home.join("bin")).expect("scratch is writable");
    for part in ["release", "lib", "conf", "bin/java"] {
        std::os::unix::fs::symlink(jdk.join(part), home.join(part)).expect("scratch is writable");
    }
    home
}

#[test]
fn a_jdk_without_compiler_is_found_before_the_search() {
    let jdk = jdks().remove(0);
    let folder = scratch();
    let classes = compile(&jdk, &repository("examples/shop/src/main/java"), &[]);
    let home = jre(&jdk.home, folder.path()).display().to_string();
    // A search would take longer than the patience of any test.
    let arguments = ["--jdk", &home, "--out", "tests", "--budget", "1h"];
    let (code, _, stderr) = jurat(folder.path(), &classes.path().display().to_string(), &arguments);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("has no compiler") && stderr.contains("install"), "{stderr}");
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_the_search() {
    let folder = scratch();
    let classes = compile_once(&jdks()[0], "branches", folder.path()).display().to_string();
    fs::write(folder.path().join("file"), "").expect("written");
    let (code, stdout, stderr) = jurat(folder.path(), &classes, &["--out", "file/tests", "--steps", "100"]);
    assert_eq!((code, stdout.as_str()), (Some(3), ""), "{stderr}");
    assert!(stderr.contains("cannot write tests") && !stderr.contains("exploring"), "{stderr}");
}
