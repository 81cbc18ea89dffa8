//! `jurat generate`: from a class path to a JUnit suite.

mod contracts;
mod explored;
mod file;
mod place;
mod progress;
mod remarks;
mod replay;
mod report;
mod settings;
mod structures;

use std::path::PathBuf;
use std::process::ExitCode;

use jurat_base::Seed;
use jurat_classpath::jdk::{Jdk, Search};
use jurat_classpath::{ClassPath, Source};
use jurat_emit::{EmitOptions, Junit};
use jurat_engine::{
    Allowed, Budget, Deadline, Finishing, MutantTable, Operators, PooledRunner, ProbeTable, RunError, Stop,
};
use jurat_model::Subject;
use jurat_pool::PoolConfig;
use jurat_subject::Request;
use jurat_validate::{Bench, JUnitSearch, Version, is_mockito, is_of_mockito};

use crate::exit::Failure;
use crate::output::{Format, note};
use explored::Explored;
use place::Place;
use progress::Bar;
use report::{Report, Spent};
pub(crate) use settings::Args;
use settings::Settings;

/// Runs the command: for each module in turn, if the project has several.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let modules = Settings::resolve(args)?;
    let stop = Stop::default();
    let on_signal = stop.clone();
    let handler = move || {
        if on_signal.is_requested() {
            // Asked twice: somebody is in a hurry. Workers end with us.
            std::process::exit(130);
        }
        on_signal.request();
        note("stopping; what was found is written (Ctrl-C again to end at once)");
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::environment(format!("cannot watch for Ctrl-C: {error}")))?;
    let mut whole: Option<Report> = None;
    let mut refused = None;
    for settings in &modules {
        settings.place.notes.iter().for_each(|text| note(text));
        match run_one(settings, &stop) {
            Ok(report) => match &mut whole {
                Some(whole) => whole.absorb(report),
                None => whole = Some(report),
            },
            // A class that was asked for by name is in one module and not in the others.
            Err(failure) if modules.len() > 1 && failure.is_usage() => refused = Some(failure),
            Err(failure) => return Err(failure),
        }
        if stop.is_requested() {
            break;
        }
    }
    let Some(report) = whole else {
        return Err(refused.unwrap_or_else(|| Failure::bug("a project without modules")));
    };
    report.print(args.format())?;
    Ok(report.exit_code(stop.is_requested()))
}

fn run_one(settings: &Settings, stop: &Stop) -> Result<Report, Failure> {
    let jdk = Search::from_env()
        .choose(settings.jdk.as_deref())
        .map_err(|error| Failure::environment(error.to_string()))?;
    let Place { class_path, libraries, .. } = &settings.place;
    let class_path = ClassPath::open_with(class_path, libraries, jdk.feature, Some(&jdk))
        .map_err(|error| Failure::environment(error.to_string()))?;
    let subject = load(&class_path, &jdk, settings)?;
    jurat_engine::check_place(&settings.place.out).map_err(failure)?;
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::environment(format!("cannot make a temporary folder: {error}")))?;
    let folder = match &settings.keep_scratch {
        Some(kept) => std::path::absolute(kept).unwrap_or_else(|_| kept.clone()),
        None => scratch.path().to_owned(),
    };
    let (bench, mockless) = bench(settings, &jdk, &class_path, folder, stop)?;
    bench.check_compiler().map_err(|error| Failure::environment(error.to_string()))?;
    let allowed = Allowed { mocks: settings.allowed.mocks && mockless.is_none(), ..settings.allowed };
    let report = generate(settings, allowed, &subject, &class_path, &bench, stop)?;
    Ok(match mockless.filter(|_| settings.allowed.mocks && misses_mocks(&subject)) {
        Some(why) => report.without_mocks(&why),
        None => report,
    })
}

/// True if a class under test wants something that only a mock could be.
fn misses_mocks(subject: &Subject) -> bool {
    subject.classes().iter().any(|(id, class)| {
        let is_wanted = class.distance <= 1 && class.implementations.is_empty() && class.functional.is_none();
        is_wanted && subject.mocked_methods(id).is_some()
    })
}

fn generate(
    settings: &Settings,
    allowed: Allowed,
    subject: &Subject,
    class_path: &ClassPath,
    bench: &Bench,
    stop: &Stop,
) -> Result<Report, Failure> {
    let mut bar = Bar::new(settings.format == Format::Human, settings.budget);
    let deadline = Deadline::start(settings.budget, stop.clone());
    let probes = ProbeTable::new(subject, class_path);
    let config = pool_config(settings, bench, class_path, &probes)?;
    let mut offered = structures::offered(settings, subject, class_path, &config, &deadline)?;
    offered.allowed = allowed;
    offered.goals = settings.goals.iter().map(|goal| goal.kind()).collect();
    let mut runner = PooledRunner::start(subject, config.clone()).map_err(failure)?;
    let mut generated =
        jurat_engine::generate(subject, &probes, settings.seed, &deadline, &offered, &mut runner, &mut bar)
            .map_err(failure)?;
    let mutants = mutants(class_path, &probes, &deadline);
    let all = settings.all_assertions.then(|| generated.suite.clone());
    let suite = &mut generated.suite;
    let strength = jurat_engine::strengthen(subject, suite, &mutants, &config, &mut runner, &deadline)
        .map_err(failure)?;
    generated.suite = all.unwrap_or_else(|| std::mem::take(suite));
    let generation = deadline.elapsed();
    let breaches = contracts::breaches(settings, subject, &mut generated.suite, &deadline, &mut runner)?;
    let contracts = deadline.elapsed().saturating_sub(generation);
    bar.validating(generated.suite.len());
    let options =
        EmitOptions { junit: settings.junit, release: settings.place.release, ..EmitOptions::default() };
    let suite = std::mem::take(&mut generated.suite);
    let finishing =
        Finishing { options: &options, bench, seed: settings.seed.0, within: deadline.finishing() };
    let mut finished = jurat_engine::finish(subject, suite, &finishing).map_err(failure)?;
    finished.coverage = jurat_engine::covered(&finished.suite, &probes, &mut runner).map_err(failure)?;
    let written = jurat_engine::place(&finished.files, &settings.place.out).map_err(failure)?;
    let findings = jurat_engine::write_findings(subject, &breaches, &options, bench, &settings.findings)
        .map_err(failure)?;
    bar.clear();
    let validation = deadline.elapsed().saturating_sub(generation + contracts);
    let spent = Spent { generation, validation, workers: runner.tally() };
    let explored = Explored::new(subject, &generated, probes.coverage(&generated.exploration.probes));
    Ok(Report::new(settings, subject, &generated, explored, &finished, &written, &spent)
        .with_findings(findings, contracts)
        .with_strength(&strength, &finished.suite, settings.all_assertions))
}

/// The mutants that decide which assertions stay. Classes of the JDK have none: every JVM needs them as they are.
fn mutants(class_path: &ClassPath, probes: &ProbeTable, deadline: &Deadline) -> MutantTable {
    let classes = if deadline.may_assert() { probes.setup().classes } else { Vec::new() };
    let is_own = |name: &str| !matches!(class_path.source(name), Some(Source::Module(_)) | None);
    let names = classes.iter().map(|(name, _)| name.as_str()).filter(|name| is_own(name));
    MutantTable::new(names, class_path, Operators::all())
}

fn load(class_path: &ClassPath, jdk: &Jdk, settings: &Settings) -> Result<Subject, Failure> {
    let patterns = settings.patterns();
    let request = Request { class_path, jdk, patterns: &patterns };
    jurat_subject::load_with(&request, &settings.wishes).map_err(|error| {
        if error.is_usage() {
            Failure::usage(error.to_string())
        } else {
            Failure::environment(error.to_string())
        }
    })
}

/// The largest Java heap of a worker, in MiB: calls at random fill any heap now and then, and what that costs grows with
/// the heap.
const HEAP_MIB: u32 = 192;

/// Sequences that share fresh classes.
const CHUNK: usize = 512;

fn pool_config(
    settings: &Settings,
    bench: &Bench,
    class_path: &ClassPath,
    probes: &ProbeTable,
) -> Result<PoolConfig, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the jurat program itself: {error}")))?;
    let mut config = PoolConfig::new(program, bench.jdk.clone());
    config.class_path = files(class_path);
    config.sandbox = settings.sandbox;
    config.probes = probes.setup();
    // Loading a library's classes anew for every few sequences would take most of the time.
    config.chunk_size = CHUNK;
    config.heap_mib = HEAP_MIB;
    if let Some(workers) = settings.workers {
        config.workers = workers;
    }
    Ok(config)
}

fn files(class_path: &ClassPath) -> Vec<PathBuf> {
    let file = |source: &jurat_classpath::Source| match source {
        jurat_classpath::Source::Folder(path) | jurat_classpath::Source::Jar(path) => Some(path.clone()),
        jurat_classpath::Source::Module(_) => None,
    };
    class_path.sources().filter_map(file).collect()
}

/// What tests are compiled and run with; if there is no Mockito for them, also what the user can do.
fn bench(
    settings: &Settings,
    jdk: &Jdk,
    class_path: &ClassPath,
    scratch: PathBuf,
    stop: &Stop,
) -> Result<(Bench, Option<String>), Failure> {
    let (version, marker) = match settings.junit {
        Junit::Five => (Version::Five, "org/junit/jupiter/api/Test"),
        Junit::Four => (Version::Four, "org/junit/Test"),
    };
    let of_project = settings.place.junit == Some(settings.junit);
    let search = JUnitSearch {
        on_class_path: of_project || class_path.contains(marker),
        repositories: std::env::home_dir().map(|home| home.join(".m2/repository")).into_iter().collect(),
        folders: jar_folders(),
    };
    let junit = search.find(version).map_err(|error| Failure::environment(error.to_string()))?;
    let mut entries = files(class_path);
    entries.extend(settings.place.test_libraries.iter().cloned());
    let has_mockito = class_path.contains("org/mockito/Mockito")
        || settings.place.test_libraries.iter().any(|jar| is_mockito(jar));
    // What a project lacks, its own build would not find: its tests must do without. Where there is no JUnit either,
    // nothing is known of them.
    let is_lacking = settings.place.junit.is_some() && !has_mockito;
    let mockito = (!is_lacking).then(|| search.find_mockito(has_mockito)).flatten();
    let mockless = mockito.is_none().then(|| {
        if is_lacking {
            return "the project's tests have no Mockito. Add org.mockito:mockito-core to them".to_owned();
        }
        let looked = search.looked();
        format!("there is no Mockito; looked at {looked}. Add it to --classpath, fetch it with Maven, or run `make setup`")
    });
    // It takes a while to start, so that it is not loaded anew for every test.
    let (shared, entries): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.into_iter().partition(|entry| is_of_mockito(entry));
    let junit = junit.jars.into_iter().chain(mockito.unwrap_or_default()).chain(shared).collect();
    Ok((Bench { jdk: jdk.clone(), class_path: entries, junit, scratch, stop: stop.flag() }, mockless))
}

/// Where `make setup` puts jars: below the working folder, or below the checkout that the program was built in.
fn jar_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::var_os("JURAT_JARS").map(PathBuf::from).into_iter().collect();
    folders.push(PathBuf::from(".jurat/jars"));
    if let Ok(program) = std::env::current_exe() {
        folders.extend(program.ancestors().skip(1).take(4).map(|folder| folder.join(".jurat/jars")));
    }
    folders
}

fn failure(error: RunError) -> Failure {
    match error {
        RunError::Usage(message) => Failure::usage(message),
        RunError::Environment(message) => Failure::environment(message),
        bug @ RunError::Bug(_) => Failure::bug(bug.to_string()),
    }
}

/// A seed nobody chose: printed, so that the run can be repeated.
fn fresh_seed() -> Seed {
    use std::hash::{BuildHasher, Hasher};
    let random = std::hash::RandomState::new().build_hasher().finish();
    // Short enough to be typed.
    Seed(random % 1_000_000)
}

/// The budget when none is given.
const DEFAULT_BUDGET: Budget = Budget::Time(std::time::Duration::from_secs(60));
