//! What to do: flags win, then `jurat.toml`, then the project the command is started in, then the defaults.

use std::path::{Path, PathBuf};

use jurat_base::Seed;
use jurat_emit::Junit;
use jurat_engine::{Allowed, Budget, GoalKind};
use jurat_oracle::contracts::{Contract, Rules};
use jurat_oracle::{Policy, Ruling};
use jurat_subject::{Pattern, Wishes};

use super::file::{self, File, Time};
use super::place::{self, Place};
use super::replay;
use crate::exit::Failure;
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  jurat generate
      In a Maven or Gradle project: tests for every class that is compiled, in each module's own test folder.

  jurat generate --classpath target/classes --libraries 'lib/*'
      Write tests for every class of a folder, which needs the jars of another, to src/test/java.

  jurat generate --classpath lib/money.jar --class 'com.acme.money.*' --budget 30s
      Only the classes of one package, with half a minute to look for tests.

  jurat generate --classpath target/classes --seed 5 --steps 20000
      The same tests every time, on any machine, with any number of workers.

  jurat generate --classpath jrt:/java.base --class java.util.BitSet --out /tmp/tests
      A class of the JDK itself.";

const MORE: &str = "\
A jurat.toml in the working folder holds what you would otherwise repeat:
  classes = [\"com.acme.money.*\"]
  budget = \"30s\"
  seed = 5
  set-aside = [\"com.acme.money.Ledger.close\"]   # never to be called
  [values]                                        # to be tried as arguments
  string = [\"EUR\", \"CHF\"]
  int = [365]
  [contracts]                                     # static boolean methods that must hold
  check = [\"com.acme.Checks.isBalanced\"]
  [exceptions]                                    # what they mean: expected, error or invalid
  error = [\"com.acme.InternalException\"]
Every key is explained in docs/settings.md.

Exit codes: 0 a suite, 1 a suite and findings, 2 usage, 3 environment, 70 a bug in Jurat, 130 interrupted (what was found is written).";

/// Arguments of `jurat generate`.
#[derive(clap::Args)]
#[command(before_long_help = EXAMPLES, after_long_help = MORE, after_help = "See --help for examples.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Args {
    /// Class folders, jars and `jrt:/MODULE`, separated by colons
    ///
    /// In a Maven or Gradle project it is found if left out.
    #[arg(long, short = 'c', value_name = "PATH")]
    pub(super) classpath: Option<String>,
    /// What the classes need but is not to be tested: class folders and jars, separated by colons
    #[arg(long, value_name = "PATH", requires = "classpath")]
    pub(super) libraries: Option<String>,
    /// Only these modules of a Maven or Gradle project
    #[arg(long = "module", value_name = "NAME", conflicts_with = "classpath")]
    pub(super) modules: Vec<String>,
    /// Classes to test: a name or a pattern such as `org.acme.*`; all of the class path if left out
    #[arg(long = "class", value_name = "NAME")]
    classes: Vec<String>,
    /// Folder for the tests [default: that of the project, else src/test/java if it exists, else jurat-tests]
    #[arg(long, short, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Folder for tests that show a broken contract; they fail [default: jurat-findings]
    #[arg(long, value_name = "DIR")]
    pub(super) findings: Option<PathBuf>,
    /// Time to generate, minimize and choose assertions: 500ms, 60s, 5m [default: 60s]
    #[arg(long, value_name = "TIME", conflicts_with = "steps")]
    budget: Option<Time>,
    /// Sequences to execute instead of a time budget; the same seed then gives the same files
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Where randomness starts; printed at the end of every run
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Ways to look for tests, separated by commas [default: auto]
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    strategy: Vec<StrategyName>,
    /// What tests are to reach, separated by commas [default: all]
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    goal: Vec<GoalName>,
    /// Which JUnit to write for [default: that of the project, else 5]
    #[arg(long, value_name = "5|4", value_parser = clap::value_parser!(u8).range(4..=5))]
    junit: Option<u8>,
    /// How many JVMs run at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Home of the JDK to use [default: `JAVA_HOME`, then the one on PATH]
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// Keep every assertion that holds, also those that notice no mutant
    #[arg(long)]
    all_assertions: bool,
    /// Choose calls blindly: what they reach decides nothing, and no contract is checked. For comparison
    #[arg(long)]
    no_feedback: bool,
    /// Leave private members alone: tests then use no reflection
    #[arg(long)]
    no_private_access: bool,
    /// Use no mocks: tests then do without Mockito
    #[arg(long)]
    no_mocks: bool,
    /// Run the classes under test without the sandbox: they may then write files and connect
    #[arg(long)]
    no_sandbox: bool,
    /// Leave what validation wrote and what the compiler said of it in this folder. For whoever mends Jurat
    #[arg(long, value_name = "DIR", hide = true)]
    keep_scratch: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

impl Args {
    /// What to print.
    pub(super) fn format(&self) -> Format {
        self.format
    }
}

/// The strategies that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StrategyName {
    /// All of them, each where it helps
    Auto,
    /// Extend sequences that behaved by calls chosen at random
    Random,
    /// Enumerate the structures of classes that have a predicate such as `repOK`, and try every method on them
    Exhaustive,
    /// Evolve sequences towards branches that nothing reached yet
    Search,
}

/// What can be asked of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GoalName {
    /// Both ways of every branch
    Branch,
    /// Every line
    Line,
    /// Every method
    Method,
    /// Every type of exception that a method throws
    Exception,
    /// Every kind of value that a method gives: true, false, null, zero, one, negative, empty or another
    Result,
}

impl GoalName {
    /// The name it is asked for by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Line => "line",
            Self::Method => "method",
            Self::Exception => "exception",
            Self::Result => "result",
        }
    }

    pub(crate) fn kind(self) -> GoalKind {
        match self {
            Self::Branch => GoalKind::Branch,
            Self::Line => GoalKind::Line,
            Self::Method => GoalKind::Method,
            Self::Exception => GoalKind::Exception,
            Self::Result => GoalKind::Result,
        }
    }
}

impl StrategyName {
    /// The name it is asked for by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Random => "random",
            Self::Exhaustive => "exhaustive",
            Self::Search => "search",
        }
    }
}

/// Settings after all sources were heard: those of one module, if the project has several.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) place: Place,
    pub(crate) classes: Vec<String>,
    pub(crate) budget: Budget,
    /// The budget of all modules together.
    pub(crate) asked: Budget,
    pub(crate) seed: Seed,
    pub(crate) strategies: Vec<StrategyName>,
    /// The kinds of goals that tests are for; all if empty.
    pub(crate) goals: Vec<GoalName>,
    pub(crate) junit: Junit,
    pub(crate) workers: Option<usize>,
    pub(crate) jdk: Option<PathBuf>,
    pub(crate) sandbox: bool,
    /// Where what validation writes is kept.
    pub(crate) keep_scratch: Option<PathBuf>,
    /// Whether assertions stay that no mutant needs.
    pub(crate) all_assertions: bool,
    /// Whether what calls reach decides which come next.
    pub(crate) feedback: bool,
    /// Whether tests may use private members and mocks where nothing else helps.
    pub(crate) allowed: Allowed,
    pub(crate) format: Format,
    /// What the user wants changed about the subject.
    pub(crate) wishes: Wishes,
    /// Which contracts are checked, and what exceptions mean.
    pub(crate) rules: Rules,
    /// Where tests of broken contracts go.
    pub(crate) findings: PathBuf,
    /// The command that repeats the run, with all its modules.
    pub(crate) replay: String,
}

impl Settings {
    /// The settings of each module; of one without a name where there is no project.
    pub(crate) fn resolve(args: &Args) -> Result<Vec<Self>, Failure> {
        let file = File::read(Path::new(file::NAME))?;
        let places = place::places(args, &file)?;
        let workers = args.workers.or(file.workers);
        if workers == Some(0) {
            return Err(Failure::usage("--workers 0: at least one worker is needed"));
        }
        let junit = match args.junit {
            Some(4) => Some(Junit::Four),
            Some(_) => Some(Junit::Five),
            None => file.junit.map(|version| version.0),
        };
        let asked = match (args.budget, args.steps) {
            (None, None) => budget(file.budget, file.steps)?,
            (time, steps) => budget(time, steps)?,
        };
        let strategies = match &file.strategy {
            Some(from_file) if args.strategy.is_empty() => from_file.0.clone(),
            _ => args.strategy.clone(),
        };
        let goals = match &file.goal {
            Some(from_file) if args.goal.is_empty() => from_file.0.clone(),
            _ => args.goal.clone(),
        };
        let mut settings = Self {
            place: Place::default(),
            classes: if args.classes.is_empty() { file.classes.clone() } else { args.classes.clone() },
            budget: asked,
            asked,
            seed: args.seed.or(file.seed).map_or_else(super::fresh_seed, Seed),
            strategies,
            goals,
            junit: Junit::default(),
            workers,
            jdk: args.jdk.clone().or_else(|| file.jdk.clone()),
            sandbox: !args.no_sandbox,
            keep_scratch: args.keep_scratch.clone(),
            all_assertions: args.all_assertions,
            feedback: !args.no_feedback,
            allowed: Allowed {
                private_access: !args.no_private_access && file.private_access.unwrap_or(true),
                mocks: !args.no_mocks && file.mocks.unwrap_or(true),
            },
            format: args.format,
            wishes: wishes(&file),
            rules: rules(&file)?,
            findings: PathBuf::new(),
            replay: String::new(),
        };
        settings.replay = replay::line(args, &file, &settings, junit);
        let shares = place::shares(&places);
        let folder = args.findings.clone().or(file.findings).unwrap_or_else(|| "jurat-findings".into());
        let is_one = places.len() == 1;
        let of_place = |(place, share): (Place, f64)| Self {
            junit: junit.or(place.junit).unwrap_or_default(),
            budget: part(asked, share),
            findings: match &place.module {
                Some(module) if !is_one => folder.join(module.replace(':', "/")),
                _ => folder.clone(),
            },
            place,
            ..settings.clone()
        };
        Ok(places.into_iter().zip(shares).map(of_place).collect())
    }
}

impl Settings {
    /// The classes that were asked for, as people write them.
    pub(crate) fn patterns(&self) -> Vec<Pattern> {
        self.classes.iter().map(|class| Pattern::new(class)).collect()
    }

    /// Whether a strategy takes part. All do if nobody chose.
    pub(crate) fn tries(&self, name: StrategyName) -> bool {
        let chosen = &self.strategies;
        chosen.is_empty() || chosen.contains(&StrategyName::Auto) || chosen.contains(&name)
    }
}

fn budget(time: Option<Time>, steps: Option<u64>) -> Result<Budget, Failure> {
    match (time, steps) {
        (_, Some(0)) => Err(Failure::usage("--steps 0: nothing can be found in no steps")),
        (Some(_), Some(_)) => {
            Err(Failure::usage(format!("{}: budget and steps contradict each other; keep one", file::NAME)))
        }
        (None, Some(steps)) => Ok(Budget::Steps(steps)),
        (Some(time), None) => Ok(Budget::Time(time.0)),
        (None, None) => Ok(super::DEFAULT_BUDGET),
    }
}

/// A module's part of a budget, so that the whole project gets what was asked for.
fn part(budget: Budget, share: f64) -> Budget {
    match budget {
        Budget::Time(time) => {
            Budget::Time(time.mul_f64(share).max(std::time::Duration::from_secs(1)).min(time))
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count lies between zero and the count"
        )]
        Budget::Steps(steps) => Budget::Steps(((steps as f64 * share) as u64).clamp(1, steps)),
    }
}

fn wishes(file: &File) -> Wishes {
    Wishes {
        values: file.values.constants(),
        set_aside: file.set_aside.clone(),
        checks: file.contracts.check.clone(),
    }
}

fn rules(file: &File) -> Result<Rules, Failure> {
    let known = Contract::keys();
    if let Some(unknown) = file.contracts.off.iter().find(|off| !known.contains(&off.as_str())) {
        return Err(Failure::usage(format!(
            "{}: [contracts] off: {unknown} is no contract; there are {}",
            file::NAME,
            known.join(", ")
        )));
    }
    let off = file.contracts.off.clone();
    Ok(Rules { policy: policy(file), off, checks: file.contracts.check.clone() })
}

fn policy(file: &File) -> Policy {
    let exceptions = &file.exceptions;
    let lists = [
        (&exceptions.expected, Ruling::Expected),
        (&exceptions.error, Ruling::Error),
        (&exceptions.invalid, Ruling::Invalid),
    ];
    Policy::new(
        lists.into_iter().flat_map(|(names, ruling)| names.iter().map(move |name| (name.clone(), ruling))),
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_steps_and_two_budgets_are_refused() {
        let time = Some(Time(Duration::from_secs(1)));
        assert!(budget(None, Some(0)).is_err());
        assert!(budget(time, Some(5)).is_err());
        assert!(budget(time, None).is_ok());
    }

    #[test]
    fn modules_share_the_budget_and_none_gets_nothing() {
        let time = |seconds| Budget::Time(Duration::from_secs(seconds));
        assert_eq!(part(time(60), 0.25), time(15));
        assert_eq!(part(time(60), 0.0), time(1));
        assert_eq!(part(Budget::Steps(10), 0.01), Budget::Steps(1));
        assert_eq!(part(Budget::Steps(10), 1.0), Budget::Steps(10));
    }
}
