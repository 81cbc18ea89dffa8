//! `jurat doctor`: what this machine has and lacks.

use std::process::ExitCode;

use crate::exit::Failure;

/// Arguments of `jurat doctor`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    Err(Failure::environment("doctor is not built yet"))
}
