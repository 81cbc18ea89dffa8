//! What would differ from run to run does not, and what a sequence leaves behind is gone in the next chunk.

use jurat_classpath::jdk::Jdk;
use jurat_pool::{PoolConfig, Round};
use jurat_protocol::OperationKind::Static;
use jurat_protocol::{Ending, Isolation, Outcome, Sequence, Value, Wants};

use crate::fixture::{Fixture, on_every_jdk};

/// A pool over `Chance` and what its methods without parameters say.
fn say(jdk: &Jdk, methods: &[&str], adjust: impl FnOnce(&mut PoolConfig)) -> Vec<String> {
    let mut fixture = Fixture::new(jdk, "statements", adjust);
    let sequences = methods.iter().map(|method| call(&mut fixture, method)).collect();
    let outcomes = fixture.run(sequences, Wants::default());
    outcomes.iter().map(|outcome| fixture.show(&outcome.endings[0])).collect()
}

fn call(fixture: &mut Fixture, method: &str) -> Sequence {
    let result = if method == "waits" { "J" } else { "Ljava/lang/String;" };
    let operation = fixture.operation(Static, &format!("statements/Chance.{method}"), &format!("(){result}"));
    let mut sequence = Sequence::default();
    sequence.operate(operation, &[]);
    sequence
}

#[test]
fn chance_is_the_same_in_every_worker_and_every_sequence() {
    on_every_jdk(|jdk| {
        let methods = ["random", "time", "order", "threads", "random", "time", "order", "threads"];
        let one = say(jdk, &methods, |config| config.chunk_size = 8);
        assert_eq!(one[..4], one[4..], "within a chunk");
        let other = say(jdk, &["threads", "order", "random", "time"], |config| config.chunk_size = 1);
        assert_eq!([&other[2], &other[3], &other[1], &other[0]], [&one[0], &one[1], &one[2], &one[3]]);
        assert!(one[1].contains("2021-03-04T05:06:07"), "{}", one[1]);
        assert!(one[1].ends_with("UTC en_US\""), "{}", one[1]);
        assert!(one[3].contains("Thread-0"), "{}", one[3]);
    });
}

#[test]
fn another_seed_zone_and_clock_show_who_depends_on_them() {
    on_every_jdk(|jdk| {
        let methods = ["random", "time", "order"];
        let usual = say(jdk, &methods, |_| {});
        let other = say(jdk, &methods, |config| {
            config.seed = 2;
            config.hash_mode = 5;
            config.clock_millis = 0;
            config.zone = "Asia/Kathmandu".to_owned();
        });
        for (method, (usual, other)) in methods.iter().zip(usual.iter().zip(&other)) {
            assert_ne!(usual, other, "{method}");
        }
    });
}

#[test]
fn waiting_moves_the_clock_by_what_was_asked_for() {
    on_every_jdk(|jdk| {
        assert_eq!(say(jdk, &["waits", "waits"], |_| {}), ["Long(9)", "Long(9)"]);
    });
}

#[test]
fn traces_are_gone_in_the_next_chunk_and_between_isolated_sequences() {
    on_every_jdk(|jdk| {
        let clean = "\"null en_US UTC false false main 0 0\"";
        let meddled = "\"yes de_DE Asia/Tokyo true true meddled 1 1\"";
        let mut fixture = Fixture::new(jdk, "statements", |config| config.chunk_size = 2);
        let (meddle, traces) = (call(&mut fixture, "meddle"), call(&mut fixture, "traces"));
        let sequences = vec![meddle, traces.clone(), traces.clone(), traces];
        let mut run = |isolation| {
            let round = Round { sequences: sequences.clone(), isolation, wants: Wants::default() };
            let outcomes = fixture.pool.run(&round).unwrap_or_else(|error| panic!("{error}"));
            outcomes.iter().map(|outcome| fixture.show(&outcome.endings[0])).collect::<Vec<_>>()
        };
        // State leaks inside a chunk, in the same way in every run; an interrupt would disturb whoever comes next.
        let leaked = "\"yes de_DE Asia/Tokyo true false meddled 1 1\"";
        assert_eq!(run(Isolation::Chunk), [meddled, leaked, clean, clean]);
        assert_eq!(run(Isolation::Sequence), [meddled, clean, clean, clean]);
    });
}

#[test]
fn an_exit_is_refused_and_reported_even_if_it_was_caught() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let exit = fixture.operation(Static, "statements/Chance.exit", "(I)Ljava/lang/String;");
        let system_exit = fixture.operation(Static, "java/lang/System.exit", "(I)V");
        let abs = fixture.operation(Static, "java/lang/Math.abs", "(I)I");
        let run = |fixture: &mut Fixture, operation, status| -> Outcome {
            let mut sequence = Sequence::default();
            let status = sequence.int(status);
            sequence.operate(operation, &[status]);
            sequence.operate(abs, &[status]);
            fixture.run(vec![sequence], Wants::default()).remove(0)
        };
        let before = fixture.pool.worker_ids();
        for (operation, status) in [(exit, 3), (system_exit, -1), (exit, 0)] {
            let outcome = run(&mut fixture, operation, status);
            assert_eq!(outcome.endings, [Ending::Returned(Value::Literal), Ending::Exited(status)]);
        }
        assert_eq!(run(&mut fixture, abs, 4).endings.len(), 3, "the next sequence is not blamed");
        assert_eq!(fixture.pool.worker_ids(), before, "no worker was lost");
    });
}
