//! The same round with any number of workers, in bad weather: what comes out is the same.
//!
//! One test in a process of its own, because it kills workers that it finds among the children of its process.

mod wild;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use jurat_base::Seed;
use jurat_classpath::ClassPath;
use jurat_pool::{Pool, PoolConfig, Round};
use jurat_protocol::OperationKind::Static;
use jurat_protocol::{Cut, Death, Ending, Isolation, Operation, Outcome, Sequence, Wants};
use jurat_testkit::machine::{compile, jar, jdks, repository};
use wild::Wild;

/// Sequences that misbehave: they run out of fuel, crash, exit, overflow the stack and leave a thread behind.
const HOSTILE: [(&str, &str, &str); 5] = [
    ("hostile/LoopsForever", "loop", "()V"),
    ("hostile/Crashes", "segfault", "()I"),
    ("hostile/ExitsVm", "exit", "()I"),
    ("hostile/RecursesForever", "recurse", "(I)I"),
    ("hostile/LeavesThread", "leave", "()I"),
];

#[test]
fn outcomes_are_the_same_for_any_number_of_workers_in_any_weather() {
    let jdk = jdks().remove(0);
    let hostile = compile(&jdk, &repository("subjects/hostile/src"), &[]);
    let jar = jar("commons-collections4-4.4");
    let path = ClassPath::open(&jar.display().to_string(), jdk.feature, None).expect("it is there");
    let mut wild = Wild::new(&path, |name| {
        ["/bag/", "/list/", "/queue/", "/set/"].iter().any(|package| name.contains(package))
    });
    let round = round(&mut wild);
    let mut config = PoolConfig::new(env!("CARGO_BIN_EXE_jurat"), jdk);
    config.class_path = vec![jar, hostile.path().to_owned()];
    config.chunk_size = 25;
    config.operations.clone_from(&wild.operations);
    config.probes = wild.probes.clone();
    // Patience enough for a machine that does nothing but this three times over.
    config.limits.wait_millis = 5_000;
    config.limits.compute_millis = 20_000;
    let run = |workers: usize, weather: Weather| under(weather, || run(&config, workers, &round));
    let calm = run(1, Weather::Calm);
    check(&calm);
    for (workers, weather) in [
        (2, Weather::Calm),
        (4, Weather::Calm),
        (1, Weather::Killing),
        (2, Weather::Killing),
        (4, Weather::Busy),
    ] {
        let other = run(workers, weather);
        for (index, (one, other)) in calm.iter().zip(&other).enumerate() {
            assert_eq!(one, other, "sequence {index} with {workers} workers, {weather:?}");
        }
        assert_eq!(calm.len(), other.len());
    }
}

/// Three hundred sequences, every twentieth of which is hostile.
fn round(wild: &mut Wild) -> Round {
    let first = u32::try_from(wild.operations.len()).expect("few");
    let hostile = HOSTILE.map(|(class, name, descriptor)| Operation::new(Static, class, name, descriptor));
    let sequences = (0..300).map(|index: u32| {
        let mut sequence = wild.sequence(Seed(5), index.into(), 6);
        if index % 20 == 10 {
            sequence = Sequence::default();
            let (depth, kind) = ([sequence.int(0)], index / 20 % 5);
            sequence.operate(first + kind, if kind == 3 { &depth } else { &[] });
        }
        sequence
    });
    let sequences = sequences.collect();
    wild.operations.extend(hostile);
    Round {
        sequences,
        isolation: Isolation::Chunk,
        wants: Wants { coverage: true, results: true, ..Wants::default() },
    }
}

fn run(config: &PoolConfig, workers: usize, round: &Round) -> Vec<Outcome> {
    let mut config = config.clone();
    config.workers = workers;
    let mut pool = Pool::start(config).unwrap_or_else(|error| panic!("{error}"));
    pool.run(round).unwrap_or_else(|error| panic!("{error}"))
}

/// The round is what it is meant to be.
fn check(outcomes: &[Outcome]) {
    let hostile = |kind: usize| &outcomes[10 + 20 * kind].endings[1];
    assert_eq!(*hostile(0), Ending::TimedOut(Cut::Fuel));
    assert!(matches!(hostile(1), Ending::KilledWorker(Death::Signal(_))), "{:?}", hostile(1));
    assert!(matches!(hostile(2), Ending::Exited(_)), "{:?}", hostile(2));
    assert!(matches!(hostile(3), Ending::Threw(_)), "{:?}", hostile(3));
    assert!(outcomes[90].taint.threads_left);
    let clock = outcomes.iter().filter(|outcome| outcome.endings.contains(&Ending::TimedOut(Cut::Clock)));
    assert_eq!(clock.count(), 0, "what the clock cuts may differ, so nothing here may need it");
    let calls: usize = outcomes.iter().map(wild::calls).sum();
    assert!(calls > 400, "{calls} calls were made");
    assert!(outcomes.iter().any(|outcome| outcome.coverage.own.len() > 5));
}

#[derive(Clone, Copy, Debug)]
enum Weather {
    Calm,
    /// Workers are killed from outside, now and then.
    Killing,
    /// Other work keeps every processor busy, many times over.
    Busy,
}

fn under<T>(weather: Weather, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    let kills = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let threads = match weather {
            Weather::Calm => 0,
            Weather::Killing => 1,
            Weather::Busy => 3 * std::thread::available_parallelism().map_or(1, usize::from),
        };
        for _ in 0..threads {
            scope.spawn(|| match weather {
                Weather::Killing => kill_now_and_then(&over, &kills),
                _ => {
                    while !over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                }
            });
        }
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        over.store(true, Ordering::Relaxed);
        let done = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if matches!(weather, Weather::Killing) {
            assert!(kills.load(Ordering::Relaxed) > 0, "the storm did not come");
        }
        done
    })
}

#[expect(clippy::disallowed_methods, reason = "signals are sent by a program, as a stranger would")]
fn kill_now_and_then(over: &AtomicBool, kills: &AtomicUsize) {
    let mut rng = Seed(11).rng(0);
    loop {
        let pause = 300 + u64::try_from(rng.below(700)).expect("small");
        for _ in 0..pause / 50 {
            std::thread::sleep(Duration::from_millis(50));
            if over.load(Ordering::Relaxed) {
                return;
            }
        }
        let workers = workers();
        if let Some(worker) = rng.pick(&workers)
            && kills.load(Ordering::Relaxed) < 6
        {
            // It may have ended by itself meanwhile.
            // The shell's own command: not every machine has the program.
            let killed = std::process::Command::new("sh").args(["-c", "kill -KILL \"$0\"", worker]).status();
            kills.fetch_add(usize::from(killed.is_ok_and(|status| status.success())), Ordering::Relaxed);
        }
    }
}

/// The workers among the children of this process.
fn workers() -> Vec<String> {
    let mut found = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").expect("there are threads").flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let is_worker = |process: &&str| {
            std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| line.ends_with(b"\0worker\0"))
        };
        found.extend(children.split_whitespace().filter(is_worker).map(ToOwned::to_owned));
    }
    found
}
