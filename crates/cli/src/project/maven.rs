//! Maven projects: modules from the poms, class paths from Maven itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ask::{ask, on_path};
use super::pom::Pom;
use super::{Module, Project, layout};
use crate::exit::Failure;

/// A chain of poms that name each other as modules ends here.
const DEEPEST: usize = 8;

/// The project of the `pom.xml` in a folder, with its submodules.
pub(crate) fn project(folder: &Path) -> Result<Project, Failure> {
    let mut found = Vec::new();
    collect(folder, 0, &mut found)?;
    let mut project = Project::default();
    let mut without_classes = Vec::new();
    for (place, pom) in &found {
        let classes = place.join(pom.classes.as_deref().unwrap_or("target/classes"));
        let name = if pom.artifact.is_empty() { place.display().to_string() } else { pom.artifact.clone() };
        if layout::has_classes(&classes) {
            let tests = place.join(pom.tests.as_deref().unwrap_or("src/test/java"));
            project.modules.push(Module { name, classes: vec![classes], tests, ..Module::default() });
        } else if place.join(pom.sources.as_deref().unwrap_or("src/main/java")).is_dir() {
            without_classes.push(name);
        }
    }
    if project.modules.is_empty() {
        return Err(Failure::environment(format!(
            "nothing is compiled yet in {}: run `mvn compile` first",
            super::shown(folder)
        )));
    }
    if !without_classes.is_empty() {
        let names = without_classes.join(", ");
        project.notes.push(format!("left out, because not compiled: {names}; run `mvn compile`"));
    }
    let answer = class_paths(folder, found.len() > 1)?;
    for module in &mut project.modules {
        for (path, scope) in answer.get(&module.name).into_iter().flatten() {
            let list = if *scope == Scope::Test { &mut module.test_libraries } else { &mut module.libraries };
            list.extend(Some(path.clone()).filter(|path| path.exists() && !module.classes.contains(path)));
        }
    }
    Ok(project)
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, Pom)>) -> Result<(), Failure> {
    let file = if folder.is_file() { folder.to_owned() } else { folder.join("pom.xml") };
    let place = file.parent().unwrap_or(folder).to_owned();
    if depth > DEEPEST || found.iter().any(|(known, _)| *known == place) {
        return Ok(());
    }
    let text = std::fs::read_to_string(&file)
        .map_err(|error| Failure::environment(format!("cannot read {}: {error}", file.display())))?;
    let pom = Pom::parse(&text);
    let modules = pom.modules.clone();
    found.push((place.clone(), pom));
    for module in modules {
        collect(&place.join(module), depth + 1, found)?;
    }
    Ok(())
}

/// Whom a dependency is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Main,
    Test,
}

type ClassPaths = BTreeMap<String, Vec<(PathBuf, Scope)>>;

/// Asks Maven, offline first. Only Maven goes online, as it does in every build, and only if it must.
fn class_paths(folder: &Path, is_multi: bool) -> Result<ClassPaths, Failure> {
    let Some(maven) = on_path(&["mvn"]).or_else(|| Some(folder.join("mvnw")).filter(|file| file.is_file()))
    else {
        return Err(Failure::environment(
            "mvn is not on PATH, and only Maven knows the class path of this project; install it, or name \
             --classpath and --libraries",
        ));
    };
    // Modules that need each other are found in each other's folders only while Maven compiles.
    let compile: &[&str] = if is_multi { &["compile"] } else { &[] };
    let goals = ["dependency:build-classpath", "dependency:list", "-DoutputAbsoluteArtifactFilename=true"];
    let mut args = vec!["--batch-mode", "--offline", "-Dstyle.color=never"];
    args.extend(compile.iter().chain(&goals));
    let answer = ask(&maven, folder, &args).or_else(|_| {
        args.retain(|arg| *arg != "--offline");
        ask(&maven, folder, &args)
    });
    answer.map(|printed| parse(&printed)).map_err(|said| {
        Failure::environment(format!(
            "Maven could not name the class path: {said}; see `mvn dependency:build-classpath`, or name \
             --classpath and --libraries"
        ))
    })
}

/// Reads what the two goals print for each module: the order of the class path, then the scope of every jar.
fn parse(printed: &str) -> ClassPaths {
    let mut paths: ClassPaths = BTreeMap::new();
    let mut module = String::new();
    let mut lines = printed.lines();
    while let Some(line) = lines.next() {
        if let Some((_, name)) = line.strip_suffix(" ---").and_then(|line| line.rsplit_once(" @ ")) {
            name.trim().clone_into(&mut module);
        } else if line.trim_end().ends_with("Dependencies classpath:") {
            let list = lines.next().unwrap_or_default();
            let files = list.split(':').filter(|file| file.starts_with('/'));
            let entries = files.map(|file| (PathBuf::from(file), Scope::Main));
            paths.entry(module.clone()).or_default().extend(entries);
        } else if let Some((file, Scope::Test)) = artifact(line)
            && let Some(entries) = paths.get_mut(&module)
        {
            for (path, scope) in entries.iter_mut().filter(|(path, _)| *path == file) {
                debug_assert!(path.is_absolute(), "Maven was asked for absolute names");
                *scope = Scope::Test;
            }
        }
    }
    paths
}

/// `[INFO]    group:artifact:jar:1.0:test:/path/to.jar -- module x`
fn artifact(line: &str) -> Option<(PathBuf, Scope)> {
    let (what, file) = line.strip_prefix("[INFO]")?.trim().split_once(":/")?;
    let scope = match what.rsplit(':').next()?.split_whitespace().next()? {
        "test" => Scope::Test,
        "compile" | "runtime" | "provided" | "system" => Scope::Main,
        _ => return None,
    };
    let file = file.split(" -- module").next().unwrap_or(file);
    Some((PathBuf::from(format!("/{}", file.trim())), scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
[INFO] Scanning for projects...
[INFO] --- maven-dependency-plugin:2.8:build-classpath (default-cli) @ core ---
[INFO] Dependencies classpath:
/m2/junit-4.13.2.jar:/m2/guava-33.jar:/w/base/target/classes
[INFO] 
[INFO] --- dependency:3.8.1:list (default-cli) @ core ---
[INFO] The following files have been resolved:
[INFO]    com.google.guava:guava:jar:33:compile:/m2/guava-33.jar -- module com.google.common [auto]
[INFO]    junit:junit:jar:4.13.2:test:/m2/junit-4.13.2.jar
[INFO] --- dependency:3.8.1:build-classpath (default-cli) @ empty ---
[INFO] Dependencies classpath:

[INFO] BUILD SUCCESS
";

    #[test]
    fn class_paths_keep_their_order_and_know_what_only_tests_need() {
        let paths = parse(PRINTED);
        let entry = |path: &str, scope| (PathBuf::from(path), scope);
        let expected = vec![
            entry("/m2/junit-4.13.2.jar", Scope::Test),
            entry("/m2/guava-33.jar", Scope::Main),
            entry("/w/base/target/classes", Scope::Main),
        ];
        assert_eq!(paths.get("core"), Some(&expected));
        assert_eq!(paths.get("empty"), Some(&Vec::new()));
    }

    #[test]
    fn a_pom_without_classes_says_what_to_run() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pom = "<project><artifactId>a</artifactId></project>";
        std::fs::write(folder.path().join("pom.xml"), pom).expect("written");
        let failure = project(folder.path()).expect_err("nothing is compiled");
        assert!(format!("{failure:?}").contains("mvn compile"), "{failure:?}");
    }

    #[test]
    fn poms_that_name_each_other_end() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pom = "<project><artifactId>a</artifactId><modules><module>.</module></modules></project>";
        std::fs::write(folder.path().join("pom.xml"), pom).expect("written");
        let mut found = Vec::new();
        collect(folder.path(), 0, &mut found).expect("it ends");
        assert!(found.len() <= DEEPEST + 1, "{found:?}");
    }
}
