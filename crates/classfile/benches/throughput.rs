//! How fast classes are read and written: every class of `java.base` of the newest JDK found, on one core.
//!
//! Run with `cargo bench -p jurat-classfile`. The bytes are in memory before the clock starts; each figure is the
//! best of several rounds over all classes. Time is what the thread spent on a core, where Linux tells it, so that
//! other programs do not count.
#![expect(clippy::print_stdout, reason = "the figures are what it is run for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use jurat_classfile::{ClassFile, Fragment, Label, Op, Splice};
use jurat_classpath::ClassPath;

const ROUNDS: usize = 7;

/// What reading and writing must reach, in MB/s.
const LEAST: f64 = 50.0;

fn main() {
    let jdk = jurat_testkit::machine::jdks().pop().expect("there is at least one");
    let path =
        ClassPath::open("jrt:/java.base", jdk.feature, Some(&jdk)).unwrap_or_else(|error| panic!("{error}"));
    let inputs: Vec<Vec<u8>> =
        path.names().filter_map(|name| path.read(name).unwrap_or_else(|error| panic!("{error}"))).collect();
    let total: usize = inputs.iter().map(Vec::len).sum();
    let classes: Vec<ClassFile> = inputs.iter().map(|bytes| read(bytes)).collect();
    println!("java.base of JDK {}: {} classes, {total} bytes", jdk.feature, inputs.len());

    let all = |work: fn(&[u8]) -> Vec<u8>| {
        for bytes in &inputs {
            black_box(work(bytes));
        }
    };
    report("read", total, || {
        for bytes in &inputs {
            black_box(read(bytes));
        }
    });
    report("write", total, || {
        for class in &classes {
            black_box(write(class));
        }
    });
    let both = report("read + write", total, || all(|bytes| write(&read(bytes))));
    report("read + splice + write", total, || all(|bytes| write(&spliced(read(bytes)))));
    assert!(both >= LEAST, "reading and writing must reach {LEAST} MB/s");
}

fn read(bytes: &[u8]) -> ClassFile {
    ClassFile::read(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn write(class: &ClassFile) -> Vec<u8> {
    class.write().unwrap_or_else(|error| panic!("{error}"))
}

/// Puts an instruction before each jump and at each entry, as probes do.
fn spliced(mut class: ClassFile) -> ClassFile {
    for method in 0..class.methods.len() {
        let Some(code) = class.methods[method].code() else { continue };
        let mut splice = Splice::default();
        let probe = || Fragment::new(vec![Op::Nop.into()]);
        splice.entry(probe());
        for (index, insn) in code.insns.iter().enumerate() {
            let mut jumps = false;
            insn.for_each_target(|_| jumps = true);
            if jumps {
                splice.before(Label::at(index), probe());
            }
        }
        // A method that is too long stays as it is.
        let _ = class.splice(method, &splice);
    }
    class
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn report(what: &str, bytes: usize, round: impl Fn()) -> f64 {
    let clock = Clock::start();
    let best = (0..ROUNDS)
        .map(|_| {
            let start = clock.read();
            round();
            clock.read().saturating_sub(start)
        })
        .min()
        .unwrap_or_default();
    let rate = bytes as f64 / 1e6 / best.as_secs_f64();
    println!("{what:>22}: {rate:7.1} MB/s");
    rate
}

/// Time spent on a core, or, where nobody tells it, time passed.
struct Clock {
    start: Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    fn start() -> Self {
        Self { start: Instant::now() }
    }

    fn read(&self) -> Duration {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanos = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
        nanos.map_or_else(|| self.start.elapsed(), Duration::from_nanos)
    }
}
