//! Runs instrumented test subjects in a JVM and reads what the probes saw.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jurat_classfile::ClassFile;
use jurat_classpath::jdk::Jdk;
use jurat_instrument::{Edge, ProbeId, ProbeKind, ProbeMap, ProbePlan, instrument};
use jurat_testkit::machine;
use tempfile::TempDir;

use crate::java;

/// More than any loop of the test subjects needs.
pub(crate) const PLENTY: i64 = 100_000;

/// Test subjects with probes, and a JVM to run them in.
pub(crate) struct Driver {
    jdk: Jdk,
    folder: TempDir,
    patch: TempDir,
    harness: TempDir,
    pub(crate) maps: Vec<ProbeMap>,
}

/// What one call did.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// What it returned or threw.
    pub(crate) result: String,
    /// Ids that its own thread hit.
    pub(crate) own: Vec<ProbeId>,
    /// Ids that threads it started hit.
    pub(crate) others: Vec<ProbeId>,
    /// The smallest distance to edges that were not taken at some time.
    pub(crate) distances: BTreeMap<ProbeId, f64>,
    /// Back-edges and calls counted.
    pub(crate) fuel: i64,
    /// Whether it ran out of fuel.
    pub(crate) spent: bool,
}

/// The compiled classes of a folder below `subjects`: their names and bytes. Compiled once, because many
/// tests want them.
pub(crate) fn compiled(jdk: &Jdk, sources: &str) -> Arc<Vec<(String, Vec<u8>)>> {
    type Classes = Arc<Vec<(String, Vec<u8>)>>;
    static DONE: Mutex<BTreeMap<(PathBuf, String), Classes>> = Mutex::new(BTreeMap::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let options: &[&str] = if sources == HARNESS { &EXPORT } else { &[] };
        let folder = machine::repository("subjects").join(sources);
        let folder = machine::compile(jdk, &folder, options);
        let path = java::class_path(&folder.path().display().to_string(), jdk);
        let read = |name: &str| path.read(name).expect("readable").expect("the class path lists it");
        Arc::new(path.names().map(|name| (name.to_owned(), read(name))).collect())
    };
    done.entry((jdk.home.clone(), sources.to_owned())).or_insert_with(compile).clone()
}

/// A folder with the compiled classes.
pub(crate) fn saved(jdk: &Jdk, sources: &str) -> TempDir {
    let folder = java::scratch();
    compiled(jdk, sources).iter().for_each(|(name, bytes)| java::save(folder.path(), name, bytes));
    folder
}

/// The program that makes calls and tells what the probes saw.
pub(crate) const HARNESS: &str = "branches/drive";

const EXPORT: [&str; 2] = ["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"];

impl Driver {
    /// Instruments the classes of a folder below `subjects`.
    pub(crate) fn new(jdk: &Jdk, sources: &str, plan: &ProbePlan) -> Self {
        Self::changing(jdk, sources, plan, |_| true)
    }

    /// The same for the classes that `change` lets through, in the state in which it leaves them.
    pub(crate) fn changing(
        jdk: &Jdk,
        sources: &str,
        plan: &ProbePlan,
        change: impl Fn(&mut ClassFile) -> bool,
    ) -> Self {
        Self::numbered(jdk, sources, plan, ProbeId(0), change)
    }

    /// The same, with ids from `first` on.
    pub(crate) fn numbered(
        jdk: &Jdk,
        sources: &str,
        plan: &ProbePlan,
        first: ProbeId,
        change: impl Fn(&mut ClassFile) -> bool,
    ) -> Self {
        let (folder, patch) = (java::scratch(), java::scratch());
        java::save_runtime(patch.path());
        let mut maps: Vec<ProbeMap> = Vec::new();
        for (name, bytes) in compiled(jdk, sources).iter() {
            let mut class = ClassFile::read(bytes).expect("the compiler wrote it");
            if change(&mut class) {
                let first = maps.last().map_or(first, ProbeMap::next);
                let done = instrument(&class, plan, first);
                assert_eq!(done.skipped, []);
                java::save(folder.path(), name, &done.class.write().expect("it can be written"));
                maps.push(done.map);
            }
        }
        Self { jdk: jdk.clone(), folder, patch, harness: saved(jdk, HARNESS), maps }
    }

    /// Makes calls, each given as class, method and arguments, one after the other in one JVM.
    pub(crate) fn run(&self, fuel: i64, calls: &[String]) -> Vec<Seen> {
        let patch = format!("java.base={}", self.patch.path().display());
        let mut options: Vec<String> = vec!["--patch-module".into(), patch];
        options.extend(["--add-opens", "java.base/java.lang=ALL-UNNAMED"].map(String::from));
        let lines =
            drive(&self.jdk, self.harness.path(), &options, self.folder.path(), fuel, calls, &["probes"]);
        lines.iter().map(|line| Seen::parse(line)).collect()
    }

    /// The ids of all edges of a method and the lambdas in it.
    pub(crate) fn edges(&self, class: &str, method: &str) -> Vec<(ProbeId, &Edge)> {
        let lambda = format!("lambda${method}$");
        let within = |name: &str| name == method || name.starts_with(&lambda);
        let map = self.maps.iter().find(|map| map.class == class).expect("the class is instrumented");
        let edges = map.ids().filter_map(|id| match map.probe(id) {
            Some(probe) if within(&map.method(probe).name) => match &probe.kind {
                ProbeKind::Edge { edge, .. } => Some((id, edge)),
                _ => None,
            },
            _ => None,
        });
        edges.collect()
    }
}

/// Makes calls in a JVM with some options and classes, and returns the lines printed, one for each.
pub(crate) fn drive(
    jdk: &Jdk,
    harness: &Path,
    options: &[String],
    classes: &Path,
    fuel: i64,
    calls: &[String],
    mode: &[&str],
) -> Vec<String> {
    let scratch = java::scratch();
    let input: PathBuf = scratch.path().join("calls");
    let lines: Vec<String> = calls.iter().map(|call| format!("{fuel} {call}")).collect();
    std::fs::write(&input, lines.join("\n")).expect("scratch is writable");
    let mut java = java::java(jdk);
    java.args(options).args(EXPORT).stdin(File::open(&input).expect("it was just written"));
    java.arg("-cp").arg(format!("{}:{}", classes.display(), harness.display())).arg("Drive").args(mode);
    let lines: Vec<String> = java::run(&mut java).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), calls.len(), "one line for each call: {lines:?}");
    lines
}

impl Seen {
    fn parse(line: &str) -> Self {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("six fields");
        let ids = |text: &str| text.split_whitespace().map(|id| ProbeId(number(id))).collect();
        Self {
            result: next().to_owned(),
            own: ids(next()),
            others: ids(next()),
            distances: next().split_whitespace().map(distance).collect(),
            fuel: number(next()),
            spent: next() == "1",
        }
    }
}

fn distance(text: &str) -> (ProbeId, f64) {
    let (id, distance) = text.split_once('=').expect("id and distance");
    (ProbeId(number(id)), number(distance))
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}
