//! Calls that do not end as calls should.

use crate::stage::{Argument, Call, call, expect, on_every_jdk};
use jurat_protocol::Attempt;

const NOTHING: &[Attempt] = &[];

/// By fuel or by the clock: both come near.
const CUT: &str = "TimedOut(";
/// By fuel, in every run at the same place.
const OUT_OF_FUEL: &str = "TimedOut(Fuel)";

/// Expects that the call asked the JVM to exit with this status, and was refused.
fn exits(member: &'static str, descriptor: &'static str, status: i32) {
    expect(call(member, descriptor), &format!("Exited({status})"), &[Attempt::Exit]);
}

#[test]
fn exiting_is_noticed() {
    exits("ExitsVm.exit", "()I", 3);
}

#[test]
fn exiting_is_noticed_even_if_the_caller_would_carry_on() {
    exits("ExitsVm.exitAndCatch", "()I", 3);
}

#[test]
fn exiting_from_another_thread_is_noticed() {
    exits("ExitsVm.exitFromThread", "()V", 3);
}

#[test]
fn halting_is_noticed() {
    exits("HaltsVm.halt", "()I", 4);
}

#[test]
fn a_shutdown_hook_that_never_ends_does_no_harm() {
    expect(call("HangsShutdown.register", "()V"), "Returned(Void)", NOTHING);
}

#[test]
fn nor_does_it_when_it_is_run() {
    exits("HangsShutdown.registerAndExit", "()V", 0);
}

#[test]
fn an_endless_loop_is_cut() {
    expect(call("LoopsForever.loop", "()V"), OUT_OF_FUEL, NOTHING);
}

#[test]
fn an_endless_sleep_is_cut() {
    expect(call("LoopsForever.sleep", "()V"), "TimedOut(Clock)", NOTHING);
}

#[test]
fn an_endless_wait_is_cut() {
    expect(call("LoopsForever.block", "()V"), "TimedOut(Clock)", NOTHING);
}

#[test]
fn an_endless_loop_that_catches_everything_is_cut() {
    expect(call("LoopsCatching.loop", "()I"), OUT_OF_FUEL, NOTHING);
}

#[test]
fn an_endless_sleep_that_catches_everything_is_cut() {
    expect(call("LoopsCatching.sleep", "()I"), CUT, NOTHING);
}

#[test]
fn a_very_long_counted_loop_is_cut() {
    expect(call("CountsFar.count", "()J"), OUT_OF_FUEL, NOTHING);
    expect(call("CountsFar.nested", "()I"), OUT_OF_FUEL, NOTHING);
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let recurse = Call { argument: Argument::Int(0), ..call("RecursesForever.recurse", "(I)I") };
    on_every_jdk(recurse, |seen| {
        assert!(seen.ending.starts_with("Threw java.lang.StackOverflowError"), "{}", seen.ending);
        assert!(seen.taint.stack_overflow);
    });
}

#[test]
fn endless_recursion_that_catches_the_overflow_is_cut() {
    let recurse = Call { argument: Argument::Int(0), ..call("RecursesForever.recurseCatching", "(I)I") };
    expect(recurse, CUT, NOTHING);
}

#[test]
fn a_full_heap_is_an_error_of_the_subject() {
    for member in ["EatsHeap.eat", "EatsHeap.eatAndKeep"] {
        on_every_jdk(call(member, "()I"), |seen| {
            assert!(seen.ending.starts_with("Threw java.lang.OutOfMemoryError"), "{}", seen.ending);
            assert!(seen.taint.out_of_memory);
        });
    }
}

#[test]
fn a_full_heap_that_nobody_minds_is_cut() {
    expect(call("EatsHeap.eatCatching", "()I"), CUT, NOTHING);
}

#[test]
fn direct_memory_runs_out() {
    on_every_jdk(call("EatsDirectMemory.eat", "()I"), |seen| {
        assert!(seen.ending.starts_with("Threw java.lang.OutOfMemoryError"), "{}", seen.ending);
        assert!(seen.taint.out_of_memory);
    });
}

#[test]
fn native_memory_runs_out() {
    on_every_jdk(call("EatsNativeMemory.eat", "()J"), |seen| {
        assert!(seen.ending.starts_with("Threw java.lang.OutOfMemoryError"), "{}", seen.ending);
        assert!(seen.taint.out_of_memory);
    });
}

#[test]
fn ten_thousand_threads_are_not_had() {
    on_every_jdk(call("StartsThreads.start", "()I"), |seen| {
        assert!(seen.ending.starts_with("Threw java.lang.OutOfMemoryError"), "{}", seen.ending);
        assert_eq!(seen.attempts, [Attempt::Threads]);
    });
}

#[test]
fn a_thread_left_behind_taints_the_worker() {
    for (member, result) in [("LeavesThread.leave", "Int(5)"), ("LeavesThread.leaveSleeping", "Int(6)")] {
        on_every_jdk(call(member, "()I"), |seen| {
            assert_eq!(seen.ending, result);
            assert!(seen.taint.threads_left);
        });
    }
}

#[test]
fn a_deadlock_is_cut() {
    expect(call("Deadlocks.deadlock", "()V"), "TimedOut(Clock)", NOTHING);
}

#[test]
fn a_crash_costs_one_worker() {
    expect(call("Crashes.segfault", "()I"), "KilledWorker(Signal(11))", NOTHING);
}

#[test]
fn a_static_initializer_that_fails_is_an_error_of_the_subject() {
    expect(call("FailsInitializer.value", "()I"), "Threw java.lang.ExceptionInInitializerError", NOTHING);
}

#[test]
fn a_static_initializer_that_never_ends_is_cut() {
    expect(call("LoopsInitializer.value", "()I"), OUT_OF_FUEL, NOTHING);
}

#[test]
fn a_huge_string_is_more_than_the_heap_holds() {
    for member in ["MakesHugeString.repeat", "MakesHugeString.build"] {
        expect(call(member, "()Ljava/lang/String;"), "Threw java.lang.OutOfMemoryError", NOTHING);
    }
}

#[test]
fn a_large_string_is_told_in_short() {
    expect(call("MakesHugeString.large", "()Ljava/lang/String;"), "Returned(LongString(", NOTHING);
}

#[test]
fn an_exception_is_not_asked_what_it_is() {
    let expected = "Threw hostile.ThrowsTrouble$Trouble None";
    expect(call("ThrowsTrouble.trouble", "()I"), expected, NOTHING);
    let expected = "Threw hostile.ThrowsTrouble$EndlessTrouble None";
    expect(call("ThrowsTrouble.endlessTrouble", "()I"), expected, NOTHING);
}

#[test]
fn equality_that_never_ends_is_cut() {
    let equals = Call {
        on_object: true,
        argument: Argument::Itself,
        ..call("ComparesForever.equals", "(Ljava/lang/Object;)Z")
    };
    expect(equals, OUT_OF_FUEL, NOTHING);
    let hash = Call { on_object: true, ..call("ComparesForever.hashCode", "()I") };
    expect(hash, OUT_OF_FUEL, NOTHING);
}

#[test]
fn an_object_that_cannot_be_compared_can_be_used() {
    expect(Call { on_object: true, ..call("ComparesForever.fine", "()I") }, "Int(9)", NOTHING);
}
