//! What to do, from the command line and `jurat.toml`: flags win, then the file, then the defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jurat_base::Seed;
use jurat_emit::Junit;
use jurat_engine::Budget;
use serde::Deserialize;

use crate::exit::Failure;
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  jurat generate --classpath target/classes
      Write tests for every class of a folder to src/test/java.

  jurat generate --classpath lib/money.jar --class 'com.acme.money.*' --budget 30s
      Only the classes of one package, with half a minute to look for tests.

  jurat generate --classpath target/classes --seed 5 --steps 20000
      The same tests every time, on any machine, with any number of workers.

  jurat generate --classpath jrt:/java.base --class java.util.BitSet --out /tmp/tests
      A class of the JDK itself.

A jurat.toml in the working folder holds what you would otherwise repeat:
  classpath = \"target/classes:lib/guava.jar\"
  classes = [\"com.acme.money.*\"]
  out = \"src/test/java\"
  budget = \"60s\"
  junit = 5

Exit codes: 0 a suite, 2 usage, 3 environment, 70 a bug in Jurat, 130 interrupted (what was found is written).";

/// Arguments of `jurat generate`.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples.")]
pub(crate) struct Args {
    /// Class folders, jars and `jrt:/MODULE`, separated by colons
    #[arg(long, short = 'c', value_name = "PATH")]
    classpath: Option<String>,
    /// Classes to test: a name or a pattern such as `org.acme.*`; all of the class path if left out
    #[arg(long = "class", value_name = "NAME")]
    classes: Vec<String>,
    /// Folder for the tests [default: src/test/java if it exists, else jurat-tests]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Time to generate, minimize and choose assertions: 500ms, 60s, 5m [default: 60s]
    #[arg(long, value_name = "TIME", conflicts_with = "steps")]
    budget: Option<String>,
    /// Sequences to execute instead of a time budget; the same seed then gives the same files
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Where randomness starts; printed at the end of every run
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Ways to look for tests
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    strategy: Vec<StrategyName>,
    /// Which JUnit to write for
    #[arg(long, value_name = "5|4", value_parser = clap::value_parser!(u8).range(4..=5))]
    junit: Option<u8>,
    /// How many JVMs run at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Home of the JDK to use [default: `JAVA_HOME`, then the one on PATH]
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// Run the classes under test without the sandbox: they may then write files and connect
    #[arg(long)]
    no_sandbox: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The strategies that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StrategyName {
    /// Whatever reaches most
    Auto,
    /// Extend sequences that behaved by calls chosen at random
    Random,
}

/// Settings after all sources were heard.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) class_path: String,
    pub(crate) classes: Vec<String>,
    pub(crate) out: PathBuf,
    pub(crate) budget: Budget,
    pub(crate) seed: Seed,
    pub(crate) junit: Junit,
    pub(crate) workers: Option<usize>,
    pub(crate) jdk: Option<PathBuf>,
    pub(crate) sandbox: bool,
    pub(crate) format: Format,
}

/// The file's contents.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    classpath: Option<String>,
    #[serde(default)]
    classes: Vec<String>,
    out: Option<PathBuf>,
    budget: Option<String>,
    steps: Option<u64>,
    seed: Option<u64>,
    junit: Option<u8>,
    workers: Option<usize>,
    jdk: Option<PathBuf>,
}

const FILE: &str = "jurat.toml";

impl Settings {
    pub(crate) fn resolve(args: &Args) -> Result<Self, Failure> {
        let file = File::read(Path::new(FILE))?;
        let class_path = args.classpath.clone().or(file.classpath).ok_or_else(|| {
            Failure::usage("which classes? name them with --classpath, e.g. --classpath target/classes")
        })?;
        let from_flags = args.budget.is_some() || args.steps.is_some();
        let (budget, steps) =
            if from_flags { (args.budget.clone(), args.steps) } else { (file.budget, file.steps) };
        let junit = match args.junit.or(file.junit) {
            None | Some(5) => Junit::Five,
            Some(4) => Junit::Four,
            Some(other) => {
                return Err(Failure::usage(format!("{FILE}: junit = {other}: only 4 and 5 are known")));
            }
        };
        let workers = args.workers.or(file.workers);
        if workers == Some(0) {
            return Err(Failure::usage("--workers 0: at least one worker is needed"));
        }
        Ok(Self {
            class_path,
            classes: if args.classes.is_empty() { file.classes } else { args.classes.clone() },
            out: args.out.clone().or(file.out).unwrap_or_else(default_out),
            budget: parse_budget(budget.as_deref(), steps)?,
            seed: args.seed.or(file.seed).map_or_else(super::fresh_seed, Seed),
            junit,
            workers,
            jdk: args.jdk.clone().or(file.jdk),
            sandbox: !args.no_sandbox,
            format: args.format,
        })
    }
}

impl File {
    fn read(path: &Path) -> Result<Self, Failure> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                toml::from_str(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::environment(format!("cannot read {}: {error}", path.display()))),
        }
    }
}

fn default_out() -> PathBuf {
    let maven = Path::new("src/test/java");
    if maven.is_dir() { maven.to_owned() } else { PathBuf::from("jurat-tests") }
}

fn parse_budget(budget: Option<&str>, steps: Option<u64>) -> Result<Budget, Failure> {
    match (budget, steps) {
        (_, Some(0)) => Err(Failure::usage("--steps 0: nothing can be found in no steps")),
        (_, Some(steps)) => Ok(Budget::Steps(steps)),
        (None, None) => Ok(super::DEFAULT_BUDGET),
        (Some(text), None) => match parse_time(text) {
            Some(Duration::ZERO) => Err(Failure::usage("--budget 0: nothing can be found in no time")),
            Some(time) => Ok(Budget::Time(time)),
            None => Err(Failure::usage(format!("--budget {text}: write a time such as 500ms, 60s or 5m"))),
        },
    }
}

fn parse_time(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse_time("60"), Some(Duration::from_secs(60)));
        assert_eq!(parse_time("1.5m"), Some(Duration::from_secs(90)));
        assert_eq!(parse_time("soon"), None);
        assert_eq!(parse_time("-3s"), None);
    }

    #[test]
    fn no_time_and_no_steps_are_refused() {
        assert!(parse_budget(Some("0s"), None).is_err());
        assert!(parse_budget(None, Some(0)).is_err());
    }
}
