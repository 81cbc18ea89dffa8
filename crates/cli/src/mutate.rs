//! `jurat mutate`: how strong a suite of JUnit tests is.

mod report;
mod source;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jurat_classpath::jdk::{Jdk, Search};
use jurat_classpath::{ClassPath, Source};
use jurat_engine::{
    Failing, MutantTable, Mutate, MutateProgress, Mutated, Operator, Operators, RunError, Stop,
};
use jurat_pool::PoolConfig;
use jurat_subject::Pattern;
use jurat_validate::Version;

use crate::exit::Failure;
use crate::junit::search_from_env;
use crate::output::Format;
use report::Report;
use source::Sources;

const EXAMPLES: &str = "\
Examples:
  jurat mutate --classpath target/classes --tests target/test-classes
      The mutation score of a project's tests, and the changes that no test notices.

  jurat mutate -c target/classes:lib/guava.jar --tests target/test-classes --class 'org.acme.money.*' --threshold 80
      Only the classes of one package; exit code 1 if less than 80 % of their mutants are killed.

A mutant is the class with one small change. Tests run in the sandbox; what they leave in static fields never
counts for or against another mutant.

Exit codes: 0 done, 1 the score is below the threshold, 2 usage (no tests, tests that fail, a class no test reaches),
3 environment, 70 a bug in Jurat, 130 interrupted.";

/// Arguments of `jurat mutate`.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples.")]
pub(crate) struct Args {
    /// The classes under test and what they need: folders and jars, separated by colons
    #[arg(long, short = 'c', value_name = "PATH")]
    classpath: String,
    /// The compiled tests, JUnit 5 or 4: folders and jars, separated by colons
    #[arg(long, short = 't', value_name = "PATH")]
    tests: String,
    /// Classes to mutate: a name or a pattern such as `org.acme.*`; all of the class path if left out
    #[arg(long = "class", value_name = "NAME")]
    classes: Vec<String>,
    /// The score in percent below which the exit code is 1
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Kinds of changes: `all`, `standard` (without constants, calls with a result and switch cases), or a list of
    /// negate, boundary, arithmetic, bits, increment, return, constant, void-call, call, switch
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "all")]
    operators: Vec<String>,
    /// Where the sources of the classes are, for excerpts [default: src/main/java, or beside the classes]
    #[arg(long, value_name = "PATH")]
    sourcepath: Option<String>,
    /// How many surviving mutants to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    survivors: usize,
    /// How many JVMs run at a time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,
    /// Home of the JDK to use [default: `JAVA_HOME`, then the one on PATH]
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// Run the tests without the sandbox: they may then write files and connect
    #[arg(long)]
    no_sandbox: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let environment = |error: jurat_classpath::ClassPathError| Failure::environment(error.to_string());
    let operators = operators(&args.operators)?;
    let jdk = Search::from_env().choose(args.jdk.as_deref());
    let jdk = jdk.map_err(|error| Failure::environment(error.to_string()))?;
    let subject = ClassPath::open(&args.classpath, jdk.feature, Some(&jdk)).map_err(environment)?;
    let tests = ClassPath::open(&args.tests, jdk.feature, None).map_err(environment)?;
    let names = chosen(&subject, &tests, &args.classes)?;
    let junit = junit(&subject, &tests)?;
    let all = complete(args, &jdk, &junit)?;
    let table = MutantTable::new(names.iter().map(String::as_str), &all, operators);
    if table.is_empty() {
        return Err(Failure::usage("there is nothing to change in these classes: they have no mutants"));
    }
    let stop = Stop::default();
    let on_signal = stop.clone();
    ctrlc::set_handler(move || on_signal.request())
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-C: {error}")))?;
    let pool = pool_config(args, jdk, &all, junit, &names)?;
    let mut bar = Bar::new(args.format == Format::Human);
    let run = Mutate { tests: &tests, all: &all, table: &table, pool, stop };
    let mutated = jurat_engine::mutate(&run, &mut bar).map_err(failure)?;
    bar.bar.finish_and_clear();
    let mutation = match mutated {
        Mutated::Judged(mutation) => mutation,
        Mutated::NoTests => {
            return Err(Failure::usage(format!(
                "no JUnit tests in {}: it must hold compiled classes with methods annotated @Test",
                args.tests
            )));
        }
        Mutated::Failing(failing) => return Err(Failure::usage(fails(&failing, !args.no_sandbox))),
    };
    if mutation.reached() == 0 && !mutation.interrupted {
        return Err(Failure::usage(format!(
            "none of the {} tests reaches {}: are these its tests, and is the class path right?",
            mutation.tests.len(),
            told(&names)
        )));
    }
    let sources = Sources::new(args.sourcepath.as_deref(), &subject);
    let report = Report { mutation: &mutation, table: &table, sources: &sources, threshold: args.threshold };
    report.print(args.format, args.survivors)?;
    Ok(match () {
        () if mutation.interrupted => ExitCode::from(130),
        () if report.is_below() => ExitCode::from(1),
        () => ExitCode::SUCCESS,
    })
}

fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.trim_end_matches('%').parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("not between 0 and 100".to_owned()) }
}

fn operators(names: &[String]) -> Result<Operators, Failure> {
    let mut chosen = 0;
    for name in names {
        let named = Operator::ALL.into_iter().find(|operator| operator.name() == name);
        chosen |= match (&**name, named) {
            ("all", _) => Operators::all().bits(),
            ("standard", _) => Operators::standard().bits(),
            (_, Some(operator)) => Operators::of(&[operator]).bits(),
            _ => {
                let known: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
                let known = known.join(", ");
                return Err(Failure::usage(format!(
                    "unknown operator `{name}`; known are all, standard, {known}"
                )));
            }
        };
    }
    Ok(Operators::from_bits(chosen))
}

/// The classes to mutate: those asked for, or all of the class path; never the tests themselves.
fn chosen(subject: &ClassPath, tests: &ClassPath, patterns: &[String]) -> Result<Vec<String>, Failure> {
    let patterns: Vec<Pattern> = patterns.iter().map(|pattern| Pattern::new(pattern)).collect();
    let mut names =
        jurat_subject::select(subject, &patterns).map_err(|error| Failure::usage(error.to_string()))?;
    names.retain(|name| !tests.contains(name) && !name.ends_with("-info"));
    Ok(names)
}

/// The jars of JUnit that the class path lacks, as found on this machine.
fn junit(subject: &ClassPath, tests: &ClassPath) -> Result<Vec<PathBuf>, Failure> {
    let has = |name: &str| subject.contains(name) || tests.contains(name);
    let mut search = search_from_env();
    search.on_class_path = has("org/junit/jupiter/api/Test") && has("org/junit/platform/launcher/Launcher");
    let five = search.find(Version::Five);
    search.on_class_path = has("org/junit/Test");
    let four = search.find(Version::Four);
    match (five, four) {
        (Err(missing), Err(_)) => Err(Failure::environment(missing.to_string())),
        (five, four) => Ok(five.into_iter().chain(four).flat_map(|junit| junit.jars).collect()),
    }
}

/// Tests, classes under test, and JUnit.
fn complete(args: &Args, jdk: &Jdk, junit: &[PathBuf]) -> Result<ClassPath, Failure> {
    let jars = junit.iter().map(|jar| jar.display().to_string());
    let parts = [args.tests.clone(), args.classpath.clone()].into_iter().chain(jars);
    let text = parts.collect::<Vec<_>>().join(":");
    ClassPath::open(&text, jdk.feature, Some(jdk)).map_err(|error| Failure::environment(error.to_string()))
}

/// What Byte Buddy's agent begins with.
const ATTACHED: &str = "net/bytebuddy/agent/Installer";

/// Mockito's jars, unless they are under test: they take a second to get ready, and know nothing of the classes that are.
fn mocking(all: &ClassPath, names: &[String]) -> Vec<PathBuf> {
    let jar = |class: &str| match all.source(class) {
        Some(source @ Source::Jar(path)) => {
            let is_mutated = names.iter().any(|name| all.source(name) == Some(source));
            (!is_mutated).then(|| path.clone())
        }
        _ => None,
    };
    let parts = ["org/mockito/Mockito", "net/bytebuddy/ByteBuddy", ATTACHED, "org/objenesis/Objenesis"];
    parts.into_iter().filter_map(jar).collect()
}

fn pool_config(
    args: &Args,
    jdk: Jdk,
    all: &ClassPath,
    junit: Vec<PathBuf>,
    names: &[String],
) -> Result<PoolConfig, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the jurat program itself: {error}")))?;
    let mut config = PoolConfig::new(program, jdk);
    let file = |source: &Source| match source {
        Source::Folder(path) | Source::Jar(path) => Some(path.clone()),
        Source::Module(_) => None,
    };
    // Mockito changes classes that are loaded; no agent can be attached to a worker for that, so there is one from the
    // start.
    config.agents = all.agent(ATTACHED).map(Path::to_owned).into_iter().collect();
    config.lasting = junit;
    config.lasting.extend(mocking(all, names));
    let is_anew = |path: &PathBuf| !config.lasting.contains(path);
    config.class_path = all.sources().filter_map(file).filter(is_anew).collect();
    config.sandbox = !args.no_sandbox;
    if let Some(workers) = args.workers {
        config.workers = workers.into();
    }
    Ok(config)
}

/// Some classes, in few words.
fn told(names: &[String]) -> String {
    let outer: BTreeSet<String> =
        names.iter().map(|name| name.split('$').next().unwrap_or(name).replace('/', ".")).collect();
    match outer.len() {
        0..=3 => outer.into_iter().collect::<Vec<_>>().join(", "),
        count => format!("any of the {count} classes"),
    }
}

/// What to tell about tests that fail without any mutant.
fn fails(failing: &[Failing], sandboxed: bool) -> String {
    const SHOWN: usize = 10;
    let mut text = format!(
        "{} tests fail before anything was changed; a mutation score needs a suite that passes",
        failing.len()
    );
    for failing in failing.iter().take(SHOWN) {
        let reason: String = failing.reason.chars().take(200).collect();
        let _ = write!(text, "\n  {}: {reason}", failing.test);
    }
    if failing.len() > SHOWN {
        let _ = write!(text, "\n  and {} more", failing.len() - SHOWN);
    }
    if sandboxed {
        text +=
            "\nTests run in a sandbox without network, processes and foreign files; --no-sandbox lifts it.";
    }
    text
}

fn failure(error: RunError) -> Failure {
    match error {
        RunError::Usage(message) => Failure::usage(message),
        RunError::Environment(message) => Failure::environment(message),
        bug @ RunError::Bug(_) => Failure::bug(bug.to_string()),
    }
}

/// Shows how far the run is, on a terminal only.
struct Bar {
    bar: ProgressBar,
}

impl Bar {
    fn new(is_shown: bool) -> Self {
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("the template is ours");
        bar.set_style(style);
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        Self { bar }
    }
}

impl MutateProgress for Bar {
    fn update(&mut self, doing: &'static str, done: usize, of: usize) {
        self.bar.set_message(format!("{doing}: {done} of {of}"));
    }
}
