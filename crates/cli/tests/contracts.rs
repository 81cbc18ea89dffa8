//! Broken contracts: all that are planted in the bundled subject are found, nothing is wrong with their twins, and
//! every finding has a small test that fails.

use std::fs;
use std::path::Path;
use std::process::Command;

use jurat_testkit::machine::{compile_once, jar, jdks, repository};
use serde_json::Value;

#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn generate(folder: &Path, classes: &Path, steps: &str) -> Value {
    let jars = jar("junit-4.13.2");
    let output = Command::new(env!("CARGO_BIN_EXE_jurat"))
        .args([
            "generate",
            "--out",
            "tests",
            "--seed",
            "3",
            "--format",
            "json",
            "--steps",
            steps,
            "--classpath",
        ])
        .arg(classes)
        .current_dir(folder)
        .env("JURAT_JARS", jars.parent().expect("a folder of jars"))
        .env_remove("JAVA_HOME")
        .output()
        .expect("the binary was built");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "there are findings: {said}");
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

fn text<'a>(finding: &'a Value, key: &str) -> &'a str {
    finding[key].as_str().expect("text")
}

#[test]
fn every_planted_mistake_is_found_and_no_mended_twin_is_blamed() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let classes = compile_once(&jdks()[0], "contracts", folder.path());
    let settings = "[exceptions]\ninvalid = [\"java.lang.IllegalArgumentException\"]\n";
    fs::write(folder.path().join("jurat.toml"), settings).expect("a scratch folder");
    let report = generate(folder.path(), &classes, "12000");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!(report["tests"]["failing"], findings.len());

    let expected = fs::read_to_string(repository("subjects/contracts/expected.toml")).expect("it is there");
    let expected: toml::Table = expected.parse().expect("it is well formed");
    for planted in expected["finding"].as_array().expect("a list") {
        let is_it = |finding: &&Value| {
            ["contract", "class", "method"]
                .iter()
                .all(|key| planted[*key].as_str() == Some(text(finding, key)))
        };
        let finding = findings.iter().find(is_it).unwrap_or_else(|| panic!("not found: {planted}"));
        let (class, _) = text(finding, "test").rsplit_once('.').expect("class and method");
        let file = folder.path().join("jurat-findings").join(format!("{}.java", class.replace('.', "/")));
        let source = fs::read_to_string(&file).expect("the test was written");
        // Two objects, a call on one of them and the assertion: no finding here needs more.
        let statements =
            source.lines().filter(|line| line.trim_end().ends_with(';') && line.starts_with("        "));
        let tests = source.matches("@Test").count();
        assert!(statements.count() <= 7 * tests, "{source}");
    }
    let blamed: Vec<&str> = findings.iter().map(|finding| text(finding, "class")).collect();
    assert!(blamed.iter().all(|class| class.starts_with("planted.")), "{blamed:?}");
    assert!(folder.path().join("jurat-findings/findings.md").is_file());
    let files = report["files"].as_array().expect("a list");
    assert!(!files.is_empty());
    for file in files {
        let source = fs::read_to_string(folder.path().join(file.as_str().expect("text")));
        let source = source.expect("it was written");
        assert!(!source.contains("IllegalArgumentException"), "no test is about what is invalid: {source}");
    }
}
