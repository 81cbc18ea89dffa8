//! Calls at random on real libraries, instrumented: whatever they do, nothing of it is an error of ours.
//!
//! `cargo bench -p jurat-cli --bench workers -- wild` makes a million of them on each.

mod wild;

use jurat_base::Seed;
use jurat_classpath::ClassPath;
use jurat_pool::{Pool, PoolConfig, Round};
use jurat_protocol::{Isolation, Wants};
use jurat_testkit::machine::{jar, jdks};
use wild::Wild;

/// Runs so many sequences, and checks that calls were made and branches reached.
fn check(mut config: PoolConfig, wild: &Wild, sequences: u64) {
    config.operations.clone_from(&wild.operations);
    config.probes = wild.probes.clone();
    config.chunk_size = 1000;
    config.limits.compute_millis = 1000;
    config.limits.wait_millis = 200;
    let mut pool = Pool::start(config).unwrap_or_else(|error| panic!("{error}"));
    let sequences: Vec<_> = (0..sequences).map(|index| wild.sequence(Seed(3), index, 10)).collect();
    let wants = Wants { coverage: true, ..Wants::default() };
    let round = Round { sequences, isolation: Isolation::Chunk, wants };
    let outcomes = pool.run(&round).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outcomes.len(), round.sequences.len());
    let calls: usize = outcomes.iter().map(wild::calls).sum();
    assert!(calls > outcomes.len() * 2, "{calls} calls in {} sequences", outcomes.len());
    let mut reached: Vec<u32> = outcomes.into_iter().flat_map(|outcome| outcome.coverage.own).collect();
    reached.sort_unstable();
    reached.dedup();
    assert!(reached.len() > 1000, "{} branches reached", reached.len());
}

#[test]
fn a_library_in_a_jar_takes_calls_at_random_without_an_error_of_ours() {
    for jdk in jdks() {
        let jar = jar("commons-collections4-4.4");
        let path = ClassPath::open(&jar.display().to_string(), jdk.feature, None).expect("it is there");
        let wild = Wild::new(&path, |_| true);
        let mut config = PoolConfig::new(env!("CARGO_BIN_EXE_jurat"), jdk);
        config.class_path = vec![jar];
        check(config, &wild, 3000);
    }
}

#[test]
fn the_jdks_own_collections_take_calls_at_random_without_an_error_of_ours() {
    for jdk in jdks() {
        let path = ClassPath::of_jdk(&jdk).expect("the JDK has classes");
        let wild =
            Wild::new(&path, |name| name.strip_prefix("java/util/").is_some_and(|rest| !rest.contains('/')));
        check(PoolConfig::new(env!("CARGO_BIN_EXE_jurat"), jdk), &wild, 3000);
    }
}
