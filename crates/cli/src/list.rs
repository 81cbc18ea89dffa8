//! `jurat list`: what Jurat sees in a class path, and why it leaves things out.

mod document;
mod page;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use jurat_classpath::ClassPath;
use jurat_classpath::jdk::{Jdk, Search};
use jurat_model::{ClassId, Subject};
use jurat_subject::{Pattern, Request};

use crate::exit::Failure;
use crate::output::{self, Format, Paint};

/// Arguments of `jurat list`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Class folders, jars and `jrt:/MODULE`, separated by colons
    #[arg(long, short = 'c', value_name = "PATH")]
    classpath: String,
    /// Only these classes: a full or simple name, or a glob; may be repeated
    #[arg(long = "class", value_name = "NAME-OR-GLOB")]
    classes: Vec<String>,
    /// List every class, and one by one what is left out
    #[arg(long)]
    all: bool,
    /// The JDK to use, instead of `JAVA_HOME`, the one on `PATH`, or the newest found
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  jurat list --classpath target/classes
  jurat list --classpath app.jar:lib/dep.jar --class org.example.Money
  jurat list --classpath app.jar --class 'org.example.**' --all
  jurat list --classpath jrt:/java.base --class 'java.util.*' --format json

A glob's * stays within one package, ** does not. A class brings what is nested in it.

Exit code: 0 done, 2 no such class, 3 a path cannot be read or there is no JDK.";

/// Exit 0 with the list, 2 for a class that is not there, 3 for a path that cannot be read.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let environment = |error: &dyn std::error::Error| Failure::environment(error.to_string());
    let jdk = Search::from_env().choose(args.jdk.as_deref()).map_err(|error| environment(&error))?;
    let class_path =
        ClassPath::open(&args.classpath, jdk.feature, Some(&jdk)).map_err(|error| environment(&error))?;
    let patterns: Vec<Pattern> = args.classes.iter().map(|text| Pattern::new(text)).collect();
    let request = Request { class_path: &class_path, jdk: &jdk, patterns: &patterns };
    let subject = jurat_subject::load(&request).map_err(|error| {
        if error.is_usage() { Failure::usage(error.to_string()) } else { environment(&error) }
    })?;
    let listing = Listing { subject: &subject, class_path: &class_path, jdk: &jdk };
    match args.format {
        Format::Json => output::print_json(&document::Document::of(&listing))?,
        Format::Human => {
            let detail = match (args.all, args.classes.is_empty()) {
                (true, _) => page::Detail::Everything,
                (false, false) => page::Detail::Classes,
                (false, true) => page::Detail::Fitting,
            };
            output::print(&page::render(&listing, detail, Paint::for_stdout(), output::width()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is listed.
pub(crate) struct Listing<'a> {
    subject: &'a Subject,
    class_path: &'a ClassPath,
    jdk: &'a Jdk,
}

impl Listing<'_> {
    /// The package that a test of this class would be in.
    fn test_package(&self, class: ClassId) -> String {
        self.subject.test_package(class).to_string()
    }

    /// The class path as the user would write it.
    fn sources(&self) -> Vec<String> {
        self.class_path.sources().map(ToString::to_string).collect()
    }
}
