//! Gradle projects: everything is asked of Gradle, with a script that changes nothing.

use std::path::{Path, PathBuf};

use super::ask::{ask, on_path};
use super::{Module, Project, layout};
use crate::exit::Failure;

/// Files that make a folder a Gradle project.
pub(crate) const FILES: [&str; 4] =
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Prints, for each project with Java sources, what Jurat needs to know of it.
const SCRIPT: &str = r#"gradle.projectsEvaluated { g ->
    g.rootProject.allprojects.each { p ->
        def sets = p.extensions.findByName('sourceSets')
        def main = sets?.findByName('main')
        def test = sets?.findByName('test')
        if (main && test) {
            println "jurat:module:${p.path == ':' ? p.name : p.path.substring(1)}"
            main.output.classesDirs.files.each { println "jurat:classes:${it}" }
            main.runtimeClasspath.files.each { println "jurat:library:${it}" }
            test.runtimeClasspath.files.each { println "jurat:test-library:${it}" }
            test.java.srcDirs.each { println "jurat:tests:${it}" }
        }
    }
}
"#;

/// The project in a folder, with its subprojects.
pub(crate) fn project(folder: &Path) -> Result<Project, Failure> {
    let mut project = match asked(folder) {
        Ok(printed) => Project { modules: parse(&printed), notes: Vec::new() },
        Err(reason) => by_layout(folder, &reason),
    };
    let mut without_classes = Vec::new();
    project.modules.retain_mut(|module| {
        module.classes.retain(|classes| layout::has_classes(classes));
        if module.classes.is_empty() {
            without_classes.push(module.name.clone());
        }
        !module.classes.is_empty()
    });
    if project.modules.is_empty() {
        let asked = project.notes.first().map_or_else(String::new, |note| format!(" ({note})"));
        return Err(Failure::environment(format!(
            "nothing is compiled yet in {}: run `gradle classes` first{asked}",
            super::shown(folder)
        )));
    }
    if !without_classes.is_empty() {
        let names = without_classes.join(", ");
        project.notes.push(format!("left out, because not compiled: {names}; run `gradle classes`"));
    }
    Ok(project)
}

fn asked(folder: &Path) -> Result<String, String> {
    let wrapper = Some(folder.join("gradlew")).filter(|file| file.is_file());
    let gradle =
        wrapper.or_else(|| on_path(&["gradle"])).ok_or("gradle is not on PATH, and there is no gradlew")?;
    let gradle = gradle.canonicalize().unwrap_or(gradle);
    let script = tempfile::Builder::new().suffix(".gradle").tempfile().map_err(|error| error.to_string())?;
    std::fs::write(script.path(), SCRIPT).map_err(|error| error.to_string())?;
    let script = script.path().display().to_string();
    let mut args = vec!["--offline", "--quiet", "--console=plain", "--init-script", &script, "help"];
    ask(&gradle, folder, &args).or_else(|_| {
        args.retain(|arg| *arg != "--offline");
        ask(&gradle, folder, &args)
    })
}

fn parse(printed: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for line in printed.lines().filter_map(|line| line.trim().strip_prefix("jurat:")) {
        let Some((key, value)) = line.split_once(':') else { continue };
        if key == "module" {
            modules.push(Module { name: value.to_owned(), ..Module::default() });
        }
        let Some(module) = modules.last_mut() else { continue };
        let path = PathBuf::from(value);
        match key {
            "classes" => module.classes.push(path),
            "library" if path.exists() && !module.classes.contains(&path) => module.libraries.push(path),
            "test-library"
                if path.exists() && !module.classes.contains(&path) && !module.libraries.contains(&path) =>
            {
                module.test_libraries.push(path);
            }
            "tests" if module.tests.as_os_str().is_empty() || path.ends_with("java") => module.tests = path,
            _ => {}
        }
    }
    modules
}

/// Where Gradle puts things unless told otherwise; without what the classes need, which only it knows.
fn by_layout(folder: &Path, reason: &str) -> Project {
    let languages = ["java", "kotlin", "groovy", "scala"];
    let classes = languages.map(|language| folder.join("build/classes").join(language).join("main"));
    let whole = super::shown(folder);
    let module = Module {
        name: whole.rsplit('/').next().unwrap_or(&whole).to_owned(),
        classes: classes.to_vec(),
        tests: folder.join("src/test/java"),
        ..Module::default()
    };
    let note = format!("Gradle could not be asked for the class path: {reason}; going on without libraries");
    Project { modules: vec![module], notes: vec![note] }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn every_module_has_classes_libraries_and_a_place_for_tests() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["lib.jar", "junit.jar"] {
            std::fs::write(at(name), "").expect("written");
        }
        std::fs::create_dir_all(at("build/classes/java/main")).expect("made");
        std::fs::write(at("build/classes/java/main/A.class"), "").expect("written");
        std::fs::write(at("settings.gradle"), "").expect("written");
        let root = folder.path().display();
        let script = format!(
            "#!/bin/sh\ncat <<END\nsome warning\njurat:module:core\njurat:classes:{root}/build/classes/java/main\n\
             jurat:library:{root}/lib.jar\njurat:library:{root}/gone.jar\n\
             jurat:test-library:{root}/build/classes/java/main\njurat:test-library:{root}/lib.jar\n\
             jurat:test-library:{root}/junit.jar\njurat:tests:{root}/src/test/java\n\
             jurat:module:web\njurat:classes:{root}/web/build/classes/java/main\nEND\n"
        );
        std::fs::write(at("gradlew"), script).expect("written");
        std::fs::set_permissions(at("gradlew"), std::fs::Permissions::from_mode(0o755))
            .expect("made executable");
        let project = project(folder.path()).expect("core is compiled");
        assert_eq!(project.notes, ["left out, because not compiled: web; run `gradle classes`"]);
        let core = Module {
            name: "core".to_owned(),
            classes: vec![at("build/classes/java/main")],
            libraries: vec![at("lib.jar")],
            test_libraries: vec![at("junit.jar")],
            tests: at("src/test/java"),
        };
        assert_eq!(project.modules, [core]);
    }

    #[test]
    fn without_gradle_the_usual_folders_are_tried_and_it_is_said() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let classes = folder.path().join("build/classes/java/main");
        std::fs::create_dir_all(&classes).expect("made");
        std::fs::write(classes.join("A.class"), "").expect("written");
        let found = by_layout(folder.path(), "no gradle");
        assert!(found.modules[0].classes.contains(&classes));
        assert!(found.notes[0].contains("no gradle"), "{:?}", found.notes);
    }
}
