//! How fast classes are read and written: every class of `java.base` of the newest JDK found, on one core.
//!
//! Run with `cargo bench -p jurat-classfile`. The bytes are in memory before the clock starts; each figure is the
//! best of several rounds over all classes.
#![expect(clippy::print_stdout, reason = "the figures are what it is run for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use jurat_classfile::{ClassFile, Fragment, Label, Op, Splice};
use jurat_classpath::ClassPath;

const ROUNDS: usize = 7;

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
    report("read + write", total, || all(|bytes| write(&read(bytes))));
    report("read + splice + write", total, || all(|bytes| write(&spliced(read(bytes)))));
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

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn report(what: &str, bytes: usize, round: impl Fn()) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed()
        })
        .min()
        .unwrap_or(Duration::MAX);
    println!("{what:>22}: {:7.1} MB/s", bytes as f64 / 1e6 / best.as_secs_f64());
}
