//! Where classes come from and tests go: as the user says, or as the project is laid out.

use std::path::{Path, PathBuf};

use jurat_emit::Junit;

use super::file::File;
use super::settings::Args;
use crate::exit::Failure;
use crate::project::{self, Module, Project};

/// One folder of tests to fill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The module's name, in a project.
    pub(crate) module: Option<String>,
    /// The classes under test, as `--classpath` would name them.
    pub(crate) class_path: String,
    /// What they need.
    pub(crate) libraries: Vec<PathBuf>,
    /// What only tests need.
    pub(crate) test_libraries: Vec<PathBuf>,
    /// Where tests go.
    pub(crate) out: PathBuf,
    /// The JUnit that the project uses.
    pub(crate) junit: Option<Junit>,
    /// The Java release that tests are written for.
    pub(crate) release: u32,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

/// The oldest release that emitted tests are written for, and the one where nothing is known.
const OLDEST: u32 = 8;

/// The places to work on.
pub(super) fn places(args: &Args, file: &File) -> Result<Vec<Place>, Failure> {
    let out = args.out.clone().or_else(|| file.out.clone());
    if let Some(class_path) = args.classpath.clone().or_else(|| file.classpath.clone()) {
        let libraries = args.libraries.as_deref().or(file.libraries.as_deref()).unwrap_or_default();
        let libraries = libraries.split(':').filter(|part| !part.is_empty()).flat_map(expand).collect();
        let out = out.unwrap_or_else(default_out);
        return Ok(vec![Place { class_path, libraries, out, release: OLDEST, ..Place::default() }]);
    }
    let Some(project) = project::find(Path::new(""))? else {
        return Err(Failure::usage(
            "which classes? there is no pom.xml or build.gradle here; name them with --classpath, e.g. \
             --classpath target/classes",
        ));
    };
    let Project { modules, notes } = chosen(project, &args.modules)?;
    let mut places: Vec<Place> = modules.into_iter().map(|module| of_module(module, out.as_ref())).collect();
    if let Some(first) = places.first_mut() {
        first.notes.extend(notes);
    }
    Ok(places)
}

fn chosen(mut project: Project, wanted: &[String]) -> Result<Project, Failure> {
    for name in wanted {
        if !project.modules.iter().any(|module| module.name == *name) {
            let known: Vec<&str> = project.modules.iter().map(|module| module.name.as_str()).collect();
            let known = known.join(", ");
            return Err(Failure::usage(format!("--module {name}: compiled modules here are {known}")));
        }
    }
    if !wanted.is_empty() {
        project.modules.retain(|module| wanted.contains(&module.name));
    }
    Ok(project)
}

fn of_module(module: Module, out: Option<&PathBuf>) -> Place {
    let release = project::release(&module.classes).unwrap_or(OLDEST);
    let old = release < OLDEST;
    let note = format!(
        "{} is compiled for Java {release}; its new tests need Java {OLDEST}, which the build must allow for tests",
        module.name
    );
    let class_path: Vec<String> = module.classes.iter().map(|path| path.display().to_string()).collect();
    let all: Vec<PathBuf> = module.test_libraries.iter().chain(&module.libraries).cloned().collect();
    Place {
        class_path: class_path.join(":"),
        junit: project::junit(&all),
        release: release.max(OLDEST),
        out: out.cloned().unwrap_or(module.tests),
        module: Some(module.name),
        libraries: module.libraries,
        test_libraries: module.test_libraries,
        notes: old.then_some(note).into_iter().collect(),
    }
}

/// `dir/*` means every jar of `dir`, as for the JVM.
fn expand(part: &str) -> Vec<PathBuf> {
    let Some(folder) = part.strip_suffix("/*") else { return vec![part.into()] };
    let Ok(entries) = std::fs::read_dir(folder) else { return vec![part.into()] };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut jars: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "jar")).collect();
    jars.sort();
    jars
}

fn default_out() -> PathBuf {
    let usual = Path::new("src/test/java");
    if usual.is_dir() { usual.to_owned() } else { PathBuf::from("jurat-tests") }
}

/// How much of the whole each place is, by its number of classes.
#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
pub(super) fn shares(places: &[Place]) -> Vec<f64> {
    let [_] = places else {
        let counts: Vec<usize> = places.iter().map(|place| project::count(&place.class_path)).collect();
        let total: usize = counts.iter().sum::<usize>().max(1);
        return counts.into_iter().map(|count| count as f64 / total as f64).collect();
    };
    vec![1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_s_place_is_its_own_and_an_asked_for_folder_wins() {
        let module = Module {
            name: "core".to_owned(),
            classes: vec!["core/target/classes".into()],
            test_libraries: vec!["/m2/junit-4.13.2.jar".into()],
            tests: "core/src/test/java".into(),
            ..Module::default()
        };
        let place = of_module(module.clone(), None);
        assert_eq!((place.class_path.as_str(), place.junit), ("core/target/classes", Some(Junit::Four)));
        assert_eq!((place.out, place.release), ("core/src/test/java".into(), OLDEST));
        assert_eq!(of_module(module, Some(&"elsewhere".into())).out, PathBuf::from("elsewhere"));
    }

    #[test]
    fn a_module_that_is_not_there_is_refused_with_those_that_are() {
        let module = Module { name: "core".to_owned(), ..Module::default() };
        let project = Project { modules: vec![module], notes: Vec::new() };
        let failure = chosen(project.clone(), &["web".to_owned()]).expect_err("there is no such module");
        assert!(format!("{failure:?}").contains("core"), "{failure:?}");
        assert_eq!(chosen(project, &["core".to_owned()]).map(|found| found.modules.len()).ok(), Some(1));
    }
}
