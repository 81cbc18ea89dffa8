//! Runs one hostile call between calm ones and watches what becomes of the world.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jurat_classpath::jdk::Jdk;
use jurat_pool::{Pool, PoolConfig, Round};
use jurat_protocol::OperationKind::{Constructor, Static, Virtual};
use jurat_protocol::{
    Attempt, Ending, Isolation, Literal, Operation, OperationKind, Outcome, Primitive, Sequence, Taint,
    Value, Var, Wants,
};
use jurat_testkit::machine;
use tempfile::TempDir;

/// Where tests may write what need not last, on the file system of the binary.
const SCRATCH: &str = env!("CARGO_TARGET_TMPDIR");

/// What the hostile call did, as far as its outcome tells.
pub(crate) struct Seen {
    /// How its last statement ended, in short.
    pub(crate) ending: String,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) taint: Taint,
    pub(crate) jdk: u32,
}

/// A call on a hostile class.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// `Class.method`.
    pub(crate) member: &'static str,
    pub(crate) descriptor: &'static str,
    /// Whether the class is constructed first, and the method called on that.
    pub(crate) on_object: bool,
    pub(crate) argument: Argument,
    /// Whether a second round does the same once more.
    pub(crate) again: bool,
}

/// What a hostile method is given.
#[derive(Clone, Copy)]
pub(crate) enum Argument {
    None,
    /// The path of a file that must not change.
    Outside,
    Int(i32),
    Text(&'static str),
    /// The object itself.
    Itself,
}

/// `static method()`.
pub(crate) fn call(member: &'static str, descriptor: &'static str) -> Call {
    Call { member, descriptor, on_object: false, argument: Argument::None, again: false }
}

/// Runs the call on every JDK and checks what its outcome says.
pub(crate) fn on_every_jdk(call: Call, check: impl Fn(&Seen)) {
    for jdk in machine::jdks() {
        let stage = Stage::new();
        check(&stage.play(&jdk, call));
    }
}

/// Expects that the call's last ending, in short, begins like this, and that exactly this was tried. Looking at a
/// file before changing it is a habit of some releases of the JDK, and is not compared when it is not expected.
pub(crate) fn expect(call: Call, ending: &str, attempts: &[Attempt]) {
    on_every_jdk(call, |seen| {
        assert!(seen.ending.starts_with(ending), "on JDK {}: {}", seen.jdk, seen.ending);
        let compared = |attempt: &&Attempt| **attempt != Attempt::ReadOutside || attempts.contains(attempt);
        let tried: Vec<Attempt> = seen.attempts.iter().filter(compared).copied().collect();
        assert_eq!(tried, attempts, "on JDK {}", seen.jdk);
    });
}

/// A file that must not change, and the binary under a name that no other test runs it by, so that whatever is left
/// running can be told to be ours. One stage at a time: some of what is played fills the heap or starts threads by the
/// thousand.
struct Stage {
    folder: TempDir,
    backstage: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Stage {
    fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        fs::write(folder.path().join("outside"), "precious").expect("it can be written");
        let backstage = tempfile::tempdir_in(SCRATCH).expect("a temporary folder can be made");
        let stage = Self { folder, backstage, _alone: alone };
        fs::hard_link(env!("CARGO_BIN_EXE_jurat"), stage.jurat()).expect("the binary can have a second name");
        stage
    }

    fn jurat(&self) -> PathBuf {
        self.backstage.path().join("jurat")
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    fn play(&self, jdk: &Jdk, call: Call) -> Seen {
        let mut config = PoolConfig::new(self.jurat(), jdk.clone());
        config.workers = 1;
        config.spares = 0;
        config.class_path = vec![machine::compile_once(jdk, "hostile", Path::new(SCRATCH))];
        let before = World::of(self.folder.path());
        let mut pool = Pool::start(config).unwrap_or_else(|error| panic!("{error}"));
        let (new, add, greet, hostile) = operations(&mut pool, call);
        let sequences = vec![
            calm(new, add, 1),
            greeting(greet),
            self.hostile(hostile, call),
            calm(new, add, 10),
            greeting(greet),
        ];
        let mut outcomes = run(&mut pool, sequences);
        check_calm(&outcomes, &[(0, 3), (3, 30)], &[1, 4]);
        let outcome = outcomes.swap_remove(2);
        let again = run(&mut pool, self.second_round((new, add, greet, hostile), call));
        check_calm(&again, &[(0, 15)], &[1]);
        for repeated in again.iter().skip(2) {
            assert_eq!(*repeated, outcome, "another chunk begins as the first did");
        }
        let workers = pool.worker_ids();
        let ending = show(&pool, outcome.endings.last().expect("at least one statement"));
        drop(pool);
        assert_eq!(World::of(self.folder.path()), before, "the world outside changed");
        assert_eq!(left_running(&workers, &self.jurat()), [0_u32; 0], "workers are left running");
        Seen { ending, attempts: outcome.attempts, taint: outcome.taint, jdk: jdk.feature }
    }

    /// The engine lives, and if asked for, the same call does the same.
    fn second_round(
        &self,
        (new, add, greet, hostile): (u32, u32, u32, (u32, u32)),
        call: Call,
    ) -> Vec<Sequence> {
        let mut sequences = vec![calm(new, add, 5), greeting(greet)];
        sequences.extend(call.again.then(|| self.hostile(hostile, call)));
        sequences
    }

    fn hostile(&self, operations: (u32, u32), call: Call) -> Sequence {
        let mut sequence = Sequence::default();
        let mut inputs: Vec<Var> = Vec::new();
        if call.on_object {
            inputs.push(sequence.operate(operations.0, &[]));
        }
        match call.argument {
            Argument::None => {}
            Argument::Outside => {
                inputs.push(sequence.string(self.outside().to_str().expect("a readable path")));
            }
            Argument::Int(value) => inputs.push(sequence.literal(Literal::Primitive(Primitive::Int(value)))),
            Argument::Text(text) => inputs.push(sequence.string(text)),
            Argument::Itself => inputs.push(inputs[0]),
        }
        sequence.operate(operations.1, &inputs);
        sequence
    }
}

/// Adds the operations: three calm ones, and the hostile constructor and method.
fn operations(pool: &mut Pool, call: Call) -> (u32, u32, u32, (u32, u32)) {
    let mut add = |kind: OperationKind, class: &str, name: &str, descriptor: &str| {
        pool.add_operations([Operation::new(kind, class, name, descriptor)])
    };
    let (class, method) = call.member.split_once('.').expect("Class.method");
    let class = format!("hostile/{class}");
    let kind = if call.on_object { Virtual } else { Static };
    (
        add(Constructor, "hostile/Calm", "<init>", "(I)V"),
        add(Virtual, "hostile/Calm", "add", "(I)I"),
        add(Static, "hostile/Calm", "greet", "(Ljava/lang/String;)Ljava/lang/String;"),
        (add(Constructor, &class, "<init>", "()V"), add(kind, &class, method, call.descriptor)),
    )
}

fn run(pool: &mut Pool, sequences: Vec<Sequence>) -> Vec<Outcome> {
    let round = Round { sequences, isolation: Isolation::Chunk, wants: Wants::default() };
    pool.run(&round).unwrap_or_else(|error| panic!("{error}"))
}

/// `new Calm(start)`, then twice `add(start)`.
fn calm(new: u32, add: u32, start: i32) -> Sequence {
    let mut sequence = Sequence::default();
    let start = sequence.int(start);
    let object = sequence.operate(new, &[start]);
    sequence.operate(add, &[object, start]);
    sequence.operate(add, &[object, start]);
    sequence
}

fn greeting(greet: u32) -> Sequence {
    let mut sequence = Sequence::default();
    let name = sequence.string("you");
    sequence.operate(greet, &[name]);
    sequence
}

#[track_caller]
fn check_calm(outcomes: &[Outcome], sums: &[(usize, i32)], greetings: &[usize]) {
    let last = |index: usize| {
        let outcome: &Outcome = &outcomes[index];
        assert_eq!(outcome.attempts, [], "sequence {index}");
        outcome.endings.last().cloned()
    };
    for (index, sum) in sums {
        let expected = Ending::Returned(Value::Primitive(Primitive::Int(*sum)));
        assert_eq!(last(*index), Some(expected), "sequence {index}");
    }
    for index in greetings {
        let expected = Ending::Returned(Value::String("hello you".into()));
        assert_eq!(last(*index), Some(expected), "sequence {index}");
    }
}

fn show(pool: &Pool, ending: &Ending) -> String {
    match ending {
        Ending::Threw(thrown) => {
            let class = pool.class_name(thrown.class);
            format!("Threw {class} {:?}", thrown.message)
        }
        Ending::Returned(Value::Primitive(value)) => format!("{value:?}"),
        other => format!("{other:?}"),
    }
}

/// All there is to know about the files of a folder.
#[derive(Debug, PartialEq)]
struct World(Vec<(PathBuf, Vec<u8>, u32, i64, i64)>);

impl World {
    fn of(folder: &Path) -> Self {
        let entries = fs::read_dir(folder).expect("the folder can be read");
        let mut files: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("the folder can be read").path();
                let status = fs::metadata(&path).expect("it is there");
                let content = fs::read(&path).expect("it can be read");
                (path, content, status.mode(), status.mtime(), status.mtime_nsec())
            })
            .collect();
        files.sort();
        Self(files)
    }
}

/// Workers that exist although their pool does not: those we knew, and whoever runs the binary that only they had.
fn left_running(known: &[u32], jurat: &Path) -> Vec<u32> {
    let jurat = fs::canonicalize(jurat).expect("the binary is there");
    let processes = fs::read_dir("/proc").expect("the processes can be listed");
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ours = |process: &u32| {
        let is = |link: &str| fs::read_link(format!("/proc/{process}/{link}"));
        known.contains(process) || is("exe").is_ok_and(|program| program == jurat)
    };
    numbers.filter(ours).collect()
}
