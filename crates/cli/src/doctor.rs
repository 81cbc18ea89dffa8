//! `jurat doctor`: what this machine has and lacks.

mod jdks;
mod junit;
mod page;
mod programs;

use std::path::PathBuf;
use std::process::ExitCode;

use jurat_classpath::jdk::Search;
use jurat_sandbox::Features;
use jurat_validate::JUnitSearch;
use serde::Serialize;

use crate::exit::Failure;
use crate::junit::search_from_env;
use crate::output::{self, Format, Paint};
use jdks::Jdks;
use programs::Program;

/// Arguments of `jurat doctor`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The JDK to use, instead of JAVA_HOME, the one on PATH, or the newest found
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Exit 0 if Jurat can run here, 3 if something that it cannot do without is missing.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let diagnosis = Diagnosis::of(&Surroundings::from_env(args.jdk.clone()), jurat_sandbox::detect());
    match args.format {
        Format::Human => output::print(&page::render(&diagnosis, Paint::for_stdout()))?,
        Format::Json => output::print_json(&diagnosis)?,
    }
    Ok(if diagnosis.ready { ExitCode::SUCCESS } else { ExitCode::from(Failure::ENVIRONMENT) })
}

/// What the user's environment says, as data.
struct Surroundings {
    /// The JDK asked for with `--jdk`.
    asked: Option<PathBuf>,
    search: Search,
    junit: JUnitSearch,
}

impl Surroundings {
    fn from_env(asked: Option<PathBuf>) -> Self {
        Self { asked, search: Search::from_env(), junit: search_from_env() }
    }
}

/// Everything found: this is the JSON document.
#[derive(Serialize)]
struct Diagnosis {
    version: &'static str,
    /// Whether nothing is required and missing.
    ready: bool,
    /// What is required and missing.
    problems: Vec<Lack>,
    /// What is missing and may be.
    optional: Vec<Lack>,
    jdk: Jdks,
    sandbox: Sandbox,
    solvers: Vec<Program>,
    junit: Vec<junit::Found>,
    maven: Option<Program>,
}

/// Something missing.
#[derive(Clone, Debug, Serialize)]
struct Lack {
    /// The row of the report it belongs to.
    topic: &'static str,
    what: String,
    /// What to do about it.
    remedy: String,
}

impl Lack {
    fn new(topic: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { topic, what: what.into(), remedy: remedy.into() }
    }
}

/// What the kernel offers.
#[derive(Serialize)]
struct Sandbox {
    landlock_abi: Option<u32>,
    seccomp: bool,
    no_new_privs: bool,
}

impl Diagnosis {
    fn of(surroundings: &Surroundings, features: Features) -> Self {
        let (jdk, mut problems) = Jdks::find(&surroundings.search, surroundings.asked.as_deref());
        problems
            .extend(features.missing().into_iter().map(|lack| Lack::new("sandbox", lack.what, lack.remedy)));
        let mut optional = Vec::new();
        let solvers = programs::solvers(surroundings.search.path.as_ref(), &mut optional);
        let junit = junit::find(&surroundings.junit, &mut optional);
        let maven = programs::maven(surroundings.search.path.as_ref(), &mut optional);
        let sandbox = Sandbox {
            landlock_abi: features.landlock,
            seccomp: features.seccomp_notify,
            no_new_privs: features.no_new_privs,
        };
        let version = env!("CARGO_PKG_VERSION");
        Self { version, ready: problems.is_empty(), problems, optional, jdk, sandbox, solvers, junit, maven }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_nothing_is_told_what_to_do_about_each_thing() {
        let nowhere = Surroundings { asked: None, search: Search::default(), junit: JUnitSearch::default() };
        let nothing = Features { landlock: None, seccomp_notify: false, no_new_privs: false };
        let diagnosis = Diagnosis::of(&nowhere, nothing);
        assert!(!diagnosis.ready);
        let topics = |lacks: &[Lack]| lacks.iter().map(|lack| lack.topic).collect::<Vec<_>>();
        assert_eq!(topics(&diagnosis.problems), ["JDK", "sandbox", "sandbox", "sandbox"]);
        assert_eq!(topics(&diagnosis.optional), ["solver", "JUnit 5", "JUnit 4", "Maven"]);
        for lack in diagnosis.problems.iter().chain(&diagnosis.optional) {
            assert!(!lack.what.is_empty() && !lack.remedy.is_empty(), "{lack:?}");
        }
        let page = page::render(&diagnosis, Paint::plain());
        assert!(page.starts_with("not ready: "), "{page}");
        assert_eq!(page.matches("  NO  ").count(), 4, "{page}");
        let one_word = |line: &str| line.split_whitespace().count() == 1;
        assert!(page.lines().all(|line| line.chars().count() <= 80 || one_word(line)), "{page}");
    }
}
