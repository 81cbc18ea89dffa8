//! The `jurat` command: arguments in, report and exit code out.

mod doctor;
mod enumerate;
mod exit;
mod generate;
mod junit;
mod list;
mod mutate;
mod output;
mod project;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  jurat generate
      In a Maven or Gradle project: tests that pin down what its classes do.

  jurat enumerate --classpath target/classes --class tree.BinaryTree --size 4
      Every tree of at most four nodes that the class's own repOK accepts.

  jurat mutate --classpath target/classes --tests target/test-classes
      Which small changes of the classes the tests notice.

  jurat COMMAND --help
      More examples, and every option.";

/// Writes the JUnit tests a careful engineer would keep, from compiled Java classes.
#[derive(Parser)]
#[command(name = "jurat", version, propagate_version = true, before_long_help = EXAMPLES)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a JUnit suite for compiled classes
    Generate(generate::Args),
    /// Enumerate every small structure that satisfies a class's predicate, each once
    Enumerate(enumerate::Args),
    /// Tell how strong a JUnit suite is: which small changes of the classes it notices, and which not
    Mutate(mutate::Args),
    /// Show what Jurat sees in a class path, and why it leaves things out
    List(list::Args),
    /// Show what this machine has and lacks
    Doctor(doctor::Args),
    /// Host one JVM and run what the engine sends (started by the engine, not by people)
    #[command(hide = true)]
    Worker,
}

fn main() -> ExitCode {
    let command = Args::parse().command;
    if !matches!(command, Command::Worker) {
        jurat_sandbox::keep_memory_low();
    }
    let result = match command {
        Command::Generate(args) => generate::run(&args),
        Command::Mutate(args) => mutate::run(&args),
        Command::List(args) => list::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Enumerate(args) => enumerate::run(&args),
        Command::Worker => match jurat_worker::run() {
            Ok(never) => match never {},
            Err(alone) => Err(exit::Failure::usage(alone.to_string())),
        },
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
