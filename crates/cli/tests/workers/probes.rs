//! Coverage, distances and fuel, through the pool.

use std::collections::BTreeSet;

use jurat_classfile::ClassFile;
use jurat_classpath::jdk::Jdk;
use jurat_instrument::{Branches, Edge, ProbeId, ProbeKind, ProbeMap, ProbePlan, instrument};
use jurat_pool::PoolConfig;
use jurat_protocol::OperationKind::Static;
use jurat_protocol::{Cut, Ending, Outcome, ProbedBranches, Probes, Sequence, Wants};

use crate::fixture::{Fixture, on_every_jdk};

/// A pool over `Paths` with probes.
struct Probed {
    fixture: Fixture,
    map: ProbeMap,
}

impl Probed {
    fn new(jdk: &Jdk, adjust: impl FnOnce(&mut PoolConfig)) -> Self {
        let mut map = None;
        let fixture = Fixture::new(jdk, "statements", |config| {
            let bytes =
                std::fs::read(config.class_path[0].join("statements/Paths.class")).expect("it was compiled");
            let class = ClassFile::read(&bytes).expect("javac writes classes");
            let plan = ProbePlan {
                lines: true,
                entries: true,
                fuel: true,
                branches: Branches::Distances,
                ..ProbePlan::default()
            };
            let done = instrument(&class, &plan, ProbeId(100));
            config.probes = Probes {
                entries: true,
                lines: true,
                branches: ProbedBranches::Distances,
                fuel: true,
                classes: vec![("statements/Paths".to_owned(), 100)],
                count: done.map.next().0,
                mutants: None,
            };
            map = Some(done.map);
            adjust(config);
        });
        Self { fixture, map: map.expect("the pool was configured") }
    }

    /// Runs `Paths.<method>(number)`, or without argument.
    fn run(&mut self, method: &str, descriptor: &str, number: i32) -> Outcome {
        let operation = self.fixture.operation(Static, &format!("statements/Paths.{method}"), descriptor);
        let mut sequence = Sequence::default();
        let number = sequence.int(number);
        let inputs = if descriptor.starts_with("()") { vec![] } else { vec![number] };
        sequence.operate(operation, &inputs);
        let wants = Wants { coverage: true, distances: true, ..Wants::default() };
        self.fixture.run(vec![sequence], wants).remove(0)
    }

    /// The edges among probes, as `line:taken` or `line:not taken`.
    fn edges(&self, ids: &[u32]) -> BTreeSet<String> {
        let edge = |id: &u32| {
            let probe = self.map.probe(ProbeId(*id))?;
            let ProbeKind::Edge { edge, .. } = &probe.kind else { return None };
            let way = match edge {
                Edge::Taken(_) => "taken",
                Edge::NotTaken(_) => "not taken",
                Edge::Switch { .. } => "switch",
            };
            Some(format!("{}:{way}", probe.line.unwrap_or(0)))
        };
        ids.iter().filter_map(edge).collect()
    }
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[test]
fn every_sequence_reports_its_own_coverage() {
    on_every_jdk(|jdk| {
        let mut probed = Probed::new(jdk, |_| {});
        for (number, expected) in [
            (11, set(&["10:not taken"])),
            (0, set(&["10:taken", "13:not taken"])),
            (-4, set(&["10:taken", "13:taken"])),
        ] {
            let outcome = probed.run("sign", "(I)I", number);
            assert_eq!(probed.edges(&outcome.coverage.own), expected, "sign({number})");
            assert_eq!(outcome.coverage.others, [] as [u32; 0]);
        }
        // Once more the first: nothing is left over from those between.
        let outcome = probed.run("sign", "(I)I", 11);
        assert_eq!(probed.edges(&outcome.coverage.own), set(&["10:not taken"]));
    });
}

#[test]
fn distances_tell_how_near_the_other_way_was() {
    on_every_jdk(|jdk| {
        let mut probed = Probed::new(jdk, |_| {});
        let outcome = probed.run("sign", "(I)I", 4);
        let distances: Vec<(BTreeSet<String>, f64)> = outcome
            .distances
            .iter()
            .map(|distance| (probed.edges(&[distance.edge]), f64::from_bits(distance.distance)))
            .collect();
        assert_eq!(distances, [(set(&["10:not taken"]), 7.0), (set(&["13:not taken"]), 4.0)]);
    });
}

#[test]
fn collections_arrays_and_boxes_tell_how_near_the_other_answer_was() {
    on_every_jdk(|jdk| {
        let mut probed = Probed::new(jdk, |_| {});
        for method in ["inList", "inView", "isKey", "inArrays"] {
            let outcome = probed.run(method, "(I)I", 17);
            let distances: Vec<f64> =
                outcome.distances.iter().map(|found| f64::from_bits(found.distance)).collect();
            assert_eq!(distances, [7.0], "{method}");
        }
        let outcome = probed.run("inOwn", "(I)I", 17);
        assert_eq!(probed.fixture.show(&outcome.endings[1]), "Int(0)", "its own collection was asked");
    });
}

#[test]
fn threads_that_a_statement_starts_are_counted_apart() {
    on_every_jdk(|jdk| {
        let mut probed = Probed::new(jdk, |_| {});
        let outcome = probed.run("inThread", "(I)I", 0);
        assert_eq!(probed.fixture.show(&outcome.endings[1]), "Int(0)");
        assert_eq!(probed.edges(&outcome.coverage.own), set(&[]));
        assert_eq!(probed.edges(&outcome.coverage.others), set(&["10:taken", "13:not taken"]));
        assert!(!outcome.taint.any());
        // Also what begins when the statements are over.
        let outcome = probed.run("lateInThread", "(I)V", 0);
        assert_eq!(probed.edges(&outcome.coverage.others), set(&["10:taken", "13:not taken"]));
        assert!(!outcome.taint.any());
    });
}

#[test]
fn fuel_cuts_loops_in_the_same_way_in_every_run() {
    on_every_jdk(|jdk| {
        let mut probed = Probed::new(jdk, |config| config.limits.fuel = 10_000);
        let before = probed.fixture.pool.worker_ids();
        let outcome = probed.run("loop", "(I)I", 1000);
        assert_eq!(probed.fixture.show(&outcome.endings[1]), "Int(499500)");
        assert!((1001..=1002).contains(&outcome.fuel_used), "{}", outcome.fuel_used);
        for (method, descriptor) in [("loop", "(I)I"), ("stubborn", "(I)I"), ("loopInThread", "()V")] {
            let outcome = probed.run(method, descriptor, i32::MAX);
            assert_eq!(outcome.endings[1], Ending::TimedOut(Cut::Fuel), "{method}");
            assert_eq!(outcome.taint.threads_left, method == "loopInThread");
        }
        assert_eq!(probed.fixture.pool.worker_ids(), before, "fuel costs no worker");
        let outcome = probed.run("loop", "(I)I", 3);
        assert_eq!(probed.fixture.show(&outcome.endings[1]), "Int(3)");
    });
}

#[test]
fn a_loop_of_the_jdk_that_calls_the_subject_back_runs_out_of_fuel() {
    on_every_jdk(|jdk| {
        let mut probed = Probed::new(jdk, |config| config.limits.fuel = 10_000);
        let outcome = probed.run("calledBack", "()Z", 0);
        assert_eq!(outcome.endings[1], Ending::TimedOut(Cut::Fuel));
        assert!(!outcome.taint.any());
    });
}

#[test]
fn classes_the_engine_did_not_mention_have_fuel_too() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "hostile", |_| {});
        let operation = fixture.operation(Static, "hostile/LoopsForever.loop", "()V");
        let mut sequence = Sequence::default();
        sequence.operate(operation, &[]);
        assert_eq!(fixture.last(sequence), "TimedOut(Fuel)");
    });
}
