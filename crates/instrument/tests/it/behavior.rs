//! Probes report what the program does, and leave it to do the same as without them.

use std::cmp::Ordering;

use jurat_classfile::{BranchOp, ClassFile, Content};
use jurat_instrument::{Branches, Edge, ProbeId, ProbeKind, ProbePlan};
use jurat_testkit::machine;

use crate::drive::{Driver, PLENTY, Seen};

fn plan(branches: Branches) -> ProbePlan {
    ProbePlan { entries: true, lines: true, branches, fuel: true, ..ProbePlan::default() }
}

/// Methods of `Conditions` with the distance by which their result missed the other one, given two operands.
type Condition = (&'static str, fn(f64, f64) -> f64);

const ONE_INT: [Condition; 6] = [
    ("isZero", equal),
    ("isNotZero", equal),
    ("isNegative", less),
    ("isNotNegative", less),
    ("isPositive", greater),
    ("isNotPositive", greater),
];
const TWO_INTS: [Condition; 6] = [
    ("equal", equal),
    ("different", equal),
    ("less", less),
    ("notLess", less),
    ("greater", greater),
    ("notGreater", greater),
];
const LONGS: [Condition; 2] = [("longLess", less), ("longEqual", equal)];
const FLOATS: [Condition; 2] = [("floatLess", less), ("floatGreater", greater)];
const DOUBLES: [Condition; 3] = [("doubleLess", less), ("doubleNotLess", less), ("doubleEqual", equal)];
const ONE_OBJECT: [Condition; 4] =
    [("isNull", one), ("isNotNull", one), ("isNoString", one), ("isNullInsideNew", one)];
const TWO_OBJECTS: [Condition; 2] = [("same", one), ("notSame", one)];

fn equal(a: f64, b: f64) -> f64 {
    if a.partial_cmp(&b) == Some(Ordering::Equal) { 1.0 } else { limited((a - b).abs()) }
}

fn less(a: f64, b: f64) -> f64 {
    match a.partial_cmp(&b) {
        Some(Ordering::Less) => limited(b - a),
        Some(Ordering::Equal) => 1.0,
        _ => limited(a - b + 1.0),
    }
}

fn greater(a: f64, b: f64) -> f64 {
    less(b, a)
}

fn one(_: f64, _: f64) -> f64 {
    1.0
}

/// Distances to and from NaN and infinity.
fn limited(distance: f64) -> f64 {
    if distance.is_nan() { f64::MAX } else { distance.min(f64::MAX) }
}

/// Every call of a condition, with the distance it should have.
fn conditions() -> Vec<(String, f64)> {
    let mut calls = Vec::new();
    let mut add = |conditions: &[Condition], operands: &[&str], count: usize| {
        for (name, distance) in conditions {
            for a in operands {
                let seconds = if count == 2 { operands } else { &["0"] };
                for b in seconds {
                    let value = |text: &str| text.parse().unwrap_or(0.0);
                    let arguments = if count == 2 { format!("{a} {b}") } else { (*a).to_owned() };
                    calls.push((format!("Conditions {name} {arguments}"), distance(value(a), value(b))));
                }
            }
        }
    };
    add(&ONE_INT, &["-2147483648", "-1", "0", "1", "2147483647"], 1);
    add(&TWO_INTS, &["-2147483648", "-7", "5", "6", "2147483647"], 2);
    add(&LONGS, &["-9223372036854775808", "-3", "4", "9223372036854775807"], 2);
    add(&FLOATS, &["-Infinity", "-0.5", "1.5", "NaN"], 2);
    add(&DOUBLES, &["-0.25", "1.0E300", "Infinity", "NaN"], 2);
    add(&ONE_OBJECT, &["null", "text"], 1);
    add(&TWO_OBJECTS, &["null", "text", "other"], 2);
    calls
}

/// Calls every condition and hands what was seen to `check`, with the distance that should have been.
fn check_conditions(branches: Branches, check: impl Fn(&Driver, &str, &Seen, f64)) {
    for jdk in machine::jdks() {
        let driver = Driver::new(&jdk, "branches/src", &plan(branches));
        let (calls, distances): (Vec<String>, Vec<f64>) = conditions().into_iter().unzip();
        for ((call, seen), distance) in calls.iter().zip(driver.run(PLENTY, &calls)).zip(distances) {
            check(&driver, call, &seen, distance);
        }
    }
}

/// The edges of the called method that were hit are those that the result tells of.
fn check_edges(driver: &Driver, call: &str, seen: &Seen) {
    let method = call.split(' ').nth(1).expect("class, method, arguments");
    let edges = driver.edges("Conditions", method);
    for (id, edge) in &edges {
        let hit = seen.own.contains(id);
        let expected = match edge {
            Edge::Taken(_) => seen.result == "false",
            Edge::NotTaken(_) => seen.result == "true",
            Edge::Switch { .. } => panic!("no switch in {call}"),
        };
        assert_eq!(hit, expected, "{call} gave {} and {edge:?} was hit: {hit}", seen.result);
    }
    assert!(!edges.is_empty(), "{call}: the method has a branch");
}

#[test]
fn a_branch_probe_hits_the_edge_that_the_result_tells() {
    check_conditions(Branches::Edges, |driver, call, seen, _| {
        check_edges(driver, call, seen);
        assert!(seen.distances.is_empty());
    });
}

#[test]
fn a_branch_probe_with_a_large_id_hits_the_same() {
    let jdk = &machine::jdks()[0];
    let calls: Vec<String> = conditions().into_iter().map(|(call, _)| call).collect();
    // In the middle of a page, and where one ends among these classes.
    for first in [100_000, 163_800] {
        let plan = plan(Branches::Edges);
        let driver = Driver::numbered(jdk, "branches/src", &plan, ProbeId(first), |_| true);
        for (call, seen) in calls.iter().zip(driver.run(PLENTY, &calls)) {
            check_edges(&driver, call, &seen);
        }
    }
}

#[test]
fn a_measuring_probe_also_tells_how_far_the_other_edge_was() {
    check_conditions(Branches::Distances, |driver, call, seen, distance| {
        check_edges(driver, call, seen);
        let method = call.split(' ').nth(1).expect("class, method, arguments");
        for (id, edge) in driver.edges("Conditions", method) {
            let measured = seen.distances.get(&id).copied();
            let expected = (!seen.own.contains(&id)).then_some(distance);
            assert_eq!(measured, expected, "{call} gave {}; distance to {edge:?}", seen.result);
        }
    });
}

#[test]
fn the_test_subject_has_every_conditional_jump() {
    let jdk = &machine::jdks()[0];
    let driver = Driver::new(jdk, "branches/src", &plan(Branches::Edges));
    let map = driver.maps.iter().find(|map| map.class == "Conditions").expect("it is instrumented");
    for op in BranchOp::ALL.iter().filter(|op| op.is_conditional()) {
        let is_it =
            |kind: &ProbeKind| matches!(kind, ProbeKind::Edge { edge: Edge::Taken(has), .. } if has == op);
        assert!(map.probes.iter().any(|probe| is_it(&probe.kind)), "{}", op.mnemonic());
    }
}

/// Calls methods that consist of one switch, and whose result is a key of the case or -1.
fn check_switches(driver: &Driver) {
    let mut calls = Vec::new();
    for key in [-1_000_000, 0, 1, 2, 3, 4, 5, 6, 7, 77, i32::MAX, i32::MIN] {
        calls.extend(["dense", "sparse", "shared"].map(|method| format!("Plain {method} {key}")));
    }
    for (call, seen) in calls.iter().zip(driver.run(PLENTY, &calls)) {
        let words: Vec<&str> = call.split(' ').collect();
        let edges = driver.edges("Plain", words[1]);
        let result: i32 = seen.result.parse().expect("an int");
        let key: i64 = words[2].parse().expect("a number");
        for (id, edge) in edges {
            let Edge::Switch { keys, default } = edge else { panic!("only a switch in {call}") };
            let expected = if result == -1 { *default } else { keys.contains(&result) };
            assert_eq!(seen.own.contains(&id), expected, "{call} gave {result}; {edge:?}");
            let near = keys.iter().map(|case| (key - i64::from(*case)).abs()).min();
            let near = near.filter(|_| !default).unwrap_or(1);
            if !expected && !seen.distances.is_empty() {
                #[expect(clippy::cast_precision_loss, reason = "differences of ints are exact in f64")]
                let near = near as f64;
                assert_eq!(seen.distances.get(&id), Some(&near), "{call}; {edge:?}");
            }
        }
    }
}

#[test]
fn a_switch_probe_hits_the_edge_of_the_case() {
    for jdk in machine::jdks() {
        for branches in [Branches::Edges, Branches::Distances] {
            check_switches(&Driver::new(&jdk, "branches/src", &plan(branches)));
        }
    }
}

#[test]
fn a_shared_case_body_is_one_edge_and_holes_are_the_default() {
    let driver = Driver::new(&machine::jdks()[0], "branches/src", &plan(Branches::Edges));
    let edges: Vec<(Vec<i32>, bool)> = driver
        .edges("Plain", "shared")
        .into_iter()
        .map(|(_, edge)| match edge {
            Edge::Switch { keys, default } => (keys.to_vec(), *default),
            _ => panic!("only a switch"),
        })
        .collect();
    assert_eq!(edges, [(vec![1, 2], false), (vec![3], false), (vec![], true)]);
    assert_eq!(driver.edges("Plain", "dense").len(), 5);
    assert_eq!(driver.edges("Plain", "sparse").len(), 5);
}

#[test]
fn classes_older_than_stack_map_frames_work_the_same() {
    let age = |class: &mut ClassFile| {
        (class.major, class.minor) = (49, 0);
        for method in &mut class.methods {
            if let Some(code) = method.code_mut() {
                code.attributes.retain(|attribute| !matches!(attribute.content, Content::StackMapTable(_)));
            }
        }
        class.name() == "Plain"
    };
    for jdk in machine::jdks() {
        for branches in [Branches::Edges, Branches::Distances] {
            check_switches(&Driver::changing(&jdk, "branches/src", &plan(branches), age));
        }
    }
}

#[test]
fn loops_that_never_end_are_cut_by_fuel_even_if_they_catch_everything() {
    for jdk in machine::jdks() {
        let driver = Driver::new(&jdk, "branches/src", &plan(Branches::Edges));
        let endless = ["spin", "stubborn", "veryStubborn", "forDo", "farCount", "held"];
        let mut calls: Vec<String> = endless.iter().map(|name| format!("Endless {name}")).collect();
        calls.push("Endless doubling 60".to_owned());
        let cut = driver.run(5000, &calls);
        for (call, seen) in calls.iter().zip(&cut) {
            assert!(seen.result.starts_with("java.lang.JuratFuelExhausted"), "{call}: {}", seen.result);
            assert!(seen.spent && (5001..5010).contains(&seen.fuel), "{call}: {}", seen.fuel);
        }
        assert_eq!(cut.len(), calls.len());
    }
}

#[test]
fn fuel_counts_back_edges_and_entries() {
    for jdk in machine::jdks() {
        let driver = Driver::new(&jdk, "branches/src", &plan(Branches::Edges));
        let fuel = |calls: &[&str]| {
            let calls: Vec<String> = calls.iter().map(|call| format!("Plain {call}")).collect();
            driver.run(PLENTY, &calls).iter().map(|seen| seen.fuel).collect::<Vec<_>>()
        };
        // Every row and column goes round once, the last loop looks back once.
        let counted =
            fuel(&["dense 1", "recursion 0", "recursion 10", "loops 0 0", "loops 3 0", "loops 3 4"]);
        assert_eq!(counted, [1, 1, 11, 2, 5, 17]);
    }
}

#[test]
fn what_other_threads_do_is_told_apart() {
    for jdk in machine::jdks() {
        let driver = Driver::new(&jdk, "branches/src", &plan(Branches::Edges));
        let seen = &driver.run(PLENTY, &["Shapes threads 3".to_owned()])[0];
        assert_eq!(seen.result, "3");
        let all = driver.edges("Shapes", "threads");
        let looped: Vec<_> = all.iter().map(|(id, _)| *id).filter(|id| seen.others.contains(id)).collect();
        assert_eq!(looped.len(), 2, "the loop of the other thread went on and ended: {seen:?}");
        assert!(looped.iter().all(|id| !seen.own.contains(id)));
        assert!(seen.fuel < 3, "the other thread's back-edges are not counted here: {}", seen.fuel);
    }
}

#[test]
fn without_a_subject_nothing_counts_and_nothing_is_cut() {
    for jdk in machine::jdks() {
        let driver = Driver::new(&jdk, "branches/src", &plan(Branches::Distances));
        for call in ["Plain loops 20 9", "Shapes threads 2000"] {
            let seen = &driver.run(0, &[call.to_owned()])[0];
            assert!(!seen.result.contains("JuratFuelExhausted"), "{call}: {}", seen.result);
            assert_eq!((seen.own.len(), seen.others.len(), seen.distances.len()), (0, 0, 0), "{call}");
            assert_eq!((seen.fuel, seen.spent), (0, false), "{call}");
        }
    }
}
