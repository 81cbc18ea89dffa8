//! Fingerprints, effects and aliases: the structure of values, seen without running the subject's code.

use jurat_classpath::jdk::Jdk;
use jurat_protocol::OperationKind::{Constructor, Static, Virtual};
use jurat_protocol::{Ending, Outcome, Sequence, Value, Var, Wants};

use crate::fixture::{Fixture, on_every_jdk};

const NODE: &str = "Lstatements/Node;";

/// The subject's operations.
struct Nodes {
    fixture: Fixture,
    new: u32,
    ring: u32,
    add: u32,
    count: u32,
    size: u32,
    flicker: u32,
}

impl Nodes {
    fn new(jdk: &Jdk) -> Self {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let mut operation = |kind, name: &str, descriptor: &str| {
            fixture.operation(kind, &format!("statements/Node.{name}"), descriptor)
        };
        let new = operation(Constructor, "<init>", "(Ljava/lang/String;)V");
        let ring = operation(Static, "ring", &format!("(I){NODE}"));
        let add = operation(Virtual, "add", &format!("({NODE}){NODE}"));
        let count = operation(Virtual, "count", &format!("(Ljava/lang/Object;){NODE}"));
        let size = operation(Virtual, "size", "()I");
        let flicker = operation(Virtual, "flicker", "()V");
        Self { fixture, new, ring, add, count, size, flicker }
    }

    /// The final fingerprint of the last value of a sequence.
    fn print(&mut self, build: impl FnOnce(&Self, &mut Sequence) -> Var) -> u64 {
        let mut sequence = Sequence::default();
        let var = build(self, &mut sequence);
        let wants = Wants { finals: true, ..Wants::default() };
        let outcome = self.fixture.run(vec![sequence], wants).remove(0);
        assert!(outcome.returned(), "{outcome:?}");
        let found = outcome.fingerprints.iter().find(|(made, _)| *made == var);
        found.expect("the value is an object").1
    }
}

#[test]
fn alike_values_have_the_same_fingerprint_and_others_do_not() {
    on_every_jdk(|jdk| {
        let mut nodes = Nodes::new(jdk);
        let named = |name: &'static str| {
            move |nodes: &Nodes, sequence: &mut Sequence| {
                let name = sequence.string(name);
                sequence.operate(nodes.new, &[name])
            }
        };
        let ring = |length: i32| {
            move |nodes: &Nodes, sequence: &mut Sequence| {
                let length = sequence.int(length);
                sequence.operate(nodes.ring, &[length])
            }
        };
        let counting = |keys: &'static [i32]| {
            move |nodes: &Nodes, sequence: &mut Sequence| {
                let node = named("c")(nodes, sequence);
                for key in keys {
                    let key = sequence.string(&format!("key {key}"));
                    sequence.operate(nodes.count, &[node, key]);
                }
                node
            }
        };
        assert_eq!(nodes.print(named("a")), nodes.print(named("a")));
        assert_ne!(nodes.print(named("a")), nodes.print(named("b")));
        assert_eq!(nodes.print(ring(3)), nodes.print(ring(3)));
        assert_ne!(nodes.print(ring(3)), nodes.print(ring(4)));
        // A ring longer than the bound is looked at in part, and ends.
        assert_eq!(nodes.print(ring(10_000)), nodes.print(ring(10_000)));
        assert_eq!(nodes.print(counting(&[1, 2])), nodes.print(counting(&[1, 2])));
        assert_ne!(nodes.print(counting(&[1, 2])), nodes.print(counting(&[1, 2, 2])));
    });
}

#[test]
fn a_shared_part_is_not_the_same_as_two_alike() {
    on_every_jdk(|jdk| {
        let mut nodes = Nodes::new(jdk);
        let family = |shared: bool| {
            move |nodes: &Nodes, sequence: &mut Sequence| {
                let name = sequence.string("x");
                let parent = sequence.operate(nodes.new, &[name]);
                let child = sequence.operate(nodes.new, &[name]);
                let other = if shared { child } else { sequence.operate(nodes.new, &[name]) };
                sequence.operate(nodes.add, &[parent, child]);
                sequence.operate(nodes.add, &[parent, other]);
                parent
            }
        };
        assert_ne!(nodes.print(family(true)), nodes.print(family(false)));
    });
}

/// Runs `new Node("n")` and then one call on it.
fn call(nodes: &mut Nodes, operation: u32, wants: Wants) -> Outcome {
    let mut sequence = Sequence::default();
    let name = sequence.string("n");
    let node = sequence.operate(nodes.new, &[name]);
    let inputs = if operation == nodes.add { vec![node, node] } else { vec![node] };
    sequence.operate(operation, &inputs);
    nodes.fixture.run(vec![sequence], wants).remove(0)
}

#[test]
fn only_what_changes_a_value_counts_as_an_effect() {
    on_every_jdk(|jdk| {
        let mut nodes = Nodes::new(jdk);
        let wants = Wants { effects: true, ..Wants::default() };
        let (size, flicker, add) = (nodes.size, nodes.flicker, nodes.add);
        assert_eq!(call(&mut nodes, size, wants).changed, []);
        assert_eq!(call(&mut nodes, add, wants).changed, [(2, 0), (2, 1)]);
        // The backing array grew, which shows only to those who look inside: it is a change of structure.
        assert_eq!(call(&mut nodes, flicker, wants).changed, [(2, 0)]);
    });
}

#[test]
fn a_returned_receiver_is_known_again() {
    on_every_jdk(|jdk| {
        let mut nodes = Nodes::new(jdk);
        let add = nodes.add;
        let outcome = call(&mut nodes, add, Wants { aliases: true, results: true, ..Wants::default() });
        let objects: Vec<_> = outcome
            .endings
            .iter()
            .filter_map(|ending| match ending {
                Ending::Returned(Value::Object(object)) => {
                    Some((object.same_as, object.fingerprint.is_some()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(objects, [(None, true), (Some(Var(1)), true)]);
    });
}
