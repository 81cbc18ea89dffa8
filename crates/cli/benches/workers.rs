//! The speed of workers: calls per second beside a bare JNI loop, what a fresh start of everything costs, and memory.
//!
//! `cargo bench -p jurat-cli --bench workers` runs all on the oldest JDK found; words after `--` pick parts by name.
//! Processor time is that of the worker's whole process, compilers and collector included; it is what counts on a
//! machine that does other things as well.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench measures time and prints it"
)]

#[path = "../tests/wild/mod.rs"]
mod wild;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use jurat_base::Seed;
use jurat_classfile::ClassFile;
use jurat_classpath::ClassPath;
use jurat_instrument::{Branches, ProbeId, ProbePlan, instrument};
use jurat_pool::{Pool, PoolConfig, Round};
use jurat_protocol::OperationKind::{Constructor, Static, Virtual};
use jurat_protocol::{
    Bare, Isolation, Literal, Operation, ProbedBranches, Probes, Reply, Request, Sequence, Wants,
};
use jurat_testkit::machine::{compile, jar, jdks, repository};
use wild::Wild;

/// Sequences in one chunk: so many that a fresh class loader does not show.
const CHUNK: usize = 60_000;
/// Calls in a sequence.
const CALLS: u32 = 10;
/// What the path may cost: at least this part of the floor's speed is asked for.
const ASKED: f64 = 0.4;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let jdk = jdks().remove(0);
    let classes = compile(&jdk, &repository("subjects/cheap/src"), &[]);
    println!("JDK {}", jdk.version);
    let mut config = PoolConfig::new(env!("CARGO_BIN_EXE_jurat"), jdk);
    config.workers = 1;
    config.spares = 1;
    config.class_path = vec![classes.path().to_owned()];
    config.operations = operations();
    if wanted("calls") {
        calls(&config);
    }
    if wanted("replacement") {
        replacement(&config, 0);
        replacement(&config, 1);
    }
    if wanted("memory") {
        memory(&config);
    }
    if wanted("epochs") {
        epochs(&config);
    }
    config.workers = std::thread::available_parallelism().map_or(1, usize::from);
    config.chunk_size = 2_000;
    if wanted("wild-collections4") {
        config.class_path = vec![jar("commons-collections4-4.4")];
        let path = ClassPath::open(&config.class_path[0].display().to_string(), config.jdk.feature, None);
        million(&config, "commons-collections4", &Wild::new(&path.expect("it is there"), |_| true));
    }
    if wanted("wild-java.util") {
        config.class_path.clear();
        let path = ClassPath::of_jdk(&config.jdk).expect("the JDK has classes");
        million(
            &config,
            "java.util",
            &Wild::new(&path, |name| name.strip_prefix("java/util/").is_some_and(|rest| !rest.contains('/'))),
        );
    }
}

/// A million calls at random, with branch and fuel probes in all classes.
fn million(config: &PoolConfig, what: &str, wild: &Wild) {
    let mut config = config.clone();
    config.operations.clone_from(&wild.operations);
    config.probes = wild.probes.clone();
    // Timers are made by the hundred here, and each is waited for until it is clear that it does not end.
    config.limits.compute_millis = 300;
    config.limits.wait_millis = 20;
    let mut pool = start(config);
    let (begun, mut made, mut reached) = (Instant::now(), 0, BTreeSet::new());
    for first in (0..).step_by(8_000) {
        let sequences = (first..first + 8_000).map(|index| wild.sequence(Seed(7), index, 10)).collect();
        let wants = Wants { coverage: true, ..Wants::default() };
        let outcomes = pool.run(&Round { sequences, isolation: Isolation::Chunk, wants });
        for outcome in outcomes.unwrap_or_else(|error| panic!("{error}")) {
            made += wild::calls(&outcome);
            reached.extend(outcome.coverage.own);
        }
        if made >= 1_000_000 {
            break;
        }
        eprintln!("{what}: {made} calls after {:.0} s", begun.elapsed().as_secs_f64());
    }
    println!(
        "{what}: {made} calls at random in {:.0} s, {} of {} branch edges, no error of ours; {:?}",
        begun.elapsed().as_secs_f64(),
        reached.len(),
        wild.probes.count,
        pool.tally()
    );
}

fn operations() -> Vec<Operation> {
    let operation = |kind, name, descriptor| Operation::new(kind, "cheap/Counter", name, descriptor);
    vec![
        operation(Constructor, "<init>", "(I)V"),
        operation(Virtual, "add", "(I)V"),
        operation(Virtual, "get", "()I"),
        operation(Virtual, "isEven", "()Z"),
        operation(Virtual, "twice", "()Lcheap/Counter;"),
        operation(Virtual, "square", "()J"),
        operation(Static, "larger", "(II)I"),
    ]
}

/// One literal and ten calls.
fn ten_calls(number: i32) -> Sequence {
    let mut sequence = Sequence::default();
    let number = sequence.int(number);
    let counter = sequence.operate(0, &[number]);
    sequence.operate(1, &[counter, number]);
    let count = sequence.operate(2, &[counter]);
    sequence.operate(3, &[counter]);
    let same = sequence.operate(4, &[counter]);
    sequence.operate(5, &[same]);
    let larger = sequence.operate(6, &[number, count]);
    sequence.operate(1, &[same, larger]);
    sequence.operate(2, &[same]);
    sequence.operate(3, &[counter]);
    sequence
}

/// The path with everything on beside the bare loop.
fn calls(config: &PoolConfig) {
    let floor = floor(config);
    let path = path(config);
    println!("nanoseconds per call, sequences of {CALLS} cheap calls: bare JNI loop, worker path, ratio");
    println!(
        "  processor time of the worker {:6.1} {:6.1}   {:.2} (asked {ASKED})",
        floor.cpu,
        path.cpu,
        floor.cpu / path.cpu
    );
    println!(
        "  by the clock, engine included {:5.1} {:6.1}   {:.2}",
        floor.wall,
        path.wall,
        floor.wall / path.wall
    );
    println!("  calls per second: {:.0} bare, {:.0} on the worker path", 1e9 / floor.cpu, 1e9 / path.cpu);
}

fn floor(config: &PoolConfig) -> Cost {
    let mut config = config.clone();
    // Named, and given nothing: a class that is not named would have fuel.
    config.probes = Probes { classes: vec![("cheap/Counter".to_owned(), 0)], ..Probes::default() };
    let mut pool = start(config);
    run(&mut pool, 1, Wants::default());
    let bare = Request::Bare(Bare { sequence: ten_calls(3), repetitions: 500_000 });
    let id = pool.worker_ids()[0];
    measure(id, 500_000, || {
        let reply = pool.seats()[0].ask(&bare).expect("the worker understands").expect("the worker lives");
        assert_eq!(reply, Reply::Ran);
    })
}

fn path(config: &PoolConfig) -> Cost {
    let mut config = config.clone();
    config.probes = all_probes(&config.class_path[0]);
    config.chunk_size = CHUNK;
    let mut pool = start(config);
    let wants = Wants { coverage: true, ..Wants::default() };
    let rounds: Vec<Round> = (0..4).map(|_| round(CHUNK, wants)).collect();
    let id = {
        run(&mut pool, CHUNK, wants);
        pool.worker_ids()[0]
    };
    measure(id, 4 * CHUNK, || {
        for round in &rounds {
            let outcomes = pool.run(round).expect("the round runs");
            assert!(outcomes.iter().all(|outcome| outcome.returned() && !outcome.coverage.own.is_empty()));
        }
    })
}

/// How long it takes until a new worker answers when one was killed.
fn replacement(config: &PoolConfig, spares: usize) {
    let mut config = config.clone();
    config.spares = spares;
    let mut pool = start(config);
    run(&mut pool, 1, Wants::default());
    let mut times: Vec<Duration> = (0..41).map(|_| killed_and_replaced(&mut pool)).collect();
    times.sort_unstable();
    let percentile = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
    println!(
        "a killed worker is replaced, {spares} spare: p50 {:.0} ms, p95 {:.0} ms (aim 150)",
        percentile(50),
        percentile(95)
    );
}

fn killed_and_replaced(pool: &mut Pool) -> Duration {
    let worker = pool.worker_ids()[0].to_string();
    // By the shell: a small system has no program of that name.
    let killed = std::process::Command::new("sh").args(["-c", &format!("kill -KILL {worker}")]).status();
    assert!(killed.is_ok_and(|status| status.success()), "the worker was there");
    let begun = Instant::now();
    run(pool, 1, Wants::default());
    assert_ne!(pool.worker_ids()[0].to_string(), worker);
    begun.elapsed()
}

/// What a worker takes when it has just started, and after many calls.
fn memory(config: &PoolConfig) {
    let mut config = config.clone();
    config.probes = all_probes(&config.class_path[0]);
    let mut pool = start(config);
    let wants = Wants { coverage: true, ..Wants::default() };
    run(&mut pool, 1, wants);
    let fresh = resident(pool.worker_ids()[0]);
    for _ in 0..20 {
        run(&mut pool, 10_000, wants);
    }
    let used = resident(pool.worker_ids()[0]);
    println!(
        "memory of a worker: {fresh} MiB when it starts, {used} MiB after 2 million calls in 3,000 loaders"
    );
}

/// The memory that only this process has, and its share of what it shares, in MiB.
fn resident(process: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).expect("the process lives");
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).expect("every kernel tells it");
    let kib: u64 = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
    kib / 1024
}

/// What fresh classes cost: a new loader for every sequence.
fn epochs(config: &PoolConfig) {
    let mut config = config.clone();
    config.probes = all_probes(&config.class_path[0]);
    let mut pool = start(config.clone());
    epoch(&mut pool, "one class of a folder", || ten_calls(3), 400);
    config.class_path = vec![jar("commons-collections4-4.4")];
    config.probes = Probes::default();
    let package = "org/apache/commons/collections4";
    config.operations = vec![Operation::new(Constructor, &format!("{package}/bag/TreeBag"), "<init>", "()V")];
    let mut pool = start(config.clone());
    let bag = || {
        let mut sequence = Sequence::default();
        sequence.operate(0, &[]);
        sequence
    };
    epoch(&mut pool, "TreeBag and what it needs, from a jar", bag, 200);
    let names = classes_of(&config);
    let all = || {
        let mut sequence = Sequence::default();
        for name in &names {
            sequence.literal(Literal::Class(format!("L{name};")));
        }
        sequence
    };
    epoch(&mut pool, &format!("all {} classes of commons-collections4", names.len()), all, 10);
}

fn classes_of(config: &PoolConfig) -> Vec<String> {
    let path = config.class_path[0].display().to_string();
    let path = ClassPath::open(&path, config.jdk.feature, None).expect("the jar is there");
    path.names().map(ToOwned::to_owned).collect()
}

fn epoch(pool: &mut Pool, what: &str, sequence: impl Fn() -> Sequence, count: u32) {
    let sequences: Vec<Sequence> = (0..count).map(|_| sequence()).collect();
    let round = Round { sequences, isolation: Isolation::Sequence, wants: Wants::default() };
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..4 {
        pool.run(&round).expect("the round runs");
        let id = pool.worker_ids()[0];
        let (begun, spent) = (Instant::now(), processor_time(id));
        let outcomes = pool.run(&round).expect("the round runs");
        let millis = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(count);
        let used = processor_time(id).saturating_sub(spent);
        best = (best.0.min(millis(used)), best.1.min(millis(begun.elapsed())));
        assert!(outcomes.iter().all(jurat_protocol::Outcome::returned), "{:?}", outcomes[0].endings);
    }
    println!("a fresh loader, {what}: {:.2} ms of processor time, {:.2} ms by the clock", best.0, best.1);
}

/// Every probe there is, in the only class.
fn all_probes(folder: &Path) -> Probes {
    let bytes = std::fs::read(folder.join("cheap/Counter.class")).expect("it was compiled");
    let class = ClassFile::read(&bytes).expect("javac writes classes");
    let branches = Branches::Edges;
    let plan = ProbePlan { branches, entries: true, fuel: true, ..ProbePlan::default() };
    let count = instrument(&class, &plan, ProbeId(0)).map.next().0;
    let classes = vec![("cheap/Counter".to_owned(), 0)];
    let branches = ProbedBranches::Edges;
    Probes { entries: true, branches, fuel: true, classes, count, ..Probes::default() }
}

fn start(config: PoolConfig) -> Pool {
    Pool::start(config).unwrap_or_else(|error| panic!("{error}"))
}

fn round(count: usize, wants: Wants) -> Round {
    let sequences = (0..100).cycle().take(count).map(ten_calls).collect();
    Round { sequences, isolation: Isolation::Chunk, wants }
}

fn run(pool: &mut Pool, count: usize, wants: Wants) {
    pool.run(&round(count, wants)).expect("the round runs");
}

/// Nanoseconds per call.
struct Cost {
    cpu: f64,
    wall: f64,
}

/// The best of some runs of `work`, which makes the calls of so many sequences in a worker.
fn measure(worker: u32, sequences: usize, mut work: impl FnMut()) -> Cost {
    let mut best = Cost { cpu: f64::INFINITY, wall: f64::INFINITY };
    let calls = f64::from(u32::try_from(sequences).expect("not that many")) * f64::from(CALLS);
    for _ in 0..6 {
        let (begun, spent) = (Instant::now(), processor_time(worker));
        work();
        let each = |time: Duration| time.as_secs_f64() * 1e9 / calls;
        best.wall = best.wall.min(each(begun.elapsed()));
        best.cpu = best.cpu.min(each(processor_time(worker).saturating_sub(spent)));
    }
    best
}

/// The processor time a process has used, all threads together.
fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("the process lives");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    let ticks = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number"));
    // The kernel reports hundredths of a second on every platform that Jurat runs on.
    Duration::from_millis(ticks.sum::<u64>() * 10)
}
