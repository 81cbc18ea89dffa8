//! Statements that do not end by themselves, or end the worker: each is told apart, and its neighbours are unharmed.

use jurat_pool::PoolConfig;
use jurat_protocol::OperationKind::Static;
use jurat_protocol::{Cut, Death, Ending, Outcome, Sequence, Var, Wants};

use crate::fixture::{Fixture, on_every_jdk};

/// Patience for tests: a statement that waits or computes this long is stuck.
fn quick(config: &mut PoolConfig) {
    config.limits.compute_millis = 500;
    config.limits.wait_millis = 300;
}

/// Runs `hostile/<member>` between two calm neighbours, and gives its outcome.
fn run(fixture: &mut Fixture, member: &str, descriptor: &str) -> Outcome {
    let calm = fixture.operation(Static, "java/lang/Math.abs", "(I)I");
    let hostile = fixture.operation(Static, &format!("hostile/{member}"), descriptor);
    let neighbour = || {
        let mut sequence = Sequence::default();
        let number = sequence.int(-5);
        sequence.operate(calm, &[number]);
        sequence
    };
    let mut culprit = neighbour();
    let inputs: &[Var] = if descriptor.starts_with("(I)") { &[Var(0)] } else { &[] };
    culprit.operate(hostile, inputs);
    let mut outcomes = fixture.run(vec![neighbour(), culprit, neighbour()], Wants::default());
    for calm in [0, 2] {
        assert_eq!(fixture.show(&outcomes[calm].endings[1]), "Int(5)", "neighbour of {member}");
        assert!(!outcomes[calm].taint.any(), "neighbour of {member}");
    }
    let outcome = outcomes.remove(1);
    assert_eq!(outcome.endings.len(), 3, "{member}: {outcome:?}");
    assert_eq!(fixture.show(&outcome.endings[1]), "Int(5)", "what came before {member} is known");
    outcome
}

#[test]
fn loops_that_never_end_run_out_of_fuel_and_cost_no_worker() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "hostile", quick);
        let before = fixture.pool.worker_ids();
        for (member, descriptor) in [
            ("LoopsForever.loop", "()V"),
            ("LoopsCatching.loop", "()I"),
            ("CountsFar.count", "()J"),
            ("CountsFar.nested", "()I"),
            ("LoopsInitializer.value", "()I"),
        ] {
            let outcome = run(&mut fixture, member, descriptor);
            assert_eq!(outcome.endings[2], Ending::TimedOut(Cut::Fuel), "{member}");
            assert!(!outcome.taint.any(), "{member}");
        }
        assert_eq!(fixture.pool.worker_ids(), before);
    });
}

#[test]
fn waits_that_never_end_are_cut_by_the_clock() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "hostile", quick);
        for (member, descriptor) in [
            ("LoopsForever.sleep", "()V"),
            ("LoopsForever.block", "()V"),
            ("LoopsCatching.sleep", "()I"),
            ("Deadlocks.deadlock", "()V"),
        ] {
            let outcome = run(&mut fixture, member, descriptor);
            assert_eq!(outcome.endings[2], Ending::TimedOut(Cut::Clock), "{member}");
            assert!(outcome.taint.stopped, "{member}");
        }
    });
}

#[test]
fn a_native_crash_costs_one_worker() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "hostile", quick);
        let outcome = run(&mut fixture, "Crashes.segfault", "()I");
        assert_eq!(outcome.endings[2], Ending::KilledWorker(Death::Signal(11)));
    });
}

#[test]
fn what_exhausts_the_jvm_taints_it() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "hostile", quick);
        let outcome = run(&mut fixture, "RecursesForever.recurse", "(I)I");
        assert!(fixture.show(&outcome.endings[2]).starts_with("java.lang.StackOverflowError"));
        assert!(outcome.taint.stack_overflow);
        let outcome = run(&mut fixture, "EatsHeap.eat", "()I");
        assert!(fixture.show(&outcome.endings[2]).starts_with("java.lang.OutOfMemoryError"));
        assert!(outcome.taint.out_of_memory);
        for (member, value) in [("LeavesThread.leave", "Int(5)"), ("LeavesThread.leaveSleeping", "Int(6)")] {
            let outcome = run(&mut fixture, member, "()I");
            assert_eq!(fixture.show(&outcome.endings[2]), value);
            assert!(outcome.taint.threads_left, "{member}");
        }
    });
}
