//! Static state: what leaks from a sequence to the next, what does not, and that both are the same in every run.

use jurat_pool::Round;
use jurat_protocol::OperationKind::{Constructor, GetStatic, LendStatic, SetStatic, Static, Virtual};
use jurat_protocol::{Isolation, Literal, Sequence, Wants};

use crate::fixture::{Fixture, on_every_jdk};

/// What `Paths.count()`, which counts its own calls in a static field, returns in each of six sequences.
fn counts(fixture: &mut Fixture, isolation: Isolation) -> Vec<String> {
    let count = fixture.operation(Static, "statements/Paths.count", "()I");
    let mut sequence = Sequence::default();
    sequence.operate(count, &[]);
    let round = Round { sequences: vec![sequence; 6], isolation, wants: Wants::default() };
    let outcomes = fixture.pool.run(&round).unwrap_or_else(|error| panic!("{error}"));
    outcomes.iter().map(|outcome| fixture.show(&outcome.endings[0])).collect()
}

#[test]
fn static_state_leaks_within_a_chunk_in_the_same_way_in_every_run_and_never_beyond() {
    on_every_jdk(|jdk| {
        let leaking = ["Int(1)", "Int(2)", "Int(3)", "Int(4)", "Int(1)", "Int(2)"];
        for workers in [1, 2] {
            let mut fixture = Fixture::new(jdk, "statements", |config| {
                config.chunk_size = 4;
                config.workers = workers;
            });
            assert_eq!(counts(&mut fixture, Isolation::Chunk), leaking, "{workers} workers");
            assert_eq!(counts(&mut fixture, Isolation::Chunk), leaking, "{workers} workers, once more");
            assert_eq!(counts(&mut fixture, Isolation::Sequence), ["Int(1)"; 6]);
        }
    });
}

#[test]
fn classes_last_from_chunk_to_chunk_only_if_asked_to() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |config| {
            config.chunk_size = 4;
            config.workers = 1;
        });
        let from = |first: u32| (first..first + 6).map(|count| format!("Int({count})")).collect::<Vec<_>>();
        assert_eq!(counts(&mut fixture, Isolation::Lasting), from(1));
        assert_eq!(counts(&mut fixture, Isolation::Lasting), from(7));
        let fresh = ["Int(1)", "Int(2)", "Int(3)", "Int(4)", "Int(1)", "Int(2)"];
        assert_eq!(counts(&mut fixture, Isolation::Chunk), fresh);
        assert_eq!(counts(&mut fixture, Isolation::Lasting), from(1));
    });
}

#[test]
fn what_is_lent_is_put_back_when_its_sequence_ends() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |config| config.workers = 1);
        let [get, set, lend] = [GetStatic, SetStatic, LendStatic]
            .map(|kind| fixture.operation(kind, "statements/Members.secret", "Ljava/lang/String;"));
        let word = fixture.operation(Virtual, "statements/Members.word", "()Ljava/lang/String;");
        let writing = |operations: &[u32]| {
            let mut sequence = Sequence::default();
            for (number, operation) in operations.iter().enumerate() {
                let value = sequence.string(&format!("value {number}"));
                sequence.operate(*operation, &[value]);
            }
            sequence.operate(get, &[]);
            sequence
        };
        let mut shown = |sequences: Vec<Sequence>| -> Vec<String> {
            let outcomes = fixture.run(sequences, Wants::default());
            outcomes.iter().map(|outcome| fixture.show(outcome.endings.last().expect("an ending"))).collect()
        };
        let lent = vec![writing(&[lend, lend]), writing(&[])];
        assert_eq!(shown(lent), ["\"value 1\"", "\"static secret\""]);
        let after_set = vec![writing(&[set]), writing(&[lend]), writing(&[])];
        assert_eq!(shown(after_set), ["\"value 0\"", "\"value 0\"", "\"value 0\""]);
        let between = vec![writing(&[set, lend, set]), writing(&[])];
        assert_eq!(shown(between), ["\"value 2\"", "\"value 0\""]);
        let mut throwing = Sequence::default();
        let value = throwing.string("lent");
        throwing.operate(lend, &[value]);
        let null = throwing.literal(Literal::Null);
        throwing.operate(word, &[null]);
        let thrown = vec![throwing, writing(&[])];
        assert_eq!(shown(thrown), ["java.lang.NullPointerException", "\"static secret\""]);
    });
}

#[test]
fn what_is_called_after_lending_leaves_no_static_field_of_the_class_changed() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |config| config.workers = 1);
        let lend = fixture.operation(LendStatic, "statements/Members.secret", "Ljava/lang/String;");
        let made = fixture.operation(GetStatic, "statements/Members.made", "I");
        let new = fixture.operation(Constructor, "statements/Members.<init>", "(ILjava/lang/String;)V");
        let making = |lends: bool| {
            let mut sequence = Sequence::default();
            let (number, word) = (sequence.int(1), sequence.string("lent"));
            if lends {
                sequence.operate(lend, &[word]);
            }
            sequence.operate(new, &[number, word]);
            sequence.operate(made, &[]);
            sequence
        };
        let outcomes = fixture.run([true, true, false, true, false].map(making).to_vec(), Wants::default());
        let shown: Vec<String> =
            outcomes.iter().map(|outcome| fixture.show(outcome.endings.last().expect("an ending"))).collect();
        assert_eq!(shown, ["Int(1)", "Int(1)", "Int(1)", "Int(2)", "Int(2)"]);
    });
}
