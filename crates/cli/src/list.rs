//! `jurat list`: what Jurat sees in a class path.

use std::process::ExitCode;

use crate::exit::Failure;

/// Arguments of `jurat list`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    Err(Failure::environment("list is not built yet"))
}
