//! Traced calls tell receiver, arguments and result; calls that were sent elsewhere arrive there.

use jurat_classfile::ClassFile;
use jurat_classpath::jdk::Jdk;
use jurat_instrument::{
    Branches, Calls, ProbeId, ProbeKind, ProbeMap, ProbePlan, Rewrite, TracePlan, instrument,
};
use jurat_testkit::machine;

use crate::{drive, java};

fn tracing(calls: Calls, callees: bool) -> ProbePlan {
    let trace = TracePlan { sink: "Sink".to_owned(), calls, callees };
    ProbePlan { trace: Some(trace), ..ProbePlan::default() }
}

/// Runs a method of `Traced` with probes. Events tell names instead of ids.
fn run(jdk: &Jdk, method: &str, plan: &ProbePlan) -> Vec<String> {
    let folder = drive::saved(jdk, "traced/src");
    let mut maps: Vec<ProbeMap> = Vec::new();
    for name in ["Traced", "Traced$Counter", "Traced$Base"] {
        let bytes = std::fs::read(folder.path().join(format!("{name}.class"))).expect("it was compiled");
        let class = ClassFile::read(&bytes).expect("the compiler wrote it");
        let done = instrument(&class, plan, maps.last().map_or(ProbeId(0), ProbeMap::next));
        assert_eq!(done.skipped, []);
        java::save(folder.path(), name, &done.class.write().expect("it can be written"));
        maps.push(done.map);
    }
    let patch = java::scratch();
    java::save_runtime(patch.path());
    let mut java = java::java(jdk);
    java.arg("--patch-module").arg(format!("java.base={}", patch.path().display()));
    let text = java::run(java.arg("-cp").arg(folder.path()).args(["Sink", method]));
    text.lines().map(|line| named(line, &maps)).collect()
}

/// Replaces the id in an event by what it stands for.
fn named(line: &str, maps: &[ProbeMap]) -> String {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    if words[0] == "result" {
        return line.to_owned();
    }
    let Some(id) = words.get(1).and_then(|id| id.parse().ok()).map(ProbeId) else { return line.to_owned() };
    let (map, probe) = maps.iter().find_map(|map| Some((map, map.probe(id)?))).expect("a probe of ours");
    let of = match &probe.kind {
        ProbeKind::Call { class, name, .. } => format!("{class}.{name}"),
        _ => format!("{}.{}", map.class, map.method(probe).name),
    };
    let of = of.rsplit(['/', '$']).next().unwrap_or_default();
    format!("{} {of} {}", words[0], words.get(2).unwrap_or(&""))
}

/// Runs a method on every JDK and compares the events.
fn check(method: &str, plan: &ProbePlan, expected: &[&str]) {
    for jdk in machine::jdks() {
        assert_eq!(run(&jdk, method, plan), expected, "JDK {}", jdk.feature);
    }
}

#[test]
fn call_sites_tell_what_goes_in_and_what_comes_out() {
    let classes = ["Traced$Counter", "Traced$Base"].map(String::from);
    let expected = [
        "before Counter.<init> null [Integer:5,String:c]",
        "before Base.<init> null [String:c]",
        "after Base.<init> Counter",
        "after Counter.<init> Counter",
        "before Counter.add Counter [Long:7,Boolean:false]",
        "after Counter.add Long:12",
        "before Counter.add Counter [Long:1,Boolean:true]",
        "after Counter.add Long:14",
        "before Counter.half null [Double:3.0]",
        "after Counter.half Double:1.5",
        "result 15",
    ];
    check("objects", &tracing(Calls::Of(classes.into()), false), &expected);
}

#[test]
fn a_call_that_throws_tells_the_exception() {
    let classes = ["Traced"].map(String::from);
    let expected = [
        "entered Traced.caught null []",
        "before Traced.fails null [Integer:2]",
        "entered Traced.fails null [Integer:2]",
        "before Traced.fails null [Integer:1]",
        "entered Traced.fails null [Integer:1]",
        "failed Traced.fails IllegalStateException",
        "threw Traced.fails IllegalStateException",
        "failed Traced.fails IllegalStateException",
        "threw Traced.fails IllegalStateException",
        "left Traced.caught String:deep",
        "result deep",
    ];
    check("caught", &tracing(Calls::Of(classes.into()), true), &expected);
}

#[test]
fn callees_tell_what_the_jdk_calls_back() {
    let expected = [
        "entered Traced.callbacks null []",
        "entered Base.<init> null [String:b]",
        "left Base.<init> Base",
        "entered Base.<init> null [String:a]",
        "left Base.<init> Base",
        // Once by the bridge for the erased method.
        "entered Base.compareTo Base [Base]",
        "entered Base.compareTo Base [Base]",
        "left Base.compareTo Integer:-1",
        "left Base.compareTo Integer:-1",
        "left Traced.callbacks String:a",
        "result a",
    ];
    check("callbacks", &tracing(Calls::None, true), &expected);
}

#[test]
fn calls_inside_the_arguments_of_constructors_are_told_in_order() {
    let expected = [
        "before System.getProperty null [String:file.separator]",
        "after System.getProperty String:/",
        "before String.length String:/ []",
        "after String.length Integer:1",
        "before Counter.<init> null [Integer:1,null]",
        "before Base.<init> null [String:none]",
        "before Object.<init> null []",
        "after Object.<init> Counter",
        "after Base.<init> Counter",
        "after Counter.<init> Counter",
        "before String.length String:none []",
        "after String.length Integer:4",
        "before Counter.<init> null [Integer:4,String:n]",
        "before Base.<init> null [String:n]",
        "before Object.<init> null []",
        "after Object.<init> Counter",
        "after Base.<init> Counter",
        "after Counter.<init> Counter",
        "before Counter.add Counter [Long:10,Boolean:false]",
        "after Counter.add Long:14",
        "result 14",
    ];
    check("nested", &tracing(Calls::All, false), &expected);
}

#[test]
fn calls_and_method_references_go_where_they_are_sent() {
    let rewrite = |class: &str, name: &str, descriptor: &str, to: &str| Rewrite {
        class: class.to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        to_class: "Sink".to_owned(),
        to_name: to.to_owned(),
    };
    let rewrites = vec![
        rewrite("java/lang/System", "currentTimeMillis", "()J", "clock"),
        rewrite("java/lang/String", "length", "()I", "length"),
    ];
    let plain = ProbePlan { rewrites, ..ProbePlan::default() };
    // 42 + 100 * 42 - 1 - 1
    check("clocks", &plain, &["result 4240"]);
    let traced = ProbePlan { branches: Branches::Edges, ..plain };
    let calls = Calls::Of(["java/lang/System".to_owned()].into());
    check(
        "clocks",
        &ProbePlan { trace: tracing(calls, false).trace, ..traced },
        &["before System.currentTimeMillis null []", "after System.currentTimeMillis Long:42", "result 4240"],
    );
}
