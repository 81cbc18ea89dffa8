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

/// Writes the JUnit tests a careful engineer would keep, from compiled Java classes.
#[derive(Parser)]
#[command(name = "jurat", version, about, propagate_version = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a JUnit suite for compiled classes
    Generate(generate::Args),
    /// Tell how strong a JUnit suite is: which small changes of the classes it notices, and which not
    Mutate(mutate::Args),
    /// Show what Jurat sees in a class path, and why it leaves things out
    List(list::Args),
    /// Show what this machine has and lacks
    Doctor(doctor::Args),
    /// Enumerate every small structure that satisfies a class's predicate, each once
    Enumerate(enumerate::Args),
    /// Host one JVM and run what the engine sends (started by the engine, not by people)
    #[command(hide = true)]
    Worker,
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
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
