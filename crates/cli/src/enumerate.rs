//! `jurat enumerate`: every small structure that satisfies a class's predicate, each once.

mod progress;
mod report;
mod trial;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use jurat_classpath::ClassPath;
use jurat_classpath::jdk::{Jdk, Search};
use jurat_engine::{EnumerateConfig, Enumerated, RunError, Target, check_method, enumerate};
use jurat_exhaustive::{Finitization, Space, StateVector, Structure, draw};
use jurat_pool::PoolConfig;

use crate::exit::Failure;
use crate::output::{Format, print};
use progress::Meter;
use report::Report;

const EXAMPLES: &str = "\
Examples:
  jurat enumerate --classpath target/classes --class tree.BinaryTree --size 4
      Every tree of at most four nodes that the class's own repOK accepts, each once.

  jurat enumerate --classpath target/classes --class tree.BinaryTree --size 3 --draw trees.svg
      The same, to look at.

  jurat enumerate --classpath target/classes --class tree.BinaryTree --size 4 --method 'remove(int)' --out src/test/java
      Run remove on all of them, with every number: what breaks repOK becomes a failing test in jurat-findings, and
      what remove does becomes a parameterized test.

  jurat enumerate --classpath target/classes --class tree.BinaryTree --size 4 --show-finitization > bounds.toml
  jurat enumerate --classpath target/classes --class tree.BinaryTree --finitization bounds.toml
      Bounds of your own: how many objects of each class, which values each field may hold.";

const MORE: &str = "\
Exit codes: 0 done, 1 findings, 2 usage, 3 environment, 70 a bug in Jurat, 130 interrupted (it says how to go on).";

/// Arguments of `jurat enumerate`.
#[derive(clap::Args)]
#[command(before_long_help = EXAMPLES, after_long_help = MORE, after_help = "See --help for examples.")]
pub(crate) struct Args {
    /// Class folders and jars, separated by colons
    #[arg(long, short = 'c', value_name = "PATH")]
    classpath: String,
    /// The class whose structures are enumerated
    #[arg(long, value_name = "NAME")]
    class: String,
    /// At most N objects of each class, numbers 0 to N, letters and words from a on, arrays of length 0 to N
    #[arg(long, value_name = "N", conflicts_with = "finitization", required_unless_present = "finitization")]
    size: Option<u32>,
    /// A file with the bounds; start from what --show-finitization prints
    #[arg(long, value_name = "FILE")]
    finitization: Option<PathBuf>,
    /// The method without parameters that says whether a structure is valid [default: repOK and the like]
    #[arg(long, value_name = "NAME")]
    predicate: Option<String>,
    /// Run this method on every structure and with every argument of its parameters' domains: `add`, `add(int)`, or
    /// `tree.Trees.count` for a static method that takes the class
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Folder for tests that say what the method does, or what the structures are, on as many as --limit allows
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Which JUnit to write for [default: 5]
    #[arg(long, value_name = "5|4", value_parser = clap::value_parser!(u8).range(4..=5))]
    junit: Option<u8>,
    /// Print the bounds as a file to edit, and stop
    #[arg(long)]
    show_finitization: bool,
    /// Draw the structures, as many as --limit allows, into one SVG file
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    /// How many structures to print, to draw and to write tests about
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u64,
    /// Go on where an interrupted run stopped
    #[arg(long, value_name = "VECTOR")]
    from: Option<String>,
    /// Start even if it looks as if the search would never end
    #[arg(long)]
    yes: bool,
    /// How many JVMs search at the same time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,
    /// The JDK to run the classes on
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// Run the classes without a sandbox
    #[arg(long)]
    no_sandbox: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Structures on which a method is run at most.
const MOST_TRIED: u64 = 200_000;

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let jdk = Search::from_env().choose(args.jdk.as_deref());
    let jdk = jdk.map_err(|error| Failure::environment(error.to_string()))?;
    let path = ClassPath::open(&args.classpath, jdk.feature, Some(&jdk));
    let path = path.map_err(|error| Failure::environment(error.to_string()))?;
    let target = Target::read(&path, &args.class, args.predicate.as_deref()).map_err(failure)?;
    if let Some(method) = &args.method {
        check_method(&target, &path, method).map_err(failure)?;
    }
    let bounds = bounds(args, &target)?;
    if args.show_finitization {
        print(&bounds.to_toml(&target.shape))?;
        return Ok(ExitCode::SUCCESS);
    }
    args.draw.as_deref().map_or(Ok(()), check_place)?;
    let space = Space::new(&bounds).map_err(|error| Failure::usage(error.to_string()))?;
    let config = EnumerateConfig {
        pool: pool_config(args, jdk, &path)?,
        bounds,
        from: from(args)?,
        keep: if args.method.is_some() { MOST_TRIED.max(args.limit) } else { args.limit },
        endless: args.yes,
        longest: jurat_exhaustive::ENDLESS,
    };
    let meter = Meter::start(args.format);
    let started = now();
    let mut found = enumerate(&target, &config, &|progress| meter.show(progress)).map_err(failure)?;
    meter.finish();
    let tried = if trial::is_asked_for(args) {
        let go_on = || meter.goes_on();
        Some(trial::run(args, &target, &space, &found, &path, &config.pool, &go_on)?)
    } else {
        None
    };
    found.kept.truncate(usize::try_from(args.limit).unwrap_or(usize::MAX));
    if let Some(file) = &args.draw {
        save_drawing(file, args, &space, &found)?;
    }
    let seconds = now().duration_since(started).as_secs_f64();
    let faulty = tried.as_ref().is_some_and(|tried| !tried.trial.findings.is_empty());
    Report { target: &target, space: &space, found: &found, tried: tried.as_ref(), seconds }
        .print(args.format)?;
    Ok(match (found.rest.is_some(), faulty) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// Refuses a file that could not be written, before a search that may take long.
fn check_place(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let reason = if file.is_dir() {
        "it is a folder"
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        "its folder does not exist"
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!("--draw {}: {reason}", file.display())))
}

#[expect(clippy::disallowed_methods, reason = "people are told how long it took; nothing depends on it")]
fn now() -> Instant {
    Instant::now()
}

fn failure(error: RunError) -> Failure {
    match error {
        RunError::Usage(message) => Failure::usage(message),
        RunError::Environment(message) => Failure::environment(message),
        bug @ RunError::Bug(_) => Failure::bug(bug.to_string()),
    }
}

fn bounds(args: &Args, target: &Target) -> Result<Finitization, Failure> {
    let Some(file) = &args.finitization else {
        return Ok(Finitization::derive(&target.shape, args.size.unwrap_or(0)));
    };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::environment(format!("cannot read {}: {error}", file.display())))?;
    Finitization::parse(&text, &target.shape)
        .map_err(|error| Failure::usage(format!("{}:{}: {}", file.display(), error.line, error.message)))
}

fn from(args: &Args) -> Result<Option<StateVector>, Failure> {
    let vector = args.from.as_deref().map(str::parse).transpose();
    vector.map_err(|error: jurat_exhaustive::Stranger| Failure::usage(format!("--from: {error}")))
}

fn pool_config(args: &Args, jdk: Jdk, path: &ClassPath) -> Result<PoolConfig, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the jurat program itself: {error}")))?;
    let mut config = PoolConfig::new(program, jdk);
    let files = path.sources().filter_map(|source| match source {
        jurat_classpath::Source::Folder(path) | jurat_classpath::Source::Jar(path) => Some(path),
        jurat_classpath::Source::Module(_) => None,
    });
    config.class_path =
        files.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect();
    config.sandbox = !args.no_sandbox;
    if let Some(workers) = args.workers {
        config.workers = workers.into();
    }
    Ok(config)
}

fn save_drawing(file: &Path, args: &Args, space: &Space, found: &Enumerated) -> Result<(), Failure> {
    let structures: Vec<Structure> =
        found.kept.iter().map(|vector| Structure::from_choices(space, vector)).collect();
    let page = draw(&args.class, &structures, found.tally.valid);
    std::fs::write(file, page)
        .map_err(|error| Failure::environment(format!("cannot write {}: {error}", file.display())))
}
