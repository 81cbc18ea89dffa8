//! Chores of the project, started as `cargo xtask NAME`.

mod docs;
mod files;
mod layers;
mod metadata;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use metadata::Metadata;

fn main() -> Result<ExitCode> {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy(),
        other => bail!("{} is not a chore; there is: tidy", other.unwrap_or("nothing")),
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
