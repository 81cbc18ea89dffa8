//! The mutation score of an emitted suite, by PIT's default operators.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::command::{Command, Ended};
use super::coverage::Share;
use super::suite::Bench;
use super::trial::Trial;

const LONGEST: Duration = Duration::from_secs(1200);

/// What PIT is made of, by the beginnings of its jars' names.
const JARS: [&str; 6] = [
    "pitest-1",
    "pitest-entry-",
    "pitest-command-line-",
    "pitest-junit5-plugin-",
    "jopt-simple-",
    "commons-text-",
];

/// How PIT says that a mutant was noticed.
const NOTICED: [&str; 4] = ["KILLED", "TIMED_OUT", "MEMORY_ERROR", "RUN_ERROR"];

/// What PIT ends with where it meets a class of a newer JDK than it knows. Its minions say as much in passing.
const TOO_NEW: &str =
    "Exception in thread \"main\" java.lang.IllegalArgumentException: Unsupported class file major version";

/// Mutants noticed and made; none where PIT does not know the classes of the JDK yet.
pub(crate) fn score(trial: &Trial, bench: &Bench<'_>) -> Result<Option<Share>> {
    let (reports, sources) = (bench.folder.join("pit"), bench.folder.join("no-sources"));
    std::fs::create_dir_all(&sources)?;
    // PIT changes classes in folders only: those that JaCoCo counted come first.
    let mut path = vec![bench.folder.join("counted").display().to_string(), bench.test_class_path()];
    for jar in JARS {
        path.push(bench.jar(jar)?.display().to_string());
    }
    let list = |suffixes: &[&str]| {
        let names =
            trial.classes.iter().flat_map(|class| suffixes.iter().map(move |end| format!("{class}{end}")));
        names.collect::<Vec<_>>().join(",")
    };
    let mut command = Command::new(&bench.jdk.join("bin/java"));
    command.args(["-cp", &path.join(":"), "org.pitest.mutationtest.commandline.MutationCoverageReport"]);
    command.arg("--reportDir").arg(&reports).arg("--sourceDirs").arg(&sources);
    command.args(["--targetClasses", &list(&["", "$*"]), "--targetTests", &list(&["*Test*", "_*Test*"])]);
    command.args(["--outputFormats", "CSV", "--timestampedReports=false", "--threads", "2"]);
    let run = command.folder(bench.folder).run(LONGEST)?;
    std::fs::write(bench.folder.join("pit.log"), format!("{}\n{}\n{}\n", run.stdout, run.stderr, run.ended))?;
    if run.ended != Ended::Code(0) && run.stderr.contains(TOO_NEW) {
        return Ok(None);
    }
    ensure!(run.ended == Ended::Code(0), "PIT: {}; see {}/pit.log", run.ended, bench.folder.display());
    let table = reports.join("mutations.csv");
    let table = std::fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    Ok(Some(parse(&table)))
}

fn parse(table: &str) -> Share {
    let fate = |line: &str| line.split(',').nth(5).map(str::to_owned);
    let fates: Vec<String> = table.lines().filter_map(fate).collect();
    let noticed = fates.iter().filter(|fate| NOTICED.contains(&fate.as_str()));
    Share { covered: noticed.count() as u64, total: fates.len() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_that_cost_time_are_noticed_too() {
        let table =
            "A.java,A,Math,f,3,KILLED,t\nA.java,A,Math,f,4,TIMED_OUT,t\nA.java,A,Math,f,5,SURVIVED,none\n";
        assert_eq!(parse(table), Share { covered: 2, total: 3 });
    }
}
