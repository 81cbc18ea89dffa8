//! Chores of the project, started as `cargo xtask NAME`.

mod docs;
mod experiment;
mod files;
mod layers;
mod metadata;
mod testing;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use metadata::Metadata;

fn main() -> Result<ExitCode> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("tidy") => tidy(),
        Some("experiment") => {
            experiment::run(args.next().as_deref(), Path::new(&Metadata::read()?.workspace_root))
        }
        Some("test") => testing::run(Path::new(&Metadata::read()?.workspace_root)),
        other => bail!("{} is not a chore; there are: tidy, experiment, test", other.unwrap_or("nothing")),
    }
}

/// Checks what no compiler checks, and prints every breach, one a line.
#[expect(clippy::print_stdout, reason = "breaches are what this command is for")]
fn tidy() -> Result<ExitCode> {
    let metadata = Metadata::read()?;
    let root = Path::new(&metadata.workspace_root);
    let mut breaches = layers::breaches(&metadata);
    breaches.extend(docs::breaches(root, &metadata)?);
    breaches.extend(files::breaches(root)?);
    for breach in &breaches {
        println!("tidy: {breach}");
    }
    Ok(if breaches.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
