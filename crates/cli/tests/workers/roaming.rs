//! Sessions in the worker: what does not end costs its session, not the rest of the order.

use std::collections::BTreeMap;

use jurat_protocol::OperationKind::Static;
use jurat_protocol::{Chart, ChartedOperation, Focus, LiteralPool, Roam, Trouble, Usable};

use crate::fixture::{Fixture, on_every_jdk};

/// A chart of operations without inputs.
fn chart(operations: &[u32]) -> Chart {
    let charted = ChartedOperation {
        inputs: Vec::new(),
        has_receiver: false,
        gives: None,
        usable: Usable::Anywhere,
        pool: 0,
        under_test: true,
        naming: None,
    };
    let boxing = operations.iter().max().map_or(0, |last| last + 1);
    Chart {
        operations: vec![charted; boxing as usize],
        types: Vec::new(),
        focuses: vec![Focus { package: 0, operations: operations.to_vec(), private_operations: Vec::new() }],
        pools: vec![LiteralPool::default()],
        names: BTreeMap::new(),
        boxing,
    }
}

#[test]
fn a_call_that_waits_ends_its_session_and_the_worker_goes_on() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "hostile", |config| {
            config.workers = 1;
            config.limits.wait_millis = 400;
        });
        let block = fixture.operation(Static, "hostile/LoopsForever.block", "()V");
        let calm = fixture.operation(Static, "java/lang/System.lineSeparator", "()Ljava/lang/String;");
        let order = Roam::first(3, 40, 8);
        let started = fixture.pool.tally().started;
        let roamed = fixture.pool.roam(&chart(&[block, calm]), &[order]).expect("no error of ours");
        assert_eq!(roamed[0].troubles, [(block, Trouble::Stuck)], "barred after the first time");
        assert_eq!(roamed[0].tally.sessions, 40);
        assert_eq!(roamed[0].tally.threw, 1, "the stop hits nothing else");
        assert_eq!(fixture.pool.tally().started, started + 1, "one worker roams to the end");
    });
}
