//! `jurat generate` in projects and with a `jurat.toml`: the real binary, a build tool that answers from a script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use jurat_testkit::machine::{compile, jar, jdks};
use serde_json::Value;
use tempfile::TempDir;

/// Its second branch is reached by one number only, which the class file does not hold.
const GATE: &str = "package gate;\npublic class Gate {\n  public int open(int key) {\n    if (key * 31 == 4836) {\n      \
                    return 1;\n    }\n    return 0;\n  }\n  public void slam() {\n    throw new \
                    IllegalStateException();\n  }\n}\n";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(file, text).expect("written");
}

/// Compiles one class to where a build would have put it.
fn compiled(folder: &Path, name: &str, source: &str, classes: &str) {
    let sources = self::folder();
    write(sources.path(), name, source);
    let made = compile(&jdks()[0], sources.path(), &["--release", "17"]);
    let status = fs::create_dir_all(folder.join(classes).parent().expect("a folder"));
    status.and_then(|()| copy(made.path(), &folder.join(classes))).expect("copied");
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Runs `jurat generate` in a folder. `PATH` begins with the folder's `bin`.
#[expect(clippy::disallowed_methods, reason = "the command is what is tested")]
fn generate(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let jars = jar("junit-4.13.2");
    let output = Command::new(env!("CARGO_BIN_EXE_jurat"))
        .arg("generate")
        .args(args)
        .current_dir(folder)
        .env("PATH", path)
        .env("JURAT_JARS", jars.parent().expect("a folder of jars"))
        .env_remove("JAVA_HOME")
        .output();
    let Output { status, stdout, stderr } = output.expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

fn report(folder: &Path, args: &[&str]) -> Value {
    let (code, stdout, stderr) = generate(folder, args);
    assert!(matches!(code, Some(0 | 1)), "{code:?} {stderr}");
    serde_json::from_str(&stdout).expect("one JSON document")
}

/// What all emitted files below a folder say.
fn emitted(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("it can be read").path();
        text += &if path.is_dir() { emitted(&path) } else { fs::read_to_string(&path).expect("text") };
    }
    text
}

const QUICK: [&str; 6] = ["--steps", "400", "--seed", "1", "--format", "json"];

/// A Maven that knows the libraries of one module's tests: JUnit 4, and no Mockito.
fn maven_answers(folder: &Path, module: &str) {
    let (junit, hamcrest) = (jar("junit-4.13.2"), jar("hamcrest-core-1.3"));
    // Others than Mockito need it, too.
    let buddy = jar("byte-buddy-1.17.7");
    let (junit, hamcrest, buddy) = (junit.display(), hamcrest.display(), buddy.display());
    let answer = format!(
        "#!/bin/sh\ncat <<END\n[INFO] --- dependency:3.8.1:build-classpath (default-cli) @ {module} ---\n\
         [INFO] Dependencies classpath:\n{junit}:{hamcrest}:{buddy}\n\
         [INFO] --- dependency:3.8.1:list (default-cli) @ {module} ---\n\
         [INFO]    junit:junit:jar:4.13.2:test:{junit}\n\
         [INFO]    org.hamcrest:hamcrest-core:jar:1.3:test:{hamcrest}\n\
         [INFO]    net.bytebuddy:byte-buddy:jar:1.17.7:test:{buddy}\nEND\n"
    );
    write(folder, "bin/mvn", &answer);
    fs::set_permissions(folder.join("bin/mvn"), fs::Permissions::from_mode(0o755)).expect("made executable");
}

#[test]
fn a_project_without_mockito_gets_no_mocks_and_is_told_so() {
    let project = folder();
    let at = project.path();
    write(at, "pom.xml", "<project><artifactId>bell</artifactId></project>");
    let source = "package gate;\npublic class Bell {\n  public interface Rope { int pull(); String knot(); }\n  \
                  public static boolean rings(Rope rope) {\n    return rope.pull() > 3;\n  }\n}\n";
    compiled(at, "gate/Bell.java", source, "target/classes");
    maven_answers(at, "bell");
    let told = report(at, &QUICK);
    assert!(!emitted(&at.join("src/test/java")).contains("mockito"), "{told}");
    assert!(told["removed"]["reasons"].to_string().contains("org.mockito:mockito-core"), "{told}");
}

#[test]
fn each_maven_module_gets_tests_of_its_own_for_the_junit_it_uses() {
    let project = folder();
    let at = project.path();
    write(
        at,
        "pom.xml",
        "<project><artifactId>all</artifactId><packaging>pom</packaging>\
         <modules><module>old</module><module>new</module><module>later</module></modules></project>",
    );
    for module in ["old", "new", "later"] {
        let pom = format!(
            "<project><parent><artifactId>all</artifactId></parent><artifactId>{module}</artifactId></project>"
        );
        write(at, &format!("{module}/pom.xml"), &pom);
    }
    fs::create_dir_all(at.join("later/src/main/java")).expect("made");
    compiled(at, "gate/Gate.java", GATE, "old/target/classes");
    compiled(at, "gate/Gate.java", GATE, "new/target/classes");
    maven_answers(at, "old");

    let (code, stdout, stderr) = generate(at, &QUICK);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("not compiled: later"), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).expect("one JSON document");
    assert_eq!(report["classes"], 2, "one class in each of two modules");
    assert!(emitted(&at.join("old/src/test/java")).contains("import org.junit.Test;"));
    assert!(emitted(&at.join("new/src/test/java")).contains("import org.junit.jupiter.api.Test;"));

    let (code, _, stderr) = generate(at, &["--module", "none", "--steps", "10"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("old, new"), "{stderr}");
}

#[test]
fn a_folder_without_a_project_or_without_classes_says_what_to_do() {
    let empty = folder();
    let (code, _, stderr) = generate(empty.path(), &[]);
    assert_eq!((code, stderr.contains("--classpath target/classes")), (Some(2), true), "{stderr}");

    write(empty.path(), "pom.xml", "<project><artifactId>a</artifactId></project>");
    let (code, _, stderr) = generate(empty.path(), &[]);
    assert_eq!((code, stderr.contains("run `mvn compile` first")), (Some(3), true), "{stderr}");
}

#[test]
fn a_settings_file_that_is_wrong_is_refused_with_the_place() {
    let folder = folder();
    write(folder.path(), "jurat.toml", "seed = 1\nclases = [\"a.B\"]\n");
    let (code, _, stderr) = generate(folder.path(), &[]);
    assert_eq!(code, Some(2), "{stderr}");
    for part in ["jurat.toml:2:1:", "`clases`", "`classes`"] {
        assert!(stderr.contains(part), "{part} is not in: {stderr}");
    }
}

#[test]
fn values_of_the_settings_are_tried_and_what_is_set_aside_is_not_called() {
    let folder = folder();
    compiled(folder.path(), "gate/Gate.java", GATE, "classes");
    let settings = "classpath = \"classes\"\nout = \"tests\"\n";
    write(folder.path(), "jurat.toml", settings);
    let without = report(folder.path(), &QUICK);
    assert!(emitted(&folder.path().join("tests")).contains("slam"));
    fs::remove_dir_all(folder.path().join("tests")).expect("removed");

    let settings = format!("{settings}set-aside = [\"gate.Gate.slam\"]\n[values]\nint = [156]\n");
    write(folder.path(), "jurat.toml", &settings);
    let with = report(folder.path(), &QUICK);
    let branches = |report: &Value| report["coverage"]["branch"]["covered"].as_u64();
    assert_eq!((branches(&without), branches(&with)), (Some(1), Some(2)));
    let tests = emitted(&folder.path().join("tests"));
    assert!(tests.contains("156") && !tests.contains("slam"), "{tests}");

    write(folder.path(), "jurat.toml", &settings.replace("Gate.slam", "Gate.slim"));
    let (code, _, stderr) = generate(folder.path(), &[]);
    assert_eq!((code, stderr.contains("there is no gate.Gate.slim")), (Some(2), true), "{stderr}");
}
