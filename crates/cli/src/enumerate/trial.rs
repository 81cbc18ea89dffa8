//! `--method` and `--out`: tests over the structures that were found.

use std::path::{Path, PathBuf};

use jurat_classpath::{ClassPath, Source};
use jurat_emit::{EmitOptions, Junit};
use jurat_engine::{Enumerated, ProbeTable, Target, Trial, TrialConfig, Written, place, try_structures};
use jurat_exhaustive::Space;
use jurat_model::Subject;
use jurat_pool::PoolConfig;
use jurat_subject::{Pattern, Request};
use jurat_validate::{Bench, Version};

use super::{Args, failure};
use crate::exit::Failure;
use crate::junit::search_from_env;

/// Where tests go that fail: outside the test sources, so that they do not break anybody's build.
const FINDINGS: &str = "jurat-findings";

/// What was tried and what was written.
pub(super) struct Tried {
    /// How many structures there were to try.
    pub(super) on: u64,
    pub(super) trial: Trial,
    pub(super) passing: Vec<Written>,
    pub(super) failing: Vec<Written>,
}

/// Whether tests are asked for.
pub(super) fn is_asked_for(args: &Args) -> bool {
    args.method.is_some() || args.out.is_some()
}

/// Runs the method on the structures that were found, and writes tests.
pub(super) fn run(
    args: &Args,
    target: &Target,
    space: &Space,
    found: &Enumerated,
    path: &ClassPath,
    pool: &PoolConfig,
    go_on: &dyn Fn() -> bool,
) -> Result<Tried, Failure> {
    let subject = load(args, target, path, pool)?;
    let mut pool = pool.clone();
    (pool.hot, pool.probes) = (false, ProbeTable::new(&subject, path).setup());
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::environment(format!("cannot make a temporary folder: {error}")))?;
    let junit = if args.junit == Some(4) { Junit::Four } else { Junit::Five };
    let bench = bench(junit, path, &pool, scratch.path())?;
    let limit = if args.out.is_some() { usize::try_from(args.limit).unwrap_or(usize::MAX) } else { 0 };
    let config = TrialConfig {
        pool,
        path,
        subject: &subject,
        method: args.method.as_deref(),
        limit,
        options: EmitOptions { junit, ..EmitOptions::default() },
        bench: &bench,
    };
    let trial = try_structures(target, space, &found.kept, &config, go_on).map_err(failure)?;
    let passing = match &args.out {
        Some(out) => place(&trial.passing, out).map_err(failure)?,
        None => Vec::new(),
    };
    let failing = place(&trial.failing, Path::new(FINDINGS)).map_err(failure)?;
    Ok(Tried { on: found.kept.len() as u64, trial, passing, failing })
}

/// The classes that structures are made of, and the one that declares the method.
fn load(args: &Args, target: &Target, path: &ClassPath, pool: &PoolConfig) -> Result<Subject, Failure> {
    let mut patterns: Vec<Pattern> =
        target.shape.classes.iter().map(|class| Pattern::new(&class.name)).collect();
    let method = args.method.as_deref().and_then(|method| method.split('(').next());
    patterns.extend(method.and_then(|method| method.rsplit_once('.')).map(|(class, _)| Pattern::new(class)));
    jurat_subject::load(&Request { class_path: path, jdk: &pool.jdk, patterns: &patterns }).map_err(|error| {
        if error.is_usage() {
            Failure::usage(error.to_string())
        } else {
            Failure::environment(error.to_string())
        }
    })
}

fn bench(junit: Junit, path: &ClassPath, pool: &PoolConfig, scratch: &Path) -> Result<Bench, Failure> {
    let (version, marker) = match junit {
        Junit::Five => (Version::Five, "org/junit/jupiter/params/ParameterizedTest"),
        Junit::Four => (Version::Four, "org/junit/runners/Parameterized"),
    };
    let mut search = search_from_env();
    search.on_class_path = path.contains(marker);
    let found = search.find(version).map_err(|error| Failure::environment(error.to_string()))?;
    let class_path: Vec<PathBuf> = path
        .sources()
        .filter_map(|source| match source {
            Source::Folder(path) | Source::Jar(path) => Some(path.clone()),
            Source::Module(_) => None,
        })
        .collect();
    Ok(Bench {
        jdk: pool.jdk.clone(),
        class_path,
        junit: found.jars,
        scratch: scratch.to_owned(),
        stop: std::sync::Arc::default(),
    })
}
