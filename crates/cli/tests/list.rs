//! `jurat list` as people and scripts meet it: the real binary on good and bad class paths.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use jurat_testkit::machine::{compile, jar, jdks, repository};
use serde_json::Value;
use tempfile::TempDir;

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn list(class_path: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jurat"));
    command.args(["list", "--classpath", class_path]).env_remove("JAVA_HOME");
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// Runs and expects success with nothing on stderr.
fn shown(command: &mut Command) -> String {
    let (code, stdout, stderr) = run(command);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    stdout
}

fn document(command: &mut Command) -> Value {
    serde_json::from_str(&shown(command.args(["--format", "json"]))).expect("one JSON document")
}

/// Runs and expects this exit code, nothing on stdout, and one line on stderr with all of these parts.
fn check_refused(command: &mut Command, code: i32, parts: &[&str]) {
    let (found, stdout, stderr) = run(command);
    assert_eq!((found, stdout.as_str()), (Some(code), ""), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{part} is not in: {stderr}");
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The demo library, compiled.
fn shop() -> TempDir {
    compile(&jdks()[0], &repository("examples/shop/src/main/java"), &[])
}

fn names<'a>(document: &'a Value, table: &str) -> Vec<&'a str> {
    let entries = document[table].as_array().expect("a list");
    entries.iter().map(|entry| entry["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_summary_comes_first_and_packages_follow() {
    let shop = shop();
    let page = shown(&mut list(&text(shop.path())));
    let first = page.lines().next().expect("a line");
    assert!(
        first.contains("classes") && first.contains("operations") && first.contains("callable"),
        "{page}"
    );
    assert!(page.contains("left out"), "{page}");
    assert!(page.contains("shop.money"), "{page}");
    assert!(!page.contains('\u{1b}'), "no colours in a pipe: {page}");
}

#[test]
fn a_class_shows_its_declaration_and_operations() {
    let shop = shop();
    let page = shown(list(&text(shop.path())).args(["--class", "Money"]));
    assert!(page.starts_with("1 class, "), "{page}");
    assert!(
        page.contains("\nshop.money.Money\n  public final class Money implements Comparable<Money>"),
        "{page}"
    );
    assert!(page.contains("    Money plus(Money"), "{page}");
}

#[test]
fn everything_is_listed_with_all() {
    let shop = shop();
    let path = text(shop.path());
    let page = shown(list(&path).arg("--all"));
    let document = document(&mut list(&path));
    for name in names(&document, "classes") {
        assert!(page.contains(&format!("\n{name}\n")), "{name}");
    }
    for left_out in document["left_out"].as_array().expect("a list") {
        assert!(page.contains(left_out["what"].as_str().expect("a name")), "{left_out}");
    }
}

#[test]
fn json_holds_classes_operations_and_what_is_left_out() {
    let shop = shop();
    let document = document(list(&text(shop.path())).args(["--class", "shop.money.*"]));
    assert_eq!(names(&document, "classes"), ["shop.money.Money"]);
    let class = &document["classes"][0];
    assert_eq!(class["kind"], "class");
    assert_eq!(class["interfaces"], serde_json::json!(["java.lang.Comparable<shop.money.Money>"]));
    let operations = document["operations"].as_array().expect("a list");
    assert_eq!(document["summary"]["operations"], operations.len());
    let plus = operations.iter().find(|operation| operation["name"] == "plus").expect("Money.plus");
    assert_eq!(plus["receiver"], "shop.money.Money");
    assert_eq!(plus["result"], "shop.money.Money");
    assert_eq!(plus["call"], "money.plus(other)");
    assert_eq!(plus["obstacle"], Value::Null);
    let hidden = operations.iter().find(|operation| operation["visibility"] == "private").expect("a field");
    assert_eq!(hidden["call"], Value::Null);
    assert!(hidden["obstacle"].as_str().is_some_and(|why| why.contains("is private")), "{hidden}");
}

#[test]
fn globs_simple_names_and_repetition_select() {
    let count = |patterns: &[&str]| {
        let mut command = list("jrt:/java.base");
        for pattern in patterns {
            command.args(["--class", pattern]);
        }
        let document = document(&mut command);
        names(&document, "classes").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(count(&["java.util.Map"]), ["java.util.Map", "java.util.Map.Entry"]);
    assert_eq!(count(&["Map.Entry"]), ["java.util.Map.Entry"]);
    assert!(count(&["BitSet", "java.util.Tree*"]).contains(&"java.util.TreeSet".to_owned()));
    let package = count(&["java.util.*"]);
    assert!(package.len() > 80 && package.iter().all(|name| name.starts_with("java.util.")), "{package:?}");
    assert!(count(&["java.util.**"]).contains(&"java.util.zip.CRC32".to_owned()));
}

#[test]
fn only_public_members_of_exported_packages_of_the_jdk_are_listed() {
    let document =
        document(list("jrt:/java.base").args(["--class", "StringBuilder", "--class", "sun.security.**"]));
    // What StringBuilder inherits from a hidden class is reached through it.
    assert_eq!(names(&document, "classes"), ["java.lang.AbstractStringBuilder", "java.lang.StringBuilder"]);
    for operation in document["operations"].as_array().expect("a list") {
        assert_eq!(operation["visibility"], "public", "{operation}");
        let overridden = operation["class"] == "java.lang.AbstractStringBuilder";
        assert!(operation["call"].is_string() || overridden, "{operation}");
    }
    let calls: Vec<&str> = document["operations"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|operation| operation["call"].as_str())
        .collect();
    assert!(calls.iter().any(|call| call.starts_with("stringBuilder.setLength(")), "{calls:?}");
    let reasons: Vec<&str> = document["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|left_out| left_out["reason"].as_str())
        .collect();
    assert!(reasons.contains(&"not-exported") && reasons.contains(&"not-public"), "{reasons:?}");
}

#[test]
fn a_path_that_is_not_there_is_named() {
    check_refused(&mut list("/no/such/place"), 3, &["/no/such/place", "no such file or folder"]);
    check_refused(&mut list("/no/such.jar:/tmp"), 3, &["/no/such.jar"]);
    check_refused(&mut list("jrt:/java.bsae"), 3, &["java.bsae", "no module"]);
}

#[test]
fn a_file_that_is_no_jar_or_half_of_one_is_named() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (text_file, empty, half) =
        (folder.path().join("notes.txt"), folder.path().join("empty.jar"), folder.path().join("half.jar"));
    fs::write(&text_file, "hello").expect("written");
    fs::write(&empty, "").expect("written");
    let whole = fs::read(jar("commons-lang3-3.12.0")).expect("the jar is readable");
    fs::write(&half, &whole[..whole.len() / 2]).expect("written");
    check_refused(&mut list(&text(&text_file)), 3, &["notes.txt", "not a jar"]);
    check_refused(&mut list(&text(&empty)), 3, &["empty.jar", "not a jar", "empty"]);
    check_refused(&mut list(&text(&half)), 3, &["half.jar", "truncated or damaged"]);
}

#[test]
fn a_corrupt_class_among_good_ones_is_reported_and_skipped() {
    let shop = shop();
    let money = shop.path().join("shop/money/Money.class");
    let bytes = fs::read(&money).expect("compiled");
    fs::write(&money, &bytes[..bytes.len() / 2]).expect("written");
    fs::write(shop.path().join("shop/Wrong.class"), &bytes).expect("written");
    let mut newer = bytes.clone();
    newer[6..8].copy_from_slice(&999_u16.to_be_bytes());
    fs::write(shop.path().join("shop/Newer.class"), &newer).expect("written");
    let path = text(shop.path());
    let document = document(&mut list(&path));
    assert!(names(&document, "classes").contains(&"shop.cache.LruCache"));
    let left_out = document["left_out"].as_array().expect("a list");
    let reason = |what: &str| {
        let entry = left_out.iter().find(|entry| entry["what"] == what);
        entry.and_then(|entry| entry["reason"].as_str()).unwrap_or("not left out")
    };
    assert_eq!(reason("shop.money.Money"), "corrupt");
    assert_eq!(reason("shop.Wrong"), "wrong-place");
    assert_eq!(reason("shop.Newer"), "too-new");
    let page = shown(&mut list(&path));
    assert!(page.contains("shop.money.Money: at byte"), "{page}");
    assert!(page.contains("missing dependency"), "what used Money is left out too: {page}");
}

#[test]
fn a_class_that_is_not_there_brings_suggestions() {
    let shop = shop();
    let path = text(shop.path());
    let check =
        |pattern: &str, parts: &[&str]| check_refused(list(&path).args(["--class", pattern]), 2, parts);
    check("shop.money.Mony", &["shop.money.Mony", "did you mean shop.money.Money?"]);
    check("shop.Money", &["did you mean shop.money.Money?"]);
    check("money", &["did you mean shop.money.Money?"]);
    check("org.other.*", &["no class matches org.other.*"]);
}

#[test]
fn a_simple_name_that_several_classes_have_is_refused_with_all_of_them() {
    let mut command = list("jrt:/java.base");
    check_refused(command.args(["--class", "Attributes"]), 2, &["java.util.jar.Attributes", "full name"]);
}

#[test]
fn without_a_usable_jdk_the_command_says_what_to_do() {
    let shop = shop();
    let mut command = list(&text(shop.path()));
    check_refused(command.args(["--jdk", "/no/jdk"]), 3, &["/no/jdk"]);
    let (code, _, stderr) = run(&mut list(""));
    assert_eq!(code, Some(3), "{stderr}");
}

#[test]
fn a_folder_without_classes_is_no_error() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let page = shown(&mut list(&text(folder.path())));
    assert!(page.starts_with("0 classes, 0 operations"), "{page}");
}

#[test]
fn two_runs_print_the_same_bytes() {
    let path = text(&jar("commons-lang3-3.12.0"));
    let once = shown(list(&path).args(["--format", "json"]));
    assert_eq!(once, shown(list(&path).args(["--format", "json"])));
}
