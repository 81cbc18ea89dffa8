//! What a pool is told.

use std::path::{Path, PathBuf};

use jurat_classpath::jdk::Jdk;
use jurat_protocol::{Boot, Limits, Operation, PROTOCOL_VERSION, Probes, Session};

/// Everything a pool needs to know; the same for all its workers.
#[derive(Clone, Debug)]
pub struct PoolConfig {
    /// The `jurat` program, started as `jurat worker`.
    pub program: PathBuf,
    /// The JDK whose JVM runs the subject.
    pub jdk: Jdk,
    /// How many workers run at a time.
    pub workers: usize,
    /// How many more wait, warm, to replace them.
    pub spares: usize,
    /// How many sequences make a chunk. Outcomes may depend on it, never on the number of workers.
    pub chunk_size: usize,
    /// Class folders and jars, in order.
    pub class_path: Vec<PathBuf>,
    /// Jars whose classes workers load once and never anew, because they are not under test: JUnit's, say.
    pub lasting: Vec<PathBuf>,
    /// Jars of Java agents that workers start with: they cannot be attached later.
    pub agents: Vec<PathBuf>,
    /// What sequences may call. More can be added later.
    pub operations: Vec<Operation>,
    /// Whether workers run in the sandbox.
    pub sandbox: bool,
    /// When to cut.
    pub limits: Limits,
    /// The largest Java heap of a worker, in MiB.
    pub heap_mib: u32,
    /// The time zone, as `user.timezone` takes it.
    pub zone: String,
    /// Language and country of the default locale.
    pub locale: (String, String),
    /// What the clock shows when a sequence starts, in milliseconds since 1970.
    pub clock_millis: i64,
    /// What seeds that the JDK would draw by itself, and the order of immutable collections, come from.
    pub seed: u64,
    /// HotSpot's mode of identity hash codes: 2 makes all the same, in every run; another shows who depends on them.
    pub hash_mode: u8,
    /// What to count.
    pub probes: Probes,
    /// Whether workers run the same code millions of times, rather than much code a few times.
    pub hot: bool,
}

impl PoolConfig {
    /// The usual settings for a program and a JDK: as many workers as processors, sandbox on.
    pub fn new(program: impl Into<PathBuf>, jdk: Jdk) -> Self {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            program: program.into(),
            jdk,
            workers,
            spares: 1,
            chunk_size: 256,
            class_path: Vec::new(),
            lasting: Vec::new(),
            agents: Vec::new(),
            operations: Vec::new(),
            sandbox: true,
            limits: Limits::default(),
            heap_mib: 512,
            zone: "UTC".to_owned(),
            locale: ("en".to_owned(), "US".to_owned()),
            // 2021-03-04T05:06:07.089Z: every field of a date has a value of its own.
            clock_millis: 1_614_834_367_089,
            seed: 1,
            hash_mode: 2,
            probes: Probes::default(),
            hot: false,
        }
    }

    pub(crate) fn boot(&self, scratch: &Path, engine: u32) -> Boot {
        Boot {
            version: PROTOCOL_VERSION,
            engine,
            libjvm: self.jdk.libjvm.display().to_string(),
            feature: self.jdk.feature,
            scratch: scratch.display().to_string(),
            readable: self.readable(),
            agents: texts(&self.agents),
            sandbox: self.sandbox,
            heap_mib: self.heap_mib,
            zone: self.zone.clone(),
            language: self.locale.0.clone(),
            country: self.locale.1.clone(),
            clock_millis: self.clock_millis,
            hot: self.hot,
            seed: self.seed,
            hash_mode: self.hash_mode,
        }
    }

    fn readable(&self) -> Vec<String> {
        let files = absolute(&self.class_path).chain(absolute(&self.lasting)).chain(absolute(&self.agents));
        let paths = std::iter::once(self.jdk.home.clone()).chain(files);
        paths.map(|path| path.display().to_string()).collect()
    }

    pub(crate) fn session(&self) -> Session {
        let (class_path, lasting) = (texts(&self.class_path), texts(&self.lasting));
        Session { class_path, lasting, limits: self.limits, probes: self.probes.clone() }
    }
}

/// The same as texts.
fn texts(paths: &[PathBuf]) -> Vec<String> {
    absolute(paths).map(|path| path.display().to_string()).collect()
}

/// Workers run in folders of their own.
fn absolute(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> + '_ {
    paths.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
}
