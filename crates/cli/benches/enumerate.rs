//! The speed of `jurat enumerate`: candidates per second beside a floor, and the large published searches.
//!
//! `cargo bench -p jurat-cli --bench enumerate` runs all; a word after `--` picks the structures that contain it.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench measures time and prints it")]

#[path = "../tests/structures/mod.rs"]
mod structures;

use std::time::Instant;

use jurat_classpath::ClassPath;
use jurat_engine::{EnumerateConfig, Target, enumerate, pace};
use jurat_exhaustive::{ENDLESS, Finitization};
use jurat_pool::PoolConfig;
use jurat_testkit::machine::{compile, jdks, repository};

/// Searches that Korat itself was timed on, with the seconds it took.
const TIMED: [(&str, &[i64], f64); 3] =
    [("BinaryTree", &[12], 6.6), ("SearchTree", &[10], 91.0), ("SinglyLinkedList", &[12], 29.0)];
/// Shorter published searches are tests.
const SHORTEST: u64 = 60_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let jdk = jdks().remove(0);
    let classes = compile(&jdk, &repository("subjects/structures/src"), &[]);
    let path = ClassPath::open(&classes.path().display().to_string(), jdk.feature, Some(&jdk));
    let path = path.expect("the classes were just compiled");
    let mut pool = PoolConfig::new(env!("CARGO_BIN_EXE_jurat"), jdk);
    pool.class_path = vec![classes.path().to_owned()];
    let bench = Bench { path, pool };
    println!(
        "ns per candidate on one core: the search, the predicate alone over the same candidates, and their ratio"
    );
    for (structure, arguments, _) in TIMED.iter().filter(|(structure, ..)| wanted(structure)) {
        bench.pace(structure, arguments);
    }
    println!("published searches of more than {SHORTEST} candidates");
    for row in structures::rows().into_iter().filter(|row| row.explored > SHORTEST && wanted(row.structure)) {
        bench.run(&row);
    }
}

struct Bench {
    path: ClassPath,
    pool: PoolConfig,
}

impl Bench {
    fn config(&self, structure: &str, arguments: &[i64]) -> (Target, EnumerateConfig) {
        let target =
            Target::read(&self.path, &format!("structures.{structure}"), None).expect("it has a repOK");
        let text = structures::bounds(structure, arguments);
        let bounds = Finitization::parse(&text, &target.shape).expect("good bounds");
        let pool = self.pool.clone();
        (target, EnumerateConfig { pool, bounds, from: None, keep: 0, endless: true, longest: ENDLESS })
    }

    fn pace(&self, structure: &str, arguments: &[i64]) {
        let (target, config) = self.config(structure, arguments);
        let (search, floor) = pace(&target, &config, 1_000_000).expect("a measurement");
        println!(
            "{structure:>16} {arguments:<10?} {search:6.0} {floor:6.0}   {:.2} of the floor",
            floor / search
        );
    }

    fn run(&self, row: &structures::Row) {
        let (target, config) = self.config(row.structure, &row.arguments);
        let workers = config.pool.workers;
        let (begun, before) = (Instant::now(), children());
        let found = enumerate(&target, &config, &|_| true).expect("a search");
        let seconds = begun.elapsed().as_secs_f64();
        let computed = children() - before;
        assert_eq!(found.tally.valid, row.valid, "{} {:?}", row.structure, row.arguments);
        let timed = TIMED
            .iter()
            .find(|(structure, arguments, _)| (*structure, *arguments) == (row.structure, &row.arguments));
        let beside = timed.map_or_else(String::new, |(_, _, korat)| {
            let cores = workers.min(2);
            format!(
                "   Korat {korat} s, {:.1} times as long by the clock, {:.1} times by processor time on {cores} cores",
                korat / seconds,
                korat / (computed / if cores > 1 { 2.0 } else { 1.0 }).max(0.01)
            )
        });
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let rate = found.tally.explored as f64 / seconds / 1e6;
        println!(
            "{:>16} {:<16} {:>10} explored {:>8} valid {seconds:7.2} s on {workers} workers, {rate:.2} million/s, \
             {computed:.2} s computing{beside}",
            row.structure,
            format!("{:?}", row.arguments),
            found.tally.explored,
            found.tally.valid
        );
    }
}

/// Seconds that the processes which this one started, and that have ended, have computed. Others who are busy on the
/// machine do not count.
fn children() -> f64 {
    let line = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name before the numbers is in parentheses and may hold anything; times are in hundredths of a second.
    let numbers: Vec<f64> = line
        .rsplit_once(") ")
        .map_or("", |(_, rest)| rest)
        .split(' ')
        .map(|number| number.parse().unwrap_or(0.0))
        .collect();
    numbers.get(13..15).map_or(0.0, |times| times.iter().sum::<f64>() / 100.0)
}
